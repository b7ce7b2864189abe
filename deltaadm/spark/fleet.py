"""Spark's executors: giving them deltaadm, and many tables as one job for them."""

from __future__ import annotations

import atexit
import gc
import marshal
import pickle
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing
from functools import partial
from importlib.machinery import SourceFileLoader
from importlib.util import MAGIC_NUMBER
from io import BytesIO
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import deltaadm
from deltaadm.errors import EngineError
from deltaadm.spark.errors import error_text, is_outage, java_errors, lost, sentence
from deltaadm.spark.jvm import INSTALL, scratch_directory
from deltaadm.spark.session import wait_for_releases
from deltaadm.storage.threads import each_ahead

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    Place = TypeVar("Place")
    Answer = TypeVar("Answer")
    Share = Sequence[tuple[str, Place]]
    Work = Callable[[Share[Place]], Iterable[Answer]]


def ship(session: SparkSession) -> None:
    """Let the executors of *session* on other machines have this deltaadm, as long as it lasts."""
    context = getattr(session, "sparkContext", None)
    master = "" if context is None else str(context.master)
    # Not local-cluster[…], whose executors are processes of their own.
    if master.split("[", maxsplit=1)[0] == "local":
        return
    # A session that lives on after this run gives the file to executors that come later, too.
    scratch = (until_the_end := ExitStack()).enter_context(scratch_directory())
    atexit.register(until_the_end.close)
    archive = scratch.path / f"{scratch.path.name}.zip"  # it takes no name twice
    # Compiled: executors run the same Python, and each of their workers would compile for longer
    # than it works on a hundred tables.
    package = Path(deltaadm.__file__).parent
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packed:
        for path in sorted(package.rglob("*.*")):
            name = path.relative_to(package.parent)
            if path.suffix == ".py":
                code = marshal.dumps(SourceFileLoader("", str(path)).get_code(""))
                packed.writestr(f"{name}c", MAGIC_NUMBER + bytes(12) + code)
            elif path.suffix != ".pyc":
                packed.write(path, name)
    try:
        session.addArtifacts(str(archive), pyfile=True)
    except java_errors() as error:
        raise EngineError(
            f"Cannot send deltaadm to Spark's executors: {sentence(error_text(error))[0]}",
            remedy="Omit --engine spark.",
        ) from error


def answered(
    work: Work[Place, object], shares: Sequence[Share[Place]], batches: Iterable[Any]
) -> Iterator[Any]:
    """The answers for those of the *shares* whose numbers are in *batches*, packed."""
    for batch in batches:
        for number in batch.column(0).to_pylist():
            packed = zlib.compress(pickle.dumps(list(work(shares[number]))), 1)
            # Spark's workers collect garbage after each task, and most of what there is are
            # modules.
            if not gc.get_freeze_count():
                gc.freeze()
            yield type(batch).from_pydict({"number": [number], "answers": [packed]})


_SHARE: Final = 128
"""Tables for a task at most: starting one costs as much as some tables."""

_LAST_SHARE: Final = 4
"""The same towards the end of a run, so that executors have all done at about the same time."""

_JOBS: Final = 16
"""Jobs at the same time, at most: where there are more processors, each has several tasks."""

_JOBS_KEPT: Final = 16
"""Jobs whose plans may wait in the JVM, each with 50 kB, until garbage is collected here."""

_AHEAD: Final = 20_000
"""Tables whose answers may wait for a slow one: of `inspect` about 20 MB."""


class Executors:
    """The executors of a session, classic or on Spark Connect."""

    def __init__(self, session: SparkSession) -> None:
        self.session = session

    def in_order(
        self, tables: Share[Place], work: Work[Place, Answer], *, lost: Callable[[str, str], Answer]
    ) -> Iterator[Answer]:
        """
        The answer for the name and the place of each table, in order.

        *work* answers for a few tables at a time, in jobs of which several run at once. However
        long one table takes, a bounded number of answers is kept. *lost* answers for a table on
        which an executor was lost, or of which Spark says something else, its second argument.
        Raises `EngineError` where executors cannot run deltaadm at all.
        """
        slots = 16  # as assumed of a Connect server, which does not tell how many cores there are
        if hasattr(self.session, "_jvm"):
            slots = int(self.session.sparkContext.defaultParallelism)
        tasks = -(-slots // _JOBS)
        jobs = -(-slots // tasks) + 1  # one more, whose tasks are ready when those of another end

        def run(shares: Sequence[Share[Place]]) -> list[bytes] | Exception:
            """One job with a task for each of the *shares*, and what came of them."""
            try:
                numbers = self.session.range(0, len(shares), 1, len(shares))
                # Shares go with the code, not into rows: plans and pages of Spark show those.
                shared = partial(answered, work, shares)
                rows = numbers.mapInArrow(shared, "number long, answers binary").collect()
            except java_errors() as error:
                return error
            return [bytes(row["answers"]) for row in sorted(rows, key=lambda row: row["number"])]

        dealt = list(_dealt(tables, slots, tasks))
        try:
            with closing(each_ahead(run, dealt, jobs, _AHEAD // (tasks * _SHARE))) as ran:
                for number, (shares, came) in enumerate(zip(dealt, ran, strict=True), 1):
                    yield from _answers(list(chain(*shares)), came, run, lost)
                    # Plans stay in the JVM as long as Py4J's objects, in cycles, stay here.
                    if number % _JOBS_KEPT == 0:
                        gc.collect()
        finally:
            wait_for_releases(self.session)


def _dealt(tables: Share[Place], slots: int, tasks: int) -> Iterator[list[Share[Place]]]:
    """The tables by task and by job; shares become smaller towards the end."""
    start, least = 0, max(1, min(_LAST_SHARE, len(tables) // slots))
    while start < len(tables):
        size = max(least, min(_SHARE, (len(tables) - start) // (2 * slots)))
        stop = min(start + size * tasks, len(tables))
        yield [tables[at : min(at + size, stop)] for at in range(start, stop, size)]
        start = stop


def _answers(
    tables: Share[Place],
    came: list[bytes] | Exception,
    run: Callable[[Sequence[Share[Place]]], list[bytes] | Exception],
    lost_table: Callable[[str, str], Answer],
) -> Iterator[Answer]:
    """What *came* of a job; where it failed, bisection finds the tables that fail."""
    if isinstance(came, Exception):
        require_able(came)
        if is_outage(came):
            raise lost(came) from came
        text = error_text(came)
        if "PYTHON_EXCEPTION" in text:  # which *work* would raise anywhere
            raise came
        if len(tables) == 1:
            said = "" if any(mark in text for mark in _LOST) else sentence(text)[0]
            yield lost_table(tables[0][0], said)
            return
        # A lost executor names no table: only runs of fewer tables tell which it was.
        half = len(tables) // 2
        for part in (tables[:half], tables[half:]):
            yield from _answers(part, run([part]), run, lost_table)
        return
    for answers in came:
        yield from unpickled(zlib.decompress(answers))


_LOST: Final = ("exited unexpectedly", "ExecutorLost", "OutOfMemory", "Connection reset")
"""What Spark says when an executor, or its Python, is gone."""


def require_able(error: Exception) -> None:
    """Raise `EngineError` for what would befall any other table as well."""
    text = error_text(error)
    for mark, (message, remedy) in _UNABLE.items():
        if mark in text:
            last = next(line for line in reversed(text.splitlines()) if mark in line)
            cause = sentence(last.strip())[0].rstrip(".")
            raise EngineError(f"{message} ({cause}).", remedy=remedy) from error


_UNABLE: Final = {
    "ModuleNotFoundError": (
        "Spark's executors lack a package that deltaadm needs",
        "Install deltaadm where the executors run, or omit --engine spark.",
    ),
    "must be installed; however": (  # PySpark's words for what is missing, or of another version
        "PySpark lacks a package",
        f"{INSTALL} installs it, here and where the executors run; or omit --engine spark.",
    ),
    "PYTHON_VERSION_MISMATCH": (
        "Spark's executors run another version of Python than this program",
        "Set PYSPARK_PYTHON to the same version where the executors run.",
    ),
    "SparkContext was shut down": ("Spark was stopped", "Start the run again; see --resume."),
}


def unpickled(answer: bytes) -> Any:
    """The value that an executor answers."""
    return _Unpickler(BytesIO(answer)).load()


class _Unpickler(pickle.Unpickler):
    """Makes values of deltaadm and of Python, and calls nothing else: the bytes come from afar."""

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) in _PLAIN:
            return super().find_class(module, name)
        ours = module.startswith("deltaadm.")
        attribute: Any = super().find_class(module, name) if ours else None
        # What is in there touches nothing outside, whatever it is called with.
        harmless = isinstance(attribute, type) or module.startswith("deltaadm.domain.")
        if not harmless or (attribute.__module__, attribute.__qualname__) != (module, name):
            raise EngineError(
                f"Spark's executors answered with {module}.{name}, which is not a result.",
                remedy="Omit --engine spark.",
            )
        return attribute


_PLAIN: Final = frozenset({
    ("array", "_array_reconstructor"), ("array", "array"),
    ("builtins", "frozenset"), ("builtins", "set"), ("builtins", "range"), ("builtins", "complex"),
    ("collections", "OrderedDict"), ("datetime", "date"), ("datetime", "datetime"),
    ("datetime", "timedelta"), ("datetime", "timezone"), ("decimal", "Decimal"),
})  # fmt: skip
