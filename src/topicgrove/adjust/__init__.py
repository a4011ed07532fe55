"""What changes a run while it goes: steering to a number of topics, learning hyper-parameters, stopping, tidying up."""

from topicgrove.adjust.learning import LearnHyper
from topicgrove.adjust.small_topics import dissolve_small
from topicgrove.adjust.steering import SteerTopics
from topicgrove.adjust.stopping import StopOnPlateau

__all__ = ["LearnHyper", "SteerTopics", "StopOnPlateau", "dissolve_small"]
