"""What a project demands of its tables: the settings that are no options."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date
from enum import Enum
from fnmatch import fnmatchcase
from functools import lru_cache, partial
from glob import escape
from math import inf
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from deltaadm.clients import NOBODY, Access, ClientRelease, Observation, Scope, parse_client
from deltaadm.dataclass import dataclass, field
from deltaadm.domain.features import TableFeature
from deltaadm.domain.properties import PROPERTIES, kept_for, spark_interval
from deltaadm.domain.snapshot import Snapshot
from deltaadm.domain.transaction.column_mapping import ColumnMappingMode
from deltaadm.errors import RefusedError, SettingsError
from deltaadm.facts import Ignore, Policy, Requirement
from deltaadm.json_values import elements, integer, text
from deltaadm.plans.plan import Goal
from deltaadm.rules.rule import Severity
from deltaadm.runs.observed import observation
from deltaadm.runs.options import Engine, either
from deltaadm.runs.plan_options import CommitOptions
from deltaadm.runs.settings_file import (
    COMMAND_LINE,
    ENVIRONMENT,
    SettingsSources,
    as_table,
    as_text,
    check_keys,
    wrong,
)

if TYPE_CHECKING:
    from deltaadm.reports.validate import Demands

    Parser = Callable[[Any, str], Any]


Clients = tuple[ClientRelease, ...]


@dataclass(frozen=True, kw_only=True)
class TableSettings:
    """
    What is demanded of the tables that match one of `patterns`; None where nobody says.

    `clients` must be able to read these tables, `writers` to write them.
    """

    patterns: tuple[str, ...] = ()
    ignores: tuple[Ignore, ...] = ()
    clients: Clients | None = None
    writers: Clients | None = None
    policy: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Settings(TableSettings):
    """What is demanded of every table, and of `tables`; relative patterns begin at `directory`."""

    directory: str = ""
    tables: tuple[TableSettings, ...] = ()
    commit_engine: Engine = Engine.SPARK

    def of_table(self, table: str, location: str) -> TableSettings:
        """
        What is demanded of *table*, which is at *location*.

        Of several patterns that match, all count, the later ones for the keys that they have.
        """
        name = table.rstrip("/").removeprefix("./")
        # The directory may have characters of patterns in its name.
        base = escape(self.directory.rstrip("/"))
        said: TableSettings = self
        for entry in self.tables:
            if any(
                fnmatchcase(name, pattern.removeprefix("./"))
                or fnmatchcase(location, pattern)
                or fnmatchcase(location, f"{base}/{pattern.removeprefix('./')}")
                for pattern in entry.patterns
            ):
                said = TableSettings(
                    ignores=(*said.ignores, *entry.ignores),
                    clients=said.clients if entry.clients is None else entry.clients,
                    writers=said.writers if entry.writers is None else entry.writers,
                    policy=_joined([said.policy, entry.policy]),
                )
        return said

    def demands(
        self, table: str, location: str, *, readers: Clients = (), writers: Clients = ()
    ) -> Demands:
        """The same with *readers* and *writers* of the command line, which replace all others."""
        from deltaadm.reports.validate import Demands

        of = self.of_table(table, location)
        return Demands(
            policy=Policy(**of.policy),
            readers=readers or of.clients or (),
            writers=writers or of.writers or (),
            ignores=of.ignores,
        )


def _joined(parts: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """One policy of several, of which later ones count for the keys and properties they have."""
    policy: dict[str, Any] = {}
    for part in parts:
        properties = {**policy.get("properties", {}), **part.get("properties", {})}
        policy |= {**part, "properties": properties}
    return policy


@lru_cache(maxsize=4)  # the tables of a run have the same
def load_settings(sources: SettingsSources) -> Settings:
    """The settings in *sources*; raises `SettingsError` for those that are not understood."""
    settings = {}
    for key, parser in _DEMANDS.items():
        if (setting := sources.find(key)) is not None:
            value = setting.value
            is_text = setting.origin in {ENVIRONMENT, COMMAND_LINE}
            if is_text and isinstance(value, str) and key != "commit-engine":
                value = [word.strip() for word in value.split(",") if word.strip()]
            settings[key.replace("-", "_")] = parser(value, setting.place)
    layers = reversed(sources.layers("policy"))
    policies = [_policy(setting.value, setting.place) for setting in layers]
    return Settings(directory=sources.directory, policy=_joined(policies), **settings)


def rule_settings(sources: SettingsSources) -> dict[str, Any]:
    """The values of `select`, `ignore` and `fail_on` in *sources*, without a command line."""
    chosen: dict[str, Any] = {"select": (), "ignore": (), "fail_on": Severity.ERROR}
    for key in ("select", "ignore"):
        if (setting := sources.find(key)) is not None:
            value, place = setting.value, setting.place
            words = [*map(str.strip, value.split(","))] if isinstance(value, str) else value
            chosen[key] = _list_of(_code, example='["DL4"]')(words, place)
    if (setting := sources.find("fail-on")) is not None:
        chosen["fail_on"] = _one_of(Severity)(setting.value, setting.place)
    return chosen


# Reading values: each parser takes what TOML has and the place where it stands


def _read(value: Any, place: str, known: Mapping[str, Parser]) -> dict[str, Any]:
    """The values of a table, each parsed as *known* says."""
    document = as_table(value, place)
    check_keys(document, f"{place}.", known)
    return {
        key.replace("-", "_"): known[key](item, f"{place}.{key}") for key, item in document.items()
    }


def _made_by(convert: Callable[[Any], Any], expected: str, example: str) -> Parser:
    """The parser of what *convert* takes; it raises `TypeError` or `ValueError` for the rest."""

    def parsed(value: Any, place: str) -> Any:
        try:
            return convert(value)
        except (TypeError, ValueError):
            raise wrong(place, expected, example) from None

    return parsed


def _list_of(
    parse: Parser, expected: str = "a list of strings", example: str = "", kind: type = str
) -> Parser:
    """The parser of a list of what *parse* takes, which is of this *kind*."""

    def parsed(value: Any, place: str) -> tuple[Any, ...]:
        if not isinstance(value, list) or not all(isinstance(item, kind) for item in value):
            raise wrong(place, expected, example)
        return tuple(parse(item, place) for item in value)

    return parsed


def _known(find: Callable[[str], Any]) -> Parser:
    """The parser of a string that *find* knows or refuses."""

    def parsed(value: Any, place: str) -> Any:
        try:
            return find(_text(value, place))
        except RefusedError as error:
            raise SettingsError(f"{place}: {error.message}", remedy=error.remedy) from error

    return parsed


def _code(value: Any, place: str) -> str:
    from deltaadm.reports.validate import require_prefix  # and all rules

    return str(_known(require_prefix)(value, place))


def _one_of(kind: type[Enum]) -> Parser:
    words = [str(member.value) for member in kind]
    return _made_by(kind, either(words), f'"{words[0]}"')


def _version(value: Any, place: str) -> int:
    if (integer(value) or 0) < 1:
        raise wrong(place, "a version", "3")
    return int(value)


def _ignore(value: Any, place: str) -> Ignore:
    if isinstance(value, str):
        return Ignore(code=_code(value, place))
    values = _read(value, place, {"code": _code, "reason": _text, "until": _day})
    if "code" not in values:
        raise SettingsError(f"{place}: an ignore has no code.", remedy='Add one: code = "DL810".')
    return Ignore(**values)


def _duration(value: Any, place: str) -> str:
    duration = f"interval {spark_interval(_text(value, place)).removeprefix('interval ')}"
    if kept_for(duration) == inf:
        raise wrong(place, "a duration", '"30 days"')
    return duration


def _properties(value: Any, place: str) -> Mapping[str, Requirement]:
    requirements = {}
    for key, wanted in property_values(as_table(value, place)):
        where = f"{place}.{key}"
        if isinstance(wanted, dict):
            bounds = _read(wanted, where, {"min": as_text, "max": as_text})
            if not bounds:
                raise wrong(where, "a range with min, max or both", "{ min = 1 }")
            requirements[key] = Requirement(least=bounds.get("min"), most=bounds.get("max"))
        elif wanted == []:
            raise wrong(where, "a list of at least one value", "[true]")
        else:
            values = wanted if isinstance(wanted, list) else [wanted]
            requirements[key] = Requirement(allowed=tuple(as_text(item, where) for item in values))
    return requirements


def property_values(table: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """
    The properties in *table* with what is demanded of them; without quotes, their names are tables.

    >>> list(property_values({"delta": {"appendOnly": True}, "delta.x": {"min": 1}}))
    [('delta.appendOnly', True), ('delta.x', {'min': 1})]
    """
    for name, value in table.items():
        begin = f"{prefix}{name}.".lower()
        if isinstance(value, dict) and any(key.startswith(begin) for key in PROPERTIES):
            yield from property_values(value, f"{prefix}{name}.")
        else:
            yield prefix + name, value


_text = _made_by(text, "a string", '"..."')
_day = _made_by(  # that of a time as well
    lambda value: date.fromisoformat(str(value)[: len("2027-01-31")]), "a date", "2027-01-31"
)
_features = _list_of(_known(lambda name: TableFeature.find(name).name))
_clients = _list_of(_known(parse_client), example='["trino@480"]')


_policy = partial(
    _read,
    known={
        "max-reader-version": _version,
        "max-writer-version": _version,
        "required-features": _features,
        "forbidden-features": _features,
        "mapping-modes": _made_by(
            lambda value: tuple(ColumnMappingMode(mode).value for mode in elements(value)),
            "a list of the modes none, name and id",
            '["none", "name"]',
        ),
        "properties": _properties,
        "recovery": _duration,
    },
)
_TABLE: Final[Mapping[str, Parser]] = {
    "pattern": lambda value, place: (
        (value,) if isinstance(value, str) else _list_of(_text)(value, place)
    ),
    "ignore": _list_of(_ignore, "a list", kind=object),
    "clients": _clients,
    "writers": _clients,
    "policy": _policy,
}


def _table_settings(value: Any, place: str) -> TableSettings:
    values = _read(value, place, _TABLE)
    if "pattern" not in values:
        raise SettingsError(
            f"{place}: an entry has no pattern.", remedy='Name the tables: pattern = "team/*".'
        )
    return TableSettings(patterns=values.pop("pattern"), ignores=values.pop("ignore", ()), **values)


_DEMANDS: Final[Mapping[str, Parser]] = {
    "clients": _clients,
    "writers": _clients,
    "tables": _list_of(_table_settings, "an array of tables, as in [[tables]]", kind=object),
    "commit-engine": _one_of(Engine),
}


# Required clients


class ClientRequirements(NamedTuple):
    """
    The clients that must go on reading and writing, and those that may go silently wrong.

    `findings` are the codes of rules whose errors a plan may bring about, and `seen` says which
    clients count that were seen.
    """

    reading: Clients = ()
    writing: Clients = ()
    accepted: frozenset[str] = frozenset()
    findings: frozenset[str] = frozenset()
    seen: Observation = NOBODY

    @classmethod
    def of(
        cls, request: CommitOptions, settings: SettingsSources, table: str, location: str
    ) -> ClientRequirements:
        """
        What the command line says, or else the *settings*.

        Raises `RefusedError` for a client or a rule that nobody knows.
        """
        findings = set()
        for word in request.consent.accept_finding or ():
            from deltaadm.reports.validate import require_prefix

            findings.add(require_prefix(word, whole=True))
        accepted = map(parse_client, request.consent.accept_silently_wrong or ())
        of = load_settings(settings).of_table(table, location)
        return cls(
            reading=(*map(parse_client, request.clients.for_client or ()),) or of.clients or (),
            writing=(*map(parse_client, request.clients.for_client_writing or ()),)
            or of.writers
            or (),
            accepted=frozenset(release.client.id for release in accepted),
            findings=frozenset(findings),
            seen=observation(request.clients.readers, request.clients.observed_for),
        )

    def scope(self, snapshot: Snapshot) -> Scope:
        """The clients for which a change of the table in *snapshot* is judged."""
        return Scope.of((*self.reading, *self.writing), snapshot.writers, self.seen)

    def goals(self) -> Iterator[Goal]:
        """The goal for each of these clients, to read or to write."""
        yield from (Goal(release, Access.READ) for release in self.reading)
        yield from (Goal(release, Access.WRITE) for release in self.writing)
