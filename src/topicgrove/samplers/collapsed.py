"""Collapsed Gibbs sampling (CGS): phi and pi are integrated out, every topic is rapid.

z: p(z_dn = l) ~ (C_dl + alpha_l) (C_tv + beta_l) / (C_t + V beta_l);   c: p(c_d = c) ~ nCRP(c) prod_l f_C(d, c_l)
"""

from __future__ import annotations

import numpy as np

from topicgrove.samplers.layout import keep_tidy
from topicgrove.state import State


class CollapsedGibbs:
    """CGS: exact and one document at a time."""

    name = "cgs"
    fixed_weights = False
    draw_phi = False

    def refresh(self, state: State) -> None:
        """Nothing is instantiated: only dead columns are cleared away, once there are many."""
        nodes = state.nodes()
        keep_tidy(state, nodes, np.zeros(len(nodes.slot), np.bool_))
