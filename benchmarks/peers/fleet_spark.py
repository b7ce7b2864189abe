"""DESCRIBE DETAIL of every table below a directory in one warm session; prints tables a second."""

import json
import os
import sys
import time

from deltaadm.spark.session import SparkOptions, open_session

directory, most = sys.argv[1], int(sys.argv[2])
names = sorted(os.listdir(directory))
with open_session(SparkOptions(), say=lambda _: None) as spark:
    for name in names[:20]:
        spark.sql(f"DESCRIBE DETAIL delta.`{directory}/{name}`").collect()
    started = time.perf_counter()
    for name in names[20 : 20 + most]:
        spark.sql(f"DESCRIBE DETAIL delta.`{directory}/{name}`").collect()
    done = len(names[20 : 20 + most])
    print(json.dumps(done / (time.perf_counter() - started)))
