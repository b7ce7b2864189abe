"""`deltaadm config`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from deltaadm.cli.settings import (
    DEMANDS,
    OptionSetting,
    converted,
    option_settings,
    require_known_keys,
    settable,
)
from deltaadm.cli.table import COMMANDS, Command
from deltaadm.cli.topics import VARIABLES
from deltaadm.dataclass import replace
from deltaadm.errors import UsageError
from deltaadm.reports.installation import SettingsReport, SettingValue, toml
from deltaadm.runs.context import RunContext
from deltaadm.runs.declare import Declared, Parameters, argument, option
from deltaadm.runs.options import OutputOptions
from deltaadm.runs.output import show
from deltaadm.runs.settings import load_settings, property_values
from deltaadm.runs.settings_file import Setting, SettingsSources, variable
from deltaadm.runs.unity import storage_settings


class Config(Parameters):
    """
    The command line wins over DELTAADM_* variables, those over the nearest deltaadm.toml or
    pyproject.toml upwards, and that over your own file. Exits with 2 if any setting is invalid.

    For example:

      deltaadm config show

      deltaadm config show --origin

      deltaadm config show --origin --config validate.deep=true

      deltaadm config aliases
    """

    action: str = argument("[ACTION]",
        "show (default): every setting; aliases: the names of tables.",
        default="show")  # fmt: skip
    origin: bool = option("Also show where each value comes from.")
    output: OutputOptions
    shows = "SettingsReport"

    def run(self, context: RunContext) -> int:
        if self.action not in {"show", "aliases"}:
            raise UsageError(f"{self.action!r} is not show or aliases", option="ACTION")

        settings = alias_settings if self.action == "aliases" else all_settings
        shown = tuple(settings(context.settings))
        return show(context, [SettingsReport(shown, with_origins=self.origin)])


def all_settings(sources: SettingsSources) -> Iterator[SettingValue]:
    """
    Every setting: those for all commands first, then those of each.

    Raises `SettingsError` for any that cannot be understood.
    """
    require_known_keys(sources)
    for name in COMMANDS:
        sources.check_section(name, {option.key for option in settable(Command(name))})
    load_settings(sources)
    if (storage := sources.find("storage")) is not None:
        storage_settings(storage.value, storage.place)
    for key, text in DEMANDS.items():
        name = variable(key)
        if key == "policy" and (layers := sources.layers(key)):
            yield from _policy_shown(layers, text)
        elif key != "aliases":
            yield _shown(key, sources.find(key), text, name if name in VARIABLES else None)
    for setting in alias_settings(sources):
        yield replace(setting, key=f"aliases.{setting.key.removeprefix('@')}")
    yield from _options_shown(sources)


def alias_settings(sources: SettingsSources) -> Iterator[SettingValue]:
    """The aliases, as they are written on command lines."""
    for name, alias in sorted(sources.aliases().items()):
        shown = _shown(f"aliases.{name}", alias, f"What @{name} stands for.", None)
        yield replace(shown, key=f"@{name}")


def _policy_shown(layers: Iterable[Setting], text: str) -> Iterator[SettingValue]:
    """The settings, key by key: each may come from another place."""
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
        for each in settable(Command(name)):
            key = f"{name}.{each.key}"
            if key not in options and sources.of(name).find(each.key, alone=True) is not None:
                options[key] = OptionSetting(name, each)
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
    if setting is not None:
        value = setting.value
        if setting.is_text and option is not None:
            value = _plain(converted(option, setting))
        place = setting.place.removesuffix(f": {key}")
        return SettingValue(key, toml(value), setting.origin, place, name, text)
    default = None if option is None or option.default is None else toml(_plain(option.default))
    return SettingValue(key, default, "default", "", name, text)


def _plain(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, bool | int | str):
        return value
    return str(getattr(value, "value", value))
