"""Settings of the property-based tests."""

from hypothesis import settings

settings.register_profile("deltaadm", deadline=None)
settings.load_profile("deltaadm")
