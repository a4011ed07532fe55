"""Figures for papers: the tree of topics, and the course of training. They need matplotlib, the extra ``plot``."""

from topicgrove.plotting.over_picture import plot_over
from topicgrove.plotting.training_curves import plot_training
from topicgrove.plotting.tree_picture import plot_tree

__all__ = ["plot_over", "plot_training", "plot_tree"]
