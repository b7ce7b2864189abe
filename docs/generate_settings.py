# ruff: noqa: INP001 -- a script, not a package
"""Print docs/settings.md: every setting, with its variable."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from deltaadm.cli.settings import DEMANDS, option_settings
from deltaadm.cli.topics import OTHER_VARIABLES, VARIABLES
from deltaadm.runs.settings_file import variable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deltaadm.cli.settings import OptionSetting

INTRODUCTION = """\
# Settings

<!-- Written by `python3 dev.py docs` from the options of commands; do not edit. -->

`deltaadm config show` lists all settings with their values, and `--origin` where each comes from.
The first of these places that says something counts:

1. the option on the command line, such as `--fail-on warning`;
2. `--config KEY=VALUE` on the command line, such as `--config validate.deep=true`;
3. a variable, such as `DELTAADM_FAIL_ON=warning` or `DELTAADM_VALIDATE_DEEP=1`;
4. the file that `--config FILE` or `DELTAADM_CONFIG` names, or else the nearest `deltaadm.toml`,
   or `pyproject.toml` with a section `tool.deltaadm`, in the working directory and its parents;
5. the user's own file: `$XDG_CONFIG_HOME/deltaadm/deltaadm.toml`, which is
   `~/.config/deltaadm/deltaadm.toml` where that variable is not set, on Windows below
   `%APPDATA%`;
6. the default.

A key at the top is for all commands that have the option; in the section of a command, such as
`[validate]`, any of its options can stand, and counts there before the top. Relative paths begin
where the file is. `--isolated` and `DELTAADM_ISOLATED=1` look for no file. A setting that does
not exist is an error with a suggestion, and the exit code is 2; sections of other commands are
checked by `deltaadm config show` alone.

In variables, `1` and `0` turn switches on and off, and commas separate several values. What gives
consent (`--yes`, `--accept-finding`), what makes a plan happen (`--apply`), and which tables a
run is about is said on the command line only. Secrets are refused in files.
"""

ALIASES = """\
## Aliases

```text
[aliases]
events = "s3://lake/bronze/events"
```

`@events` then stands for that table wherever a command takes one: `deltaadm inspect @events`,
`deltaadm diff @events@3 @events`, and in lists for `--tables-from`. Aliases of the project and of
the user are there together. `deltaadm config aliases` lists them, and shells complete them. In
PowerShell an `@` begins an expression, so an alias stands in quotes there:
`deltaadm inspect '@events'`.
"""


def page() -> str:
    """The whole page."""
    settings = list(option_settings())
    common = [each for each in settings if not each.section]
    sections = dict.fromkeys(each.section for each in settings if each.section)
    parts = [
        INTRODUCTION,
        "## For all commands",
        "\n".join(_rows(common)),
        "## Demands on tables",
        "[Settings](guide.md#settings) shows an example.",
        "\n".join(_demands()),
        ALIASES,
    ]
    for name in sections:
        parts += [f"## {name}", "\n".join(_rows(each for each in settings if each.section == name))]
    parts += ["## Other variables", "\n".join(_variables())]
    return "\n\n".join(part.strip() for part in parts) + "\n"


def _rows(settings: Iterator[OptionSetting] | list[OptionSetting]) -> Iterator[str]:
    yield "| setting | value | variable | what it says |"
    yield "|---|---|---|---|"
    for each in settings:
        name = variable(each.key.replace(".", "-"))
        text = " ".join(each.option.help.split()).replace("|", "\\|")
        yield f"| `{each.key}` | {_kind(each)} | `{name}` | {text} |"


def _kind(setting: OptionSetting) -> str:
    option = setting.option
    if option.counted or option.type_name == "int":
        return "number"
    if option.is_switch:
        return "true or false"
    if option.is_pair:
        return "two strings"
    return "strings" if option.is_list else "string"


def _demands() -> Iterator[str]:
    yield "| setting | variable | what it says |"
    yield "|---|---|---|"
    for key, text in DEMANDS.items():
        name = variable(key)
        yield f"| `{key}` | {f'`{name}`' if name in VARIABLES else '-'} | {text} |"


def _variables() -> Iterator[str]:
    yield "| variable | what it says |"
    yield "|---|---|"
    for name, text in (*VARIABLES.items(), *OTHER_VARIABLES.items()):
        yield f"| {', '.join(f'`{each}`' for each in name.split(', '))} | {text} |"


if __name__ == "__main__":
    sys.stdout.write(page())
