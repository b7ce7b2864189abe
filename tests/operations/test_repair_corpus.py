"""What repair finds in public tables: nothing, but for those that were damaged to be tests."""

from time import time_ns

import pytest

from deltaadm.errors import RefusedError
from deltaadm.plans.repair import plan_repairs
from deltaadm.plans.repair.repair import Case
from deltaadm.storage.store import open_store
from tests.support import oracle
from tests.support.cases import each

pytestmark = pytest.mark.slow

DAMAGED = {
    "delta-rs/with_checkpoint_no_last_checkpoint": "DL107",
    # The checkpoints of these two tables are of another table, or lack their metadata.
    "kernel-rs/parquet_row_group_skipping": "DL609",
    "golden/deltalog-state-reconstruction-from-checkpoint-missing-metadata": "DL612",
    # Versions and features that do not exist.
    "golden/deltalog-invalid-protocol-version": "DL201",
    "delta-rs/simple_table_features": "DL201",
}


@oracle.NEEDS_CORPUS
@each("table", oracle.corpus_by_name())
def test_public_tables_are_left_alone(table: oracle.CorpusTable) -> None:
    try:
        plan = plan_repairs(Case(open_store(str(table.path)), time_ns() // 1_000_000, 1))
    except RefusedError:
        assert "catalog" in table.name
        return
    assert [repair.rule for repair in plan.repairs] == (
        [DAMAGED[table.name]] if table.name in DAMAGED else []
    )
