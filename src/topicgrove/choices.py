"""Names that users choose samplers and starts by. The command line shows them, so nothing heavy is imported here.

`distributed/sync.py` has the names of sync strategies.
"""

SAMPLERS = {
    "pcgs": "topicgrove.samplers.partially_collapsed:PartiallyCollapsedGibbs",
    "cgs": "topicgrove.samplers.collapsed:CollapsedGibbs",
    "bgs": "topicgrove.samplers.blocked:BlockedGibbs",
}
"""Every sampler by the name that users give, with the place of its class. "auto" stands for one of the first two."""

INITS = ("bottom_up", "monte_carlo", "progressive", "none")
"""How training starts."""
