"""The cases, one file a topic; importing this package registers them.

Tables that a log alone describes are rows of text files; what needs a program is in modules.
"""

from pathlib import Path

from tests.support.case_files import load
from tests.validation.cases import catalog as catalog
from tests.validation.cases import checkpoints as checkpoints
from tests.validation.cases import checksum as checksum
from tests.validation.cases import column_mapping as column_mapping
from tests.validation.cases import files as files
from tests.validation.cases import log as log
from tests.validation.cases import policy as policy
from tests.validation.cases import protocol as protocol

for file in sorted(Path(__file__).parent.glob("*.txt")):
    load(file)
