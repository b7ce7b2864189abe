"""Places where nothing may be written, although they have a name: links, directories, devices."""

import os
import stat
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest


def _link(path: Path) -> None:
    (path.parent / "other").write_bytes(b"other")
    path.symlink_to("other")


def _device(path: Path) -> None:
    try:
        os.mknod(path, stat.S_IFCHR | 0o666, os.makedev(1, 7))
    except PermissionError:
        pytest.skip("only root makes devices")


ODD_PLACES: dict[str, tuple[Callable[[Path], object], str]] = {
    "link": (_link, "it is a symbolic link"),
    "link to nothing": (lambda path: path.symlink_to("nowhere"), "it is a symbolic link"),
    "directory": (Path.mkdir, "it is a directory"),
    "pipe": (os.mkfifo, "it is a pipe"),
    "socket": (lambda path: os.mknod(path, stat.S_IFSOCK | 0o666), "it is a socket"),
    "device": (_device, "it is a device"),
}
"""How each is made, and what is said about it."""


def contents(directory: Path) -> Mapping[str, object]:
    """What is in *directory*: the names, which file has each, and what is in regular ones."""
    return {
        path.name: (
            path.lstat().st_ino,
            path.read_bytes() if stat.S_ISREG(path.lstat().st_mode) else None,
        )
        for path in directory.iterdir()
    }
