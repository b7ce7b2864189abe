"""All rules: importing this module registers them. Plans, which judge a state alone, need fewer."""

from deltaadm.validation.rules import (  # noqa: F401 -- registers every rule
    catalog,
    checkpoints,
    checksum,
    column_features,
    column_mapping,
    cross_check,
    domains,
    files,
    iceberg,
    log,
    operation_metrics,
    policy,
    protection,
    protocol,
    row_tracking,
    schema,
    timestamps,
)
