"""Fields that plans for tables of other providers have in common, as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from deltaadm.documents.change import CHANGES
from deltaadm.documents.common import Document
from deltaadm.documents.plan_status import STATUS
from deltaadm.domain.model.json_values import BOOLEAN, STRING, STRINGS, maybe, record, within

if TYPE_CHECKING:
    from deltaadm.domain.model.json_values import Field, Fields

FOREIGN_TABLE: Final = record(
    provider=STRING, location=STRING, is_managed=BOOLEAN, fingerprint=STRING
)
"""The table before, if there is one."""


def foreign_plan(title: str, **own: Field) -> Document:
    """The document of a plan with the parts that its kind has of its *own*."""
    plan: Fields = {
        "operation": STRING,
        "table": STRING,
        "name": STRING,
        "provider": STRING,
        **own,
        "statements": STRINGS,
        "changes": CHANGES,
        "irreversible": STRINGS,
        "notes": STRINGS,
    }
    return Document.sealed(
        title,
        {},
        lambda report: report,
        **within("plan", plan),
        outcome=maybe(record(mismatches=CHANGES)),
        status=maybe(STATUS),
    )
