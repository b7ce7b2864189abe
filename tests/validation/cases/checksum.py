"""DL8xx: version checksums."""

from pathlib import Path
from typing import Any

from tests.support.rule_cases import breaks, respects
from tests.support.tables import Action, Table, add, commit_info, drafted, metadata, protocol, table
from tests.support.tables import commit as body

INFO = commit_info()
PLAIN = (protocol(), metadata())


@drafted
def checked(
    path: Path, *more: Action, state: tuple[Action, Action] = PLAIN, **recorded: Any
) -> Table:
    """A table of one commit with a checksum that is right, but for what is *said*."""
    sizes = [action["add"]["size"] for action in more if "add" in action]
    made = table(path, body(INFO, *state, *more))
    right = {"protocol": state[0]["protocol"], "metadata": state[1]["metaData"]}
    totals = {"numFiles": len(sizes), "tableSizeBytes": sum(sizes)}
    made.crc(0, [right, totals], **recorded)
    return made


@breaks("DL801")
def a_checksum_has_two_objects(path: Path) -> None:
    made = checked()(path)
    file = made.log / f"{0:020d}.crc"
    file.write_text(file.read_text() + "\n" + file.read_text())


respects("DL812", "a list of more files than are held is not compared",
    checked(*(add(f"f{number}", 1, stats='{"numRecords":1}') for number in range(101)),
        allFiles=[]))
