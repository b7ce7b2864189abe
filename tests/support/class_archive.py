"""
An archive of classes with which the JVMs of tests start sooner: Java's class-data sharing.

Run as a script with a path, it writes one there, by a session that does what commits do.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

from deltaadm.spark.jvm import SHORT_WORK
from deltaadm.spark.session import SparkOptions, open_session


def options(archive: Path) -> str:
    """For a JVM that uses *archive*; Java does without one that does not exist or does not fit."""
    use = (f"-XX:SharedArchiveFile={archive}", "-Xlog:cds=off", "-Xlog:cds+dynamic=off")
    return " ".join((*SHORT_WORK, *use))


def recording() -> str:
    """For a JVM that can write an archive."""
    return " ".join((*SHORT_WORK, "-XX:+RecordDynamicDumpInfo", "-Xlog:cds=off"))


def make(archive: Path) -> None:
    """Write *archive*; raises `OSError` or `CalledProcessError` where that fails."""
    with (
        open_session(SparkOptions(master="local[2]"), lambda _: None) as session,
        tempfile.TemporaryDirectory() as directory,
    ):
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
        java = session._jvm.java.lang  # type: ignore[union-attr]  # noqa: SLF001
        program = Path(java.System.getProperty("java.home"), "bin", "jcmd")
        process = str(java.ProcessHandle.current().pid())
        draft = archive.with_suffix(".draft")
        command = [program, process, "VM.cds", "dynamic_dump", draft]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        draft.replace(archive)  # whole, since other tests start JVMs meanwhile


if __name__ == "__main__":
    make(Path(sys.argv[1]))
