"""Spark's Python workers: giving them deltaadm, and telling why they cannot run it."""

from __future__ import annotations

import atexit
import marshal
import zipfile
from contextlib import ExitStack
from importlib.machinery import SourceFileLoader
from importlib.util import MAGIC_NUMBER
from pathlib import Path
from typing import TYPE_CHECKING, Final

import deltaadm
from deltaadm.errors import EngineError
from deltaadm.spark.errors import error_text, sentence
from deltaadm.spark.jvm import INSTALL, scratch_directory
from deltaadm.spark.store import java_errors

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


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
