"""Facts about a live file in storage: data file, Parquet footer, deletion vector."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deltaadm.domain.facts import deletion_vectors
from deltaadm.domain.facts.facts import DataFileFacts
from deltaadm.errors import DeltaadmError, StorageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import pyarrow as pa

    from deltaadm.domain.facts.facts import State
    from deltaadm.domain.model.actions import AddFile, DeletionVectorDescriptor
    from deltaadm.storage.store import LogStore


def data_file_facts(store: LogStore, add: AddFile, state: State) -> DataFileFacts:
    """
    Look at the files of *add*: their sizes, the Parquet footer, the bytes of the deletion vector.

    Trouble with any of them is a fact as well; nothing is raised.
    """
    try:
        size = store.data_size(add.path) if add.path else None
    except StorageError as error:
        return DataFileFacts(add=add, state=state, size=None, out_of_reach=error.message)
    bare: tuple[str, ...] = ()
    unreadable = ""
    if size is not None:
        bare, unreadable = _footer(store, add.path)
    vector = add.deletion_vector
    return DataFileFacts(
        add=add,
        state=state,
        size=size,
        unreadable=unreadable,
        without_field_id=bare,
        vector_problem="" if vector is None else _vector_problem(store, vector),
    )


def _footer(store: LogStore, path: str) -> tuple[tuple[str, ...], str]:
    """The columns without field id, and why the footer cannot be read, if it cannot."""
    import pyarrow.parquet as pq

    try:
        with store.open_data(path) as source:
            return tuple(_without_field_id(pq.read_schema(source))), ""
    except DeltaadmError as error:
        return (), error.message.rstrip(".")
    except Exception as error:  # noqa: BLE001 -- damaged bytes end in nearly anything
        return (), str(error).strip().rstrip(".").partition("\n")[0]


def _without_field_id(fields: Iterable[pa.Field], within: str = "") -> Iterator[str]:
    for field in fields:
        if b"PARQUET:field_id" not in (field.metadata or {}):
            yield f"{within}{field.name}"
        yield from _inside(field.type, f"{within}{field.name}.")


def _inside(data_type: pa.DataType, within: str) -> Iterator[str]:
    """The fields of structs at any depth; elements, keys and values themselves need no id."""
    import pyarrow.types as pt

    if pt.is_struct(data_type):
        yield from _without_field_id(data_type, within)
    elif pt.is_map(data_type):
        yield from _inside(data_type.key_type, within)
        yield from _inside(data_type.item_type, within)
    elif pt.is_list(data_type) or pt.is_large_list(data_type):
        yield from _inside(data_type.value_type, within)


def _vector_problem(store: LogStore, vector: DeletionVectorDescriptor) -> str:
    if deletion_vectors.descriptor_flaw(vector):
        return ""  # there is nothing to look at
    if vector.storage_type == deletion_vectors.INLINE:
        decoded = deletion_vectors.z85_decode(vector.path_or_inline_dv)
        return deletion_vectors.bitmap_flaw(decoded[: vector.size_in_bytes], vector)
    path = vector.path_or_inline_dv
    if vector.storage_type == deletion_vectors.RELATIVE:
        from urllib.parse import quote

        # Encoded like the paths of `add`, which stores decode.
        path = quote(deletion_vectors.relative_path(vector))
    try:
        with store.open_data(path) as source:
            head = source.read(1)
            source.seek(vector.offset or 0)
            stored = source.read(deletion_vectors.stored_length(vector))
    except DeltaadmError as error:
        return error.message.rstrip(".")
    except OSError as error:
        return str(error)
    return deletion_vectors.stored_flaw(head, stored, vector)
