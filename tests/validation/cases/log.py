"""DL1xx: the structure of the log."""

import json
from pathlib import Path

from tests.support.rule_cases import breaks, respects
from tests.support.tables import Table, add, commit_info, drafted, metadata, protocol, table
from tests.support.tables import commit as body

INFO = commit_info()
START = (INFO, protocol(), metadata())
STATE = START[1:]


@drafted
def start(path: Path, commits: int = 1) -> Table:
    made = table(path, body(*START))
    for version in range(1, commits):
        made.commit(version, INFO, add(f"f{version}"))
    return made


@breaks("DL100")
def there_is_no_log(path: Path) -> None:
    (path / "data.parquet").write_bytes(b"PAR1")


@breaks("DL103")
@respects("DL104 DL103")
def a_commit_is_pretty_printed(path: Path) -> None:
    made = start()(path)
    lines = [json.dumps(action, indent=2) for action in (INFO, add("f"))]
    made.write(f"{1:020d}.json", "\n".join(lines).encode())


breaks("DL104 DL103", "the newest commit is pretty printed and cut off",
    start().write(f"{1:020d}.json", json.dumps(add("f"), indent=2).removesuffix("}").encode()))


@breaks("DL105")
def a_part_has_too_few_digits(path: Path) -> None:
    made = start(2)(path)
    for part in made.multipart(1, [*STATE, add("f1")]):
        part.rename(made.log / part.name.replace(".0000", "."))
    made.last_checkpoint(1)


@breaks("DL108 DL601")
def the_checkpoint_lacks_a_part(path: Path) -> None:
    made = start(2)(path)
    made.multipart(1, [*STATE, add("f1")])[1].unlink()
    made.last_checkpoint(1)


# What nearly is one of two things, or both


@breaks("DL103")
def a_directory_has_the_name_of_the_next_commit(path: Path) -> None:
    (start()(path).log / f"{1:020d}.json").mkdir()


@breaks("DL110")
def the_pointer_is_a_link_to_a_device(path: Path) -> None:
    (start()(path).log / "_last_checkpoint").symlink_to("/dev/null")
