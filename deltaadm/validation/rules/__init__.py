"""All rules, one module a topic; importing this package registers them."""

from deltaadm.validation.rules import catalog as catalog
from deltaadm.validation.rules import checkpoints as checkpoints
from deltaadm.validation.rules import checksum as checksum
from deltaadm.validation.rules import column_features as column_features
from deltaadm.validation.rules import column_mapping as column_mapping
from deltaadm.validation.rules import cross_check as cross_check
from deltaadm.validation.rules import domains as domains
from deltaadm.validation.rules import files as files
from deltaadm.validation.rules import iceberg as iceberg
from deltaadm.validation.rules import log as log
from deltaadm.validation.rules import operation_metrics as operation_metrics
from deltaadm.validation.rules import policy as policy
from deltaadm.validation.rules import protection as protection
from deltaadm.validation.rules import protocol as protocol
from deltaadm.validation.rules import row_tracking as row_tracking
from deltaadm.validation.rules import schema as schema
from deltaadm.validation.rules import timestamps as timestamps
