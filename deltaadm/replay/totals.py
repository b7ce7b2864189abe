"""
Adding up live files: what no single one shows.

Tables have millions of files, so nothing here keeps a text per file. Numbers go into arrays of
8 bytes each, and only where the table has what they are for; the few files that turn out to be
worth a name are looked up by reading the files a second time.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from operator import add
from typing import TYPE_CHECKING, Any, Final

from deltaadm.dataclass import replace
from deltaadm.domain.actions import AddFile
from deltaadm.domain.file_facts import INLINE, num_records
from deltaadm.domain.snapshot import FileFacts
from deltaadm.facts import FileTotals, Some
from deltaadm.paths import is_absolute
from deltaadm.replay.reconcile import canonical_path, digest

if TYPE_CHECKING:
    import pyarrow as pa

    from deltaadm.replay.file_columns import ArrowFiles


_HELD: Final = 100
_NAMED: Final = 5
_BINS: Final = (0, 9, 99, 999, 9_999, 99_999, 999_999, 9_999_999, 2**31 - 2, 2**63)
"""The largest number of deleted rows in each bin of a version checksum's histogram."""


class TotalsBuilder:
    """
    Takes live files one by one; see `FileTotals`.

    *facts* are those of the snapshot; *qualifier* completes absolute paths, see `LogStore`. What
    takes only a part of the files, *spread* over processes, is put together by `extend`.
    """

    def __init__(self, facts: FileFacts, qualifier: str, *, spread: bool = False) -> None:
        self._facts = facts
        self._qualifier = qualifier
        self._spread = spread
        self._held: list[AddFile] = []
        self._count = 0
        self._deleted_records = 0
        self._bins = [0] * len(_BINS)
        self._samples: dict[str, Any] = {}
        self._row_ids = _Ranges()
        self._hashes = array("q")

    def add(self, file: AddFile) -> None:
        if self._count < _HELD:
            self._held.append(replace(file, stats=None, tags=None, partition_values=None))
        if file.deletion_vector is not None:
            self._count_vector(file.deletion_vector.cardinality)
            if file.deletion_vector.storage_type == INLINE:
                self._sample("inline_vectors", 1, [file.path])
        if file.base_row_id is not None:
            self._row_ids.add(self._count, file.base_row_id, num_records(file.stats) or 0)
        if file.base_row_id is None or file.default_row_commit_version is None:
            self._sample("without_row_tracking", 1, [file.path])
        if is_absolute(file.path):
            self._sample("absolute", 1, [file.path])
        if self._facts.with_deletion_vector:
            # Eight bytes in place of a path; `totals` looks whether equal hashes are equal paths.
            self._hashes.append(self._hash(file.path))
        self._count += 1

    def add_all(self, files: ArrowFiles) -> None:
        if self._count + len(files) <= _HELD:
            for file, _ in files.files([files.every]):
                self.add(file.add)
            return
        import pyarrow.compute as pc

        from deltaadm.replay.adds import scalar

        paths = files.column("path")

        def sample(name: str, flags: pa.BooleanArray) -> None:
            chosen = pc.indices_nonzero(flags)
            self._sample(name, len(chosen), paths.take(chosen.slice(0, _NAMED)).to_pylist())

        vectors = files.having("deletionVector").flags
        for cardinality in files.vectors("cardinality").filter(vectors).to_pylist():
            self._count_vector(cardinality or 0)
        kinds = files.vectors("storageType").cast("string")
        sample("inline_vectors", pc.equal(kinds, scalar(INLINE)))
        tracked = files.having("baseRowId") & files.having("defaultRowCommitVersion")
        sample("without_row_tracking", (~tracked).flags)
        sample("absolute", files.absolute_paths().flags)
        firsts = files.column("baseRowId").to_pylist()
        if firsts.count(None) < len(firsts):
            known = zip(firsts, files.statistics.counts(), strict=True)
            for position, (first, count) in enumerate(known, self._count):
                if first is not None:
                    self._row_ids.add(position, first, count or 0)
        if self._facts.with_deletion_vector:
            self._hashes.extend(map(self._hash, paths.to_pylist()))
        self._count += len(files)

    def empty(self) -> TotalsBuilder:
        """One of the same kind that has counted nothing."""
        return TotalsBuilder(self._facts, self._qualifier, spread=self._spread)

    def extend(self, other: TotalsBuilder) -> None:
        """Count the files that *other* has counted, behind those so far."""
        if self._count + other._count <= _HELD:
            self._held += other._held
        self._deleted_records += other._deleted_records
        self._bins = list(map(add, self._bins, other._bins))
        for name, some in other._samples.items():
            self._sample(name, some.count, some.paths)
        self._row_ids.extend(other._row_ids, self._count)
        self._hashes += other._hashes
        self._count += other._count

    def totals(self, again: Callable[[], Iterable[AddFile]]) -> FileTotals:
        """The counts; *again* reads the same files in the same order once more."""
        overlaps = self._row_ids.overlaps(_NAMED)
        doubles = _equal_pairs(self._hashes, _NAMED)
        names: dict[int, str] = {}
        # Hardly ever: the files are read a second time only to name what is wrong.
        if overlaps or doubles:
            wanted = {position for pair in (*overlaps, *doubles) for position in pair}
            names = {at: file.path for at, file in enumerate(again()) if at in wanted}
        vectors = sum(self._bins)
        return FileTotals(
            facts=self._facts,
            highest_row_id=self._row_ids.highest(),
            overlapping_row_ids=tuple((names[left], names[right]) for left, right in overlaps),
            with_two_vectors=tuple(
                names[left]
                for left, right in doubles
                # The paths are indeed the same, and not only their hashes.
                if canonical_path(names[left], self._qualifier)
                == canonical_path(names[right], self._qualifier)
            ),
            deletion_vectors=vectors,
            deleted_records=self._deleted_records,
            deleted_record_counts=(self._bins[0] + self._count - vectors, *self._bins[1:]),
            adds=tuple(self._held) if self._count <= _HELD else None,
            **self._samples,
        )

    def _sample(self, name: str, count: int, paths: Sequence[str]) -> None:
        """Count files of which `FileTotals` names the first few."""
        known = self._samples.get(name, Some())
        some = (*known.paths, *paths[: _NAMED - len(known.paths)])
        self._samples[name] = Some(known.count + count, some)

    def _hash(self, path: str) -> int:
        name = canonical_path(path, self._qualifier)
        if not self._spread:
            return hash(name)
        # Python's own is another one in each process.
        return int.from_bytes(digest(name, 8), signed=True)

    def _count_vector(self, cardinality: int) -> None:
        self._deleted_records += cardinality
        self._bins[bisect_left(_BINS, cardinality)] += 1


class _Ranges:
    """Ranges of row ids by the position of their file."""

    def __init__(self) -> None:
        self._positions = array("q")
        self._starts = array("q")
        self._ends = array("q")

    def add(self, position: int, start: int, count: int) -> None:
        """Files without records have no row ids; nor has one whose ids no 64 bits can hold."""
        end = start + count - 1
        if count <= 0 or not -(2**63) <= start <= end < 2**63:
            return
        self._positions.append(position)
        self._starts.append(start)
        self._ends.append(end)

    def extend(self, others: _Ranges, position: int) -> None:
        """The ranges of files that begin at *position*."""
        self._positions.extend(position + other for other in others._positions)
        self._starts += others._starts
        self._ends += others._ends

    def highest(self) -> int | None:
        return max(self._ends, default=None)

    def overlaps(self, limit: int) -> list[tuple[int, int]]:
        """Positions of files that share row ids: the first few pairs in the order of the ids."""
        if len(self._starts) <= 1:
            return []
        import pyarrow.compute as pc

        starts = _arrow(self._starts)
        order = pc.sort_indices(starts)
        starts, ends = starts.take(order), _arrow(self._ends).take(order)
        # The furthest end so far: a long range may overlap others than its neighbour.
        reached = pc.cumulative_max(ends)
        last = len(starts) - 1
        shared = pc.less_equal(starts.slice(1), reached.slice(0, last))
        indices = pc.indices_nonzero(shared).slice(0, limit).to_pylist()
        earlier = (
            pc.index(ends.slice(0, position + 1), reached[position]).as_py() for position in indices
        )
        return [
            (self._positions[order[left].as_py()], self._positions[order[position + 1].as_py()])
            for left, position in zip(earlier, indices, strict=True)
        ]


def _equal_pairs(values: array[int], limit: int) -> list[tuple[int, int]]:
    """Positions of equal values: the first few pairs, in the order of the positions."""
    if len(values) <= 1:
        return []
    import pyarrow.compute as pc

    numbers = _arrow(values)
    order = pc.sort_indices(numbers)
    ordered = numbers.take(order)
    same = pc.equal(ordered.slice(1), ordered.slice(0, len(ordered) - 1))
    indices = pc.indices_nonzero(same)
    left, right = order.take(indices), order.take(pc.add(indices, 1))
    first = pc.sort_indices(pc.min_element_wise(left, right)).slice(0, limit)
    pairs = zip(left.take(first).to_pylist(), right.take(first).to_pylist(), strict=True)
    return [(min(pair), max(pair)) for pair in pairs]


def _arrow(values: array[int]) -> Any:
    """The same numbers for pyarrow, without a copy."""
    import pyarrow as pa

    return pa.Array.from_buffers(pa.int64(), len(values), [None, pa.py_buffer(values)])
