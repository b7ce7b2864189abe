"""`deltaadm schema`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from deltaadm.errors import UsageError
from deltaadm.runs.declare import Parameters, argument
from deltaadm.runs.output import write_text

if TYPE_CHECKING:
    from deltaadm.runs.context import RunContext


class Schema(Parameters):
    """
    Without a name, lists the types of documents.

    For example:

      deltaadm schema

      deltaadm schema inspect > inspect.schema.json
    """

    name: str | None = argument(
        metavar="[DOCUMENT]", help="The document type, such as inspect.", default=None
    )


def command(options: Schema, _: RunContext) -> int:
    """Carry out the command; the exit code."""
    from deltaadm.documents.schemas import SCHEMAS

    if options.name is None:
        width = max(map(len, SCHEMAS))
        lines = [f"{name:{width}}  {schema['title']}\n" for name, schema in SCHEMAS.items()]
        write_text("".join(lines))
        return 0
    if options.name not in SCHEMAS:
        raise UsageError(f"{options.name!r} is not one of {', '.join(SCHEMAS)}", option="DOCUMENT")
    write_text(json.dumps(SCHEMAS[options.name], indent=2) + "\n")
    return 0
