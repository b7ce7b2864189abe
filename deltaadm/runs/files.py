"""Files that a command writes."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from itertools import islice
from typing import TYPE_CHECKING, TypeGuard

from deltaadm.masking import argument
from deltaadm.runs.context import RunContext
from deltaadm.runs.options import AccessOptions, SparkOptionGroup
from deltaadm.runs.output import FileText, command_line, tell_command, unwritable, write_text
from deltaadm.runs.status import FOUND, WAITING
from deltaadm.storage.files import write_whole

if TYPE_CHECKING:
    from pathlib import Path

    from deltaadm.plans.plan import Plan


def save_plan(path: Path, plan: Plan, table: str) -> None:
    """Write *plan* for `deltaadm apply`; raises `RefusedError` if it sets a secret."""
    from deltaadm.plans.document import saved_document

    text = json.dumps(saved_document(plan, table), indent=2) + "\n"
    if is_standard_output(path):
        write_text(text)
    else:
        write_file(path, text)


def is_standard_output(path: Path | None) -> TypeGuard[Path]:
    """Whether `--out` names it, for a plan that another program is to read."""
    return str(path) == "-"


def announce_plans(
    context: RunContext, path: Path, plans: int = 1, consents: Sequence[str] = ()
) -> None:
    """Say how the *plans* saved at *path*, which need *consents*, are carried out."""
    saved = "Saved the plan" if plans == 1 else f"Saved {plans} plans"
    command = apply_command(context, path, *consents)
    tell_command(f"{saved} to {path}. To apply:", command)


def apply_command(context: RunContext, path: Path, *options: str) -> str:
    """The command line that applies the plans at *path* by the same engines, with *options*."""
    groups = AccessOptions, SparkOptionGroup
    ways = {name for group in groups for of in group.declared() for name in of.names}
    ways.add("--commit-engine")
    typed, again = iter(context.arguments), list[str]()
    for word in typed:
        if word.partition("=")[0] in ways:
            again += [word] if "=" in word else [word, *islice(typed, 1)]
    return command_line(["apply", argument(str(path)), *again, *options])


def answer_to_file(path: Path, work: Callable[[], int]) -> int:
    """The exit code of *work*, whose answer goes as a whole to the file, once it has ended."""
    before, sys.stdout = sys.stdout, FileText()
    try:
        code = work()
        text = sys.stdout.getvalue()
    finally:
        sys.stdout = before
    write_answer(path, text, code)
    return code


def write_answer(path: Path, text: str, code: int) -> None:
    """Write *text* as `write_file`, unless a run failed and has none: what is there then stays."""
    if text or code in {0, FOUND, WAITING}:
        write_file(path, text)


def write_file(path: Path, text: str) -> None:
    """Write the whole of *text* over nothing or a regular file, or raise `RefusedError`."""
    try:
        write_whole(path, text.encode("utf-8", "backslashreplace"))
    except OSError as error:
        raise unwritable(path, error) from error
