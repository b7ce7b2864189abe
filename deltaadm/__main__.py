"""`deltaadm` and `python -m deltaadm`."""

from __future__ import annotations

import gc
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn


def main() -> None:
    """Run the command line."""
    _open_closed_streams()
    # Start-up makes tens of thousands of objects that stay: looking for garbage among them is idle.
    gc.set_threshold(50_000)
    from deltaadm.cli.program import run

    _leave(run(sys.argv[1:]))


def _leave(code: int) -> NoReturn:
    """End the process; without taking it apart where nothing but memory is left to give back."""
    threading = sys.modules.get("threading")
    if "atexit" not in sys.modules and (threading is None or threading.active_count() == 1):
        try:
            sys.stdout.flush()
            sys.stderr.flush()
        except OSError:
            sys.exit(code)
        os._exit(code)
    sys.exit(code)


def _open_closed_streams() -> None:
    """A standard stream that our parent has closed leads nowhere, instead of being None."""
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "r+"))  # noqa: PTH123, SIM115 -- stays open


if __name__ == "__main__":
    main()
