"""Where settings stand: the command line, the environment, the project's file and the user's."""

# Importing pathlib takes longer than a search that finds no file.
# ruff: noqa: PTH100, PTH109, PTH110, PTH116, PTH113, PTH117, PTH118, PTH119, PTH120, PTH123
from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from functools import cached_property

from deltaadm.dataclass import dataclass
from deltaadm.errors import SettingsError, did_you_mean

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final


FILE: Final = "deltaadm.toml"
PYPROJECT: Final = "pyproject.toml"
PREFIX: Final = "DELTAADM_"

COMMAND_LINE: Final = "command line"
ENVIRONMENT: Final = "environment"
PROJECT: Final = "project file"
USER: Final = "user file"

FROM_PROJECTS: Final[Mapping[str, frozenset[str]]] = {
    "": frozenset({
        "all", "brief", "clients", "color", "fail-on", "ignore", "jobs", "log-format", "no-input",
        "output", "policy", "quiet", "select", "statistics", "tables", "timeout", "verbose",
        "writers",
    }),
    "diff": frozenset({"ignore", "only"}),
    "history": frozenset({"properties", "protocol", "schema", "since", "until"}),
    "inspect": frozenset({
        "client-sources", "clients", "columns", "files", "no-advice", "timestamp", "version", "why",
    }),
    "validate": frozenset({"baseline", "cross-check", "deep", "history"}),
}  # fmt: skip
"""
What a file that deltaadm finds in a project may set, by section: what is shown and judged.

Where credentials go, what code runs, what is written and what is changed is said by the user: on
the command line, in the environment, in the user's own file or in one that `--config` names. The
keys for all commands may stand in every section.
"""

_USE_NONE: Final = "ignore settings files: set DELTAADM_ISOLATED=1 or use --isolated."


@dataclass(frozen=True)
class Setting:
    """
    What some *origin* says, and the *place* where, as errors name it.

    The *value* is one of TOML, or in the environment a text. Relative paths in it begin at
    *directory*.
    """

    value: Any
    origin: str
    place: str
    directory: str = ""


@dataclass(frozen=True)
class _Document:
    """The settings of one origin, of a file at `path`; one `is_found` sets only `FROM_PROJECTS`."""

    values: Mapping[str, Any]
    origin: str
    path: str = ""
    is_found: bool = False

    def setting(self, key: str, section: str, *, alone: bool) -> Setting | None:
        """What it says about *key*, rather for the command *section* than for all."""
        values = self.values.get(section)
        if not (isinstance(values, dict) and key in values):
            if alone or key not in self.values:
                return None
            section, values = "", self.values
        self.require_permitted(key, section, values[key])
        directory = os.path.dirname(os.path.abspath(self.path)) if self.path else ""
        place = f"{self.name}: {section}.{key}" if section else f"{self.name}: {key}"
        return Setting(values[key], self.origin, place, directory)

    def require_permitted(self, key: str, section: str, value: Any) -> None:
        """Raise `SettingsError` for what only the user may set, if the file was just found."""
        permitted = FROM_PROJECTS[""] | FROM_PROJECTS.get(section, frozenset())
        writes = key == "output" and ":" in str(value)
        if self.is_found and (key not in permitted or writes):
            name = f"{section}.{key}" if section else key
            raise SettingsError(
                f"{self.path}: a project's file cannot set {name}, only what is shown and judged. "
                "Nothing was done.",
                remedy=f"Set it in your own file, {user_file() or '(without HOME there is none)'}, "
                "or on the command line; or trust this file: --config FILE.",
            )

    @property
    def name(self) -> str:
        """The name of the file in errors."""
        return self.path or "--config"


class SettingsSources:
    """
    All that sets something for a run of *command*, looked for when it is asked for.

    *settings* are those of --config: a file in the place of the project's, and KEY=VALUE.
    """

    def __init__(
        self, command: str = "", settings: Sequence[str] = (), *, isolated: bool = False
    ) -> None:
        self.command = command
        self._given = settings
        self._isolated = isolated or is_true(
            os.environ.get(f"{PREFIX}ISOLATED", ""), f"{PREFIX}ISOLATED"
        )

    @cached_property
    def documents(self) -> tuple[_Document, ...]:
        """What counts, from the command line to the user's own file; raises `SettingsError`."""
        found: list[_Document] = []
        pairs = [text for text in self._given if _is_pair(text)]
        files = [text for text in self._given if not _is_pair(text)]
        if pairs:
            found.append(_Document(_of_pairs(pairs), COMMAND_LINE))
        if len(files) > 1:
            raise SettingsError(
                "--config names several files.", remedy="Name one file; repeat only KEY=VALUE."
            )
        named = files[0] if files else os.environ.get(f"{PREFIX}CONFIG")
        if named:
            values = _document(named)
            if os.path.basename(named) == PYPROJECT:
                values = _section(values, named) or {}
            found.append(_Document(values, PROJECT, named))
        elif not self._isolated and (document := _project_file()) is not None:
            found.append(document)
        path = "" if self._isolated else user_file()
        if path and os.path.isfile(path):
            found.append(_Document(_document(path), USER, path))
        return tuple(found)

    @cached_property
    def variables(self) -> Mapping[str, str]:
        """What the environment sets, which is another one where Spark's executors work."""
        return {name: value for name, value in os.environ.items() if name.startswith(PREFIX)}

    def of(self, command: str) -> SettingsSources:
        """The same for another command."""
        sources = SettingsSources(command, self._given, isolated=self._isolated)
        sources.documents, sources.variables = self.documents, self.variables
        return sources

    @property
    def exist(self) -> bool:
        """Whether anything may set something."""
        return bool(self.variables or self.documents)

    def find(self, key: str, *, alone: bool = False) -> Setting | None:
        """The setting of *key* that counts, if any; *alone* leaves out those for all commands."""
        return next(iter(self.layers(key, alone=alone)), None)

    def layers(self, key: str, *, alone: bool = False) -> list[Setting]:
        """All settings of *key*, the one that counts first; of a table, others add to it."""
        settings = [document.setting(key, self.command, alone=alone) for document in self.documents]
        name = variable(key)
        if not alone and name in self.variables:
            given = bool(self.documents) and self.documents[0].origin == COMMAND_LINE
            settings.insert(given, Setting(self.variables[name], ENVIRONMENT, name))
        return [setting for setting in settings if setting is not None]

    def knows(self, known: Collection[str]) -> bool:
        """Whether every key at the top is among those that are *known*."""
        return all(key in known for document in self.documents for key in document.values)

    def check_section(self, section: str, known: Collection[str]) -> None:
        """Raise `SettingsError` for a key in a section that is not among those *known*."""
        for document in self.documents:
            inner = document.values.get(section, {})
            if section != "clients":  # which are also a list of those that are required
                as_table(inner, f"{document.name}: {section}")
            if isinstance(inner, dict):
                check_keys(inner, f"{document.name}: {section}.", known)

    @property
    def directory(self) -> str:
        """The directory to which patterns for tables are relative."""
        setting = self.find("tables")
        return os.path.realpath(setting.directory) if setting else ""

    def aliases(self) -> dict[str, Setting]:
        """The tables that have names of the user's, by these."""
        aliases: dict[str, Setting] = {}
        for document in reversed(self.documents):
            place = f"{document.name}: aliases"
            for name, value in as_table(document.values.get("aliases", {}), place).items():
                if not isinstance(value, str) or not value:
                    raise wrong(f"{place}.{name}", "a path, a URL or a name", '"/data/events"')
                document.require_permitted("aliases", "", value)
                aliases[name] = Setting(value, document.origin, f"{place}.{name}")
        return aliases

    def table(self, text: str) -> str:
        """
        The table that *text* stands for: that of an alias if it begins with @ and a letter.

        What follows another @, such as a version, is kept.
        """
        name, at, version = text[1:].partition("@")
        if not (text.startswith("@") and name[:1].isalpha()):
            return text
        aliases = self.aliases()
        if name in aliases:
            return f"{aliases[name].value}{at}{version}"
        near = did_you_mean(f"@{name}", [f"@{alias}" for alias in aliases])
        raise SettingsError(
            f"There is no alias {text!r}.",
            remedy=near or "Add it to the section [aliases] of deltaadm.toml.",
        )


def variable(key: str) -> str:
    """The variable of a setting."""
    return f"{PREFIX}{key.upper().replace('-', '_')}"


def is_true(text: str, place: str) -> bool:
    """
    The truth value that *text* stands for.

    >>> is_true("1", ""), is_true("no", ""), is_true("", "")
    (True, False, False)
    """
    word = text.strip().lower()
    if word in {"1", "true", "yes", "on"}:
        return True
    if word in {"", "0", "false", "no", "off"}:
        return False
    raise wrong(place, "true or false", "true")


def user_file() -> str:
    """The directory of a user's settings, for all projects; empty where there is none."""
    base = os.environ.get("APPDATA" if os.name == "nt" else "XDG_CONFIG_HOME", "")
    if not os.path.isabs(base):
        home = os.environ.get("HOME", "")
        base = os.path.join(home, ".config") if home else ""
    return os.path.join(base, "deltaadm", FILE) if base else ""


# --config


def _is_pair(text: str) -> bool:
    key, equals, _ = text.partition("=")
    plain = key.strip().translate(dict.fromkeys(map(ord, "-._\"'")))
    return bool(equals) and plain.isalnum()


def _of_pairs(pairs: Sequence[str]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for text in pairs:
        key, _, value = text.partition("=")
        quoted = value.replace("\\", "\\\\").replace('"', '\\"')
        try:
            # As TOML first, so that numbers, lists and truth values need no quotes of TOML within
            # those of the shell.
            read = _toml(f"{key}={value}")
        except ValueError:
            try:
                read = _toml(f'{key}="{quoted}"')
            except ValueError as error:
                raise SettingsError(
                    f"--config {key} is not valid: {error}.",
                    remedy="Write KEY=VALUE as in deltaadm.toml, or the path of such a file.",
                ) from error
        _merge(values, read)
    return values


def _merge(into: dict[str, Any], more: Mapping[str, Any]) -> None:
    for key, value in more.items():
        if isinstance(value, dict) and isinstance(into.get(key), dict):
            _merge(into[key], value)
        else:
            into[key] = value


# Files


def _project_file() -> _Document | None:
    """The nearest settings of the project; raises `SettingsError` where others may write them."""
    for directory in _directories():
        path = os.path.join(directory, FILE)
        values: Mapping[str, Any] | None = None
        if not os.path.isfile(path):
            path = os.path.join(directory, PYPROJECT)
            if not (os.path.isfile(path) and (values := _pyproject(path)) is not None):
                continue
        status = os.stat(path)
        fault = ""
        if os.name == "nt":
            pass
        elif status.st_uid not in {os.getuid(), 0}:
            fault = f"belongs to another user (uid {status.st_uid})"
        elif status.st_mode & 0o002 or (status.st_mode & 0o020 and status.st_gid != os.getgid()):
            fault = "can be written by other users"
        if fault:
            raise SettingsError(
                f"The settings in {path} are not used: the file {fault}.",
                remedy=f"If you trust it: --config {path}. Otherwise {_USE_NONE}",
            )
        return _Document(
            _document(path) if values is None else values, PROJECT, path, is_found=True
        )
    return None


def _directories() -> list[str]:
    """The working directory, and those above it up to the repository's root or to home."""
    try:
        here = os.getcwd()
    except OSError:  # the working directory is gone
        return []
    home = os.path.realpath(os.environ.get("HOME") or os.sep)
    directories = [here]
    while not os.path.exists(os.path.join(here, ".git")) and here != home:
        here, below = os.path.dirname(here), here
        if here == below:
            return directories[:1]  # neither in a repository nor below home
        directories.append(here)
    return directories


def _pyproject(path: str) -> Mapping[str, Any] | None:
    try:
        with open(path, "rb") as file:
            text = file.read()
    except OSError:
        return None
    # Without our section, however it is spelled, it may be no TOML at all.
    plain = [line.translate(None, b" \t\"'") for line in text.splitlines()]
    if b"deltaadm" in text and any(
        b"tool.deltaadm" in line or line.startswith((b"[tool]", b"tool=")) for line in plain
    ):
        return _section(_document(path), path)
    return None


def _section(document: Mapping[str, Any], source: str) -> Mapping[str, Any] | None:
    tool = document.get("tool")
    section = tool.get("deltaadm") if isinstance(tool, dict) else None
    return None if section is None else as_table(section, f"{source}: tool.deltaadm")


def _toml(text: str) -> dict[str, Any]:
    import tomllib  # which most runs do without

    return tomllib.loads(text)


def _document(path: str) -> Mapping[str, Any]:
    try:
        with open(path, encoding="utf-8") as file:
            return _toml(file.read())
    except OSError as error:
        raise SettingsError(
            f"The settings in {path} cannot be read: {(error.strerror or str(error)).lower()}.",
            remedy=f"Use another file, or {_USE_NONE}",
        ) from error
    except (ValueError, RecursionError) as error:
        raise SettingsError(
            f"The settings in {path} are not TOML: {error}.", remedy=f"Fix the file, or {_USE_NONE}"
        ) from error


# Values


def check_keys(document: Mapping[str, Any], place: str, known: Collection[str]) -> None:
    """Raise `SettingsError` for a key at *place* that is not among those that are *known*."""
    for key in document:
        if key not in known:
            listed = f"The settings are {', '.join(sorted(known))}."
            several = listed if len(known) <= _FEW else "`deltaadm config show` lists all settings."
            raise SettingsError(
                f"{place.rstrip('.: ')}: there is no setting {key!r}.",
                remedy=did_you_mean(key, known) or several,
            )


_FEW: Final = 12


def wrong(place: str, expected: str, example: str = "") -> SettingsError:
    """The error for a setting at *place* that is not what is *expected*, which *example* is."""
    file, colon, key = place.rpartition(": ")
    line = f"For example: {key.rpartition('.')[2]} = {example}" if example else ""
    return SettingsError(
        f"{file}{colon}`{key}` must be {expected}.",
        remedy=line or "`deltaadm config show` lists all settings.",
    )


def has_secret(place: str) -> SettingsError:
    """The error for a setting at *place* that is or contains a secret."""
    return SettingsError(
        f"{place} contains a secret, which a settings file must not have.",
        remedy="Put it into the environment, or into a --storage-options-file.",
    )


def as_table(value: Any, place: str) -> Mapping[str, Any]:
    """The *value* at *place*, which must be a table of TOML."""
    if not isinstance(value, dict):
        raise wrong(place, "a table", "{ ... }")
    return value


def as_text(value: Any, place: str) -> str:
    """The *value* at *place*, a text, number or switch, as properties and options have it."""
    if isinstance(value, bool):
        return str(value).lower()
    if not isinstance(value, str | int):
        raise wrong(place, "a string, an integer or a boolean", "true")
    return str(value)
