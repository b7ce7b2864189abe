"""DL90x and DL950: policy, clients, expired ignores."""

from datetime import date
from pathlib import Path

from deltaadm.clients import parse_client
from deltaadm.domain.facts import Ignore, Policy, Requirement
from deltaadm.reports.validate import Demands
from tests.support.rule_cases import breaks, respects
from tests.support.tables import commit, commit_info, metadata, protocol, table

INFO = commit_info()
LOG_RETENTION = "delta.logRetentionDuration"


def policy(**demands: object) -> Demands:
    return Demands(policy=Policy(**demands))  # type: ignore[arg-type] -- as the class has them


def required(key: str, *allowed: str, **limits: str) -> Demands:
    return policy(properties={key: Requirement(allowed=allowed, **limits)})


def plain(path: Path, **configuration: str) -> None:
    table(path, commit(INFO, protocol(), metadata(configuration)))


def with_vectors(path: Path) -> None:
    names = ["deletionVectors"]
    configuration = {"delta.enableDeletionVectors": "true"}
    table(path, commit(INFO, protocol(3, 7, names, names), metadata(configuration)))


@breaks("DL901", demands=policy(max_reader_version=2))
def readers_must_know_version_3(path: Path) -> None:
    with_vectors(path)


@respects("DL901", demands=policy(max_reader_version=3))
def version_3_is_the_limit(path: Path) -> None:
    with_vectors(path)


@breaks("DL902", demands=policy(max_reader_version=3, max_writer_version=6))
def writers_must_know_version_7(path: Path) -> None:
    with_vectors(path)


@respects("DL902", demands=policy(max_writer_version=7))
def version_7_is_the_limit(path: Path) -> None:
    with_vectors(path)


@breaks("DL903", demands=policy(required_features=("appendOnly", "deletionVectors")))
def deletion_vectors_are_missing(path: Path) -> None:
    plain(path)


@respects("DL903", demands=policy(required_features=("appendOnly", "invariants")))
def required_features_are_implied(path: Path) -> None:
    plain(path)


@breaks("DL904", demands=policy(forbidden_features=("deletionVectors", "rowTracking")))
def deletion_vectors_are_supported(path: Path) -> None:
    with_vectors(path)


@respects("DL904", demands=policy(forbidden_features=("rowTracking",)))
def another_feature_is_supported(path: Path) -> None:
    with_vectors(path)


@breaks("DL905", demands=policy(mapping_modes=("name", "id")))
def columns_are_not_mapped(path: Path) -> None:
    plain(path)


@respects("DL905", demands=policy(mapping_modes=("name", "none")))
def no_mapping_is_one_of_several_modes(path: Path) -> None:
    plain(path)


@breaks("DL906", demands=required("delta.appendOnly", "true"))
def a_switch_is_off_by_default(path: Path) -> None:
    plain(path)


@breaks("DL906", demands=required(LOG_RETENTION, least="7 days", most="20 days"))
def the_default_is_out_of_range(path: Path) -> None:
    plain(path)


@breaks("DL906", demands=required(LOG_RETENTION, least="60 days"))
def an_interval_is_too_short(path: Path) -> None:
    plain(path, **{LOG_RETENTION: "interval 8 weeks"})


@breaks("DL906", demands=required("delta.checkpointInterval", least="10 days"))
def a_number_is_no_interval(path: Path) -> None:
    plain(path, **{"delta.checkpointInterval": "20"})


@breaks("DL906", demands=required("delta.checkpointPolicy", "v2"))
def a_word_is_not_among_those_allowed(path: Path) -> None:
    plain(path, **{"delta.checkpointPolicy": "classic"})


@breaks("DL906", demands=required("owner", "me"))
def a_property_of_our_own_is_not_set(path: Path) -> None:
    plain(path)


@respects("DL906", demands=required(LOG_RETENTION, least="7 days", most="30 days"))
def the_default_is_just_within_range(path: Path) -> None:
    plain(path)


@respects("DL906", demands=required(LOG_RETENTION, "60 days", most="1440 hours"))
def an_interval_is_written_in_other_units(path: Path) -> None:
    plain(path, **{LOG_RETENTION: "interval 1440 hours"})


@respects("DL906", "DL310", demands=required("delta.appendOnly", "true"))
def a_switch_is_on_in_capitals(path: Path) -> None:
    plain(path, **{"delta.appendOnly": "TRUE"})


@respects("DL906", demands=required("delta.checkpointInterval", least="010", most="+10"))
def a_number_is_written_otherwise(path: Path) -> None:
    plain(path, **{"delta.checkpointInterval": "10"})


OLD_SPARK = parse_client("delta-spark@2.2.0")
TRINO = parse_client("trino")


@breaks("DL907", demands=Demands(readers=(OLD_SPARK, TRINO)))
def an_old_client_cannot_read_deletion_vectors(path: Path) -> None:
    with_vectors(path)


@respects("DL907", demands=Demands(readers=(OLD_SPARK, TRINO)))
def every_client_reads_a_plain_table(path: Path) -> None:
    plain(path)


def with_domains(path: Path) -> None:
    table(path, commit(INFO, protocol(1, 7, None, ["domainMetadata"]), metadata({})))


@breaks("DL908", demands=Demands(writers=(OLD_SPARK,)))
def an_old_client_cannot_write_domains(path: Path) -> None:
    with_domains(path)


@respects("DL908", demands=Demands(readers=(OLD_SPARK,)))
def a_client_that_only_reads_need_not_know_domains(path: Path) -> None:
    with_domains(path)


LONG_AGO = Ignore(code="DL101", reason="it was being fixed", until=date(2026, 1, 31))


@breaks("DL950", demands=Demands(ignores=(LONG_AGO,)))
def an_ignore_has_expired(path: Path) -> None:
    plain(path)


@respects("DL950", demands=Demands(ignores=(Ignore(code="DL101", until=date(2096, 10, 2)),)))
def an_ignore_expires_today(path: Path) -> None:
    plain(path)
