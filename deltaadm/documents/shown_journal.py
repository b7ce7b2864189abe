"""The status of the plans in a journal of `apply`."""

from __future__ import annotations

from typing import Final

from deltaadm.documents.common import Document
from deltaadm.domain.model.json_values import OPEN, STRING, array, maybe, one_of, record

DOCUMENT: Final = Document.of(
    "What a journal of `apply` says of its plans",
    file=STRING,
    plans=array(
        record(
            plan=STRING,
            table=STRING,
            event=one_of("begun", "done", "failed"),
            result=maybe(OPEN),
        )
    ),
)
