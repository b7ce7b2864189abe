"""Threads that wait for others: however an interrupt arrives, it ends the wait for them."""

import signal
import subprocess
import sys

import pytest

from tests.support.program import surroundings

WAITS = """
import signal, threading, time
from deltaadm.storage.threads import Threads

def interrupted():
    # To this thread: the wait of the main thread does not notice, as where a signal
    # arrives between Python's last look for signals and the wait.
    signal.pthread_kill(threading.get_ident(), signal.SIGINT)
    time.sleep(60)

try:
    Threads(1).submit(interrupted).result()
except KeyboardInterrupt:
    print("Interrupted")
"""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "pthread_kill"), reason="signals are those of POSIX")
def test_an_interrupt_that_the_wait_does_not_notice_ends_it() -> None:
    done = subprocess.run(
        [sys.executable, "-c", WAITS], check=False, capture_output=True, text=True, timeout=30,
        env=surroundings(None),
    )  # fmt: skip
    assert done.stdout == "Interrupted\n", done.stderr
