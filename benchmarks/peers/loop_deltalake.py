"""deltalake's answer for many tables: protocol and metadata, one table after the other."""

import json
import sys

from deltalake import DeltaTable

for table in sys.argv[1:]:
    opened = DeltaTable(table)
    metadata = opened.metadata()
    print(
        json.dumps(
            {
                "version": opened.version(),
                "protocol": list(opened.protocol()),
                "metadata": metadata.id,
            }
        )
    )
