"""``communicator`` under a public name; its home is ``communication.launch``."""

from topicgrove.communication.launch import communicator

__all__ = ["communicator"]
