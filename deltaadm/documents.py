"""The JSON documents that deltaadm writes and reads: what is written, and its schema."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping
from functools import cache

from deltaadm import __version__, errors
from deltaadm.dataclass import dataclass, named
from deltaadm.errors import DeltaadmError
from deltaadm.json_values import Json, constant, maybe, one_of, record
from deltaadm.masking import masked

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

    from deltaadm.json_values import Field, Fields, Schema


FORMAT_VERSION: Final = 1
REQUEST: Final = "request"
"""The field for what the document answers, which only lines have; it is added after the seal."""
_SEAL: Final = "document_sha256"
HEAD: Final[Fields] = {
    "format_version": constant(FORMAT_VERSION),
    "tool_version": (str, lambda _: __version__),
    "document": (str, lambda report: report.document.replace("_", "-")),
}
"""The first fields of every document; the last is its kind, a name in `DOCUMENTS`."""


@dataclass(frozen=True)
class Document:
    """A kind of document: the title of its schema, and what is written."""

    title: str
    json: Json

    @property
    def schema(self) -> Schema:
        """The JSON Schema of such documents, without its title."""
        return self.json.schema

    @property
    def write(self) -> Callable[[Any], dict[str, Any]]:
        """The function that makes such a document of a value."""
        return self.json.write

    @classmethod
    def of(cls, title: str, /, **fields: Field) -> Document:
        """One with *fields*, after those that all documents have."""
        return cls(title, record(**HEAD, **fields))

    @classmethod
    def sealed(
        cls, title: str, binding: Fields, bound_to: Callable[[Any], Any], /, **fields: Field
    ) -> Document:
        """The same with a `binding` to what the document rests on, and with its digest in there."""
        written = record(**HEAD, **fields, binding=(record(**binding), bound_to))

        def schema() -> Schema:
            return record(**HEAD, **fields, binding=record(**binding, **{_SEAL: str})).schema

        return cls(title, Json(schema, lambda value: sealed(written.write(value))))


def sha256(document: Any) -> str:
    """The digest of a JSON value, keys sorted, without spaces."""
    import hashlib

    compact = json.dumps(document, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(compact.encode()).hexdigest()


def sealed(document: Mapping[str, Any]) -> dict[str, Any]:
    """*document* with a digest of all else that it says, `binding.document_sha256`."""
    seal = {_SEAL: sha256(_unsealed(document))}
    return {**document, "binding": {**document.get("binding", {}), **seal}}


def _unsealed(document: Mapping[str, Any]) -> dict[str, Any]:
    binding = document.get("binding", {})
    body = {key: value for key, value in document.items() if key != REQUEST}
    return {**body, "binding": {key: binding[key] for key in binding if key != _SEAL}}


def is_sealed(document: Mapping[str, Any]) -> bool:
    """Whether *document* is as `sealed` left it."""
    return bool(document["binding"].get(_SEAL) == sha256(_unsealed(document)))


class DuplicateKeyError(ValueError):
    """An object has a key twice, of which a reader may see another value than a program."""


def parse(text: str | bytes) -> Any:
    """The JSON value in *text*; raises `ValueError` for none, and for a key that is there twice."""

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            twice, _ = Counter(key for key, _ in pairs).most_common(1)[0]
            raise DuplicateKeyError(f"it has the key {twice!r} twice in one object")
        return found

    return json.loads(text, object_pairs_hook=unique)


def read_kind(
    text: str, kind: str, version: int, unreadable: Callable[[str], DeltaadmError]
) -> dict[str, Any]:
    """
    The JSON object in *text*, a file of this *kind* and format *version*.

    Raises what *unreadable* makes of the cause for anything else.
    """
    try:
        document = parse(text)
    except DuplicateKeyError as error:
        raise unreadable(str(error)) from error
    except (ValueError, RecursionError) as error:
        raise unreadable("it is not JSON") from error
    if not isinstance(document, dict) or document.get("kind") != kind:
        raise unreadable(f"its kind is not {kind!r}")
    if document.get("format_version") != version:
        raise unreadable(f"its format version is {document.get('format_version')!r}, not {version}")
    return document


# Which there are


DOCUMENTS: Final[Mapping[str, str]] = {
    "baseline": "deltaadm.reports.validate.BASELINE_DOCUMENT",
    "client": "deltaadm.reports.catalogues.CLIENT_DOCUMENT",
    "clients": "deltaadm.reports.catalogues.CLIENTS_DOCUMENT",
    "config": "deltaadm.reports.installation.CONFIG_DOCUMENT",
    "defaults": "deltaadm.reports.catalogues.DEFAULTS_DOCUMENT",
    "diff": "deltaadm.reports.diff.DIFF_DOCUMENT",
    "doctor": "deltaadm.reports.installation.DOCTOR_DOCUMENT",
    "drop_feature": "deltaadm.plans.document.DROP_FEATURE_DOCUMENT",
    "engine_message": "deltaadm.reports.explain.ENGINE_MESSAGE_DOCUMENT",
    "error": "deltaadm.documents.ERROR_DOCUMENT",
    "error_class": "deltaadm.reports.explain.ERROR_CLASS_DOCUMENT",
    "feature": "deltaadm.reports.catalogues.FEATURE_DOCUMENT",
    "features": "deltaadm.reports.catalogues.FEATURES_DOCUMENT",
    "for_client": "deltaadm.reports.why.FOR_CLIENT_DOCUMENT",
    "foreign": "deltaadm.plans.document.FOREIGN_DOCUMENT",
    "history": "deltaadm.reports.history.HISTORY_DOCUMENT",
    "history_entry": "deltaadm.reports.history.HISTORY_ENTRY_DOCUMENT",
    "writers": "deltaadm.reports.history.WRITERS_DOCUMENT",
    "inspect": "deltaadm.reports.inspect.INSPECT_DOCUMENT",
    "journal": "deltaadm.plans.document.JOURNAL_DOCUMENT",
    "line": "deltaadm.documents.LINE_DOCUMENT",
    "outcome": "deltaadm.plans.document.OUTCOME_DOCUMENT",
    "plan": "deltaadm.plans.document.PLAN_DOCUMENT",
    "reference": "deltaadm.reports.diff.REFERENCE_DOCUMENT",
    "repair": "deltaadm.reports.repair.REPAIR_DOCUMENT",
    "restorable": "deltaadm.reports.history.RESTORABLE_DOCUMENT",
    "rule": "deltaadm.reports.explain.RULE_DOCUMENT",
    "rules": "deltaadm.reports.explain.RULES_DOCUMENT",
    "shown_journal": "deltaadm.plans.document.SHOWN_JOURNAL_DOCUMENT",
    "shown_plan": "deltaadm.plans.document.SHOWN_PLAN_DOCUMENT",
    "statistics": "deltaadm.reports.validate.STATISTICS_DOCUMENT",
    "undo_repair": "deltaadm.reports.repair.UNDO_DOCUMENT",
    "validate": "deltaadm.reports.validate.VALIDATE_DOCUMENT",
    "why": "deltaadm.reports.why.WHY_DOCUMENT",
}
"""Where each kind of document is described."""


def kind_of_document(name: str) -> Document:
    """The kind of document called *name*, imported only now."""
    kind: Document = named(DOCUMENTS[name])
    return kind


def document(report: Any) -> dict[str, Any]:
    """
    The JSON document of a report; docs/json.md describes them.

    Its attribute `document` names the kind.
    """
    return kind_of_document(report.document).write(report)


@dataclass(frozen=True)
class Failure:
    """Why there is no report on the table that the user calls *named*."""

    named: str
    error: DeltaadmError
    established: Mapping[str, object] | None = None

    document = "error"
    blocks = "deltaadm.reports.inspect.show_failure"

    @property
    def known(self) -> Mapping[str, object]:
        """What was established before the error, with secrets masked."""
        return self.error.established if self.established is None else self.established

    @property
    def table(self) -> str:
        """The table as the user calls it, with secrets masked."""
        return masked(self.named)


# An error, in its table's place


_KINDS: Final = {
    error.kind
    for error in vars(errors).values()
    if isinstance(error, type) and issubclass(error, errors.DeltaadmError)
}
ERROR: Final[Json] = record(
    kind=one_of(*sorted(_KINDS - {errors.DeltaadmError.kind})),
    exit_code=int,
    message=str,
    remedy=str,
    delta_error_class=maybe(str),
)
_FAILURE: Final = Document.of(
    "An error, in place of the document of a table", table=str, error=ERROR
)


def _write(failure: Failure) -> dict[str, Any]:
    """The document, with what was established before the error."""
    written = _FAILURE.write(failure)
    error = written.pop("error")
    return {**written, **failure.known, "error": error}


ERROR_DOCUMENT: Final[Document] = Document(_FAILURE.title, Json(lambda: _FAILURE.schema, _write))


# A line of a run over many tables, and the schemas of all documents


_LINES: Final = (
    "inspect", "why", "for_client", "diff", "validate", "plan", "outcome", "repair", "drop_feature",
    "error",
)  # fmt: skip
LINE_DOCUMENT: Final = Document(
    "A line of a run over many tables",
    Json(lambda: {"anyOf": [kind_of_document(kind).schema for kind in _LINES]}, document),
)


@cache
def schemas() -> dict[str, Schema]:
    """The JSON Schema of each kind of document, by its name."""
    found = {}
    for kind in DOCUMENTS:
        name, of = kind.replace("_", "-"), kind_of_document(kind)
        schema = of.schema
        if "document" in schema.get("properties", {}):
            properties = {**schema["properties"], "document": {"const": name}}
            schema = {**schema, "properties": properties}
        found[name] = {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "$id": f"urn:deltaadm:{name}:{FORMAT_VERSION}",
            "title": of.title,
            **schema,
        }
    return found
