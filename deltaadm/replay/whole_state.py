"""All actions that make up a version, whole: what a checkpoint of it is written from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deltaadm.replay.embedded import Replay

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from deltaadm.replay.embedded import Named


class WholeState(Replay):
    """
    The state that a segment describes, action by action, as in the log.

    Ask for the actions about files first: the others are known once those have been read. Raises
    as `ReplayEngine` says.
    """

    def file_actions(self) -> Iterator[Named]:
        """The newest action of each file, an `add` or a `remove`, in any order."""
        yield from self.files_in_deltas()
        if self._segment.checkpoint is None:
            return
        reader = self._open_checkpoint()
        for path in reader.file_paths():
            for name, document in reader.file_actions(path):
                if self._fold.survives(name, document):
                    yield name, document

    def other_actions(self) -> Iterator[Named]:
        """The protocol, the metadata, the domains that there are, and the transactions."""
        self.snapshot(None)  # raises where protocol or metadata is missing
        yield "protocol", dict(self._fold.protocol or {})
        yield "metaData", dict(self._fold.metadata or {})
        for domain in self._fold.domains.values():
            if domain.get("removed") is not True:
                yield "domainMetadata", dict(domain)
        for transaction in self._fold.transactions.values():
            yield "txn", dict(transaction)

    @property
    def unknown(self) -> Mapping[str, int]:
        """How many actions there are that the protocol does not define, by their names."""
        return self._fold.unknown
