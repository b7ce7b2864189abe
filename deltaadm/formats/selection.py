"""Parts of JSON documents: some fields, and what a JMESPath expression makes of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from deltaadm.errors import UsageError, did_you_mean


class Selection(NamedTuple):
    """The *fields* to keep of each document, all if there are none, and a *query* over the rest."""

    fields: tuple[str, ...] = ()
    query: str = ""

    def of_document(self, document: dict[str, Any]) -> dict[str, Any]:
        """
        The wanted fields of *document*; that of an error stays as it is.

        Raises `UsageError` for a field that the document does not have.
        """
        if not self.fields or "error" in document:
            return document
        unknown = [field for field in self.fields if field not in document]
        if unknown:
            raise UsageError(
                f"there is no field {unknown[0]!r}",
                option="--json",
                remedy=did_you_mean(unknown[0], document)
                or f"The fields are {', '.join(document)}.",
            )
        return {field: document[field] for field in self.fields}

    def of(self, documents: Sequence[dict[str, Any]]) -> Any:
        """The selection from *documents*: from one, or from the array of several."""
        chosen = [self.of_document(document) for document in documents]
        value = chosen[0] if len(chosen) == 1 else chosen
        if not self.query or (len(chosen) == 1 and "error" in chosen[0]):
            return value
        return search(self.query, value)


def require_query(query: str) -> None:
    """Raise `UsageError` for what is no expression of JMESPath."""
    import jmespath

    try:
        jmespath.compile(query)
    except (jmespath.exceptions.JMESPathError, ValueError) as error:
        reason = str(error).partition("\n")[0].rstrip(".:")
        raise UsageError(
            f"{query!r} is not JMESPath: {reason}",
            option="--query",
            remedy="https://jmespath.org describes it; for example findings[].code.",
        ) from error


def search(query: str, value: Any) -> Any:
    """The result of the expression on *value*; raises `UsageError` where it cannot be applied."""
    import jmespath

    try:
        return jmespath.search(query, value)
    except jmespath.exceptions.JMESPathError as error:
        raise UsageError(f"{query!r} does not apply: {error}", option="--query") from error
