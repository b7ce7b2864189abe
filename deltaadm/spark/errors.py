"""The messages of Spark's exceptions, and the errors that they amount to."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from deltaadm import errors
from deltaadm.domain.transaction.removal import WAITING_CLASSES
from deltaadm.spark.jvm import JVM_REMEDY, how_ended, jvm_process


def refusal(error: Exception) -> errors.DeltaadmError:
    """The error that an exception of Spark amounts to; one that is not Spark's is raised again."""
    py4j_error, spark_error, _ = java_errors()
    if is_outage(error):
        return lost(error)
    if isinstance(error, spark_error) or hasattr(error, "java_exception"):
        thrown = getattr(error, "java_exception", getattr(error, "_origin", None))
        missing = (cause for cause in _causes(thrown) if _is(cause, *_MISSING_CLASSES))
        if cause := next(missing, None):
            what, advice = sentence(cause.toString())  # Spark has advice on a data source
            return errors.EngineError(
                f"Spark lacks a required class, or has an incompatible version of it ({what}).",
                remedy=advice
                or "The jars of Spark, Delta and Hadoop must be complete and compatible; "
                "`deltaadm doctor` checks them.",
            )
        condition = _condition(error)
        if not condition:  # that of what caused it
            spark_own = (each for each in _causes(thrown) if _is(each, _SPARK_THROWABLE))
            condition = next(filter(None, (each.getCondition() for each in spark_own)), None)
        message, advice = sentence(error_text(error))
        if advice and condition and "." in condition:  # a sub-class's own words follow its class's
            detail, advice = sentence(advice)
            message = f"{message.rstrip('.:')}: {detail}"
        kind = errors.NotYetError if condition in WAITING_CLASSES else errors.CommitError
        remedy = advice or "Inspect the table, then plan again."
        return kind(message, remedy=remedy, delta_error_class=condition)
    if isinstance(error, (py4j_error, OSError)):
        return lost(error)
    raise error


def java_errors() -> tuple[type[Exception], ...]:
    """The exceptions by which Spark, Hadoop and the way to them say that something is wrong."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    return Py4JError, PySparkException, OSError


@contextmanager
def refusals() -> Iterator[None]:
    """Raises, for an exception of Spark in the block, the error that it amounts to."""
    try:
        yield
    except errors.DeltaadmError:
        raise
    except Exception as error:
        raise refusal(error) from error


def error_text(error: Exception) -> str:
    """
    The message of an exception of Spark, without Py4J's words around it, or else its class.

    >>> error_text(OSError("gone")), error_text(OSError())
    ('gone', 'OSError')
    """
    thrown = getattr(error, "java_exception", None)
    if thrown is None:
        return str(error) or type(error).__name__
    return str(thrown.getMessage() or thrown.toString())


def sentence(message: str) -> tuple[str, str]:
    r"""
    The first sentence of a message of Spark, and the rest, each on one line.

    >>> sentence("[DELTA_X] Cannot do\n it. Do that. SQLSTATE: 0A000; line 1 pos 0")
    ('Cannot do it.', 'Do that.')
    >>> sentence("(java.io.IOException) No space left.")
    ('No space left.', '')
    """
    text = re.split(r"\n\nJVM stacktrace:|\n== SQL", message, maxsplit=1)[0]
    text = " ".join(text.split())
    text = re.sub(r"^(\([\w.$]+\) )?(\[[A-Z0-9_.]+\] )?", "", text)
    text = re.sub(r"\s*SQLSTATE: \w{5}\b.*$", "", text)
    first, *rest = re.split(r"(?<=[.!?])\s+(?=[A-Z])", text, maxsplit=1)
    return first, "".join(rest)


NO_FILE_SYSTEM: Final = (
    "No FileSystem for scheme",
    "UnsupportedFileSystem",
    "ClassNotFound",
    "FileSystem not found",
)
"""Hadoop's message about a URL whose scheme it has no file system for."""

FILE_SYSTEM_REMEDY: Final = (
    "Give it one, as by --spark-conf spark.jars.packages=... or --jars PATH. A session that "
    "deltaadm starts for a location in S3, Azure (abfss://) or Google Cloud Storage gets it by "
    "itself."
)

_MISSING_CLASSES: Final = ("java.lang.LinkageError", "java.lang.ClassNotFoundException")
"""A JVM's messages about classes that are missing, or of incompatible versions."""

_SPARK_THROWABLE: Final = "org.apache.spark.SparkThrowable"


def _causes(thrown: Any) -> Iterator[Any]:
    while thrown is not None:
        yield thrown
        thrown = thrown.getCause()


def _is(thrown: Any, *classes: str) -> bool:
    """Whether a Java exception is of one of *classes*; nothing is where the JVM is gone."""
    from py4j.java_gateway import is_instance_of
    from pyspark import SparkContext

    gateway = SparkContext._gateway
    # By the JVM, since the name of a class says nothing about its superclasses.
    return gateway is not None and any(is_instance_of(gateway, thrown, name) for name in classes)


# A Spark that has gone


def is_outage(error: Exception) -> bool:
    """Whether a Connect server has stopped answering, or knows nothing of the session any more."""
    status = getattr(error, "getGrpcStatusCode", lambda: None)()
    is_gone = getattr(status, "name", "") in {"UNAVAILABLE", "CANCELLED", "DEADLINE_EXCEEDED"}
    return is_gone or str(_condition(error)).startswith("INVALID_HANDLE.")


def is_lost(error: Exception) -> bool:
    """Whether Spark was lost, or has stopped responding: a Connect server, or a JVM."""
    from py4j.protocol import Py4JNetworkError

    # Py4J lets errors of its socket pass as they are.
    return is_outage(error) or isinstance(error, (Py4JNetworkError, OSError))


def _condition(error: Exception) -> str | None:
    condition: str | None = getattr(error, "getCondition", lambda: None)()
    return condition


def lost(error: Exception) -> errors.EngineLostError:
    """The error for a Spark that was lost, or no longer responds."""
    if ended := how_ended(jvm_process()):
        return errors.EngineLostError(f"Spark was lost (its JVM {ended}).", remedy=JVM_REMEDY)
    text = error_text(error)
    # Of the long texts of gRPC only the details.
    details = re.search(r'^\s*details = "(.*)"$', text, re.MULTILINE)
    cause = sentence(details[1] if details else text)[0]
    return errors.EngineLostError(
        f"The connection to Spark was lost ({cause.rstrip('.')}).",
        remedy="Inspect the table before trying again: a Spark server that is still running may "
        "continue.",
        delta_error_class=_condition(error),
    )
