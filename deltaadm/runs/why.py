"""Since when and why a table supports its features, read from its log."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from deltaadm.domain.model.features import FEATURES
from deltaadm.domain.model.properties import did_you_mean
from deltaadm.errors import UsageError
from deltaadm.operations.why import explain_protocol, is_word
from deltaadm.replay.engine import Detail
from deltaadm.runs.context import answer_time
from deltaadm.runs.history import timeline_of
from deltaadm.runs.sessions import session_settings

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from deltaadm.operations.why import WhyReport
    from deltaadm.runs.context import RunContext
    from deltaadm.runs.target import Target


def split_words(texts: Sequence[str]) -> tuple[list[str], list[str]]:
    """
    The tables among the arguments, and what is asked about them: features, reader, writer.

    A name that is nearly that of a feature is a usage error, unless it is all that there is.
    """
    words = [text for text in texts if is_word(text)]
    tables = [text for text in texts if text not in words]
    for text in tables if len(texts) > 1 else ():
        hint = did_you_mean(text, FEATURES) if text.isidentifier() else ""
        if hint:
            raise UsageError(
                f"{text!r} is no table feature. {hint} A table of that name is ./{text}.",
                option="--why",
            )
    return tables, words


def why_reporter(
    words: Sequence[str], version: int | None, timestamp: int | None
) -> Callable[[RunContext, Target], WhyReport]:
    """The function that reports on a table at a version, or at a time, as *words* ask."""

    def report(context: RunContext, target: Target) -> WhyReport:
        snapshot = target.load(context, detail=Detail.STATE, version=version, timestamp=timestamp)
        timeline = timeline_of(context, target, until=snapshot.version)
        return explain_protocol(
            target.text,
            snapshot,
            timeline.base,
            timeline.changes(),
            partial(context.history_of, snapshot),
            words=words,
            now=answer_time(),
            session=session_settings(context.spark),
        )

    return report
