"""deltalake in a loop over the tables below a directory: how most fleets are looked at today."""

import os
import sys

from deltalake import DeltaTable

for name in sorted(os.listdir(sys.argv[1])):
    opened = DeltaTable(f"{sys.argv[1]}/{name}")
    print(opened.version(), opened.protocol(), opened.metadata().id)
