"""deltalake in a loop over many tables: how most fleets are looked at today."""

import sys

from deltalake import DeltaTable

for table in sys.argv[1:]:
    opened = DeltaTable(table)
    print(opened.version(), opened.protocol(), opened.metadata().id)
