"""The least work for many tables, one after the other: protocol and metaData of each."""

import json
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from limit import protocol_and_metadata

for name in sorted(os.listdir(sys.argv[1])):
    print(json.dumps(protocol_and_metadata(f"{sys.argv[1]}/{name}/_delta_log")))
