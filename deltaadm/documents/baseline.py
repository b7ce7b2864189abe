"""The file of a baseline, and back."""

from __future__ import annotations

import json
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final

from deltaadm.documents.common import Document, read_kind
from deltaadm.domain.model.json_values import COUNT, STRING, array, constant, one_of, record
from deltaadm.errors import SettingsError
from deltaadm.operations.baseline import Baseline, Known
from deltaadm.validation.finding import Severity

if TYPE_CHECKING:
    from collections.abc import Mapping

    from deltaadm.operations.baseline import Key

FORMAT_VERSION: Final = 1
_KIND: Final = "deltaadm-baseline"


_FINDING: Final = record(
    table=(STRING, lambda item: item[0][0]),
    code=(STRING, lambda item: item[0][1]),
    where=(STRING, lambda item: item[0][2]),
    severity=(one_of(Severity), lambda item: item[1].severity),
    count=(COUNT, lambda item: item[1].count),
)
_MORE: Final = record(
    table=(STRING, lambda item: item[0][0]),
    code=(STRING, lambda item: item[0][1]),
    count=(COUNT, lambda item: item[1]),
)
_BASELINE: Final = record(
    kind=constant(_KIND),
    format_version=constant(FORMAT_VERSION),
    findings=(array(_FINDING), lambda baseline: _sorted(baseline.findings)),
    more=(array(_MORE), lambda baseline: _sorted(baseline.more)),
)
DOCUMENT: Final = Document("A baseline: the findings that are known", _BASELINE)


def _sorted(entries: Mapping[Any, Any]) -> list[tuple[Any, Any]]:
    return sorted(entries.items(), key=itemgetter(0))


def write_baseline(baseline: Baseline) -> str:
    """The file of *baseline*: sorted, and the same wherever and whenever it is written."""
    return json.dumps(DOCUMENT.write(baseline), indent=2) + "\n"


def read_baseline(text: str) -> Baseline:
    """
    The baseline in *text*.

    Raises `SettingsError` for anything else, a newer format included.
    """
    document = read_kind(text, _KIND, FORMAT_VERSION, _unreadable)
    try:
        return Baseline(
            findings=dict(map(_known, document["findings"])),
            more={
                (str(entry["table"]), str(entry["code"])): int(entry["count"])
                for entry in document["more"]
            },
        )
    except (KeyError, TypeError, ValueError) as error:
        raise _unreadable("it has an invalid entry") from error


def _known(entry: Mapping[str, Any]) -> tuple[Key, Known]:
    key = (str(entry["table"]), str(entry["code"]), str(entry["where"]))
    return key, Known(int(entry["count"]), Severity(entry["severity"]))


def _unreadable(cause: str) -> SettingsError:
    return SettingsError(
        f"The file is not a deltaadm baseline: {cause}.",
        remedy="Write one with --write-baseline FILE.",
    )
