"""DL90x and DL950: policy, clients, expired ignores."""

from datetime import date
from pathlib import Path

from deltaadm.clients import parse_client
from deltaadm.facts import Ignore, Policy, Requirement
from deltaadm.reports.validate import Demands
from tests.support.rule_cases import breaks, respects
from tests.support.tables import commit, commit_info, drafted, metadata, protocol, table

INFO = commit_info()
LOG_RETENTION = "delta.logRetentionDuration"
FILE_RETENTION = "delta.deletedFileRetentionDuration"


def policy(**demands: object) -> Demands:
    return Demands(policy=Policy(**demands))  # type: ignore[arg-type] -- as the class has them


def required(key: str, *allowed: str, **limits: str) -> Demands:
    return policy(properties={key: Requirement(allowed=allowed, **limits)})


@drafted
def plain(path: Path, **configuration: str) -> None:
    table(path, commit(INFO, protocol(), metadata(configuration)))


@drafted
def with_vectors(path: Path) -> None:
    names = ["deletionVectors"]
    configuration = {"delta.enableDeletionVectors": "true"}
    table(path, commit(INFO, protocol(3, 7, names, names), metadata(configuration)))


breaks("DL901", "readers must know version 3", with_vectors(), demands=policy(max_reader_version=2))
respects("DL901", "version 3 is the limit", with_vectors(), demands=policy(max_reader_version=3))

breaks("DL902", "writers must know version 7",
    with_vectors(), demands=policy(max_reader_version=3, max_writer_version=6))
respects("DL902", "version 7 is the limit", with_vectors(), demands=policy(max_writer_version=7))

breaks("DL903", "deletion vectors are missing",
    plain(), demands=policy(required_features=("appendOnly", "deletionVectors")))
respects("DL903", "required features are implied",
    plain(), demands=policy(required_features=("appendOnly", "invariants")))

breaks("DL904", "deletion vectors are supported",
    with_vectors(), demands=policy(forbidden_features=("deletionVectors", "rowTracking")))
respects("DL904", "another feature is supported",
    with_vectors(), demands=policy(forbidden_features=("rowTracking",)))

breaks("DL905", "columns are not mapped", plain(), demands=policy(mapping_modes=("name", "id")))
respects("DL905", "no mapping is one of several modes",
    plain(), demands=policy(mapping_modes=("name", "none")))

breaks("DL906", "a switch is off by default", plain(), demands=required("delta.appendOnly", "true"))
breaks("DL906", "the default is out of range",
    plain(), demands=required(LOG_RETENTION, least="7 days", most="20 days"))
breaks("DL906", "an interval is too short",
    plain(**{LOG_RETENTION: "interval 8 weeks"}), demands=required(LOG_RETENTION, least="60 days"))
breaks("DL906", "a number is no interval", plain(**{"delta.checkpointInterval": "20"}),
    demands=required("delta.checkpointInterval", least="10 days"))
breaks("DL906", "a word is not among those allowed", plain(**{"delta.checkpointPolicy": "classic"}),
    demands=required("delta.checkpointPolicy", "v2"))
breaks("DL906", "a property of our own is not set", plain(), demands=required("owner", "me"))
respects("DL906", "the default is just within range",
    plain(), demands=required(LOG_RETENTION, least="7 days", most="30 days"))
respects("DL906", "an interval is written in other units",
    plain(**{LOG_RETENTION: "interval 1440 hours"}), demands=required(LOG_RETENTION, "60 days",
        most="1440 hours"))
respects("DL906 DL310", "a switch is on in capitals",
    plain(**{"delta.appendOnly": "TRUE"}), demands=required("delta.appendOnly", "true"))
respects("DL906", "a number is written otherwise", plain(**{"delta.checkpointInterval": "10"}),
    demands=required("delta.checkpointInterval", least="010", most="+10"))


OLD_SPARK = parse_client("delta-spark@2.2.0")
TRINO = parse_client("trino")


breaks("DL909", "deleted files are kept for a week by default",
    plain(), demands=policy(recovery="interval 8 days"))
breaks("DL909", "the log is kept for a shorter time",
    plain(**{LOG_RETENTION: "interval 2 days", FILE_RETENTION: "interval 2 days"}),
    demands=policy(recovery="interval 49 hours"))
respects("DL909", "both are kept long enough, in other units",
    plain(**{FILE_RETENTION: "interval 30 days"}), demands=policy(recovery="interval 720 hours"))

breaks("DL907", "an old client cannot read deletion vectors",
    with_vectors(), demands=Demands(readers=(OLD_SPARK, TRINO)))
respects("DL907", "every client reads a plain table",
    plain(), demands=Demands(readers=(OLD_SPARK, TRINO)))


@drafted
def with_domains(path: Path) -> None:
    table(path, commit(INFO, protocol(1, 7, None, ["domainMetadata"]), metadata({})))


breaks("DL908", "an old client cannot write domains",
    with_domains(), demands=Demands(writers=(OLD_SPARK,)))
respects("DL908", "a client that only reads need not know domains",
    with_domains(), demands=Demands(readers=(OLD_SPARK,)))


LONG_AGO = Ignore(code="DL101", reason="it was being fixed", until=date(2026, 1, 31))


breaks("DL950", "an ignore has expired", plain(), demands=Demands(ignores=(LONG_AGO,)))
respects("DL950", "an ignore expires today",
    plain(), demands=Demands(ignores=(Ignore(code="DL101", until=date(2096, 10, 2)),)))
