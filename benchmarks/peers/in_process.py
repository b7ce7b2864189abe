"""Seconds of one load when everything is imported: `in_process.py PROGRAM TABLE RUNS`, as JSON."""

import json
import sys
import time
from pathlib import Path

program, table, runs = sys.argv[1:]
if program == "deltaadm":
    from deltaadm import load_snapshot, open_store

    def load() -> object:
        return load_snapshot(open_store(table)).metadata.id

elif program == "deltalake":
    from deltalake import DeltaTable

    def load() -> object:
        return DeltaTable(table).metadata().id

else:
    sys.path.insert(0, str(Path(__file__).parent))
    from limit import protocol_and_metadata

    def load() -> object:
        return protocol_and_metadata(f"{table}/_delta_log")["metaData"]["id"]


found = load()
measured = []
for _ in range(int(runs)):
    wall, processor = time.perf_counter(), time.process_time()
    load()
    measured.append((time.perf_counter() - wall, time.process_time() - processor))
print(json.dumps({"id": found, "runs": measured}))
