"""What tests of the command line need to know about clients."""

from deltaadm.clients import CLIENTS

ACCEPT_ALL = [word for client in CLIENTS for word in ("--accept-silently-wrong", client)]
"""The consent to whatever becomes of any client, for tests about something else."""
