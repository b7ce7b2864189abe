"""Options for object stores from other places than the environment: options, a file, settings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from deltaadm.dataclass import dataclass
from deltaadm.errors import Refused, SettingsError, UsageError
from deltaadm.runs.options import pairs
from deltaadm.runs.settings_file import as_table, wrong

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from deltaadm.runs.options import AccessOptions
    from deltaadm.runs.settings_file import SettingsSources


def options_source(
    access: AccessOptions, settings: SettingsSources
) -> Callable[[str], Mapping[str, str]]:
    """
    What tells the options for a location: the command line counts most, then the file.

    Raises `UsageError` for what is no option and `Refused` for a secret where others would see it.
    """
    options = pairs(access.storage_option, "--storage-option")
    for key in options:
        if is_secret_option(key):
            raise Refused(
                f"--storage-option {key} is a secret, and command lines are seen by others.",
                remedy="Put it into the environment, or into a file for --storage-options-file.",
            )
    named = {**_from_file(access), **options}
    setting = settings.find("storage")
    entries = () if setting is None else storage_settings(setting.value, setting.place)
    return _OptionsFor(entries, named)


@dataclass(frozen=True)
class _OptionsFor:
    """The options for a location: `named` count more than those of `entries`."""

    entries: tuple[StorageSettings, ...]
    named: Mapping[str, str]

    def __call__(self, location: str, /) -> Mapping[str, str]:
        options: dict[str, str] = {}
        # In the order of the file: of two entries that both fit, the later one counts.
        for entry in self.entries:
            if any(_is_below(location, prefix) for prefix in entry.prefixes):
                options |= entry.options
        return {**options, **self.named}


class StorageSettings(NamedTuple):
    """Options of the object stores of whatever is below one of `prefixes`."""

    prefixes: tuple[str, ...]
    options: Mapping[str, str]


def storage_settings(value: Any, place: str) -> tuple[StorageSettings, ...]:
    """The entries `[[storage]]` of the settings, from the *value* that stands at *place*."""
    if not isinstance(value, list):
        raise wrong(place, "an array of tables, as in [[storage]]")
    return tuple(_entry(as_table(entry, place), place) for entry in value)


def _entry(entry: Mapping[str, Any], place: str) -> StorageSettings:
    options = dict(entry)
    if "prefix" not in options:
        raise SettingsError(
            f"{place}: an entry has no prefix.",
            remedy='Say which locations, as in prefix = "s3://bucket/".',
        )
    given = options.pop("prefix")
    prefixes = given if isinstance(given, list) else [given]
    if not all(isinstance(prefix, str) for prefix in prefixes):
        raise wrong(f"{place}.prefix", "a string or a list of strings")
    if secret := next(filter(is_secret_option, options), None):
        raise SettingsError(
            f"{place}.{secret} is a secret, and this file is for everybody.",
            remedy="Put it into the environment, or into a file for --storage-options-file.",
        )
    if odd := [key for key, value in options.items() if not isinstance(value, str | int)]:
        raise wrong(f"{place}.{odd[0]}", "a string, an integer or a boolean")
    plain = {
        # True in Python, true to stores.
        key: str(value).lower() if isinstance(value, bool) else str(value)
        for key, value in options.items()
    }
    return StorageSettings(tuple(prefixes), plain)


def _is_below(location: str, prefix: str) -> bool:
    """
    Whether *location* is at *prefix* or below it.

    >>> _is_below("s3://lake/a", "s3://lake/"), _is_below("s3://lake2/a", "s3://lake")
    (True, False)
    """
    return f"{location.rstrip('/')}/".startswith(f"{prefix.rstrip('/')}/" if prefix else "")


def is_secret_option(key: str) -> bool:
    """
    Whether an option of this name holds a secret.

    >>> is_secret_option("aws_secret_access_key"), is_secret_option("aws_region")
    (True, False)
    >>> is_secret_option("azure_storage_sas_token"), is_secret_option("web_identity_token_file")
    (True, False)
    """
    name = key.lower()
    # These say where a secret is, and are none.
    if name.endswith(("_file", "_path", "_url", "_uri", "_endpoint")):
        return False
    return any(sign in name for sign in ("secret", "token", "sas", "password", "key", "credential"))


def _from_file(access: AccessOptions) -> Mapping[str, str]:
    """The lines KEY=VALUE of the file that is named, without those that begin with `#`."""
    if access.storage_options_file is None:
        return {}
    from deltaadm.runs.reading import read_file

    options = {}
    for number, text in enumerate(read_file(access.storage_options_file).splitlines(), 1):
        # Files with variables for a shell are taken as they are.
        line = text.strip().removeprefix("export ")
        if not line or line.startswith("#"):
            continue
        key, separator, value = line.partition("=")
        if not separator or not key.strip():
            raise UsageError(
                f"line {number} of {access.storage_options_file} is not KEY=VALUE",
                option="--storage-options-file",
            )
        options[key.strip()] = value.strip().strip("'\"")
    return options
