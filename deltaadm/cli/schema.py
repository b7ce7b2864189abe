"""`deltaadm schema`."""

import json
from typing import Annotated

import typer

from deltaadm.cli import streams
from deltaadm.cli.options import expanded


@expanded
def command(
    name: Annotated[
        str, typer.Argument(metavar="DOCUMENT", help="The kind of document, such as inspect.")
    ],
) -> int:
    """
    Print the JSON Schema of a kind of document.

    The kinds: baseline, best-effort, doctor, drop-feature, error, error-class, feature, features,
    inspect, journal, line, outcome, parent-changes, plan, rule, rules, validate.

    For example:

      deltaadm schema inspect > inspect.schema.json
    """
    from deltaadm.render.schemas import SCHEMAS

    if name not in SCHEMAS:
        raise typer.BadParameter(
            f"{name!r} is not one of {', '.join(SCHEMAS)}", param_hint="DOCUMENT"
        )
    streams.write_text(json.dumps(SCHEMAS[name], indent=2) + "\n")
    return 0
