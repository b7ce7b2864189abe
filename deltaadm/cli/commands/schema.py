"""`deltaadm schema`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from deltaadm.cli.declare import Parameters, argument
from deltaadm.errors import UsageError
from deltaadm.runs.output import write_text

if TYPE_CHECKING:
    from deltaadm.runs.context import RunContext


class Schema(Parameters):
    """
    \b
    The types: baseline, best-effort, client, clients, diff, doctor, drop-feature,
    error, error-class, feature, features, history, history-entry, inspect, journal,
    line, outcome, parent-changes, plan, reference, rule, rules, shown-journal,
    shown-plan, validate, why.

    For example:

      deltaadm schema inspect > inspect.schema.json
    """  # noqa: D301 -- the paragraph is left as it is, so that no name is broken at its hyphen

    name: str = argument(metavar="DOCUMENT", help="The document type, such as inspect.")


def command(given: Schema, _: RunContext) -> int:
    """Carry out the command; the exit code."""
    from deltaadm.documents.schemas import SCHEMAS

    if given.name not in SCHEMAS:
        raise UsageError(f"{given.name!r} is not one of {', '.join(SCHEMAS)}", option="DOCUMENT")
    write_text(json.dumps(SCHEMAS[given.name], indent=2) + "\n")
    return 0
