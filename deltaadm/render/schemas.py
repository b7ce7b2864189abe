"""
JSON Schemas of the documents that deltaadm writes and reads.

Every field that is promised is required. What a document has beside is not forbidden, since
fields may be added at any time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from deltaadm import errors
from deltaadm.clients import Access, Compatibility
from deltaadm.domain.cost import Cost
from deltaadm.domain.features import Kind, Status
from deltaadm.domain.table_changes import CreationMode
from deltaadm.operations import baseline
from deltaadm.operations.diff import ChangeKind
from deltaadm.operations.document import FORMAT_VERSION
from deltaadm.operations.drop_feature import Phase
from deltaadm.operations.reports import Health
from deltaadm.validation.finding import Cause, Severity
from deltaadm.validation.rule import Scope

if TYPE_CHECKING:
    from enum import Enum

Schema = dict[str, Any]

STRING: Final[Schema] = {"type": "string"}
INTEGER: Final[Schema] = {"type": "integer"}
COUNT: Final[Schema] = {"type": "integer", "minimum": 0}
BOOLEAN: Final[Schema] = {"type": "boolean"}
OPEN: Final[Schema] = {"type": "object"}


def _object(optional: tuple[str, ...] = (), /, **properties: Schema) -> Schema:
    required = [name for name in properties if name not in optional]
    return {"type": "object", "properties": properties, "required": required}


def _array(items: Schema) -> Schema:
    return {"type": "array", "items": items}


def _mapping(values: Schema) -> Schema:
    return {"type": "object", "additionalProperties": values}


def _maybe(schema: Schema) -> Schema:
    return {"anyOf": [schema, {"type": "null"}]}


def _one_of(*values: str | type[Enum]) -> Schema:
    words = [
        word
        for one in values
        for word in ([one] if isinstance(one, str) else [each.value for each in one])
    ]
    return {"enum": words}


_STRINGS = _array(STRING)
_HEAD: Schema = {"format_version": {"const": FORMAT_VERSION}, "tool_version": STRING}
_PROTOCOL = _object(
    ("readerFeatures", "writerFeatures"),
    minReaderVersion=INTEGER,
    minWriterVersion=INTEGER,
    readerFeatures=_STRINGS,
    writerFeatures=_STRINGS,
)
_JUDGEMENT: Schema = {
    "verdict": _one_of(Compatibility),
    "because": _array(
        _object(subject=STRING, note=STRING, source=_maybe(STRING), date=_maybe(STRING))
    ),
}
_FEATURE = _object(
    name=STRING,
    kind=_one_of(Kind, "unknown"),
    supported={"enum": ["explicit", "implicit", None]},
    active=BOOLEAN,
    because=_STRINGS,
    status=_one_of(Status, "unknown"),
    requires=_STRINGS,
    undo=STRING,
)
_COLUMN = _object(path=STRING, id=_maybe(INTEGER), physical_name=STRING, type=STRING)
_MAPPING = _object(
    mode=STRING,
    supported=BOOLEAN,
    max_column_id=_maybe(INTEGER),
    columns=_maybe(_array(_COLUMN)),
)
_CLIENT = _object(
    client=STRING,
    name=STRING,
    version=STRING,
    read=_object(**_JUDGEMENT),
    write=_object(**_JUDGEMENT),
)
_FILES = _object(
    files=COUNT,
    bytes=COUNT,
    with_deletion_vector=COUNT,
    without_stats=COUNT,
    without_num_records=COUNT,
    without_base_row_id=COUNT,
    partition_keys=_array(_STRINGS),
)
_INSPECT = _object(
    **_HEAD,
    table=STRING,
    location=STRING,
    version=COUNT,
    timestamp=_maybe(INTEGER),
    protocol=_PROTOCOL,
    metadata=OPEN,
    features=_array(_FEATURE),
    minimum_protocol=_maybe(_PROTOCOL),
    classic_minimum_versions=_maybe(_object(minReaderVersion=INTEGER, minWriterVersion=INTEGER)),
    lowest_equivalent_protocol=_maybe(_PROTOCOL),
    slack=_STRINGS,
    column_mapping=_MAPPING,
    clustering_columns=_maybe(_array(_STRINGS)),
    clients=_array(_CLIENT),
    files=_maybe(_FILES),
    reference_client=_object(reads=BOOLEAN, writes=BOOLEAN, delta_error_class=_maybe(STRING)),
    warnings=_STRINGS,
)
_COLUMN_CHANGE = _object(
    column=_STRINGS,
    type=_maybe(STRING),
    nullable=_maybe(BOOLEAN),
    comment=_maybe(STRING),
    position=_maybe(STRING),
    default=_maybe(STRING),
)
_CREATION: Schema = {
    "mode": _one_of(CreationMode),
    "schema": OPEN,
    "partition_by": _STRINGS,
    "cluster_by": _array(_STRINGS),
    "properties": _mapping(STRING),
    "write_options": _mapping(STRING),
    "comment": _maybe(STRING),
    "location": _maybe(STRING),
    "query": _maybe(STRING),
}
_STATE: Schema = {
    "version": INTEGER,
    "protocol": _PROTOCOL,
    "metadata": OPEN,
    "clustering_columns": _maybe(_array(_STRINGS)),
}
_STEP: Schema = {
    "anyOf": [
        _object(kind={"const": "set_properties"}, properties=_mapping(STRING)),
        _object(kind={"const": "unset_properties"}, keys=_STRINGS, if_exists=BOOLEAN),
        _object(kind={"const": "write_checkpoint"}),
        _object(kind={"const": "rename_column"}, column=_STRINGS, name=STRING),
        _object(kind={"const": "drop_columns"}, columns=_array(_STRINGS), if_exists=BOOLEAN),
        _object(kind={"const": "add_columns"}, columns=_STRINGS),
        _object(kind={"const": "change_columns"}, changes=_array(_COLUMN_CHANGE)),
        _object(kind={"const": "add_constraint"}, name=STRING, expression=STRING),
        _object(kind={"const": "drop_constraint"}, name=STRING, if_exists=BOOLEAN),
        _object(kind={"const": "set_location"}, location=STRING, **_STATE),
        _object(kind={"const": "cluster_by"}, columns=_array(_STRINGS)),
        _object(kind={"const": "create_table"}, **_CREATION),
        _object(kind={"const": "drop_feature"}, feature=STRING, truncate_history=BOOLEAN),
    ]
}
_CARRIED_OUT: Schema = {
    "sql": _maybe(STRING),
    "cost": _one_of(Cost),
    "commits": _one_of("none", "one", "several"),
}


def _planned(step: Schema) -> Schema:
    more = _CARRIED_OUT | ({"waits": BOOLEAN} if "truncate_history" in step["properties"] else {})
    return step | {
        "properties": step["properties"] | more,
        "required": [*step["required"], *more],
    }


_PLANNED_STEP: Schema = {"anyOf": [_planned(one) for one in _STEP["anyOf"]]}
_DIFFERENCE: Schema = {
    "kind": {"enum": [one.name.lower() for one in ChangeKind]},
    "subject": STRING,
    "before": {},
    "after": {},
}
_PLAN = _object(
    **_HEAD,
    operation=STRING,
    table=STRING,
    location=STRING,
    name=_maybe(STRING),
    before=_object(**_STATE),
    after=_object(protocol=_PROTOCOL, metadata=OPEN),
    steps=_array(_PLANNED_STEP),
    changes=_array(_object(**_DIFFERENCE, because=STRING, undo=STRING, cost=_one_of(Cost))),
    cost=_one_of(Cost),
    size=_maybe(_object(files=COUNT, bytes=COUNT)),
    is_noop=BOOLEAN,
    irreversible=_STRINGS,
    notes=_STRINGS,
    clients=_array(
        _object(
            client=STRING,
            version=STRING,
            access=_one_of(Access),
            before=_one_of(Compatibility),
            **_JUDGEMENT,
        )
    ),
    session=_mapping(STRING),
    binding=_object(
        table_id=_maybe(STRING), version=INTEGER, protocol_sha256=STRING, metadata_sha256=STRING
    ),
)
_PARENT_TABLE = _object(provider=STRING, location=STRING, is_managed=BOOLEAN, fingerprint=STRING)
_PARENT_PLAN: Schema = {
    **_HEAD,
    "operation": STRING,
    "table": STRING,
    "name": STRING,
    "provider": STRING,
    "statements": _STRINGS,
    "changes": _array(_object(**_DIFFERENCE)),
    "irreversible": _STRINGS,
    "notes": _STRINGS,
    "outcome": _maybe(_object(mismatches=_array(_object(**_DIFFERENCE)))),
}
_BEST_EFFORT = _object(
    **_PARENT_PLAN,
    location=STRING,
    before=_maybe(_PARENT_TABLE),
    step=_object(**_CREATION),
)
_PARENT_CHANGES = _object(
    **_PARENT_PLAN,
    before=_PARENT_TABLE,
    steps=_array(_STEP),
    is_noop=BOOLEAN,
)
_OUTCOME = _object(
    **_HEAD,
    table=STRING,
    plan=_PLAN,
    outcome=_object(
        version=COUNT, versions=_array(COUNT), mismatches=_array(_object(**_DIFFERENCE))
    ),
)
_FINDING: Schema = {
    "code": STRING,
    "name": STRING,
    "severity": _one_of(Severity),
    "message": STRING,
    "where": STRING,
    "remedy": STRING,
    "fix": _maybe(_object(command=STRING, steps=_array(_STEP))),
}
_VALIDATION = _object(
    **_HEAD,
    table=STRING,
    version=_maybe(COUNT),
    stopped=_maybe(STRING),
    recreatable_versions=_maybe(_object(first=COUNT, last=COUNT)),
    depth=_array(_one_of("history", "deep", "cross-check")),
    rules=COUNT,
    counts=_object(**{one.value: COUNT for one in Severity}),
    findings=_array(_object(**_FINDING)),
    more=_mapping(COUNT),
    suppressed=_array(_object(**_FINDING, by=_one_of(Cause), reason=STRING)),
)
_REGISTERED: Schema = {
    "name": STRING,
    "kind": _one_of(Kind),
    "status": _one_of(Status),
    "since": _maybe(STRING),
    "legacy_versions": _maybe(_array(COUNT)),
    "requires": _STRINGS,
    "twin": _maybe(STRING),
    "activated_by": _mapping(STRING),
    "added_to_existing_tables": BOOLEAN,
    "not_addable": _maybe(STRING),
    "undo": STRING,
    "cost": _one_of(Cost),
    "caution": _maybe(STRING),
    "in_delta_spark": BOOLEAN,
    "section": STRING,
    "source": STRING,
}
_KINDS_OF_ERRORS = sorted(
    {
        one.kind
        for one in vars(errors).values()
        if isinstance(one, type) and issubclass(one, errors.DeltaadmError)
    }
    - {errors.DeltaadmError.kind}
)
_ERROR = _object(
    kind=_one_of(*_KINDS_OF_ERRORS),
    exit_code=INTEGER,
    message=STRING,
    remedy=STRING,
    delta_error_class=_maybe(STRING),
)
_BASELINE = _object(
    kind={"const": "deltaadm-baseline"},
    format_version={"const": baseline.FORMAT_VERSION},
    findings=_array(
        _object(table=STRING, code=STRING, where=STRING, severity=_one_of(Severity), count=COUNT)
    ),
    more=_array(_object(table=STRING, code=STRING, count=COUNT)),
)
_DROP = _object(
    name=STRING,
    phase=_one_of(Phase),
    keeps_history=BOOLEAN,
    truncates_history=BOOLEAN,
    ready_at=_maybe(STRING),
    work=_STRINGS,
    refusal=_maybe(_ERROR),
)
_RULE: Schema = {
    "code": STRING,
    "name": STRING,
    "severity": _one_of(Severity),
    "scope": {"enum": [one.name.lower() for one in Scope]},
    "summary": STRING,
    "why_it_matters": STRING,
    "remedy": STRING,
    "source": STRING,
}
_ERROR_CLASS = _object(
    **_HEAD,
    delta_error_class=STRING,
    meaning=STRING,
    commands=_STRINGS,
    rules=_array(_object(**_RULE)),
)
_CHECK = _object(subject=STRING, health=_one_of(Health), detail=STRING, remedy=STRING)

_DROPS = _object(**_HEAD, table=STRING, version=COUNT, features=_array(_DROP))
_FAILURE = _object(**_HEAD, table=STRING, error=_ERROR)

_NOTED: Schema = {**_HEAD, "plan": STRING, "table": STRING}

_BODIES: Final = {
    "baseline": ("The findings that are known already, as a file", _BASELINE),
    "best-effort": (
        "A plan to make a table of another provider, and what it came to",
        _BEST_EFFORT,
    ),
    "doctor": ("What `doctor` writes", _object(**_HEAD, checks=_array(_CHECK))),
    "drop-feature": (
        "How far features of a table are from being dropped",
        _DROPS,
    ),
    "error": ("An error, in its table's place", _FAILURE),
    "error-class": ("What `explain` writes of an error class of Delta", _ERROR_CLASS),
    "feature": (
        "What `features` writes of one feature",
        _object(**_HEAD, **_REGISTERED, required_by=_STRINGS),
    ),
    "features": (
        "What `features` writes",
        _object(**_HEAD, features=_array(_object(**_REGISTERED))),
    ),
    "inspect": ("What `inspect` writes of a table", _INSPECT),
    "journal": (
        "A line of the journal of `apply`",
        {
            "anyOf": [
                _object(**_NOTED, event={"const": "begun"}),
                _object(
                    **_NOTED,
                    event=_one_of("done", "failed"),
                    line={"anyOf": [_OUTCOME, _FAILURE]},
                ),
            ]
        },
    ),
    "line": (
        "A line of a run over many tables",
        {"anyOf": [_INSPECT, _VALIDATION, _PLAN, _OUTCOME, _DROPS, _FAILURE]},
    ),
    "outcome": ("What became of a plan", _OUTCOME),
    "parent-changes": (
        "A plan to alter a table of another provider, and what it came to",
        _PARENT_CHANGES,
    ),
    "plan": ("A plan, also as a file", _PLAN),
    "rule": ("What `explain` writes of a rule", _object(**_HEAD, **_RULE, documentation=STRING)),
    "rules": ("What `rules` writes", _object(**_HEAD, rules=_array(_object(**_RULE)))),
    "validate": ("What `validate` writes of a table", _VALIDATION),
}

SCHEMAS: Final[dict[str, Schema]] = {
    name: {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:deltaadm:{name}:{FORMAT_VERSION}",
        "title": title,
        **body,
    }
    for name, (title, body) in _BODIES.items()
}
"""By name, the schema of each kind of document."""
