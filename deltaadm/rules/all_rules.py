"""All rules: importing this module registers them. Plans, which judge a state alone, need fewer."""

from deltaadm.rules import (
    checkpoints,  # noqa: F401 -- registers every rule
    column_mapping,  # noqa: F401 -- registers every rule
    features,  # noqa: F401 -- registers every rule
    files,  # noqa: F401 -- registers every rule
    log,  # noqa: F401 -- registers every rule
    metadata,  # noqa: F401 -- registers every rule
    outside,  # noqa: F401 -- registers every rule
    protocol,  # noqa: F401 -- registers every rule
)
