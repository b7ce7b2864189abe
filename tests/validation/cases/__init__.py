"""The cases, one module a topic; importing this package registers them."""

from tests.validation.cases import catalog as catalog
from tests.validation.cases import checkpoints as checkpoints
from tests.validation.cases import checksum as checksum
from tests.validation.cases import column_mapping as column_mapping
from tests.validation.cases import cross_check as cross_check
from tests.validation.cases import features as features
from tests.validation.cases import files as files
from tests.validation.cases import log as log
from tests.validation.cases import policy as policy
from tests.validation.cases import protocol as protocol
from tests.validation.cases import schema as schema
