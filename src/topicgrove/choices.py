"""Names of samplers and starts for users to choose. The command line shows them, so nothing heavy is imported here.

`distributed/sync.py` has the names of sync strategies.
"""

SAMPLERS = {
    "pcgs": "topicgrove.samplers.partially_collapsed:PartiallyCollapsedGibbs",
    "cgs": "topicgrove.samplers.collapsed:CollapsedGibbs",
    "bgs": "topicgrove.samplers.blocked:BlockedGibbs",
}
"""Every sampler by its user-facing name, with the place of its class. "auto" stands for one of the first two."""

INITS = ("bottom_up", "monte_carlo", "progressive", "none")
"""The ways in which training can start."""
