"""Communication between the processes of a run: alone or over MPI, launch, and failure.

This is a bottom layer: it knows nothing about corpora, states or training.
"""

from topicgrove.communication.communicator import Communicator, PeerLostError

__all__ = ["Communicator", "PeerLostError"]
