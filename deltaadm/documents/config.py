"""The document of `config show`."""

from __future__ import annotations

from typing import Final

from deltaadm.documents.common import Document
from deltaadm.domain.model.json_values import STRING, array, maybe, one_of, record
from deltaadm.operations.settings import ORIGINS

DOCUMENT: Final = Document.of(
    "The output of `config`",
    settings=array(
        record(
            key=STRING,
            value=maybe(STRING),
            origin=one_of(*ORIGINS),
            place=STRING,
            variable=maybe(STRING),
            help=STRING,
        )
    ),
)
