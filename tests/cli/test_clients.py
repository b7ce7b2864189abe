"""Who is shut out: shown by `inspect`, named by plans, refused or agreed to on demand."""

import re
from pathlib import Path

import pytest

from deltaadm.clients import CLIENTS
from tests.cli.test_terminal import QUESTION, ended, terminal
from tests.support import tables
from tests.support.program import LogWriter, deltaadm, untouched
from tests.support.tables import Table, commit, metadata, protocol

MAPPED = {"delta.columnMapping.mode": "name", "delta.columnMapping.maxColumnId": "1"}


def section(text: str, heading: str) -> dict[str, str]:
    """The rows under *heading*, by their first column."""
    lines = text.split(f"\n{heading}\n")[1].split("\n\n", maxsplit=1)[0].splitlines()
    return {line[2:].split("  ")[0].strip(): line[2:].partition("  ")[2].strip() for line in lines}


def groups(text: str) -> dict[str, str]:
    kinds = ("wrong data", "cannot read", "cannot write", "no source", "read, write", "read only")
    lines = (line[2:] for line in text.splitlines())
    return {kind: line for line in lines for kind in kinds if line.startswith(f"{kind} ")}


@pytest.fixture
def mapped(tmp_path: Path) -> Table:
    return tables.table(tmp_path / "mapped", commit(protocol(2, 5), metadata(MAPPED)))


def test_inspect_says_who_reads_and_who_does_not_and_why(mapped: Table) -> None:
    shown = deltaadm("inspect", mapped.path).out
    found = groups(shown)
    assert "delta-spark, trino" in found["read, write"]
    assert "bigquery" in found["read only"]
    assert "delta-rs (reads columnMapping: to_pyarrow_table" in found["wrong data"]
    assert "duckdb-delta (writes columnMapping: INSERT writes" in found["wrong data"]
    assert "polars, redshift-spectrum (columnMapping)" in found["cannot read"]
    assert "flink, hive (reader version 2)" in found["cannot read"]
    assert "delta-kernel-rs (checkConstraints, generatedColumns)" in found["cannot write"]
    assert f"For one client: deltaadm inspect {mapped.path} --for-client delta-rs\n" in shown


def test_no_client_is_in_two_groups(mapped: Table) -> None:
    found = "; ".join(groups(deltaadm("inspect", mapped.path).out).values())
    assert [found.count(name) for name in ("delta-rs ", "flink", "athena")] == [1, 1, 1]


def test_declared_clients_are_all_that_is_told(mapped: Table) -> None:
    declared = ("--config", 'clients=["trino@480", "redshift"]')
    shown = deltaadm("inspect", mapped.path, *declared)
    assert groups(shown.out) == {
        "cannot read": "cannot read  redshift-spectrum (columnMapping)",
        "read, write": "read, write  trino",
    }
    assert f"+ {len(CLIENTS) - 2} not declared" in shown.out
    found = deltaadm("inspect", mapped.path, *declared, "-o", "json").document
    assert [of["client"] for of in found["declared_clients"]] == ["trino", "redshift-spectrum"]
    assert len(found["clients"]) == len(CLIENTS)


def test_the_whole_detail_on_request(mapped: Table) -> None:
    result = deltaadm("inspect", mapped.path, "--client-sources")
    [line] = [line for line in result.out.splitlines() if line.startswith("  delta-rs@1.6.6  ")][:1]
    assert "reads wrong data silently" in line
    assert "to_pyarrow_table and to_pandas give nulls" in line
    assert "2026-11-21" in line


def test_clients_in_json(mapped: Table) -> None:
    clients = deltaadm("inspect", mapped.path, "-o", "json").document["clients"]
    found = {client["client"]: client for client in clients}
    assert found["delta-spark"] == {
        "client": "delta-spark", "name": "Delta Lake on Apache Spark", "version": "4.4.0",
        "read": {"verdict": "works", "because": []}, "write": {"verdict": "works", "because": []},
    }  # fmt: skip
    [because] = found["delta-rs"]["read"]["because"]
    assert found["delta-rs"]["read"]["verdict"] == "silently wrong"
    assert because["subject"] == "columnMapping"
    assert because["source"].startswith("tried with deltalake ")
    assert because["date"] == "2026-11-21"
    assert found["polars"]["read"]["verdict"] == "fails loudly"
    assert found["polars"]["write"]["verdict"] == "works"
    assert found["snowflake"]["write"]["because"][0]["source"] is None


def test_a_plan_names_whom_it_newly_shuts_out(small: Table) -> None:
    text = deltaadm("enable-feature", small.path, "rowTracking").out
    assert re.search(r"cannot write: .*trino \(domainMetadata, rowTracking\)", text)
    plan = deltaadm("enable-feature", small.path, "rowTracking", "-o", "json").document
    [trino] = [client for client in plan["clients"] if client["client"] == "trino"]
    assert (trino["access"], trino["before"], trino["verdict"]) == (
        "write",
        "works",
        "fails loudly",
    )
    assert [reason["subject"] for reason in trino["because"]] == ["domainMetadata", "rowTracking"]


def test_a_plan_that_shuts_nobody_out_says_nothing(small: Table) -> None:
    text = deltaadm("alter", small.path, "--set", "a=b").out
    assert "Clients" not in text
    plan = deltaadm("alter", small.path, "--set", "a=b", "-o", "json").document
    assert plan["clients"] == []


@pytest.mark.parametrize(("options", "words"), [
    (["--for-client", "hive"], "hive@3.0.0 cannot read the table because of "),
    (["--for-client", "delta-spark@2.2"], "delta-spark@2.2 cannot read"),
    (["--for-client", "trino", "--for-client", "athena"], "athena is not known "),
    (["--for-client-writing", "duckdb-delta@1.3"], ""),
    (["--for-client-writing", "flink"], "flink@3.0.0 cannot write"),
    (["--for-client", "trino@480", "--for-client-writing", "trino@480"], ""),
])  # fmt: skip
def test_a_client_that_must_go_on(small: Table, options: list[str], words: str) -> None:
    with untouched(small.path):
        result = deltaadm("enable-feature", small.path, "deletionVectors", *options)
    assert result.code == (7 if words else 0)
    assert words in result.err


def test_a_client_that_a_plan_leaves_shut_out_is_named(mapped: Table) -> None:
    wish = ["upgrade-protocol", mapped.path, "--minimum"]
    assert "Not changed by this plan" not in deltaadm(*wish, "--for-client", "trino@480").out
    for option, client, does in (
        ("--for-client", "delta-rs@1.6.6", "reads wrong data"),
        ("--for-client-writing", "delta-kernel-rs@0.30.1", "cannot write the table"),
    ):
        asked = deltaadm(*wish, option, client)
        assert asked.code == 0
        assert f"Not changed by this plan: {client} {does} " in asked.out
    document = deltaadm(*wish, "--for-client", "delta-rs", "-o", "json").document
    assert any("Not changed by this plan: delta-rs" in note for note in document["notes"])


def test_the_refusal_names_only_those_who_are_shut_out(small: Table) -> None:
    result = deltaadm(
        *("enable-feature", small.path, "deletionVectors", "-o", "json"),
        *("--for-client", "trino", "--for-client", "hive"),
    )
    assert result.code == 7
    message = result.document["error"]["message"]
    assert "protocol.minReaderVersion" in message
    assert "trino" not in message


def test_an_unknown_client_is_refused_before_anything_is_read(tmp_path: Path) -> None:
    result = deltaadm("alter", tmp_path / "gone", "--set", "a=b", "--for-client", "trinoo")
    assert result.code == 2
    assert "Did you mean trino?" in result.err


def test_silently_wrong_needs_a_consent_of_its_own(small: Table, writer: LogWriter) -> None:
    wish = ["set-mapping-mode", small.path, "name", "--apply", "--yes"]
    with untouched(small.path):
        result = deltaadm(*wish)
    assert result.code == 7
    accept = "--accept-silently-wrong delta-rs --accept-silently-wrong duckdb-delta"
    assert f"Pass {accept} to " in result.err
    assert writer.steps == []
    one = deltaadm(*wish, "--accept-silently-wrong", "delta-rs")
    assert one.code == 7
    assert "Pass --accept-silently-wrong duckdb-delta to " in one.err
    both = deltaadm(*wish, *accept.split())
    assert both.code == 0, both.err
    assert len(writer.steps) == 1


def test_nobody_is_asked_for_consent_for_excluded_clients(small: Table, writer: LogWriter) -> None:
    wish = ["set-mapping-mode", small.path, "name", "--apply", "--yes"]
    assert deltaadm(*wish, "--config", 'clients=["trino@480"]').code == 0
    assert len(writer.steps) == 1


def test_an_older_release_that_is_asked_for_needs_the_consent_as_well(small: Table) -> None:
    wish = ["enable-feature", small.path, "deletionVectors", "--apply", "--yes"]
    asked = deltaadm(*wish, "--for-client", "delta-rs@0.25.5")
    assert asked.code == 7
    assert "QueryBuilder returns deleted rows" in asked.err


def test_an_accepted_client_may_be_asked_for(small: Table, writer: LogWriter) -> None:
    result = deltaadm(
        *("enable-feature", small.path, "deletionVectors", "--apply", "--yes"),
        *("--for-client", "delta-rs@0.25.5", "--accept-silently-wrong", "delta-rs"),
    )
    assert result.code == 0, result.err
    assert len(writer.steps) == 1


def test_a_saved_plan_needs_the_consent_too(small: Table, tmp_path: Path) -> None:
    saved = tmp_path / "plan.json"
    assert deltaadm("set-mapping-mode", small.path, "name", "--out", saved).code == 0
    with untouched(small.path):
        result = deltaadm("apply", saved, "--yes")
        refused = deltaadm("apply", saved, "--for-client", "polars")
    assert result.code == refused.code == 7
    assert "--accept-silently-wrong delta-rs" in result.err
    assert "polars@2.1.0 cannot read" in refused.err


@pytest.mark.parametrize(("answer", "code"), [("delta-rs", 0), ("yes", 7), ("", 7)])
def test_at_a_terminal_the_name_must_be_typed(small: Table, answer: str, code: int) -> None:
    program = terminal(
        *("set-mapping-mode", small.path, "name", "--apply"),
        *("--accept-silently-wrong", "duckdb-delta"),
    )
    program.expect_exact(QUESTION)
    program.sendline("yes")
    program.expect_exact("reads wrong data silently")
    program.expect_exact("Type 'delta-rs' to continue: ")
    program.sendline(answer)
    assert ended(program)[0] == code


def test_clients_of_the_settings_must_go_on_as_well(
    small: Table, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = tmp_path / "deltaadm.toml"
    settings.write_text('clients = ["hive"]\n')
    monkeypatch.setenv("DELTAADM_CONFIG", str(settings))
    wish = ["enable-feature", small.path, "deletionVectors"]
    refused = deltaadm(*wish)
    assert refused.code == 7
    assert "hive@3.0.0 cannot read" in refused.err
    instead = deltaadm(*wish, "--for-client", "trino")
    assert instead.code == 0


def test_settings_about_other_tables_do_not_matter(
    small: Table, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = tmp_path / "deltaadm.toml"
    settings.write_text('[[tables]]\npattern = "elsewhere/*"\nclients = ["hive"]\n')
    monkeypatch.setenv("DELTAADM_CONFIG", str(settings))
    assert deltaadm("enable-feature", small.path, "deletionVectors").code == 0


def test_a_plan_for_clients_names_what_each_step_costs_and_loses(mapped: Table) -> None:
    text = deltaadm("upgrade-protocol", mapped.path, "--readable-by", "redshift-spectrum").out
    assert re.search(r"\n  Cost +rewrite of every data file", text)
    assert "redshift-spectrum can read the table after this." in text


def test_a_plan_for_clients_in_json(mapped: Table) -> None:
    plan = deltaadm("upgrade-protocol", mapped.path, "--readable-by", "hive", "-o", "json").document
    assert plan["goals"] == [
        {"client": "hive", "version": "3.0.0", "access": "read", "reached": True}
    ]
    assert [loss["step"] for loss in plan["losses"]] == [1]


WISH = ("--readable-by", "hive", "--writable-by", "power-bi")


def test_clients_that_cannot_be_reached_are_named_and_the_rest_is_planned(mapped: Table) -> None:
    result = deltaadm("upgrade-protocol", mapped.path, *WISH)
    assert result.code == 7
    head = result.out.partition("\nChanges\n")[0]
    assert "Clients that cannot be reached\n  - power-bi does not write any table" in head
    assert "hive@3.0.0 can read the table after this." in result.out
    assert "--skip-unreachable --apply" in result.err
    found = deltaadm("upgrade-protocol", mapped.path, *WISH, "-o", "json")
    assert found.code == 7
    assert found.document["unreachable"] == [
        {
            "client": "power-bi", "version": "2026-11-21", "access": "write",
            "reason": "power-bi does not write any table (read-only)", "skipped": False,
        }
    ]  # fmt: skip
    skipping = deltaadm("upgrade-protocol", mapped.path, *WISH, "--skip-unreachable", "--check")
    assert skipping.code == 1


def test_nothing_is_applied_where_a_client_cannot_be_reached(mapped: Table, tmp_path: Path) -> None:
    result = deltaadm("upgrade-protocol", mapped.path, *WISH, "--apply", "--yes")
    assert result.code == 7
    assert "power-bi does not write any table (read-only). Nothing was changed." in result.err
    assert "--skip-unreachable" in result.err
    plans = tmp_path / "plans.jsonl"
    many = ("upgrade-protocol", "--table", mapped.path, *WISH, "--out", plans, "--apply", "--yes")
    assert deltaadm(*many, "-o", "jsonl").code == 9
    assert not plans.read_text()


def test_many_tables_name_the_clients_that_cannot_be_reached(mapped: Table) -> None:
    many = deltaadm("upgrade-protocol", "--table", mapped.path, *WISH)
    assert "! power-bi cannot be reached" in many.out
    assert "  Missed      1 table: power-bi, to write\n" in many.out
    assert many.code == 9
    assert (
        deltaadm("upgrade-protocol", "--table", mapped.path, *WISH, "--skip-unreachable").code == 0
    )


def test_skipping_needs_clients_to_skip(mapped: Table) -> None:
    assert deltaadm("upgrade-protocol", mapped.path, "--skip-unreachable").code == 2


def test_a_plan_for_clients_can_be_saved_and_applied_later(mapped: Table, tmp_path: Path) -> None:
    file = tmp_path / "plan.json"
    asked = ("upgrade-protocol", mapped.path, "--readable-by", "hive", "--out", str(file))
    assert deltaadm(*asked, "--check").code == 1
    assert "DROP FEATURE" in deltaadm(*asked, "-o", "sql").out
    refused = deltaadm("apply", str(file))
    assert refused.code == 7
    assert "rewrite" in refused.err


def test_goals_exclude_other_ways_of_planning(mapped: Table) -> None:
    result = deltaadm("upgrade-protocol", mapped.path, "--minimum", "--readable-by", "hive")
    assert result.code == 2


def test_the_lowest_protocol_says_who_is_still_shut_out_and_what_it_takes(mapped: Table) -> None:
    command = ("upgrade-protocol", mapped.path, "--minimum", "--for-client", "redshift-spectrum")
    result = deltaadm(*command)
    assert result.code == 0
    assert "redshift-spectrum cannot read the table because of columnMapping" in result.out
    assert "mapped --readable-by redshift-spectrum." in result.out


def test_a_matrix_of_clients_and_the_features_of_a_table(mapped: Table) -> None:
    shown = deltaadm("inspect", mapped.path, "--clients").out.partition("r reads, w writes")[2]
    names = [line.split()[-1] for line in shown.splitlines() if line[:20].isspace()]
    assert names[:3] == ["table", "versions", "appendOnly"]
    [trino] = [line for line in shown.splitlines() if line.startswith("  trino ")]
    assert trino.split()[1 + names.index("columnMapping")] == "rw"
    [delta_rs] = [line for line in shown.splitlines() if line.startswith("  delta-rs ")]
    assert delta_rs.split()[1 + names.index("columnMapping")].startswith("!")


def test_the_catalogue_of_clients() -> None:
    shown = deltaadm("clients").out
    assert " |  bigquery\n" in shown
    assert "2026" not in shown
    assert max(map(len, shown.splitlines()[1:])) <= 80
    page = deltaadm("clients", "-o", "markdown").out
    assert page.splitlines()[2].startswith("|  | athena | bigquery | clickhouse@26.9 |")
    found = {
        client["client"]: client for client in deltaadm("clients", "-o", "json").document["clients"]
    }
    features = {feature["feature"]: feature for feature in found["trino"]["features"]}
    assert features["deletionVectors"] == {
        "feature": "deletionVectors", "read": "works", "write": "works",
    }  # fmt: skip
    assert features["rowTracking"]["read"] is None
    assert features["rowTracking"]["write"] == "fails loudly"


def test_one_client_with_sources() -> None:
    shown = deltaadm("clients", "trino").out
    assert shown.startswith("Trino (trino)\n")
    assert "Trino release notes, Release 427 (2023-09-26)" in shown
    document = deltaadm("clients", "trino@420", "-o", "json").document
    [fact] = [fact for fact in document["facts"] if fact["subjects"] == ["deletionVectors"]][:1]
    assert (fact["verdict"], fact["since"], fact["until"]) == ("fails loudly", "414", "427")
    assert document["version"] == "420"


def test_a_client_that_nobody_knows() -> None:
    result = deltaadm("clients", "trinno")
    assert (result.code, "Did you mean trino?" in result.err) == (2, True)


def test_a_service_is_not_called_by_the_day_of_its_facts(mapped: Table) -> None:
    for options in (["--clients"], ["--client-sources"], []):
        shown = deltaadm("inspect", mapped.path, *options).out
        assert "athena@" not in shown
        assert "athena" in shown


@pytest.mark.parametrize(
    ("name", "client"),
    [("Redshift", "redshift-spectrum"), ("sqlpool", "synapse-serverless"), ("emr", "delta-spark")],
)
def test_a_client_has_the_names_that_people_use(small: Table, name: str, client: str) -> None:
    shown = deltaadm("inspect", small.path, "--for-client", name, "-o", "json")
    assert (shown.code, shown.document["client"]) == (0, client)


def test_what_inspect_shows_besides_goes_with_no_client(small: Table) -> None:
    refused = deltaadm("inspect", small.path, "--for-client", "trino", "--files")
    assert (refused.code, "cannot be combined with --files" in refused.err) == (2, True)
