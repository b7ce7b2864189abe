"""Since when and why a table supports its features, what uses them, and what dropping takes."""

from __future__ import annotations

from typing import Final

from deltaadm.documents.common import Document
from deltaadm.documents.drop_feature import STATUS
from deltaadm.documents.history_entry import ORIGIN
from deltaadm.domain.model.cost import Cost
from deltaadm.domain.model.json_values import (
    BOOLEAN,
    COUNT,
    INTEGER,
    STRING,
    STRINGS,
    Json,
    array,
    maybe,
    name_of,
    one_of,
    record,
    within,
)
from deltaadm.operations.why import Cause, Side

_SINCE: Final = record(**ORIGIN)
_REASON: Final = within("reason", {"cause": one_of(Cause), "because": STRINGS})
_GAIN: Final = record(
    client=(STRING, lambda verdict: verdict.release.client.id),
    version=(STRING, lambda verdict: verdict.release.version),
    access=(STRING, lambda verdict: verdict.access.value),
    verdict=(STRING, lambda verdict: verdict.compatibility.value),
)
_FEATURE: Final = record(
    name=STRING,
    supported=Json({"enum": ["explicit", "implicit"]}),
    since=_SINCE,
    **_REASON,
    used_by=(STRINGS, lambda feature: feature.usage.evidence),
    usage_known=(BOOLEAN, lambda feature: feature.usage.known),
    dropping=STATUS,
    cost=maybe(name_of(Cost)),
    gains=array(_GAIN),
)
_VERSION: Final = record(
    side=one_of(Side), version=INTEGER, since=_SINCE, **_REASON, needed_by=STRINGS
)
DOCUMENT: Final = Document.of(
    "The output of `inspect --why` for a table",
    table=STRING,
    version=COUNT,
    versions=array(_VERSION),
    features=array(_FEATURE),
    absent=array(record(name=STRING, since=maybe(_SINCE))),
)
