"""Options that settings set: which there are, and what a run takes from them."""

from __future__ import annotations

import os

from deltaadm.cli.table import COMMANDS, Command
from deltaadm.cli.topics import VARIABLES
from deltaadm.dataclass import dataclass, replace
from deltaadm.errors import SettingsError, UsageError
from deltaadm.runs.declare import COMMON, NEVER, OWN
from deltaadm.runs.settings_file import PREFIX, PROJECT, USER, is_true, variable, wrong

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any, Final

    from deltaadm.reports.settings import SettingValue
    from deltaadm.runs.context import RunContext
    from deltaadm.runs.declare import Declared
    from deltaadm.runs.settings_file import Setting, SettingsSources


DEMANDS: Final[Mapping[str, str]] = {
    "clients": "Clients that must be able to read every table.",
    "writers": "Clients that must be able to write every table.",
    "policy": "What is demanded of every table: versions, features, mapping modes, properties.",
    "tables": "Demands and ignored findings for the tables that match a pattern.",
    "storage": "Options of object stores by prefix; no secrets.",
    "aliases": "Names for tables, which @NAME stands for.",
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


@dataclass(frozen=True)
class OptionSetting:
    """An option that settings may set, in the section of a command or, if it is empty, for all."""

    section: str
    option: Declared

    @property
    def key(self) -> str:
        """Its name with the section."""
        return f"{self.section}.{self.option.key}" if self.section else self.option.key


def option_settings() -> Iterator[OptionSetting]:
    """The options that settings may set, each once."""
    seen = set()
    for name in COMMANDS:
        for option in _settable(Command(name)):
            setting = OptionSetting("" if option.scope == COMMON else name, option)
            if setting.key not in seen:
                seen.add(setting.key)
                yield setting


def variables() -> Iterator[str]:
    """All variables that deltaadm looks at."""
    yield from VARIABLES
    yield from (variable(setting.key) for setting in option_settings() if not setting.section)


def _settable(command: Command) -> Iterator[Declared]:
    return (
        option for option in command.declared() if not option.is_argument and option.scope != NEVER
    )


def complete(command: Command, options: dict[str, Any], context: RunContext) -> int:
    """
    Carry out *command* with its *options* and what settings add to it; the exit code.

    What is wrong with settings is an error like others, which stands where the answer would.
    """
    places: dict[str, str] = {}
    try:
        values = _completed(command, options, context.settings, places)
        command.begin(values)
        _warn_of_unknown_variables(command)
        return command.carry_out(values, context)
    except UsageError as error:  # whose option stands nowhere on the command line
        if error.option not in places:
            raise
        wrong_value = SettingsError(
            f"{places[error.option]}: {error.message.rstrip('.')}.", remedy=error.remedy
        )
    except SettingsError as error:
        wrong_value = error
    from deltaadm.runs.output import show_failure

    named = options.get("output") or "text"
    name = named[0] if isinstance(named, list) else str(named)
    show_failure(
        replace(context, format=(name if name in {"json", "jsonl", "yaml"} else "text")),
        "",
        wrong_value,
    )
    return wrong_value.exit_code


def _completed(
    command: Command, options: Mapping[str, Any], settings: SettingsSources, places: dict[str, str]
) -> dict[str, Any]:
    """The *options*, with those of settings; *places* notes where options are set."""
    _check(command, settings)
    values = dict(options)
    for option in _settable(command):
        if option.field in options or any(
            name in options for name in _GIVES_WAY.get(option.field, ())
        ):
            continue
        setting = settings.find(option.key, alone=option.scope == OWN)
        if option.key in _READ_ELSEWHERE or setting is None:
            continue
        values[option.field] = converted(option, setting)
        places |= dict.fromkeys(option.names, setting.place)
    _replace_aliases(command, values, settings)
    return values


def _replace_aliases(command: Command, values: dict[str, Any], settings: SettingsSources) -> None:
    """Put the tables that aliases stand for in their places."""
    for option in command.declared():
        if option.field not in values or not option.names_tables:
            continue
        value = values[option.field]
        values[option.field] = (
            [settings.table(text) for text in value]
            if isinstance(value, list)
            else settings.table(value)
        )


# What there is


def _check(command: Command, settings: SettingsSources) -> None:
    """Raise `SettingsError` for a key that is none; sections of other commands do not matter."""
    own = {option.key for option in _settable(command)}
    common = {option.key for option in _settable(command) if option.scope == COMMON}
    if not settings.knows({*DEMANDS, *COMMANDS, *common}):
        require_known_keys(settings)  # which it takes all commands to tell
    settings.check_section(command.name, own)
    settings.aliases()


def require_known_keys(settings: SettingsSources) -> None:
    """Raise `SettingsError` for a key at the top that no command has."""
    options = list(option_settings())
    common = {*DEMANDS, *COMMANDS, *(item.key for item in options if not item.section)}
    sections: dict[str, list[str]] = {}
    for item in options:
        if item.section:
            sections.setdefault(item.option.key, []).append(f"[{item.section}]")
    settings.check(common, sections)


def _warn_of_unknown_variables(command: Command) -> None:
    """Say which variables are called like ours and are none, most often misspelt."""
    common = (option.key for option in _settable(command) if option.scope == COMMON)
    own = {*VARIABLES, *_OF_TESTS, *map(variable, common)}
    strange = sorted(name for name in os.environ if name.startswith(PREFIX) and name not in own)
    if not strange:
        return
    from deltaadm.errors import did_you_mean
    from deltaadm.runs.output import info

    known = set(variables())
    for name in strange:
        if name not in known:
            near = did_you_mean(name, known) or "`deltaadm help environment` lists them."
            info(f"Warning: deltaadm has no variable {name}. {near}")


_OF_TESTS: Final = frozenset({"DELTAADM_AZURITE", "DELTAADM_REQUIRE_SPARK"})
"""Variables of deltaadm's own tests, in whose process it runs."""


# Values


def converted(option: Declared, setting: Setting) -> Any:
    """The value of *option* that *setting* says; raises `SettingsError` for another kind."""
    value, place = setting.value, setting.place
    if setting.origin in {PROJECT, USER}:
        _require_no_secret(value, place)
    if option.counted:
        return _number(value, place, 0)
    if option.is_switch:
        return is_true(value, place) if isinstance(value, str) else _boolean(value, place)
    if option.is_list or option.is_pair:
        texts = [part.strip() for part in value.split(",")] if setting.is_text else value
        texts = [texts] if isinstance(texts, str) else texts
        if not isinstance(texts, list):
            raise wrong(place, "a list of strings")
        if not option.is_pair:
            return [_one(option, text, setting) for text in texts if text != ""]
        if len(texts) != _PAIR or not all(isinstance(text, str) for text in texts):
            raise wrong(place, f"a list of two strings, {option.metavar}")
        from pathlib import Path

        return texts[0], Path(setting.directory, os.path.expanduser(texts[1]))  # noqa: PTH111
    return _one(option, value, setting)


_PAIR: Final = 2


def _one(option: Declared, value: Any, setting: Setting) -> Any:
    place = setting.place
    if option.type_name == "int":
        return _number(value, place, option.minimum or 0)
    if not isinstance(value, str):
        raise wrong(place, "a list of strings" if option.is_list else "a string")
    # An output may be FORMAT:FILE.
    form, colon, path = value.partition(":") if option.field == "output" else ("", "", value)
    if setting.directory and path and (colon or option.type_name == "Path"):
        path = os.path.join(setting.directory, os.path.expanduser(path))  # noqa: PTH111, PTH118
        value = f"{form}{colon}{path}"
    try:
        return option.convert(value)
    except ValueError:
        words = [*option.choices]
        raise wrong(place, f"{', '.join(words[:-1])} or {words[-1]}") from None


def _number(value: Any, place: str, least: int) -> int:
    if isinstance(value, str) and value.isascii() and value.isdecimal():
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        raise wrong(place, f"a number from {least} on")
    return value


def _boolean(value: Any, place: str) -> bool:
    if not isinstance(value, bool):
        raise wrong(place, "true or false")
    return value


def _require_no_secret(value: Any, place: str) -> None:
    """Raise `SettingsError` for a secret in a file, which others read too."""
    from deltaadm.masking import masked

    for text in value if isinstance(value, list) else [value]:
        if isinstance(text, str) and masked(text) != text:
            raise SettingsError(
                f"{place} has a secret in it, and this file is for everybody.",
                remedy="Put it into the environment, or into a file for --storage-options-file.",
            )


# What is shown


def all_settings(sources: SettingsSources) -> tuple[SettingValue, ...]:
    """
    Every setting: those for all commands first, then those of each.

    Raises `SettingsError` for any that cannot be understood.
    """
    from deltaadm.runs.settings import load_settings
    from deltaadm.runs.unity import storage_settings

    require_known_keys(sources)
    for name in COMMANDS:
        sources.check_section(name, {option.key for option in _settable(Command(name))})
    load_settings(sources)
    if (storage := sources.find("storage")) is not None:
        storage_settings(storage.value, storage.place)
    return (*_demands_shown(sources), *_options_shown(sources))


def alias_settings(sources: SettingsSources) -> tuple[SettingValue, ...]:
    """The aliases, as they are written on command lines."""
    return tuple(
        replace(_shown(f"aliases.{name}", alias, f"What @{name} stands for.", None), key=f"@{name}")
        for name, alias in sorted(sources.aliases().items())
    )


def _demands_shown(sources: SettingsSources) -> Iterator[SettingValue]:
    for key, text in DEMANDS.items():
        name = variable(key)
        if key == "policy" and (layers := sources.layers(key)):
            yield from _policy_shown(layers, text)
        elif key != "aliases":
            yield _shown(key, sources.find(key), text, name if name in VARIABLES else None)
    for setting in alias_settings(sources):
        yield replace(setting, key=f"aliases.{setting.key.removeprefix('@')}")


def _policy_shown(layers: Iterable[Setting], text: str) -> Iterator[SettingValue]:
    """The settings, key by key: each may come from another place."""
    from deltaadm.runs.settings import property_values

    settings: dict[str, Setting] = {}
    for layer in layers:
        for key, value in layer.value.items():
            inner = property_values(value) if key == "properties" else [("", value)]
            for name, setting in inner:
                dotted = f"policy.{key}" + (f'."{name}"' if name else "")
                settings[dotted] = replace(layer, value=setting)
    for key, setting in sorted(settings.items()):
        yield replace(_shown("policy", setting, text, None), key=key)


def _options_shown(sources: SettingsSources) -> Iterator[SettingValue]:
    options = {item.key: item for item in option_settings()}
    for name in COMMANDS:  # a section may also have what is common
        for option in _settable(Command(name)):
            key = f"{name}.{option.key}"
            if key not in options and sources.of(name).find(option.key, alone=True) is not None:
                options[key] = OptionSetting(name, option)
    for item in sorted(options.values(), key=lambda setting: (bool(setting.section), setting.key)):
        setting = sources.of(item.section).find(item.option.key, alone=bool(item.section))
        if setting is not None:
            converted(item.option, setting)
        words = " ".join(item.option.help.split())
        own = None if item.section else variable(item.key)
        yield _shown(item.key, setting, words, own, item.option)


def _shown(
    key: str, setting: Setting | None, text: str, name: str | None, option: Declared | None = None
) -> SettingValue:
    from deltaadm.reports.settings import SettingValue, toml

    if setting is not None:
        value = setting.value
        if setting.is_text and option is not None:
            value = _plain(converted(option, setting))
        place = setting.place.removesuffix(f": {key}")
        return SettingValue(key, toml(value), setting.origin, place, name, text)
    default = None if option is None or option.default is None else toml(_plain(option.default))
    return SettingValue(key, default, "default", "", name, text)


def _plain(value: Any) -> Any:
    """A value of an option as TOML has it."""
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, bool | int | str):
        return value
    return str(getattr(value, "value", value))
