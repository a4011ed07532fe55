"""The explorer as a widget for notebooks. It needs anywidget, the extra ``notebook``."""

from topicgrove.widget.explorer import Explorer

__all__ = ["Explorer"]
