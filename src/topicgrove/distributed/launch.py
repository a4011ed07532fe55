"""``communicator`` under a public name; it is defined in ``communication.launch``."""

from topicgrove.communication.launch import communicator

__all__ = ["communicator"]
