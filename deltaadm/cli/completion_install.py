"""Putting the completion script where a shell of this user finds it."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from deltaadm.cli.completions import Shell, script
from deltaadm.errors import Refused, UsageError
from deltaadm.runs.files import write_file
from deltaadm.runs.output import info

if TYPE_CHECKING:
    from collections.abc import Mapping


class Place(NamedTuple):
    """The files of a shell: that of the script, and the lines for its start-up file."""

    file: Path
    start_up: Path | None = None
    lines: tuple[str, ...] = ()


def detected_shell() -> Shell:
    """The shell of the user; a usage error where that is none there is a script for."""
    names = {shell.value: shell for shell in Shell} | {"pwsh": Shell.POWERSHELL}
    name = Path(os.environ.get("SHELL", "")).name.removesuffix(".exe")
    if name in names:
        return names[name]
    if sys.platform == "win32" and "PSModulePath" in os.environ:
        return Shell.POWERSHELL
    what = f"SHELL is {os.environ['SHELL']}" if os.environ.get("SHELL") else "SHELL is not set"
    raise UsageError(
        f"{what}; specify one of {', '.join(shell.value for shell in Shell)}", option="SHELL"
    )


def place_of(shell: Shell, environ: Mapping[str, str] = os.environ) -> Place:
    """The files of *shell*; raises `Refused` where there is no home directory."""
    home = _home(environ)
    data = Path(environ.get("XDG_DATA_HOME") or home / ".local/share")
    config = Path(environ.get("XDG_CONFIG_HOME") or home / ".config")
    match shell:
        case Shell.BASH:
            return Place(data / "bash-completion/completions/deltaadm")
        case Shell.FISH:
            return Place(config / "fish/completions/deltaadm.fish")
        case Shell.ZSH:
            directory = data / "zsh/site-functions"
            lines = (f'fpath=("{directory}" $fpath)', "autoload -Uz compinit && compinit")
            start = Path(environ.get("ZDOTDIR") or home) / ".zshrc"
            return Place(directory / "_deltaadm", start, lines)
        case Shell.POWERSHELL:
            windows = sys.platform == "win32"
            directory = home / "Documents/PowerShell" if windows else config / "powershell"
            file = directory / "deltaadm.ps1"
            profile = directory / "Microsoft.PowerShell_profile.ps1"
            return Place(file, profile, (f'. "{file}"',))


def _home(environ: Mapping[str, str]) -> Path:
    try:
        return Path(environ["HOME"]) if environ.get("HOME") else Path.home()
    except RuntimeError as error:
        raise Refused(
            "There is no home directory to install the script in.",
            remedy="Print it instead: deltaadm completion SHELL.",
        ) from error


def install(shell: Shell) -> None:
    """Write the script, and what makes the shell find it, unless it is there; say what was done."""
    place = place_of(shell)
    text = script(shell)
    if _read(place.file) == text:
        info(f"{place.file} is up to date.")
    else:
        _make_directory(place.file)
        write_file(place.file, text)
        info(f"Wrote {place.file}.")
    if place.start_up is not None:
        _add_lines(place.start_up, place.lines)
    info("Start a new shell to use it.")


def _add_lines(file: Path, lines: tuple[str, ...]) -> None:
    """Add *lines* at the end of *file*, unless they are there; a link to it is followed."""
    known = _read(file) or ""
    if all(line in known.splitlines() for line in lines):
        info(f"{file} is up to date.")
        return
    gap = "" if not known or known.endswith("\n") else "\n"
    added = "\n".join((_MARK, *lines))
    _make_directory(file)
    try:
        with file.open("a", encoding="utf-8") as opened:
            opened.write(f"{gap}{added}\n")
    except OSError as error:
        raise _unwritable(file, error) from error
    info(f"Added to {file}: {'; '.join(lines)}")


_MARK = "# Completion of deltaadm, by `deltaadm completion --install`"


def _read(file: Path) -> str | None:
    try:
        return file.read_text(encoding="utf-8", errors="surrogateescape")
    except FileNotFoundError:
        return None
    except OSError as error:
        raise _unwritable(file, error) from error


def _make_directory(file: Path) -> None:
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _unwritable(file.parent, error) from error


def _unwritable(file: Path, error: OSError) -> Refused:
    return Refused(
        f"{file} cannot be written: {(error.strerror or str(error)).lower()}.",
        remedy="Print the script instead: deltaadm completion SHELL.",
    )
