"""The subcommands `config` and `doctor`: the settings, and what this machine lacks."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any, Final

from deltaadm.blocks import Check, Health
from deltaadm.cli.settings import DEMANDS, converted, option_settings, require_known_keys, settable
from deltaadm.cli.table import COMMANDS, Command
from deltaadm.cli.topics import VARIABLES
from deltaadm.dataclass import replace
from deltaadm.domain.snapshot import LOG_DIRECTORY
from deltaadm.errors import DeltaadmError, StorageError, UsageError
from deltaadm.masking import masked
from deltaadm.reports.installation import DoctorReport, SettingsReport, SettingValue, toml
from deltaadm.reports.words import counted
from deltaadm.runs.context import RunContext
from deltaadm.runs.declare import Declared, Parameters, argument, option
from deltaadm.runs.names import Entry, look_up
from deltaadm.runs.options import AccessOptions, OutputOptions, SparkOptionGroup
from deltaadm.runs.output import info, show
from deltaadm.runs.places import is_writable
from deltaadm.runs.sessions import log_reader, spark_options
from deltaadm.runs.settings import load_settings
from deltaadm.runs.settings_file import ENVIRONMENT, Setting, SettingsSources, variable
from deltaadm.runs.target import resolve
from deltaadm.runs.unity import storage_settings
from deltaadm.storage.object_store import PAGE, Address
from deltaadm.storage.store import ObjectStores, is_in_object_store, is_remote


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
    """Every setting, those for all commands first; raises `SettingsError` for wrong ones."""
    require_known_keys(sources)
    for name in COMMANDS:
        sources.check_section(name, {option.key for option in settable(Command(name))})
    load_settings(sources)
    if (storage := sources.find("storage")) is not None:
        storage_settings(storage.value, storage.place)
    for key, text in DEMANDS.items():
        name = variable(key)
        if key == "policy" and (layers := sources.layers(key)):  # each adds to those before it
            yield from (_shown(key, layer, text, None) for layer in reversed(layers))
        elif key != "aliases":
            yield _shown(key, sources.find(key), text, name if name in VARIABLES else None)
    for setting in alias_settings(sources):
        yield replace(setting, key=f"aliases.{setting.key.removeprefix('@')}")
    options = option_settings()
    for name in COMMANDS:  # a section may also have what is common
        for each in settable(Command(name)):
            key = f"{name}.{each.key}"
            if key not in options and sources.of(name).find(each.key, alone=True) is not None:
                options[key] = name, each
    for key, (section, of) in sorted(options.items(), key=lambda item: (bool(item[1][0]), item[0])):
        found = sources.of(section).find(of.key, alone=bool(section))
        if found is not None:
            converted(of, found)
        own = None if section else variable(key)
        yield _shown(key, found, " ".join(of.help.split()), own, of)


def alias_settings(sources: SettingsSources) -> Iterator[SettingValue]:
    """The aliases, as they are written on command lines."""
    for name, alias in sorted(sources.aliases().items()):
        shown = _shown(f"aliases.{name}", alias, f"What @{name} stands for.", None)
        yield replace(shown, key=f"@{name}")


def _shown(
    key: str, setting: Setting | None, text: str, name: str | None, option: Declared | None = None
) -> SettingValue:
    if setting is not None:
        value = setting.value
        if setting.origin == ENVIRONMENT and option is not None:
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


NOT_READY = 6


class Doctor(Parameters):
    """
    Says how to install what is missing. Exits with 6 if changes cannot be committed.

    For example:

      deltaadm doctor

      deltaadm doctor --start /data/events

      deltaadm doctor --write s3://lake/events
    """

    tables: list[str] | None = argument("[TABLE...]", "Also check access to these tables.")
    start: bool = option("Also start Spark and check that Delta works.")
    write: bool = option(
        "Also check conditional writes, with a temporary object next to the log.")  # fmt: skip
    access: AccessOptions
    spark: SparkOptionGroup
    output: OutputOptions
    shows = "DoctorReport"

    def run(self, context: RunContext) -> int:
        report = DoctorReport(tuple(_checks(context, self)))
        show(context, [report])
        return NOT_READY if report.failed else 0


def _checks(context: RunContext, request: Doctor) -> Iterator[Check]:
    from deltaadm.spark import session as spark

    tables = request.tables or ()
    options = spark_options(context, places=tables)
    checks = list(spark.spark_checks(options))
    yield from checks
    if request.start and not any(check.health is Health.FAILED for check in checks):
        yield spark.start_check(options, info)
    catalog = None if context.unity is None else context.unity.catalog
    if catalog is not None:  # whether it answers, accepts the token and lets this user list
        yield Check.of(catalog.name, catalog.describe_access)
    for table in tables:
        yield from spark.storage_checks(table, options)
    if tables:
        with log_reader(context, tables) as reader:
            entries = look_up(reader, tables)
            for table in tables:
                yield from _table(reader, table, entries.get(table), writing=request.write)


def _table(
    context: RunContext, table: str, entry: Entry | None, *, writing: bool
) -> Iterator[Check]:
    said = []
    try:
        target = resolve(context, table, entry)
        with suppress(DeltaadmError):  # which loading the table says again
            for check in store_checks(context, target.location, writing=writing):
                said.append(check.detail)
                yield check
        snapshot = target.load(context)
    except DeltaadmError as error:
        if error.message not in said:
            yield Check(masked(table), Health.FAILED, error.message, error.remedy)
        return
    health, remedy, begin = Health.OK, "", f"version {snapshot.version} can be read"
    if snapshot.protocol.is_catalog_managed:
        detail = f"{begin}; its catalog manages the commits"
    elif is_remote(snapshot.root):
        detail = f"{begin}; that it can be written was not tried"
    elif is_writable(context, snapshot.root):
        detail = f"{begin} and written"
    else:
        health, detail = Health.WARNING, f"{begin}, but this user cannot write to its log"
        remedy = "Commits need permission to create files in _delta_log."
    yield Check(table, health, detail, remedy)


# The object store of a table


_ANSWER_TIME: Final = 5.0
_NOTED: Final = 60
# S3 and Azure refuse requests that are more than fifteen minutes off.
_REFUSED: Final = 900
"""Seconds of difference between clocks that are worth a word, and that stores refuse."""


def store_checks(context: RunContext, location: str, *, writing: bool) -> Iterator[Check]:
    """Whether a store can be listed, tells our time and, if *writing*, creates objects."""
    if context.hadoop is not None or not is_in_object_store(location):
        return
    stores = context.object_stores or ObjectStores()

    def listed() -> str:
        log = Address.of(location).join(LOG_DIRECTORY)
        objects, complete = stores.connections.bucket(location).first_page(log).result()
        listing = counted(len(objects), "object") if complete else f"{PAGE} objects and more"
        return f"{listing} in its log"

    def put() -> str:
        log = Address.of(location).join(LOG_DIRECTORY)
        if stores.connections.bucket(location).creates_once(f"{log.rstrip('/')}/"):
            return "works, so that --commit-engine embedded can commit"
        raise StorageError(
            "the store replaces an object that must not be there",
            remedy="Let only one Spark write to the table, or use a store with conditional writes.",
        )

    yield Check.of(f"listing {location}", listed)
    skew = _clock_skew(location, stores.options_for(location))
    if skew is not None:
        seconds = round(abs(skew))
        health = Health.FAILED if seconds >= _REFUSED else Health.WARNING
        detail = f"{seconds} seconds {'behind' if skew > 0 else 'ahead of'} this machine's"
        remedy = "Set this machine's clock: stores refuse signatures of another time."
        if seconds < _NOTED:
            health, remedy = Health.OK, ""
        yield Check(f"clock of {location}", health, detail, remedy)
    if writing:
        if context.unity is not None:
            context.unity.allow_writing(location)
        yield Check.of(f"conditional put to {location}", put)


def _clock_skew(location: str, options: Mapping[str, str]) -> float | None:
    """How many seconds this clock is ahead of the store's; None where that does not say."""
    address = Address.of(location)
    url = _endpoint(address, {key.lower(): value for key, value in options.items()})
    if url is None:
        return None
    # `config` does without these, which take longer to import than all else.
    from email.utils import parsedate_to_datetime
    from http.client import HTTPException
    from urllib.error import HTTPError
    from urllib.request import Request, urlopen

    request = Request(url, method="HEAD")  # noqa: S310 -- of an http endpoint
    try:
        try:
            answer = urlopen(request, timeout=_ANSWER_TIME)  # noqa: S310 -- likewise
        except HTTPError as refusal:  # which has a date as well
            answer = refusal
        with answer:
            date = str(answer.headers["Date"])
        return time.time() - parsedate_to_datetime(date).timestamp()
    except (OSError, HTTPException, ValueError, TypeError):
        return None


def _endpoint(address: Address, options: Mapping[str, str]) -> str | None:
    def setting(*names: str) -> str | None:
        values = (options.get(name) or os.environ.get(name.upper()) for name in names)
        return next(filter(None, values), None)

    endpoint = None
    if address.kind == "s3":
        region = setting("aws_region", "region", "aws_default_region") or "us-east-1"
        endpoint = setting(
            "aws_endpoint_url_s3", "aws_endpoint_url", "aws_endpoint", "endpoint_url", "endpoint"
        )
        endpoint = endpoint or f"https://s3.{region}.amazonaws.com"
    elif address.kind == "gcs":
        endpoint = setting("google_base_url") or "https://storage.googleapis.com"
    elif address.kind == "azure":
        account = address.account or setting("azure_storage_account_name", "account_name")
        endpoint = setting("azure_storage_endpoint", "azure_endpoint")
        endpoint = endpoint or (f"https://{account}.blob.core.windows.net" if account else None)
    return endpoint if endpoint and endpoint.startswith(("http://", "https://")) else None
