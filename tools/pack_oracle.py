"""Pack the recorded answers of Delta on Spark into the archive that the tests read.

    python -m tools.pack_oracle DIRECTORY

The archive depends on the files' names and contents only.
"""

import sys
import tarfile
from pathlib import Path

from tests.support.oracle import ARCHIVE


def pack(source: Path, target: Path) -> None:
    """Write every file below *source* into *target*, sorted, without times and owners."""
    with tarfile.open(target, "w:xz", format=tarfile.PAX_FORMAT, preset=9) as archive:
        for path in sorted(path for path in source.rglob("*") if path.is_file()):
            body = path.read_bytes()
            entry = tarfile.TarInfo(path.relative_to(source).as_posix())
            entry.size = len(body)
            entry.mode = 0o644
            with path.open("rb") as content:
                archive.addfile(entry, content)


if __name__ == "__main__":
    pack(Path(sys.argv[1]), ARCHIVE)
