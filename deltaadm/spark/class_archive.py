"""Making the archive of classes with which a JVM starts sooner."""

from __future__ import annotations

import os
import tempfile
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from deltaadm.errors import EngineError
from deltaadm.spark.session import SparkOptions, open_session
from deltaadm.spark.start_up import SHORT_WORK, VARIABLE, class_archive

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession


def make_class_archive(archive: Path) -> None:
    """
    Write *archive*, by a session that does what commits do; takes some 20 to 60 seconds.

    Archives that no run has used for a month are removed. Raises `EngineError` where Spark does
    not start or Java writes none.
    """
    try:
        archive.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        _remove_old(archive.parent)
        draft = archive.with_name(f"{archive.stem}.{os.getpid()}.draft")
        draft.unlink(missing_ok=True)
        record = (*SHORT_WORK, f"-XX:ArchiveClassesAtExit={draft}", "-Xlog:cds=off")
        options = SparkOptions(master="local[2]", java_options=(*record, "-Xlog:cds+dynamic=off"))
        with open_session(options, lambda _: None) as session:
            _exercise(session)
        # Once the JVM has ended, since it writes the archive at exit; whole, since others may start
        # meanwhile.
        draft.replace(archive)
    except OSError as error:
        raise EngineError(
            f"Java wrote no archive of classes to {archive.parent}: {error.strerror}.",
            remedy=f"See whether the disk is full, or name another directory by {VARIABLE}.",
        ) from error


def _exercise(session: SparkSession) -> None:
    """Have Spark and Delta load the classes that commits of metadata need."""
    with tempfile.TemporaryDirectory(prefix="deltaadm-classes-") as directory:
        table = f"delta.`{directory}/t`"
        for statement in (
            f"CREATE TABLE {table} (id INT, name STRING) USING delta",
            f"ALTER TABLE {table} SET TBLPROPERTIES ('delta.columnMapping.mode' = 'name')",
            f"ALTER TABLE {table} ADD COLUMNS (day DATE COMMENT 'a day')",
            f"ALTER TABLE {table} RENAME COLUMN name TO label",
            f"ALTER TABLE {table} ADD CONSTRAINT positive CHECK (id > 0)",
            f"DESCRIBE HISTORY {table}",
            f"DESCRIBE DETAIL {table}",
        ):
            session.sql(statement).collect()


def _remove_old(directory: Path) -> None:
    """Remove archives of Javas and Sparks that are no longer in use, and drafts left behind."""
    for path in (*directory.glob("*.jsa"), *directory.glob("*.draft")):
        with suppress(OSError):
            # File systems mounted with noatime do not tell when a file was read.
            used = max(path.stat().st_atime, path.stat().st_mtime)
            if used < time.time() - _MONTH:
                path.unlink()


_MONTH: Final = 30 * 24 * 3600


def _main() -> None:
    archive = class_archive()
    if archive is None:
        return
    with suppress(OSError, AttributeError):
        # Behind whatever the user does next.
        os.nice(10)
    begun = archive.with_suffix(".begun")
    try:
        make_class_archive(archive)
    except EngineError as error:
        with suppress(OSError):
            begun.write_text(error.message)  # so that nobody tries again
    else:
        begun.unlink(missing_ok=True)


if __name__ == "__main__":
    _main()
