"""What the parts of a run share, and what another process gets of it."""

import pickle
from pathlib import Path
from typing import Any

import pytest

from deltaadm.catalog_table import CatalogTable
from deltaadm.errors import TableError, UsageError
from deltaadm.formats import Style
from deltaadm.runs.context import RunContext
from deltaadm.runs.options import AccessOptions, Engine, OutputOptions, SparkOptionGroup
from deltaadm.runs.plan_options import CommitOptions
from deltaadm.runs.settings import ClientRequirements
from deltaadm.runs.settings_file import SettingsSources
from deltaadm.runs.status import NOTHING, CommitStatus
from deltaadm.runs.target import Target, resolve


@pytest.fixture
def context() -> RunContext:
    return RunContext(CommitStatus())


def test_another_process_gets_what_is_shown_but_not_the_session() -> None:
    session: Any = lambda: None  # noqa: E731 -- which cannot be pickled, as sessions cannot
    style = Style(show_secrets=True)
    here = RunContext(CommitStatus(), format="jsonl", style=style, catalog=session, hadoop=session)
    here.status.set("version 1 was committed")
    there = pickle.loads(pickle.dumps(here))  # noqa: S301 -- of our own making
    assert (there.format, there.style) == ("jsonl", style)
    assert (there.executors, there.catalog, there.engine) == (None, None, None)
    assert there.status.clause == NOTHING


def test_another_process_reaches_stores_and_commits_likewise(tmp_path: Path) -> None:
    config = tmp_path / "deltaadm.toml"
    config.write_text('[[storage]]\nprefix = "s3://a/"\naws_region = "eu-west-1"\n')
    access = AccessOptions()
    access.storage_option = ["aws_endpoint_url=https://127.0.0.1"]
    settings = SettingsSources("inspect", [str(config)])
    here = RunContext(CommitStatus(), commit_engine=Engine.EMBEDDED, settings=settings)
    here = here.with_request(SparkOptionGroup(), OutputOptions(), access)
    there = pickle.loads(pickle.dumps(here))  # noqa: S301 -- of our own making
    assert there.commit_engine is Engine.EMBEDDED
    options = {"aws_endpoint_url": "https://127.0.0.1"}
    assert there.object_stores.options_for("s3://a/t") == {"aws_region": "eu-west-1"} | options
    assert there.object_stores.options_for("s3://b/t") == options


def test_another_process_requires_the_clients_of_this_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("DELTAADM_CLIENTS", "trino@480")
    pickled = pickle.dumps(RunContext(CommitStatus(), settings=SettingsSources("alter")))
    monkeypatch.delenv("DELTAADM_CLIENTS")  # as on a cluster, where executors have their own
    there = pickle.loads(pickled)  # noqa: S301 -- of our own making
    required = ClientRequirements.of(CommitOptions.of({}), there.settings, "t", "/t")
    assert [goal.release.client.id for goal in required.goals()] == ["trino"]


def test_a_status_is_looked_up_once_and_stands_where_that_fails() -> None:
    def fail() -> str:
        raise KeyboardInterrupt

    status = CommitStatus()
    status.set("perhaps", lambda: "surely")
    assert [status.describe(), status.describe()] == ["surely", "perhaps"]
    status.set("perhaps", fail)
    assert status.describe() == "perhaps"


def test_a_path_is_found_where_it_leads(context: RunContext, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "table")
    target = resolve(context, str(tmp_path / "link"))
    assert target == Target(str(tmp_path / "link"), str(tmp_path / "table"))
    assert (target.name, target.is_managed) == (None, False)


def test_a_name_leads_to_its_entry(context: RunContext, tmp_path: Path) -> None:
    entry = CatalogTable("spark_catalog.a.b", "delta", str(tmp_path), is_managed=True)
    target = resolve(context, "a.b", entry)
    assert target.location == str(tmp_path)
    assert (target.name, target.is_managed) == ("spark_catalog.a.b", True)


@pytest.mark.parametrize(("text", "entry", "error"), [
    pytest.param("", None, UsageError, id="empty"),
    pytest.param("a.b", TableError("None such."), TableError, id="not in the catalog"),
    pytest.param("a.b", CatalogTable("a.b", "csv", "/x"), TableError, id="not of Delta"),
    pytest.param("a.b", CatalogTable("a.b", "", "", is_view=True), TableError, id="a view"),
])  # fmt: skip
def test_what_leads_to_no_table(
    context: RunContext, text: str, entry: Any, error: type[Exception]
) -> None:
    with pytest.raises(error):
        resolve(context, text, entry)
