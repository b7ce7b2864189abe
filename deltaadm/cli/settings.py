"""Options that settings set: which there are, and what a run takes from them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from itertools import filterfalse

from deltaadm.cli.table import COMMANDS, Command
from deltaadm.cli.topics import VARIABLES
from deltaadm.dataclass import replace
from deltaadm.errors import SettingsError, UsageError, did_you_mean
from deltaadm.masking import masked
from deltaadm.runs.context import RunContext
from deltaadm.runs.declare import COMMON, NEVER, OWN, Declared
from deltaadm.runs.options import either
from deltaadm.runs.output import info, show_failure
from deltaadm.runs.settings_file import (
    ENVIRONMENT,
    PREFIX,
    PROJECT,
    USER,
    Setting,
    SettingsSources,
    check_keys,
    has_secret,
    is_true,
    variable,
    wrong,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final


DEMANDS: Final[Mapping[str, str]] = {
    "clients": "Clients that must be able to read every table.",
    "writers": "Clients that must be able to write every table.",
    "policy": "What every table must comply with: versions, features, mapping modes, properties.",
    "tables": "Policy and ignored findings for tables that match a pattern.",
    "storage": "Object store options by prefix; no secrets.",
    "aliases": "Short names for tables: @NAME.",
}
"""Settings that are no options."""

_READ_ELSEWHERE: Final = frozenset({"unity", "commit-engine"})
"""Options whose settings count only where they go together with the command line."""

_GIVES_WAY: Final[Mapping[str, tuple[str, ...]]] = {
    "quiet": ("verbose",),
    "verbose": ("quiet",),
    "output": ("json", "query"),
}
"""Options whose settings do not count where the command line has one of these."""


def option_settings() -> dict[str, tuple[str, Declared]]:
    """The options that settings may set, with their sections, if any, by their names with these."""
    found: dict[str, tuple[str, Declared]] = {}
    for name in COMMANDS:
        for option in settable(Command(name)):
            is_common = option.scope == COMMON
            key = option.key if is_common else f"{name}.{option.key}"
            found.setdefault(key, ("" if is_common else name, option))
    return found


def settable(command: Command) -> list[Declared]:
    """The options of *command* that settings may set."""
    return [each for each in command.declared() if not each.is_argument and each.scope != NEVER]


def complete(command: Command, options: dict[str, Any], context: RunContext) -> int:
    """Carry out *command* with what settings add to its *options*; mistakes there are errors."""
    places: dict[str, str] = {}
    try:
        values = _completed(command, options, context.settings, places)
        command.begin(values)
        _warn_of_unknown_variables(command)
        return command.work(values, context)()
    except UsageError as error:  # whose option stands nowhere on the command line
        if error.option not in places:
            raise
        wrong_value = SettingsError(
            f"{places[error.option]}: {error.message.rstrip('.')}.", remedy=error.remedy
        )
    except SettingsError as error:
        wrong_value = error
    named = options.get("output") or "text"
    name = named[0] if isinstance(named, list) else str(named)
    form = name if name in {"json", "jsonl", "yaml"} else "text"
    show_failure(replace(context, format=form), "", wrong_value)
    return wrong_value.exit_code


def _completed(
    command: Command, options: Mapping[str, Any], settings: SettingsSources, places: dict[str, str]
) -> dict[str, Any]:
    """The *options* with those of settings, whose *places* are noted; aliases are resolved."""
    options_of = settable(command)
    common = {option.key for option in options_of if option.scope == COMMON}
    if not settings.knows({*DEMANDS, *COMMANDS, *common}):
        require_known_keys(settings)  # which it takes all commands to tell
    settings.check_section(command.name, {option.key for option in options_of})
    settings.aliases()
    values = dict(options)
    for option in options_of:
        if option.key in _READ_ELSEWHERE or not options.keys().isdisjoint(
            (option.field, *_GIVES_WAY.get(option.field, ()))
        ):
            continue
        setting = settings.find(option.key, alone=option.scope == OWN)
        if setting is not None:
            values[option.field] = converted(option, setting)
            places |= dict.fromkeys(option.names, setting.place)
    for option in command.declared():
        if option.names_tables and option.field in values:
            value = values[option.field]
            several = isinstance(value, list)
            tables = [settings.table(text) for text in (value if several else [value])]
            values[option.field] = tables if several else tables[0]
    return values


def require_known_keys(settings: SettingsSources) -> None:
    """Raise `SettingsError` for a key at the top that no command has."""
    options = option_settings()
    common = {*DEMANDS, *COMMANDS, *(key for key, (section, _) in options.items() if not section)}
    for document in settings.documents:
        check_keys(document.values, f"{document.name}: ", common)


def _warn_of_unknown_variables(command: Command) -> None:
    common = (option.key for option in settable(command) if option.scope == COMMON)
    own = {*VARIABLES, *_OF_TESTS, *map(variable, common)}
    strange = sorted(name for name in os.environ if name.startswith(PREFIX) and name not in own)
    if not strange:
        return
    options = {variable(key) for key, (section, _) in option_settings().items() if not section}
    for name in filterfalse(options.__contains__, strange):
        near = did_you_mean(name, {*VARIABLES, *options})
        near = near or "`deltaadm help environment` lists them."
        info(f"Warning: deltaadm has no variable {name}. {near}")


_OF_TESTS: Final = frozenset({"DELTAADM_AZURITE", "DELTAADM_REQUIRE_SPARK"})
"""Variables of deltaadm's own tests, in whose process it runs."""


def converted(option: Declared, setting: Setting) -> Any:
    """The value of *option* that *setting* says; raises `SettingsError` for another kind."""
    value, place = setting.value, setting.place
    if setting.origin in {PROJECT, USER}:
        texts = value if isinstance(value, list) else [value]
        if any(isinstance(text, str) and masked(text) != text for text in texts):
            raise has_secret(place)
    if option.is_switch and not option.counted:
        if isinstance(value, str):
            return is_true(value, place)
        if not isinstance(value, bool):
            raise wrong(place, "true or false", "true")
        return value
    if not option.is_list:
        return _one(option, value, setting)
    texts = [part.strip() for part in value.split(",")] if setting.origin == ENVIRONMENT else value
    texts = [texts] if isinstance(texts, str) else texts
    if not isinstance(texts, list):
        raise wrong(place, "a list of strings", '["..."]')
    return [_one(option, text, setting) for text in texts if text != ""]


def _one(option: Declared, value: Any, setting: Setting) -> Any:
    place = setting.place
    if option.counted or option.type_name == "int":
        least = option.minimum or 0
        if isinstance(value, str) and value.isascii() and value.isdecimal():
            value = int(value)
        if not isinstance(value, int) or isinstance(value, bool) or value < least:
            raise wrong(place, f"a number, at least {least}", f"{max(1, least)}")
        return value
    if not isinstance(value, str):
        expected, example = (
            ("a list of strings", '["..."]') if option.is_list else ("a string", '"..."')
        )
        raise wrong(place, expected, example)
    # An output may be FORMAT:FILE.
    form, colon, path = value.partition(":") if option.field == "output" else ("", "", value)
    if setting.directory and path and (colon or option.type_name == "Path"):
        path = os.path.join(setting.directory, os.path.expanduser(path))  # noqa: PTH111, PTH118
        value = f"{form}{colon}{path}"
    try:
        return option.convert(value)
    except ValueError:
        words = [*option.choices]
        raise wrong(place, either(words), f'"{words[0]}"') from None
