"""Collapsed Gibbs sampling (CGS): phi and pi are integrated out, and every topic is rapid.

z: p(z_dn = l) ~ (C_dl + alpha_l) (C_tv + beta_l) / (C_t + V beta_l);   c: p(c_d = c) ~ nCRP(c) prod_l f_C(d, c_l)
"""

from __future__ import annotations

import numpy as np

from topicgrove.samplers.base import SamplerSettings
from topicgrove.samplers.layout import keep_tidy
from topicgrove.state import State

MAX_COLLAPSED = 2**31 - 1
"""Maximum number of tokens that the counts of the root can hold."""


class CollapsedGibbs:
    """CGS: exact, one document at a time."""

    name = "cgs"
    fixed_weights = False
    draw_phi = False

    @classmethod
    def of(cls, settings: SamplerSettings) -> CollapsedGibbs:
        """Make a sampler; refuse more tokens than the counts can hold."""
        if settings.n_tokens > MAX_COLLAPSED:
            raise ValueError(
                f"sampler: collapsed counts hold at most {MAX_COLLAPSED} tokens and X has {settings.n_tokens}; "
                "use sampler='pcgs' with a finite collapse_below"
            )
        return cls()

    def refresh(self, state: State) -> None:
        """Clear dead columns away once there are many; nothing is instantiated."""
        nodes = state.nodes()
        keep_tidy(state, nodes, np.zeros(len(nodes.slot), np.bool_))
