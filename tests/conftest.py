"""What holds for all tests."""

import os
import signal

from hypothesis import settings

# The first example of a kernel compiles it: its time says nothing.
settings.register_profile("without deadline", deadline=None)
settings.load_profile("without deadline")

# Parts of kernels are tested one by one.
os.environ["TOPICGROVE_CALL_PARTS"] = "1"

# Runs in the background or under nohup ignore these, and so would every process that a test sends one to.
for number, handler in ((signal.SIGINT, signal.default_int_handler), (signal.SIGHUP, signal.SIG_DFL)):
    if signal.getsignal(number) is signal.SIG_IGN:
        signal.signal(number, handler)
