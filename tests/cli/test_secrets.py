"""No secret that is written into a URL is shown, saved or noted, whoever says something of it."""

import json
from pathlib import Path

import pytest

from tests.support import tables
from tests.support.plans import resealed
from tests.support.program import deltaadm, untouched
from tests.support.rows import with_rows
from tests.support.tables import add, commit, metadata, protocol

REFUSED, SOME_FAILED, NOT_READY = 7, 9, 6

URLS = {
    "s3://AKIA:hush@bucket/table": "s3://AKIA:***@bucket/table",
    "s3a://AKIA:hu/hush+/@bucket/table": "s3a://AKIA:***@bucket/table",
    "sftp://me:hush@home@host:22/a@b": "sftp://me:***@host:22/a@b",
    "sftp://:hush@host/table": "sftp://:***@host/table",
    "abfss://data@lake.dfs.core.windows.net/t?sv=2026&se=1&sig=hush%2F%3D":
        "abfss://data@lake.dfs.core.windows.net/t?sv=2026&se=1&sig=***",
    "https://host/t?X-Amz-Credential=hush%2F1&X-Amz-Date=2&X-Amz-Signature=hush":
        "https://host/t?X-Amz-Credential=***&X-Amz-Date=2&X-Amz-Signature=***",
    "gs://bucket/t?access_token=hush": "gs://bucket/t?access_token=***",
}  # fmt: skip

"""Nothing here is a secret, so that it is only for want of Spark that these are refused."""


@pytest.mark.parametrize("url", URLS)
@with_rows
def test_a_location_with_a_secret_is_refused(arguments: list[str], url: str) -> None:
    command = [url if argument == "URL" else argument for argument in arguments]
    text = deltaadm(*command)
    assert (text.code, text.out) == (REFUSED, "")
    assert f"{URLS[url]} contains a secret" in text.err
    assert text.err.count(URLS[url]) == 1
    assert "hush" not in text.err
    result = deltaadm(*command, "-o", "json")
    assert (result.code, result.err) == (REFUSED, "")
    assert "hush" not in result.out
    assert URLS[url] in result.document["error"]["message"]


SPELLINGS = [
    "delta.`S3://AKIA:hush@bucket/t`", "delta.`S3A://bucket/t?sig=hush`", "s3:/AKIA:hush@bucket/t",
    "s3://AKIA%3Ahush@bucket/t", "s3://AKIA:hush%40bucket/t", "FILE://me:hush@host/t",
    "wasb://me:hush@host/t", f"https://me:{'hush' * 500}@host/t",
]  # fmt: skip


@pytest.mark.parametrize("url", SPELLINGS)
def test_a_secret_is_found_however_a_location_is_spelled(url: str) -> None:
    for look in ([], ["-o", "json"], ["-o", "html"]):
        for command in (["inspect", url], ["alter", url, "--set", "a=b"], ["history", url]):
            result = deltaadm(*command, *look)
            assert result.code == REFUSED
            assert "contains a secret" in result.out + result.err
            assert "hush" not in result.out + result.err


@with_rows
def test_a_location_without_a_secret_is_shown_as_it_is(url: str) -> None:
    result = deltaadm("inspect", url, "-o", "json").document
    assert (result["table"], result["error"]["kind"]) == (url, "storage")
    assert url in result["error"]["message"]


@pytest.mark.parametrize("url", URLS)
def test_among_many_tables_it_fails_by_itself(tmp_path: Path, url: str) -> None:
    made = tables.table(tmp_path / "t", commit(protocol(), metadata()))
    listed, plans = tmp_path / "tables.txt", tmp_path / "plans.jsonl"
    listed.write_text(f"{url}\n{made.path}\n", encoding="utf-8")
    many = ("--tables-from", listed)
    results = [
        deltaadm(*command, *look)
        for command in (
            ["inspect", *many],
            ["validate", *many],
            ["enable-feature", "rowTracking", *many, "--out", plans],
        )
        for look in ([], ["-o", "jsonl"], ["-o", "html"])
    ]
    assert {result.code for result in results} == {SOME_FAILED}
    assert "hush" not in "".join(result.out + result.err for result in results)
    assert "hush" not in plans.read_text(encoding="utf-8")
    assert results[1].lines[0]["table"] == URLS[url]


def test_the_doctor_and_usage_errors_say_nothing_either() -> None:
    url, shown = next(iter(URLS.items()))
    examined = deltaadm("doctor", url)
    assert examined.code == NOT_READY
    assert f"{shown} contains a secret" in examined.out
    misused = deltaadm("rules", "--fail-on", url)
    too_many = deltaadm("set-mapping-mode", "t", "name", url)
    no_client = deltaadm("clients", url)
    for result in (examined, misused, too_many, no_client):
        assert "hush" not in result.out + result.err


def test_a_plan_that_names_such_a_location_is_not_carried_out(tmp_path: Path) -> None:
    url, shown = next(iter(URLS.items()))
    made = tables.table(tmp_path / "t", commit(protocol(), metadata()))
    plan, journal = tmp_path / "plan.json", tmp_path / "journal"
    deltaadm("alter", made.path, "--set", "delta.appendOnly=true", "--out", plan)
    document = json.loads(plan.read_text(encoding="utf-8")) | {"table": url, "location": url}
    plan.write_text(json.dumps(resealed(document)), encoding="utf-8")
    with untouched(made.path):
        alone = deltaadm("apply", plan, "--yes")
        noted = deltaadm("apply", plan, "--yes", "--journal", journal)
    for result in (alone, noted):
        assert result.code in {REFUSED, SOME_FAILED}
        assert shown in result.out + result.err
        assert "hush" not in result.out + result.err
    assert "hush" not in journal.read_text(encoding="utf-8")


def test_nor_is_one_that_the_log_holds(tmp_path: Path) -> None:
    url, shown = next(iter(URLS.items()))
    copied = add(f"{url}/part-0.parquet", dataChange=False, partitionValues={"nowhere": "1"})
    made = tables.table(tmp_path / "t", commit(protocol(), metadata(), copied))
    for look in ([], ["-o", "json"]):
        found = deltaadm("validate", made.path, "--deep", *look)
        assert shown in found.out
        assert "hush" not in found.out + found.err
