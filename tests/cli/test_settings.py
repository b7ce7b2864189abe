"""Settings: where they come from, which of them counts, and what is wrong with them."""

import os
import re
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from deltaadm.cli.settings import option_settings
from deltaadm.clients import parse_client
from deltaadm.errors import SettingsError
from deltaadm.facts import Ignore, Requirement
from deltaadm.runs.settings import Settings, load_settings
from deltaadm.runs.settings_file import FROM_PROJECTS, SettingsSources
from tests.support.program import deltaadm, process
from tests.support.rows import with_rows
from tests.support.tables import Table

NAMES = ("SELECT", "IGNORE", "FAIL_ON", "CLIENTS", "WRITERS", "CONFIG", "ISOLATED")


@pytest.fixture(autouse=True)
def _bare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("DELTAADM_NO_INPUT", raising=False)
    for name in NAMES:
        monkeypatch.delenv(f"DELTAADM_{name}", raising=False)


def written(text: str, path: str = "deltaadm.toml") -> Path:
    file = Path.cwd() / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    return file


def loaded(text: str) -> Settings:
    written(text)
    return load_settings(SettingsSources())


def shown(*arguments: object) -> dict[str, Any]:
    """What `config show` says of all settings that are no defaults."""
    done = deltaadm("config", "show", "-o", "json", *arguments)
    assert done.code == 0, done
    settings = done.document["settings"]
    return {each["key"]: each for each in settings if each["origin"] != "default"}


def select(*arguments: object) -> str:
    return str(shown(*arguments).get("select", {"value": ""})["value"])


# Where they come from


def test_without_a_file_the_defaults_count() -> None:
    assert shown() == {}
    assert load_settings(SettingsSources()) == Settings()


def test_each_origin_comes_before_the_next(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The command line, variables, the project's file, the user's own, defaults."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    written('select = ["DL3"]\nignore = ["DL4"]\njobs = 7', "config/deltaadm/deltaadm.toml")
    assert {key: each["origin"] for key, each in shown().items()} == dict.fromkeys(
        ("select", "ignore", "jobs"), "user file"
    )
    written('select = ["DL1"]\nignore = ["DL2"]')
    monkeypatch.setenv("DELTAADM_SELECT", "DL5, DL6xx,")
    found = shown("--config", "select=['DL7']")
    assert found["select"]["value"] == "['DL7']".replace("'", '"')
    assert {key: each["origin"] for key, each in found.items()} == {
        "select": "command line", "ignore": "project file", "jobs": "user file",
    }  # fmt: skip
    assert {key: each["origin"] for key, each in shown("--isolated").items()} == {
        "select": "environment"
    }
    assert shown()["select"]["value"] == '["DL5", "DL6xx"]'
    written("selct = []", "config/deltaadm/deltaadm.toml")
    assert "config/deltaadm/deltaadm.toml: there is no setting" in deltaadm("features").err


def test_isolated_looks_for_no_file(monkeypatch: pytest.MonkeyPatch) -> None:
    written('select = ["DL1"]')
    assert shown("--isolated") == {}
    monkeypatch.setenv("DELTAADM_ISOLATED", "1")
    assert "select" not in shown()
    monkeypatch.setenv("DELTAADM_ISOLATED", "0")
    assert "select" in shown()


# What they do


def test_options_take_their_settings(small: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    written('output = "json"\n[validate]\ndeep = true\n[features]\noutput = "name"')
    assert deltaadm("validate", small.path).document["depth"] == ["deep"]
    assert deltaadm("inspect", small.path, "-o", "name").out == f"{small.path}\n"
    assert "appendOnly" in deltaadm("features").out.splitlines()
    assert deltaadm("inspect", small.path, "--config", "output=text").out[0] != "{"
    monkeypatch.setenv("DELTAADM_OUTPUT", "yaml")
    assert deltaadm("inspect", small.path).out.startswith("---\n")
    assert deltaadm("inspect", small.path, "--config", "inspect.output=name").out[0] == "/"
    written('[inspect]\noutput = "name"')
    monkeypatch.delenv("DELTAADM_OUTPUT")
    assert deltaadm("inspect", small.path).out == f"{small.path}\n"
    assert deltaadm("inspect", "--", small.path).out == f"{small.path}\n"
    assert deltaadm("inspect", "-ojson", "--", small.path).out[0] == "{"


def test_paths_begin_where_the_file_is(small: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    file = written('log-file = "run.log"', "project/mine.toml")
    monkeypatch.setenv("DELTAADM_CONFIG", str(file))
    (Path.cwd() / "project" / "below").mkdir()
    monkeypatch.chdir("project/below")
    assert deltaadm("inspect", small.path).code == 0
    assert Path("../run.log").is_file()
    file.write_text('output = "json:table.json"')
    assert deltaadm("inspect", small.path).code == 0
    assert Path("../table.json").is_file()
    assert list(Path.cwd().iterdir()) == []


def test_aliases_are_names_of_tables(small: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DELTAADM_CONFIG", str(written(f'[aliases]\nevents = "{small.path}"')))
    assert deltaadm("inspect", "@events", "-o", "name").out == f"{small.path}\n"
    assert deltaadm("diff", "@events@0", "@events").code == 0
    assert deltaadm("inspect", "--table", "@events", "-o", "name").out == f"{small.path}\n"
    Path("list").write_text("@events\n")
    assert deltaadm("inspect", "--tables-from", "list", "-o", "name").out == f"{small.path}\n"
    unknown = deltaadm("inspect", "@event")
    assert (unknown.code, unknown.out) == (2, "")
    assert "Did you mean @events?" in unknown.err


# What strangers may set


def test_what_a_project_may_set_is_shown_or_judged(small: Table) -> None:
    """Every setting there is, in a file that is found and in one that is named."""
    texts = {"true or false": "true", "number": "1", "strings": '["x"]', "string": '"x"'}
    allowed = set()
    for name, (section, option) in option_settings().items():
        value = texts[
            "number" if option.counted or option.type_name == "int"
            else "true or false" if option.is_switch
            else "strings" if option.is_list
            else "string"
        ]  # fmt: skip
        head = f"[{section}]\n" if section else ""
        written(f"{head}{option.key} = {value}")
        sources = SettingsSources(section)
        permitted = FROM_PROJECTS[""] | FROM_PROJECTS.get(section, frozenset())
        if option.key in permitted:
            assert sources.find(option.key)
            allowed.add(name)
            continue
        with pytest.raises(SettingsError, match="file cannot set"):
            sources.find(option.key)
        named = SettingsSources(section, ["deltaadm.toml"])
        assert named.find(option.key)
    reaching = {"unity", "engine", "commit-engine", "spark-conf", "spark-master", "remote", "jars"}
    writing = {"log-file", "record.out", "validate.fix", "alter.set"}
    storage = {"storage-option", "storage-options-file"}
    assert not allowed & (reaching | writing | storage)
    assert not {key for key in allowed if key.startswith(("alter.", "create."))}
    assert {"output", "select", "fail-on", "validate.baseline", "inspect.columns"} <= allowed
    for text in ('[aliases]\nx = "s3://x/y"', 'output = "json:x.json"'):
        written(text)
        done = deltaadm("inspect", small.path)
        assert (done.code, done.out) == (2, "")
        assert not Path("x.json").exists()


@pytest.mark.parametrize(("mode", "code"), [(0o666, 2), (0o646, 2), (0o644, 0), (0o600, 0)])
def test_a_file_that_others_can_write_is_not_used(small: Table, mode: int, code: int) -> None:
    written("jobs = 1").chmod(mode)
    done = deltaadm("inspect", small.path)
    assert done.code == code
    assert ("can be written by other users" in done.err) == bool(code)
    assert deltaadm("inspect", small.path, "--config", "deltaadm.toml").code == 0


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give a file away")
def test_a_file_of_another_user_is_not_used(small: Table) -> None:
    os.chown(written("jobs = 1"), 65534, 65534)
    done = deltaadm("inspect", small.path)
    assert done.code == 2
    assert "belongs to another user" in done.err
    assert deltaadm("inspect", small.path, "--isolated").code == 0


def test_files_above_the_project_do_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    written('select = ["DL1"]')
    (Path.cwd() / "repository" / ".git").mkdir(parents=True)
    (Path.cwd() / "repository" / "below").mkdir()
    monkeypatch.chdir("repository/below")
    assert select() == ""
    written('[project]\nname = "deltaadm-user"', "pyproject.toml")
    near = written('select = ["DL2"]', "../deltaadm.toml").resolve()
    found = shown()["select"]
    assert (found["value"], found["place"]) == ('["DL2"]', str(near))


@with_rows
def test_text_that_no_option_can_have_is_no_setting(small: Table, text: str) -> None:
    command = "history" if "since" in text else "inspect"
    assert deltaadm(command, small.path, "--config", written(f"[{command}]\n{text}\n")).code == 2


@with_rows
def test_a_secret_is_no_setting(text: str) -> None:
    written(text)
    for arguments in (["config", "show"], ["inspect", "nowhere"]):
        found = deltaadm(*arguments)
        assert found.code in {2, 3, 7}
        assert "secret" in found.err or found.code == 3
        assert "abc" not in found.out + found.err


# Which of them counts for a table

TABLES = """
clients = ["trino@480"]
[policy]
max-reader-version = 1
mapping-modes = ["none"]
[policy.properties]
"delta.appendOnly" = true

[[tables]]
pattern = "bronze/*"
clients = []
ignore = ["DL217", { code = "gap-in-commits", reason = "old", until = 2027-01-31 }]
[tables.policy]
max-reader-version = 3
[tables.policy.properties]
"delta.logRetentionDuration" = { min = "7 days", max = "60 days" }
"delta.checkpointPolicy" = ["classic", "v2"]
"delta.checkpointInterval" = 10

[[tables]]
pattern = ["/data/*", "silver"]
writers = ["delta-spark"]
[tables.policy]
forbidden-features = ["DELETIONVECTORS"]
"""


def test_a_table_that_no_pattern_matches_has_the_general_demands() -> None:
    demands = loaded(TABLES).demands("gold", "/lake/gold")
    assert demands.readers == (parse_client("trino@480"),)
    assert (demands.writers, demands.ignores) == ((), ())
    assert demands.policy.max_reader_version == 1
    assert demands.policy.properties == {"delta.appendOnly": Requirement(allowed=("true",))}


def test_the_keys_of_a_pattern_replace_the_general_ones() -> None:
    demands = loaded(TABLES).demands("bronze/events", "/lake/bronze/events")
    assert demands.readers == ()
    assert demands.ignores == (
        Ignore(code="DL217"),
        Ignore(code="DL101", reason="old", until=date(2027, 1, 31)),
    )
    policy = demands.policy
    assert (policy.max_reader_version, policy.mapping_modes) == (3, ("none",))
    assert policy.properties == {
        "delta.appendOnly": Requirement(allowed=("true",)),
        "delta.logRetentionDuration": Requirement(least="7 days", most="60 days"),
        "delta.checkpointPolicy": Requirement(allowed=("classic", "v2")),
        "delta.checkpointInterval": Requirement(allowed=("10",)),
    }


@with_rows
def test_a_pattern_matches_the_name_as_given_or_the_place(
    table: str, location: str, matches: bool, tmp_path: Path
) -> None:
    found = loaded(TABLES).demands(table, location.replace("HERE", str(tmp_path)))
    assert bool(found.writers) is matches
    assert found.policy.forbidden_features == (("deletionVectors",) if matches else ())


def test_clients_of_the_command_line_replace_all_others() -> None:
    one = parse_client("delta-spark@3.0.0")
    demands = loaded(TABLES).demands("silver", "/x", readers=(one,), writers=(one,))
    assert (demands.readers, demands.writers) == ((one,), (one,))


# What is wrong with them


@with_rows
def test_what_cannot_be_understood_is_said(
    small: Table, text: str, message: str, remedy: str
) -> None:
    written(text)
    found = deltaadm("validate", small.path)
    assert (found.code, found.out) == (2, "")
    assert message in found.err
    assert "deltaadm.toml" in found.err
    assert remedy in found.err


def test_text_that_is_not_unicode_is_not_toml(tmp_path: Path) -> None:
    (tmp_path / "deltaadm.toml").write_bytes(b"select = ['\xff']")
    assert "are not TOML" in deltaadm("features").err


def test_the_example_of_the_guide_is_right() -> None:
    guide = Path(__file__).parent.parent.parent / "docs" / "guide.md"
    [example] = re.findall(r"```toml\n(.*?)```", guide.read_text(encoding="utf-8"), re.DOTALL)
    settings = loaded(example)
    assert settings.clients == (parse_client("trino@480"),)
    assert settings.demands("bronze/x", "/x").policy.max_reader_version == 1


@pytest.mark.slow
def test_one_demand_is_replaced_on_the_command_line(small: Table, tmp_path: Path) -> None:
    """The others of the policy stay, each with where it comes from."""
    (tmp_path / "deltaadm.toml").write_text(
        "[policy]\nmax-reader-version = 1\n[policy.properties]\n"
        '"delta.appendOnly" = "true"\n"delta.enableChangeDataFeed" = "true"\n',
        encoding="utf-8",
    )
    given = (
        "--config", "policy.max-writer-version=1",
        "--config", "policy.properties.delta.appendOnly=false",
    )  # fmt: skip
    found = process("validate", small.path, "--select", "DL9", *given, "-o", "json", cwd=tmp_path)
    assert [(each["code"], each["where"]) for each in found.document["findings"]] == [
        ("DL902", "protocol.minWriterVersion"),
        ("DL906", "configuration[delta.enableChangeDataFeed]"),
    ]
    shown = process("config", "show", *given, "-o", "json", cwd=tmp_path).document["settings"]
    policy = {each["origin"]: each["value"] for each in shown if each["key"] == "policy"}
    assert list(policy) == ["project file", "command line"]
    assert policy["project file"].startswith("{ max-reader-version = 1, properties = { ")
    assert policy["command line"].startswith("{ max-writer-version = 1, properties = { ")
