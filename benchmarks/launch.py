"""
Run the command in the arguments, and write what it cost to the descriptor that the first one names.

In a process of its own, which is small: Linux counts the peak of memory of whoever starts a program
as the program's.
"""

import os
import sys
import time

report = int(sys.argv[1])
os.set_inheritable(report, False)
started = time.perf_counter()
child = os.posix_spawnp(sys.argv[2], sys.argv[2:], os.environ)
_, status, usage = os.wait4(child, 0)
elapsed = time.perf_counter() - started
found = (elapsed, usage.ru_utime + usage.ru_stime, usage.ru_maxrss)
os.write(report, " ".join(map(str, found)).encode())
sys.exit(os.waitstatus_to_exitcode(status) & 0xFF)
