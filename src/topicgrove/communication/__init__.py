"""How the processes of a run talk to each other: alone or over MPI, how they are launched, and how they fail.

This is a bottom layer: it knows nothing of corpora, states or training.
"""

from topicgrove.communication.communicator import Communicator, PeerLostError

__all__ = ["Communicator", "PeerLostError"]
