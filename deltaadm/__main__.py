"""`deltaadm` and `python -m deltaadm`."""

from __future__ import annotations

import gc
import io
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn


_NO_MEMORY = 6  # the exit code of `deltaadm.errors.EngineError`
_SYMPTOMS = (  # of a library that cannot be mapped, and of C code that does not check for memory
    "failed to map",
    "without exception set",
    "without setting an exception",
)


def main() -> None:
    """Run the command line."""
    # Standard streams that our parent has closed are None. Output then goes to a descriptor that
    # refuses to be written to: an answer that is lost is an error.
    flags = {"stdin": os.O_RDONLY, "stdout": os.O_RDONLY, "stderr": os.O_WRONLY}
    for name, flag in flags.items():
        if getattr(sys, name) is None:
            mode = "r" if name == "stdin" else "w"
            setattr(sys, name, os.fdopen(os.open(os.devnull, flag), mode))
    if isinstance(getattr(sys.stdout, "buffer", None), io.RawIOBase):
        # Without a buffer, as PYTHONUNBUFFERED has it, Python leaves out in silence what the disk
        # has no room for.
        buffer, encoding = io.BufferedWriter(sys.stdout.buffer), sys.stdout.encoding
        sys.stdout = io.TextIOWrapper(buffer, encoding, sys.stdout.errors)
    # Start-up makes tens of thousands of objects that stay: looking for garbage among them is idle.
    gc.set_threshold(500_000)

    def unraisable(what: sys.UnraisableHookArgs) -> None:
        # What a destructor cannot do for want of memory is no traceback that helps anybody.
        if not issubclass(what.exc_type, MemoryError):
            sys.__unraisablehook__(what)

    sys.unraisablehook = unraisable
    # pyarrow's own allocators fetch and give back memory so often that it takes a tenth of the time
    # of a large checkpoint, and more of it.
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
    try:
        from deltaadm.cli.program import run

        code = run(sys.argv[1:])
    except (MemoryError, ImportError, SystemError) as error:
        _give_up(error)
    except KeyboardInterrupt:  # before `run` was there to report it
        sys.exit(130)
    # Nothing is taken apart where nothing but memory is left to give back, nor where requests to
    # object stores may be under way, which nobody waits for any more.
    threading = sys.modules.get("threading")
    alone = "atexit" not in sys.modules and (threading is None or threading.active_count() == 1)
    if alone or ("obstore" in sys.modules and "pyspark" not in sys.modules):
        try:
            sys.stdout.flush()
            sys.stderr.flush()
        except OSError:
            sys.exit(code)
        os._exit(code)
    sys.exit(code)


def _give_up(error: Exception) -> NoReturn:
    """End the process where memory does not even suffice to import what explains errors."""
    seen: BaseException | None = error
    while not isinstance(seen, MemoryError) and not any(map(str(seen).__contains__, _SYMPTOMS)):
        if seen is None:
            raise error
        seen = seen.__cause__ or seen.__context__
    os.write(2, b"error: There is not enough memory for this command.\n  Free some.\n")
    os._exit(_NO_MEMORY)


if __name__ == "__main__":
    main()
