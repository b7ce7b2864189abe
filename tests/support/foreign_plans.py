"""Saved plans for tables of other providers, as they are and changed by others."""

import json
from typing import Any

import pytest

from deltaadm.documents.saved_foreign_plan import (
    SavedForeignPlan,
    foreign_document,
    read_foreign_plan,
)
from deltaadm.errors import DeltaadmError, Refused
from tests.support.mutations import mutations
from tests.support.plans import resealed


def read_saved(document: dict[str, Any]) -> SavedForeignPlan:
    saved = read_foreign_plan(json.dumps(document))
    if saved is None:
        raise Refused("This is no plan of another provider.")
    return saved


def check_changed_files(made: Any, wish: Any) -> None:
    """Any change of the file of *made* is refused, or leaves the plan for *wish* as it is."""
    document = json.loads(json.dumps(foreign_document(made)))
    for change, changed in mutations(document, seed=0, sample=400):
        with pytest.raises(Refused):
            read_saved(changed)
        try:
            saved = read_saved(resealed(changed))
            saved.require_same(made)
        except DeltaadmError:
            continue
        assert (saved.request, saved.table) == (wish, made.table), change
