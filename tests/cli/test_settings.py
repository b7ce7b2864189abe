"""Settings: where they come from, which of them counts, and what is wrong with them."""

import re
from datetime import date
from pathlib import Path

import pytest

from deltaadm.clients import parse_client
from deltaadm.domain.facts.policy import Ignore, Requirement
from deltaadm.errors import SettingsError
from deltaadm.runs.settings import Settings, load_settings
from deltaadm.validation.finding import Severity
from tests.support.program import deltaadm

NAMES = ("SELECT", "IGNORE", "FAIL_ON", "CLIENTS", "WRITERS", "CONFIG", "ISOLATED")


@pytest.fixture(autouse=True)
def _bare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "nobody"))
    for name in NAMES:
        monkeypatch.delenv(f"DELTAADM_{name}", raising=False)


def written(text: str, path: str = "deltaadm.toml") -> Path:
    file = Path.cwd() / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    return file


def loaded(text: str) -> Settings:
    written(text)
    return load_settings()


# Where they come from


def test_without_a_file_the_defaults_count() -> None:
    assert load_settings() == Settings()


def test_the_nearest_file_upwards_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    written('select = ["DL1"]')
    written('[tool.deltaadm]\nselect = ["DL2"]', "near/pyproject.toml")
    written('[project]\nname = "deltaadm-user"', "near/nearer/pyproject.toml")
    monkeypatch.chdir("near/nearer")
    assert load_settings().select == ("DL2",)


def test_deltaadm_toml_comes_before_pyproject_toml() -> None:
    written('[tool.deltaadm]\nselect = ["DL2"]', "pyproject.toml")
    assert loaded('select = ["DL1"]').select == ("DL1",)


def test_a_broken_pyproject_toml_of_somebody_else_does_not_matter() -> None:
    written("[tool.other", "pyproject.toml")
    assert load_settings() == Settings()


@pytest.mark.parametrize("name", ["mine.toml", "pyproject.toml"])
def test_a_file_can_be_named(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    written('select = ["DL1"]')
    section = "[tool.deltaadm]\n" if name == "pyproject.toml" else ""
    file = written(f'{section}select = ["DL2"]', f"elsewhere/{name}")
    assert load_settings(file).select == ("DL2",)
    assert load_settings(file, isolated=True).select == ("DL2",)
    monkeypatch.setenv("DELTAADM_CONFIG", str(file))
    assert load_settings().select == ("DL2",)


def test_the_users_own_settings_come_last(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    written('select = ["DL3"]\nignore = ["DL4"]', "config/deltaadm/deltaadm.toml")
    assert load_settings().select == ("DL3",)
    found = loaded('select = ["DL1"]')
    assert (found.select, found.ignore) == (("DL1",), ("DL4",))
    monkeypatch.setenv("DELTAADM_IGNORE", "DL5")
    assert load_settings().ignore == ("DL5",)
    assert load_settings(isolated=True).select == ()
    written("selct = []", "config/deltaadm/deltaadm.toml")
    with pytest.raises(SettingsError, match=r"config/deltaadm/deltaadm\.toml: there is no setting"):
        load_settings()


def test_isolated_looks_for_no_file(monkeypatch: pytest.MonkeyPatch) -> None:
    written('select = ["DL1"]')
    assert load_settings(isolated=True) == Settings()
    monkeypatch.setenv("DELTAADM_ISOLATED", "1")
    assert load_settings() == Settings()
    monkeypatch.setenv("DELTAADM_ISOLATED", "0")
    assert load_settings().select == ("DL1",)


def test_a_variable_comes_before_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    written('select = ["DL1"]\nfail-on = "info"\nclients = ["trino"]')
    monkeypatch.setenv("DELTAADM_SELECT", "DL2, DL3xx,")
    monkeypatch.setenv("DELTAADM_FAIL_ON", "warning")
    monkeypatch.setenv("DELTAADM_CLIENTS", "")
    found = load_settings()
    assert (found.select, found.fail_on) == (("DL2", "DL3"), Severity.WARNING)
    assert found.clients == ()


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


@pytest.mark.parametrize(
    ("table", "location", "matches"),
    [
        ("silver", "/x/silver", True),
        ("silver/", "/x/silver", True),
        ("./silver", "/x/silver", True),
        ("anything", "/data/anything", True),
        ("../silver", "HERE/silver", True),
        ("silver2", "/x/silver2", False),
        ("Silver", "/x/Silver", False),
        ("data/x", "/other/data/x", False),
    ],
)
def test_a_pattern_matches_the_name_as_given_or_the_place(
    table: str,
    location: str,
    matches: bool,  # noqa: FBT001 -- a column of the table above
    tmp_path: Path,
) -> None:
    found = loaded(TABLES).demands(table, location.replace("HERE", str(tmp_path)))
    assert bool(found.writers) is matches
    assert found.policy.forbidden_features == (("deletionVectors",) if matches else ())


def test_clients_of_the_command_line_replace_all_others() -> None:
    one = parse_client("delta-spark@3.0.0")
    demands = loaded(TABLES).demands("silver", "/x", readers=(one,), writers=(one,))
    assert (demands.readers, demands.writers) == ((one,), (one,))


# What is wrong with them


@pytest.mark.parametrize(
    ("text", "message", "remedy"),
    [
        ("selct = []", "there is no setting 'selct'", "Did you mean select?"),
        ("select = 1", "select is not a list of strings", ""),
        ('select = "DL1"', "select is not a list of strings", ""),
        ('select = ["DL1123"]', "there is no rule 'DL1123'", "Did you mean"),
        ('ignore = ["nonsense"]', "there is no rule 'nonsense'", "`deltaadm rules`"),
        ('fail-on = "fatal"', "fail-on is not error, warning or info", ""),
        ("fail-on = []", "fail-on is not error, warning or info", ""),
        ('clients = ["trinoo"]', "no client named 'trinoo'", "Did you mean trino?"),
        ('writers = ["trino@x"]', "'x' is not a version", "trino@"),
        ("policy = 1", "policy is not a table", ""),
        ("policy.max-reader-versoin = 1", "toml: policy: there is no", "max-reader-version"),
        ("policy.max-reader-version = true", "is not a version such as 3", ""),
        ('policy.max-writer-version = "7"', "is not a version such as 3", ""),
        ('policy.required-features = ["rowTrackin"]', "rowTrackin", "Did you mean rowTracking"),
        ('policy.mapping-modes = ["nome"]', "a list of the modes none, name and id", ""),
        ("policy.properties.a = 1.5", "policy.properties.a is not a string", ""),
        ("policy.properties.a = []", "it is empty", ""),
        ("policy.properties.a = {}", "neither min nor max", ""),
        ("policy.properties.a = { mim = 1 }", "'mim'", "Did you mean min"),
        ("tables = 1", "tables is not an array of tables", ""),
        ("tables = [1]", "tables is not a table", ""),
        ("[[tables]]\nignore = []", "an entry has no pattern", ""),
        ('[[tables]]\npattern = "*"\nignore = "DL1"', "tables.ignore is not a list", ""),
        ('[[tables]]\npattern = "*"\nignore = [{}]', "an ignore has no code", ""),
        ('[[tables]]\npattern = "*"\nignore = [{code="DL1", until="soon"}]', "a date such", ""),
        ('[[tables]]\npattern = "*"\nignore = [{code="DL1", till="x"}]', "'till'", ""),
        ("select = [", "are not TOML", "DELTAADM_ISOLATED=1"),
        ("select\x00", "are not TOML", "DELTAADM_ISOLATED=1"),
    ],
)
def test_what_cannot_be_understood_is_said(text: str, message: str, remedy: str) -> None:
    with pytest.raises(SettingsError) as caught:
        loaded(text)
    assert message in caught.value.message
    assert "deltaadm.toml" in caught.value.message
    assert remedy in caught.value.remedy


def test_a_wrong_variable_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DELTAADM_SELECT", "DL99")
    with pytest.raises(SettingsError, match=r"DELTAADM_SELECT: there is no rule 'DL99'"):
        load_settings()


def test_bad_settings_end_the_run_with_2() -> None:
    file = written('selct = ["\\u001b[31m"]')
    done = deltaadm("validate", "nowhere")
    assert (done.code, done.out) == (2, "")
    assert str(file) in done.err
    assert "Did you mean select?" in done.err
    assert "\x1b" not in done.err


def test_a_file_that_is_not_there_ends_the_run_with_2() -> None:
    done = deltaadm("validate", "nowhere", "--config", "missing.toml")
    assert (done.code, done.out) == (2, "")
    assert "missing.toml cannot be read" in done.err


def test_text_that_is_not_unicode_is_not_toml(tmp_path: Path) -> None:
    (tmp_path / "deltaadm.toml").write_bytes(b"select = ['\xff']")
    with pytest.raises(SettingsError, match="are not TOML"):
        load_settings()


def test_the_example_of_the_guide_is_right() -> None:
    guide = Path(__file__).parent.parent.parent / "docs" / "guide.md"
    [example] = re.findall(r"```toml\n(.*?)```", guide.read_text(encoding="utf-8"), re.DOTALL)
    settings = loaded(example)
    assert settings.clients == (parse_client("trino@480"),)
    assert settings.demands("bronze/x", "/x").policy.max_reader_version == 1
