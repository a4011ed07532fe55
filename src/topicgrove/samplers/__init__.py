"""The three Gibbs samplers. They share the sweep; each file holds what is specific to its sampler."""

from topicgrove.samplers.base import Sampler
from topicgrove.samplers.blocked import BlockedGibbs
from topicgrove.samplers.collapsed import CollapsedGibbs
from topicgrove.samplers.partially_collapsed import PartiallyCollapsedGibbs

__all__ = ["BlockedGibbs", "CollapsedGibbs", "PartiallyCollapsedGibbs", "Sampler"]
