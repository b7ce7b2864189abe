"""An error, in its table's place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from deltaadm import errors
from deltaadm.documents.common import Document
from deltaadm.domain.model.json_values import INTEGER, STRING, Json, maybe, one_of, record

if TYPE_CHECKING:
    from deltaadm.operations.reports import Failure

_KINDS: Final = {
    error.kind
    for error in vars(errors).values()
    if isinstance(error, type) and issubclass(error, errors.DeltaadmError)
}
ERROR: Final = record(
    kind=one_of(*sorted(_KINDS - {errors.DeltaadmError.kind})),
    exit_code=INTEGER,
    message=STRING,
    remedy=STRING,
    delta_error_class=maybe(STRING),
)
_FAILURE: Final = Document.of(
    "An error, in place of the document of a table", table=STRING, error=ERROR
)


def _write(failure: Failure) -> dict[str, Any]:
    """The document, with what was established before the error."""
    written = _FAILURE.write(failure)
    error = written.pop("error")
    return {**written, **failure.known, "error": error}


DOCUMENT: Final = Document(_FAILURE.title, Json(lambda: _FAILURE.schema, _write))
