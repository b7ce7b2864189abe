"""The exit codes of runs that end well; an error has its own, in `deltaadm.errors`."""

FOUND = 1
"""There are findings or differences, or the plan that --check asks for is not empty."""

MISMATCH = 5
"""The commit is not what had been planned."""

REFUSED = 7
"""Some of the request is impossible; the rest was only planned."""

WAITING = 8
"""The rest can be done when some time has passed."""

SOME_FAILED = 9
"""Some of several tables failed, and not all alike."""

INTERRUPTED = 130
"""Ctrl-C ended the run."""
