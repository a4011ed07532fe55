"""What holds for all tests."""

from hypothesis import settings

# The first example of a kernel compiles it: its time says nothing.
settings.register_profile("without deadline", deadline=None)
settings.load_profile("without deadline")
