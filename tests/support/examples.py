"""How many examples the laws are tried on: few in the suite, any number in an unattended run."""

import os

TIMES = int(os.environ.get("DELTAADM_EXAMPLES_TIMES", "1"))
"""By how much to multiply the examples of the suite, such as 100."""
