"""The command ``topicgrove``: one file per command. Whatever takes long to import is imported inside of them."""

from topicgrove.cli.app import main

__all__ = ["main"]
