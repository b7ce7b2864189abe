"""deltalake's answer: protocol and metadata, or the number of live files, of one table."""

import json
import sys

from deltalake import DeltaTable

question, table, *more = sys.argv[1:]
options = {"without_files": True} if more else {}
opened = DeltaTable(table, **options)
if question == "files":
    print(opened.get_add_actions().num_rows)
else:
    metadata = opened.metadata()
    print(
        json.dumps(
            {
                "version": opened.version(),
                "protocol": list(opened.protocol()),
                "metadata": [metadata.id, metadata.configuration],
                "schema": opened.schema().to_json(),
            }
        )
    )
