"""The explorer's page while a model is in training, served on this machine only."""

from topicgrove.watch.live_page import LivePage
from topicgrove.watch.server import serve

__all__ = ["LivePage", "serve"]
