"""Files of which ranges can be fetched, as file objects."""

from __future__ import annotations

import io
from collections import deque
from collections.abc import Callable
from typing import Any


class RangedFile(io.RawIOBase):
    """
    A file of *size* bytes that is read in blocks, which grow while one follows the other.

    *fetch* gets the bytes from a start to an end, and *release* is called when the file is closed.
    """

    def __init__(
        self,
        size: int,
        fetch: Callable[[int, int], bytes],
        release: Callable[[], object] | None = None,
    ) -> None:
        self._size, self._fetch, self._release = size, fetch, release
        self._at = 0
        self._blocks: deque[tuple[int, bytes]] = deque(maxlen=4)
        self._block = 1 << 16

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = 0) -> int:
        self._at = max(0, offset + (0, self._at, self._size)[whence])
        return self._at

    def read(self, size: int | None = -1) -> bytes:
        """As many bytes as are asked for, if there are so many."""
        end = self._size if size is None or size < 0 else min(self._size, self._at + size)
        if end <= self._at:
            return b""
        start, self._at = self._at, end
        for first, block in self._blocks:
            if first <= start and end <= first + len(block):
                return block[start - first : end - first]
        first, block = self._blocks[-1] if self._blocks else (end, b"")
        if first <= start <= first + len(block):
            # Someone reads on, so that fewer and larger requests pay; a jump starts small blocks no
            # more.
            self._block = min(1 << 23, 2 * self._block)
        block = self._fetch(start, min(self._size, max(end, start + self._block)))
        self._blocks.append((start, block))
        return block[: end - start]

    def readinto(self, buffer: Any) -> int:
        piece = self.read(len(buffer))
        buffer[: len(piece)] = piece
        return len(piece)

    def close(self) -> None:
        if self._release is not None and not self.closed:
            self._release()
        super().close()
