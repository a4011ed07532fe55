"""Partially collapsed Gibbs sampling (PCGS): slow topics have an instantiated phi, rapid ones are collapsed.

A topic is rapid while it has fewer than M = ``collapse_below`` documents. Slow topics use the blocked sampler's rule;
rapid and new ones use the collapsed sampler's. The path weights pi stay collapsed.

z: p(z_dn = l) ~ (C_dl + alpha_l) phi_tv            or  (C_dl + alpha_l) (C_tv + beta_l) / (C_t + V beta_l)
c: p(c_d = c) ~ nCRP(c) prod_l f(d, c_l),       f = f_I or f_C
phi: phi_t ~ Dir(beta_l + C_t) for slow topics, or its mean
"""

from __future__ import annotations

import numpy as np

from topicgrove.kernels.structures import ROOT
from topicgrove.samplers.base import SamplerSettings
from topicgrove.samplers.distributions import refresh_phi
from topicgrove.samplers.layout import keep_tidy
from topicgrove.state import State

FEW_TOKENS = 10_000
"""Below this number of tokens, phi="auto" draws phi."""


class PartiallyCollapsedGibbs:
    """PCGS; the root is slow no matter how few documents it has."""

    name = "pcgs"
    fixed_weights = False

    def __init__(self, collapse_below: float, draw_phi: bool) -> None:
        self.collapse_below = collapse_below
        self.draw_phi = draw_phi

    @classmethod
    def of(cls, settings: SamplerSettings) -> PartiallyCollapsedGibbs:
        """Make a sampler; ``phi="auto"`` draws phi for small corpora."""
        draw = settings.phi == "draw" or (settings.phi == "auto" and settings.n_tokens < FEW_TOKENS)
        return cls(settings.collapse_below, draw_phi=draw)

    def refresh(self, state: State) -> None:
        """Decide which topics are slow now, and make their phi from their counts."""
        nodes = state.nodes()
        slow = nodes.n_docs >= self.collapse_below
        slow[ROOT] = np.isfinite(self.collapse_below)
        keep_tidy(state, nodes, slow)
        refresh_phi(state, self.draw_phi)
