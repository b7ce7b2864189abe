"""The subcommands `schema`, `completion` and `man`."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from enum import Enum
from pathlib import Path
from typing import NamedTuple

import deltaadm
from deltaadm.cli.help import man_page
from deltaadm.cli.table import COMMANDS
from deltaadm.documents import schemas
from deltaadm.errors import RefusedError, UsageError, did_you_mean, require_one_of
from deltaadm.runs.context import RunContext
from deltaadm.runs.declare import Parameters, argument, option
from deltaadm.runs.files import write_file
from deltaadm.runs.output import info, write_text


class Schema(Parameters):
    """
    Without a name, lists the types of documents.

    For example:

      deltaadm schema

      deltaadm schema inspect > inspect.schema.json
    """

    name: str | None = argument("[DOCUMENT]", "Document type, for example inspect.")

    def run(self, _: RunContext) -> int:
        if self.name is None:
            width = max(map(len, schemas()))
            lines = [f"{name:{width}}  {schema['title']}\n" for name, schema in schemas().items()]
            write_text("".join(lines))
            return 0
        require_one_of(self.name, schemas(), "DOCUMENT")
        write_text(json.dumps(schemas()[self.name], indent=2) + "\n")
        return 0


class Man(Parameters):
    """
    On a terminal, opens the page with `man`; otherwise prints its source.

    For example:

      deltaadm man inspect

      deltaadm man inspect > deltaadm-inspect.1
    """

    name: str | None = argument("[COMMAND]", "The command; without it, the page of the program.")

    def run(self, _: RunContext) -> int:
        if self.name is not None and self.name not in COMMANDS:
            remedy = did_you_mean(self.name, COMMANDS)
            raise UsageError(f"there is no command {self.name!r}", option="COMMAND", remedy=remedy)
        page = man_page(self.name or "")
        if sys.stdout.isatty() and (man := shutil.which("man")):
            return subprocess.run([man, "-l", "-"], input=page, text=True, check=False).returncode  # noqa: S603
        write_text(page)
        return 0


class Shell(Enum):
    """The shells that there is a script for."""

    BASH = "bash"
    ZSH = "zsh"
    FISH = "fish"
    POWERSHELL = "powershell"


class Completion(Parameters):
    """
    With --install, writes the script where the shell looks for it, and says where. For zsh and
    PowerShell it also adds a line to the start-up file. Safe to run again.

    For example:

      deltaadm completion --install

      deltaadm completion zsh > ~/.zfunc/_deltaadm
    """

    shell: Shell | None = argument("SHELL",
        "bash, zsh, fish or powershell (default with --install: yours).")  # fmt: skip
    install: bool = option("Install the script instead of printing it.")

    def run(self, _: RunContext) -> int:
        if self.install:
            return _install(self.shell or _detected_shell())
        if self.shell is None:
            raise UsageError("SHELL is missing; or use --install.")
        write_text(script(self.shell))
        return 0


def script(shell: Shell) -> str:
    """The completion script for *shell*."""
    package = Path(deltaadm.__file__).parent
    installed, checkout = package / "completions", package.parent / "completions"
    directory = installed if installed.is_dir() else checkout
    names = {Shell.ZSH: "_deltaadm", Shell.POWERSHELL: "deltaadm.ps1"}
    file = directory / names.get(shell, f"deltaadm.{shell.value}")
    return file.read_text(encoding="utf-8")


def _detected_shell() -> Shell:
    """The shell of the user; a usage error where that is none there is a script for."""
    names = {shell.value: shell for shell in Shell} | {"pwsh": Shell.POWERSHELL}
    name = Path(os.environ.get("SHELL", "")).name.removesuffix(".exe")
    if name in names:
        return names[name]
    if sys.platform == "win32" and "PSModulePath" in os.environ:
        return Shell.POWERSHELL
    raise UsageError(f"specify one of {', '.join(shell.value for shell in Shell)}", option="SHELL")


class Place(NamedTuple):
    """The files of a shell: that of the script, and the lines for its start-up file."""

    file: Path
    start_up: Path | None = None
    lines: tuple[str, ...] = ()


def place_of(shell: Shell) -> Place:
    """The files of *shell*; raises `RefusedError` where there is no home directory."""
    environ = os.environ
    try:
        home = Path(environ["HOME"]) if environ.get("HOME") else Path.home()
    except RuntimeError as error:
        raise RefusedError(
            "There is no home directory to install the script in.",
            remedy="Print it instead: `deltaadm completion SHELL`.",
        ) from error
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


_MARK = "# Completion of deltaadm, by `deltaadm completion --install`"


def _install(shell: Shell) -> int:
    """Write the script, and what makes the shell find it; say what was done."""
    place = place_of(shell)
    try:
        place.file.parent.mkdir(parents=True, exist_ok=True)
        write_file(place.file, script(shell))
        info(f"Wrote {place.file}.")
        if place.start_up is not None:
            place.start_up.parent.mkdir(parents=True, exist_ok=True)
            with place.start_up.open("a+", encoding="utf-8", errors="surrogateescape") as file:
                file.seek(0)
                known = file.read()
                if not set(place.lines) <= set(known.splitlines()):
                    gap = "" if not known or known.endswith("\n") else "\n"
                    file.write(gap + "\n".join((_MARK, *place.lines)) + "\n")
                    info(f"Added to {place.start_up}: {'; '.join(place.lines)}")
    except OSError as error:
        raise RefusedError(
            f"{error.filename} cannot be written: {(error.strerror or str(error)).lower()}.",
            remedy="Print the script instead: `deltaadm completion SHELL`.",
        ) from error
    info("Start a new shell to use it.")
    return 0
