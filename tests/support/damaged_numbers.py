"""Tables at random whose statistics differ in numbers and words alone, but for some damage."""

import random
from pathlib import Path

from tests.support.tables import Table, add, column, commit_info, metadata, protocol, schema

_KINDS = ("long", "integer", "double", "decimal(10,2)", "date", "string", "timestamp")
_SHAPES = (
    '{"numRecords":@,"minValues":{"n":@},"maxValues":{"n":@},"nullCount":{"n":@}}',
    '{"numRecords":@,"minValues":{"n":@,"n1":@},"maxValues":{"n":@,"n1":@},"nullCount":{"n":@}}',
    '{"numRecords":@,"minValues":{"n":@,"c":{"x":@}},"maxValues":{"n":@,"c":{"x":@,"y":1.5}}}',
    '{"numRecords":@,"minValues":{"n":0,"n1":"2024-01-0@"},"maxValues":{"n":@,"n1":"b:@,"}}',
    '{"numRecords":@,"nullCount":{"n":0,"é":@,"list":[1,2]},"tightBounds":true,"x":null}',
    '{"numRecords":@,"minValues":{"n":-5,"n1":"\\u0023value 0"},"maxValues":{"n":@},"x":"a:@,"}',
    '{"numRecords":@ ,"minValues":{"n":@},"maxValues":{"n": 3}}',
    '{"minValues":{"n":@,"n":@},"maxValues":{"n":@},"numRecords":@}',
    '{"a":"\\\\":@,","numRecords":@,"nullCount":{"n":@}}',
    '{"numRecords":@,"minValues":{"n":@,"n1":"#"},"maxValues":{"n":@,"n1":"#"},"nullCount":{"n":@}}',
    '{"numRecords":@,"minValues":{"n":"#"},"maxValues":{"n":"#"},"x:":"#","y":[{"z":@}]}',
    '{"numRecords":@,"minValues":{"n":@,"n1":"2024-01-01"},"maxValues":{"n":@},"t":"2024-01-01"}',
    '{"numRecords":1,"minValues":{"n":2},"maxValues":{"n":1}}',
    '{"numRecords":@,"minValues":{},"maxValues":{"c":{}},"nullCount":{},"y":[{}],"x":{"y":{}}}',
    # Longer than what is taken apart by text.
    '{"t":"%","numRecords":@,"minValues":{"n":@},"maxValues":{"n":@},"nullCount":{"n":6}}',
    '{"t":"%#","numRecords":@,"maxValues":{"n":@},"nullCount":{"n":6,"c":{}},"tightBounds":true}',
    '{"t":"%","numRecords":@,"minValues":{"n":@},"nullCount":{"n":0},"maxValues":{"n":5}}',
    '{"t":"%","nullCount":@,"numRecords":@,"nullCount":{"n":1,"c":{"x":6}},"tightBounds":true}',
    '{"t":"%","minValues":{"n":@,"nullCount":{}},"numRecords":7,"nullCount":{"n":6,"n1":1.5}}',
    '{"t":"%","x":{"y":"#","nullCount":{"n":@}},"numRecords":7,"minValues":{"n":@}}',
    '{"t":"%","numRecords":@,"nullCount":{"n":6},"numRecords":2,"x":["2024-01-01"]}',
)
_ODD = (
    *(
        "00",
        "007",
        "-1",
        "-0",
        "+1",
        "1.5",
        "1e3",
        ".5",
        "5.",
        "",
        " 1",
        "1 ",
        "null",
        '"1"',
        "\u0661",
    ),
    *(str(10**17), str(10**18 - 1), str(10**18), str(2**63), str(2**53 + 1), "9" * 400, "0x10"),
)
_WORDS = ("a", "b c", "text 12", "", "2024-01-01", "2024-01-02T00:00:00.000Z", "x:,}{", "zz" * 40)
_ODD_WORDS = (
    "ä", "\\n", "\n", "\\\\", '"', "\\u0041", "\x7f", "\x00", "#value 0", '","x":"', "x" * 600,
)  # fmt: skip
_CHARACTERS = '0123456789-+.eE{}[]",:\\ \n\x00é'


def write_damaged_numbers(path: Path, seed: int) -> None:
    """A table with a checkpoint; the same for the same *seed*."""
    draw = random.Random(seed)  # noqa: S311 -- damage is no secret
    shape, rate = draw.choice(_SHAPES), draw.choice((0, 0, 0.01, 0.03))
    steps = draw.choice(([5, 6, 7], [1, 2, 100], [0, 3, 10**6, 10**17]))
    words = draw.randrange(1, len(_WORDS) + 1)
    nested = {"type": "struct", "fields": [column("x", draw.choice(_KINDS))]}
    columns = [column("n", draw.choice(_KINDS)), column("n1", draw.choice(_KINDS))]
    texts = [_text(draw, shape, steps, words, rate) for _ in range(draw.choice((70, 130)))]
    files = [add(f"{number}.parquet", stats=text) for number, text in enumerate(texts)]
    made = Table(path)
    state = [protocol(1, 2), metadata({}, schemaString=schema(*columns, column("c", nested)))]
    made.commit(0, commit_info(), *state)
    made.commit(1, commit_info())
    made.checkpoint(1, [*state, *files], 1_000)


def _text(draw: random.Random, shape: str, steps: list[int], words: int, rate: float) -> str:
    first, *others = shape.replace("%", "x" * 600).split("@")
    found = first
    for other in others:
        number = draw.choice(_ODD) if draw.random() < rate else str(draw.choice(steps))
        found += number + other
    first, *others = found.split("#")
    found = first
    for other in others:
        found += draw.choice(_ODD_WORDS if draw.random() < rate else _WORDS[:words]) + other
    if draw.random() < rate:
        place = draw.randrange(len(found))
        found = found[:place] + draw.choice(_CHARACTERS) + found[place + draw.choice((0, 1)) :]
    if draw.random() < rate / 2:
        end = found[found.find(',"nullCount"') :]
        cut = found[: draw.randrange(len(found))]
        found = draw.choice(("{}", "", cut, found + found, "{" + end, cut + end))
    return found
