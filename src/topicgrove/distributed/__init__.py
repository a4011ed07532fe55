"""Training by several processes, each with a shard of the documents and a copy of the tree and the counts."""

from topicgrove.communication import Communicator, PeerLostError

__all__ = ["Communicator", "PeerLostError"]
