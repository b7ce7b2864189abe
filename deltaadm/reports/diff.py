"""`diff` and `record`: in what two versions, tables, or a table and its record differ."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

from deltaadm.blocks import Block, Changes, Heading, Paragraph
from deltaadm.dataclass import dataclass, replace
from deltaadm.documents import Document, read_kind
from deltaadm.domain.features import dependents
from deltaadm.domain.properties import PROPERTIES, foreign, is_protocol_property
from deltaadm.domain.protocol import PROTOCOL, Protocol
from deltaadm.domain.snapshot import Snapshot
from deltaadm.domain.transaction.columns import clustering_columns, with_clustering
from deltaadm.domain.wire import Metadata
from deltaadm.errors import DeltaadmError, SettingsError
from deltaadm.facts import Requirement, effective
from deltaadm.json_values import (
    ANY,
    COUNT,
    OPEN,
    STRINGS,
    array,
    constant,
    mapping,
    maybe,
    one_of,
    text,
    text_map,
    texts,
)
from deltaadm.json_values import record as json_record
from deltaadm.masking import is_secret
from deltaadm.plans.diff import Change, ChangeKind, diff
from deltaadm.plans.secrets import Masker
from deltaadm.plans.undo import KEPT_BY_DELTA
from deltaadm.reports.history import SECTIONED_CHANGES, Section, change_rows, section_of


@dataclass(frozen=True)
class ComparedState:
    """
    One of two states that are compared: a version of the table that the user calls `table`.

    In a reference `file` there are no versions.
    """

    table: str
    version: int | None = None
    file: str | None = None

    @property
    def label(self) -> str:
        """The state of the table, in words."""
        return f"version {self.version}" if self.file is None else self.file


@dataclass(frozen=True, kw_only=True)
class DiffReport:
    """In which of `sections` the state `after` differs from the one `before`."""

    before: ComparedState
    after: ComparedState
    sections: tuple[Section, ...]
    changes: tuple[Change, ...]

    document = "diff"
    blocks = "deltaadm.reports.diff.show_differences"

    @property
    def table(self) -> str:
        """The table that is judged: the one that is no record, or the second of two."""
        return self.before.table if self.after.file is not None else self.after.table

    @property
    def title(self) -> str:
        """The two states that are compared."""
        old, new = self.before, self.after
        if old.table == new.table:
            return f"{old.table} ({old.label} -> {new.label})"
        return f"{old.table} ({old.label}) -> {new.table} ({new.label})"

    @property
    def equal(self) -> bool:
        """Whether there are no differences."""
        return not self.changes


def compare(
    before: Snapshot,
    after: Snapshot,
    sections: Collection[Section],
    ignored: Callable[[str], bool] = lambda _: False,
    *,
    same_table: bool,
    history: bool = False,
) -> tuple[Change, ...]:
    """
    In what of *sections* the states differ, without the places that are *ignored*.

    What only follows from something else counts in the *history* of one table alone.
    Of states that are not of the *same table*, nothing is compared that Delta chooses at random or
    that depends on a table's history: its id, physical names and ids of columns, and the like.
    """
    changes = diff(before, after)
    # The features that come or go with the versions, of which no list says so.
    old, new = before.protocol, after.protocol
    come, gone = new.implicit_features - old.names, old.implicit_features - new.names
    implied = (
        *(Change(ChangeKind.ADD, f"features[{name}]", None, "implied") for name in sorted(come)),
        *(Change(ChangeKind.REMOVE, f"features[{name}]", "implied", None) for name in sorted(gone)),
    )
    changes = (*implied, *changes)
    if not history:
        changes = tuple(each for each in changes if not _is_consequence(each, before, after))
    if not same_table:
        changes = tuple(shared for change in changes for shared in _shared(change))
    return tuple(
        change
        for section in Section
        if section in sections
        for change in changes
        if section_of(change) is section and not ignored(change.subject)
    )


def _shared(change: Change) -> Iterator[Change]:
    if change.subject == "id" or (change.place == "configuration" and change.name in KEPT_BY_DELTA):
        return
    if not change.subject.startswith("schema["):
        yield change
        return
    before, after = (
        {key: value for key, value in column.items() if not key.startswith("delta.columnMapping.")}
        if isinstance(column, dict)
        else column
        for column in (change.before, change.after)
    )
    if before or after:
        yield replace(change, before=before, after=after)


def _is_consequence(change: Change, before: Snapshot, after: Snapshot) -> bool:
    """Whether *change* means nothing: it follows from another, or is written by an engine."""
    place, name, states = change.place, change.name, (before, after)
    if place == "configuration":
        values = [effective(state.metadata.configuration, name) for state in states]
        is_known = name.lower() in PROPERTIES and None not in values
        same = is_known and Requirement(allowed=(str(values[0]),)).met_by(values[1], name)
        return same or is_kept(name)
    supported = [state.protocol.supported_features for state in states]
    if place.startswith("protocol.min"):
        return supported[0] == supported[1]
    if place not in ("protocol.readerFeatures", "protocol.writerFeatures"):
        return False
    # Listed by one, implied by the other; or there because another one needs it that both have.
    both = supported[0] & supported[1]
    return name in both or bool(dependents(name, both))


def is_kept(key: str) -> bool:
    """Whether the property *key* is none that people set: it follows, or engines maintain it."""
    known = foreign(key)
    return key in KEPT_BY_DELTA or (known is not None and known.kept) or is_protocol_property(key)


def ignoring(patterns: Sequence[str]) -> Callable[[str], bool]:
    """Whether a place is one of *patterns*, in which `*` stands for anything."""
    parts = (".*".join(map(re.escape, pattern.split("*"))) for pattern in patterns)
    matches = re.compile("|".join(f"(?:{part})" for part in parts) or r"(?!)", re.DOTALL).fullmatch
    return lambda place: matches(place) is not None


# Records


@dataclass(frozen=True)
class RecordedTable:
    """
    The table that the user called `table`, with masks for secrets.

    `fingerprints` are what these are known by, by their places.
    """

    table: str
    snapshot: Snapshot
    fingerprints: Mapping[str, str]


@dataclass(frozen=True)
class Reference:
    """Recorded tables, for `diff` to hold them against later."""

    tables: tuple[RecordedTable, ...]

    document = "reference"
    blocks = ""  # it is written as a file alone


def record(table: str, snapshot: Snapshot) -> Reference:
    """A record of one table."""
    fingerprints = {
        place: _fingerprint(f"{snapshot.metadata.id} {place}", value)
        for place, key, value in _values(snapshot)
        if is_secret(key, value)
    }
    return Reference((RecordedTable(table, Masker().mask(snapshot), fingerprints),))


def recorded_state(recorded: RecordedTable, current: Snapshot) -> Snapshot:
    """The state that was *recorded*, with those secrets that *current* still has."""
    known, metadata = recorded.fingerprints, recorded.snapshot.metadata
    still = {
        place: value
        for place, _, value in _values(current)
        if place in known and _fingerprint(f"{metadata.id} {place}", value) == known[place]
    }

    form = metadata.format
    if form is not None and form.options:
        options = {key: still.get(f"format[{key}]", form.options[key]) for key in form.options}
        form = replace(form, options=options)
    properties = metadata.configuration
    configuration = {key: still.get(f"configuration[{key}]", properties[key]) for key in properties}
    shown = replace(metadata, configuration=configuration, format=form)
    return replace(recorded.snapshot, root=current.root, metadata=shown)


def _values(snapshot: Snapshot) -> Iterator[tuple[str, str, str]]:
    metadata = snapshot.metadata
    options = (metadata.format and metadata.format.options) or {}
    for kind, entries in (("configuration", metadata.configuration), ("format", options)):
        for key, value in entries.items():
            if value is not None:
                yield f"{kind}[{key}]", key, value


@lru_cache(maxsize=1024)
def _fingerprint(salt: str, value: str) -> str:
    body, known = (text.encode("utf-8", "surrogatepass") for text in (value, salt))
    # Slow on purpose, and salted by table and place: a record must not let anybody try passwords.
    # Records that are written have been made with this number of rounds.
    return hashlib.pbkdf2_hmac("sha256", body, known, 100_000).hex()


_STATE: Final = json_record(table=str, version=maybe(COUNT), file=maybe(str))
DIFF_DOCUMENT: Final = Document.of(
    "The output of `diff` for a table",
    table=str,
    before=_STATE,
    after=_STATE,
    sections=array(one_of(Section)),
    equal=bool,
    changes=SECTIONED_CHANGES,
)


FORMAT_VERSION: Final = 1
_KIND: Final = "deltaadm-reference"

_KEPT: Final = ("id", "name", "description", "format", "partitionColumns", "configuration")
"""The fields of the metadata; the schema is JSON rather than a text that holds it."""


def _metadata(recorded: RecordedTable) -> dict[str, Any]:
    wire = recorded.snapshot.metadata.to_wire()
    kept = {key: wire[key] for key in _KEPT if wire.get(key) is not None}
    properties = sorted(kept.get("configuration", {}).items())
    return kept | {"configuration": {k: value for k, value in properties if not is_kept(k)}}


def _schema(recorded: RecordedTable) -> Any:
    schema_string = recorded.snapshot.metadata.schema_string
    try:
        return None if schema_string is None else json.loads(schema_string)
    except (ValueError, RecursionError):
        return schema_string


_TABLE: Final = json_record(
    table=str,
    protocol=(PROTOCOL, lambda recorded: recorded.snapshot.protocol),
    metadata=(OPEN, _metadata),
    schema=(ANY, _schema),
    clustering_columns=(
        array(STRINGS),
        # The schema of a table that is not clustered is not looked into: it may be unreadable.
        lambda recorded: clustering_columns(recorded.snapshot) if recorded.snapshot.domains else (),
    ),
    fingerprints=mapping(str),
)
REFERENCE_DOCUMENT: Final = Document(
    "A reference: what tables are like",
    json_record(
        kind=constant(_KIND), format_version=constant(FORMAT_VERSION), tables=array(_TABLE)
    ),
)


def write_reference(documents: Iterable[Mapping[str, Any]]) -> str:
    """The file of the tables in *documents*: the same wherever and whenever it is written."""
    tables = sorted(
        (table for document in documents for table in document["tables"]),
        key=lambda table: str(table["table"]),
    )
    head = {"kind": _KIND, "format_version": FORMAT_VERSION}
    return json.dumps({**head, "tables": tables}, indent=2) + "\n"


def read_reference(source: str) -> Reference:
    """
    The reference in *source*.

    Raises `SettingsError` for anything else, a newer format included.
    """
    document, tables = read_kind(source, _KIND, FORMAT_VERSION, _unreadable), []
    try:
        for entry in document["tables"]:
            schema = entry["schema"]
            stored = schema if schema is None or isinstance(schema, str) else json.dumps(schema)
            snapshot = Snapshot(
                root=text(entry["table"]),
                version=0,
                domains={},
                protocol=Protocol.from_wire(entry["protocol"]),
                metadata=Metadata.from_wire({**entry["metadata"], "schemaString": stored}),
            )
            columns = tuple(map(texts, entry["clustering_columns"]))
            if columns:
                snapshot = with_clustering(snapshot, columns)
            known = text_map(entry["fingerprints"])
            tables.append(RecordedTable(entry["table"], snapshot, known))
    except (KeyError, TypeError, ValueError, AttributeError, DeltaadmError) as error:
        raise _unreadable("it has an invalid entry") from error
    return Reference(tuple(tables))


def _unreadable(cause: str) -> SettingsError:
    return SettingsError(
        f"This is not a reference of deltaadm: {cause}.",
        remedy="Write one with: `deltaadm record TABLE --out FILE`.",
    )


def show_differences(report: DiffReport) -> Iterator[Block]:
    """The differences of two states, by section."""
    yield Heading(f"diff: {report.title}", level=1)
    if report.equal:
        yield Paragraph("No differences.", "good")
    for section in report.sections:
        changes = [change for change in report.changes if section_of(change) is section]
        if changes:
            yield Heading(section.value.capitalize())
            yield Changes(tuple(change_rows(changes)))
