"""A commit of metadata by deltalake: `commit.py TABLE KEY=VALUE`."""

import sys

from deltalake import DeltaTable

table = DeltaTable(sys.argv[1])
key, _, value = sys.argv[2].partition("=")
table.alter.set_table_properties({key: value}, raise_if_not_exists=False)
table.update_incremental()
print(f"version {table.version()} was committed")
