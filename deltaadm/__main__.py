"""`deltaadm` and `python -m deltaadm`."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line; what needs no command line is answered before it is loaded."""
    arguments = sys.argv[1:]
    if arguments == ["--version"]:
        from deltaadm import __version__

        sys.stdout.write(f"deltaadm {__version__}\n")
        return
    from deltaadm.cli.app import run

    sys.exit(run(arguments))


if __name__ == "__main__":
    main()
