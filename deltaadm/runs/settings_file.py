"""The file with a project's settings: which one it is, and the document in it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from deltaadm.errors import SettingsError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

FILE: Final = "deltaadm.toml"
PYPROJECT: Final = "pyproject.toml"
_USE_NONE: Final = "ignore settings files: set DELTAADM_ISOLATED=1 or, with validate, --isolated."


class SettingsFile(NamedTuple):
    """A file with settings, and what it says."""

    path: Path
    document: Mapping[str, Any]


def find_settings(config: Path | None = None, *, isolated: bool = False) -> SettingsFile | None:
    """
    The file *config*, or the one that the environment names, or the nearest one upwards.

    With *isolated* none is looked for; None where there is none. Raises `SettingsError` for a
    file that cannot be read or is not TOML.
    """
    if config is None and (named := os.environ.get("DELTAADM_CONFIG")):
        config = Path(named)
    if config is not None:
        document = _document(config)
        if config.name == PYPROJECT:
            document = _section(document, str(config)) or {}
        return SettingsFile(config, document)
    if isolated or os.environ.get("DELTAADM_ISOLATED", "0") not in {"", "0"}:
        return None
    for directory in _upwards():
        if (directory / FILE).is_file():
            return SettingsFile(directory / FILE, _document(directory / FILE))
        path = directory / PYPROJECT
        if path.is_file() and (section := _pyproject(path)) is not None:
            return SettingsFile(path, section)
    return None


def _upwards() -> Iterator[Path]:
    try:
        here = Path.cwd()
    except OSError:  # the working directory is gone
        return
    yield here
    yield from here.parents


def _pyproject(path: Path) -> Mapping[str, Any] | None:
    """Our section of a pyproject.toml, which is not ours to complain about without one."""
    # Without our name in it, it may be no TOML at all, and need not be parsed.
    try:
        if b"deltaadm" not in path.read_bytes():
            return None
    except OSError:
        return None
    return _section(_document(path), str(path))


def _section(document: Mapping[str, Any], source: str) -> Mapping[str, Any] | None:
    tool = document.get("tool")
    section = tool.get("deltaadm") if isinstance(tool, dict) else None
    return None if section is None else as_table(section, f"{source}: tool.deltaadm")


def _document(path: Path) -> Mapping[str, Any]:
    import tomllib

    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
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
