"""The file with a project's settings: which one it is, and the document in it."""

# Importing pathlib takes longer than a search that finds no file.
# ruff: noqa: PTH109, PTH113, PTH117, PTH118, PTH119, PTH120, PTH123

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from deltaadm.errors import SettingsError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

FILE: Final = "deltaadm.toml"
PYPROJECT: Final = "pyproject.toml"
_USE_NONE: Final = "ignore settings files: set DELTAADM_ISOLATED=1 or, with validate, --isolated."


class SettingsFile(NamedTuple):
    """
    What settings files say; `path` is that of the nearest.

    `below` is another one, which counts for the keys that this one does not have.
    """

    path: str
    own: Mapping[str, Any]
    below: SettingsFile | None = None

    @property
    def document(self) -> Mapping[str, Any]:
        """All keys with what they say."""
        return self.own if self.below is None else {**self.below.document, **self.own}

    def origin(self, key: str) -> str:
        """The path of the file that says something about *key*."""
        return self.path if self.below is None or key in self.own else self.below.origin(key)


def find_settings(config: Path | None = None, *, isolated: bool = False) -> SettingsFile | None:
    """
    The file *config*, or the one that the environment names, or the nearest one upwards.

    Below it is the user's own. With *isolated* none is looked for; None where there is none. Raises
    `SettingsError` for a file that cannot be read or is not TOML.
    """
    isolated = isolated or os.environ.get("DELTAADM_ISOLATED", "0") not in {"", "0"}
    project = _project_settings(config, isolated=isolated)
    path = "" if isolated else user_file()
    if not path or not os.path.isfile(path):
        return project
    user = SettingsFile(path, _document(path))
    return user if project is None else project._replace(below=user)


def directory_of(path: str) -> str:
    """The directory that a file is in."""
    return os.path.dirname(path)


def user_file() -> str:
    """Where the settings of a user are, for all projects; empty where there is no such place."""
    base = os.environ.get("APPDATA" if os.name == "nt" else "XDG_CONFIG_HOME", "")
    if not os.path.isabs(base):
        home = os.environ.get("HOME", "")
        base = os.path.join(home, ".config") if home else ""
    return os.path.join(base, "deltaadm", FILE) if base else ""


def _project_settings(config: Path | None, *, isolated: bool) -> SettingsFile | None:
    named = os.environ.get("DELTAADM_CONFIG") if config is None else str(config)
    if named:
        document = _document(named)
        if os.path.basename(named) == PYPROJECT:
            document = _section(document, named) or {}
        return SettingsFile(named, document)
    if isolated:
        return None
    for directory in _upwards():
        path = os.path.join(directory, FILE)
        if os.path.isfile(path):
            return SettingsFile(path, _document(path))
        path = os.path.join(directory, PYPROJECT)
        if os.path.isfile(path) and (section := _pyproject(path)) is not None:
            return SettingsFile(path, section)
    return None


def _upwards() -> Iterator[str]:
    try:
        here = os.getcwd()
    except OSError:  # the working directory is gone
        return
    yield here
    while (parent := os.path.dirname(here)) != here:
        here = parent
        yield here


def _pyproject(path: str) -> Mapping[str, Any] | None:
    """Our section of a pyproject.toml, which is not ours to complain about without one."""
    # Without our name in it, it may be no TOML at all, and need not be parsed.
    try:
        with open(path, "rb") as file:
            if b"deltaadm" not in file.read():
                return None
    except OSError:
        return None
    return _section(_document(path), path)


def _section(document: Mapping[str, Any], source: str) -> Mapping[str, Any] | None:
    tool = document.get("tool")
    section = tool.get("deltaadm") if isinstance(tool, dict) else None
    return None if section is None else as_table(section, f"{source}: tool.deltaadm")


def _document(path: str) -> Mapping[str, Any]:
    import tomllib

    try:
        with open(path, encoding="utf-8") as file:
            return tomllib.loads(file.read())
    except OSError as error:
        raise SettingsError(
            f"The settings in {path} cannot be read: {(error.strerror or str(error)).lower()}.",
            remedy=f"Specify another file, or {_USE_NONE}",
        ) from error
    except (ValueError, RecursionError) as error:
        raise SettingsError(
            f"The settings in {path} are not TOML: {error}.",
            remedy=f"Fix the file, or {_USE_NONE}",
        ) from error


def wrong(place: str, expected: str) -> SettingsError:
    """The error for a setting at *place* that is something else than *expected*."""
    return SettingsError(f"{place} is not {expected}.", remedy="docs/guide.md shows an example.")


def as_table(value: Any, place: str) -> Mapping[str, Any]:
    """The *value* at *place*, which must be a table of TOML."""
    if not isinstance(value, dict):
        raise wrong(place, "a table")
    return value
