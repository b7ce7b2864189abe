"""No text of a table takes longer than its length deserves, wherever it stands in the log.

Where it did, these take minutes; the time limit is that of a hang, and no measure of speed.
"""

import json
from pathlib import Path

import pytest

from deltaadm.limits import LIMITS, require_few_values
from tests.support.program import deltaadm
from tests.support.tables import add, column, commit, commit_info, metadata, protocol, schema, table

pytestmark = pytest.mark.slow

LENGTH = 100_000
UNITS = [" ", "9", "\\", '\\"', "a=\\", "/* ", "x-"]


def hostile(path: Path, unit: str) -> Path:
    """A table with a text of many *units* wherever its metadata and files may have one."""
    text = unit * (LENGTH // len(unit)) + "!x"

    def mapped(name: str, at: int, kind: str = "string", **more: str) -> dict[str, object]:
        keys = {"delta.columnMapping.id": at, "delta.columnMapping.physicalName": f"p{at}"}
        made = column(name, kind)
        return made | {"metadata": keys | more}

    columns = [
        mapped("a", 1, comment=text),
        mapped("b", 2, **{"delta.generationExpression": text}),
        mapped("c", 3, CURRENT_DEFAULT=text),
        mapped("d", 4, __CHAR_VARCHAR_TYPE_STRING=text),
        mapped("e", 5, "double"),
        mapped("f", 6),
    ]
    properties = {
        "my.text": text,
        "pair": f"a={text}",
        "delta.constraints.c": text,
        "delta.columnMapping.mode": "name",
        "delta.columnMapping.maxColumnId": "6",
    }
    features = ["columnMapping", "generatedColumns", "checkConstraints", "allowColumnDefaults"]
    changed = metadata(
        properties,
        name=text,
        description=text,
        schemaString=schema(*columns),
        partitionColumns=["e"],
    )
    start = commit(
        commit_info(operation=text, userMetadata=text, engineInfo=text),
        protocol(3, 7, ["columnMapping"], features),
        changed,
        add("f", partitionValues={"p5": text}, stats=text),
    )
    return table(path, start).path


@pytest.mark.parametrize("unit", UNITS)
def test_no_text_takes_long(tmp_path: Path, unit: str) -> None:
    made = hostile(tmp_path / "t", unit)
    for command in (
        ["inspect", made],
        ["inspect", "-o", "html", made],
        ["validate", "--deep", "--history", made],
        ["alter", made, "--rename-column", "f=g"],
        ["repair", made],
    ):
        done = deltaadm(*command, "--timeout", "1min")
        assert done.code in (0, 1, 7), done.err
        assert "nested too deeply" not in done.err


@pytest.mark.parametrize(
    "option", [("--add-constraint", "c={}"), ("--set-default", "f={}"), ("--set-default", "f='{}'")]
)
def test_no_argument_takes_long(tmp_path: Path, option: tuple[str, str]) -> None:
    made = table(tmp_path / "t", commit(protocol(1, 2), metadata(schemaString=schema(column("f")))))
    text = option[1].format("9" * LENGTH + "x")
    done = deltaadm("alter", made.path, option[0], text, "--timeout", "1min")
    assert done.code in (0, 7), done.err


@pytest.mark.parametrize("unit", [",", '\\"'])
def test_values_are_counted_in_one_pass(unit: str) -> None:
    require_few_values('"' + unit * LIMITS.marks)
    with pytest.raises(ValueError, match="more than"):
        require_few_values("," * (LIMITS.marks + 1) + '"' + unit * LENGTH)


def test_a_column_is_named_once_for_an_expression(tmp_path: Path) -> None:
    gone = {"delta.constraints.c": "gone > 1 AND gone < 5"}
    made = table(tmp_path / "t", commit(protocol(1, 3), metadata(gone)))
    found = deltaadm("validate", made.path, "--select", "DL323", "-o", "json")
    assert len(json.loads(found.out)["findings"]) == 1
