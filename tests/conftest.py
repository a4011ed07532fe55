"""Set-up for all tests."""

import os
import signal
import sys

import pytest
from hypothesis import settings

from topicgrove.interrupts import PYTHONS_OWN

NOT_ON_WINDOWS = (
    "cli/test_memory.py",  # limits of resources
    "cli/test_odd_names.py",  # names that Windows does not allow
    "cli/test_signals.py",
    "cli/test_streams.py",  # devices and closed descriptors
    "corpus/test_build_with_ranks.py",  # MPICH
    "corpus/test_claims.py",  # limits of resources
    "distributed",
    "docs/test_examples.py",  # sh
    "estimator/test_interrupts.py",
    "experiments",
    "fuzz",  # limits of resources
    "persistence/test_what_outputs_replace.py",  # modes, owners and devices
    "persistence/test_whole_files.py",
)
"""Tests that need POSIX."""

collect_ignore = list(NOT_ON_WINDOWS) if sys.platform == "win32" else []

# The first example of a kernel compiles it, so its time means nothing.
settings.register_profile("without deadline", deadline=None)
settings.load_profile("without deadline")

# Parts of kernels are tested one by one.
os.environ["TOPICGROVE_CALL_PARTS"] = "1"

# Runs in the background or under nohup ignore these, and so would every process that a test sends one to.
for number, handler in PYTHONS_OWN.items():
    if signal.getsignal(number) is signal.SIG_IGN:
        signal.signal(number, handler)


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip single tests that need POSIX."""
    if sys.platform == "win32" and item.get_closest_marker("posix"):
        pytest.skip("not on Windows")
