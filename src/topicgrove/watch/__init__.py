"""The explorer's page for a model in training, served on this machine only."""

from topicgrove.watch.live_page import LivePage
from topicgrove.watch.server import serve

__all__ = ["LivePage", "serve"]
