"""`add` actions as values, quickly: tables have millions of them."""

from __future__ import annotations

from typing import Any, Final

from deltaadm.domain.actions import AddFile, DeletionVectorDescriptor
from deltaadm.domain.wire import json_type

Document = dict[str, Any]

_ADD_TYPES: Final = {entry.key: json_type(entry.codec.type) for entry in AddFile.ENTRIES}
_ADD_ATTRIBUTES: Final = {entry.key: entry.attribute for entry in AddFile.ENTRIES}
_ADD_ALWAYS: Final = {"path", "size", "modificationTime", "dataChange"}
_VECTOR_TYPES: Final = {
    entry.key: json_type(entry.codec.type) for entry in DeletionVectorDescriptor.ENTRIES
}
_VECTOR_ATTRIBUTES: Final = {
    entry.key: entry.attribute for entry in DeletionVectorDescriptor.ENTRIES
}
_VECTOR_ALWAYS: Final = {"storageType", "pathOrInlineDv", "sizeInBytes", "cardinality"}


def add_file(document: Document) -> AddFile:
    """`AddFile.from_wire`, faster for the plain actions that tables have millions of."""
    if not _is_plain(document, _ADD_TYPES, _ADD_ALWAYS):
        return AddFile.from_wire(document)
    for texts in (document.get("partitionValues"), document.get("tags")):
        for value in texts.values() if texts else ():
            if value is not None and type(value) is not str:
                return AddFile.from_wire(document)
    values = {_ADD_ATTRIBUTES[key]: value for key, value in document.items()}
    vector = values.get("deletion_vector")
    if vector is not None and _is_plain(vector, _VECTOR_TYPES, _VECTOR_ALWAYS):
        fields = {_VECTOR_ATTRIBUTES[key]: value for key, value in vector.items()}
        values["deletion_vector"] = DeletionVectorDescriptor(**fields)
    elif vector is not None:
        values["deletion_vector"] = DeletionVectorDescriptor.from_wire(vector)
    return AddFile(**values)


def _is_plain(document: Document, types: dict[str, type], always: set[str]) -> bool:
    """Whether every value has the type that its key should have, and nothing is null or odd."""
    for key, value in document.items():
        # Not isinstance: to Python true is an int.
        if type(value) is not types.get(key):
            return False
    return document.keys() >= always
