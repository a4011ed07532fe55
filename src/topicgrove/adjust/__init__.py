"""Changes to a run while it trains: steering to a number of topics, learning hyper-parameters, stopping, tidying up."""

from topicgrove.adjust.learning import LearnHyper
from topicgrove.adjust.steering import SteerTopics
from topicgrove.adjust.stopping import StopOnPlateau
from topicgrove.adjust.tidying import tidy

__all__ = ["LearnHyper", "SteerTopics", "StopOnPlateau", "tidy"]
