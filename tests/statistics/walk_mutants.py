"""Mistakes in the kernels of walks."""

from __future__ import annotations

from .mutants import Edit

KERNEL, STATE = "kernels/walks.py", "several_paths/state.py"
SAMPLERS = "several_paths/samplers.py"

_REMOVED = "            count_token(t, np.int32(-1), tree, space)\n"
_SETTLED = "            settle(w, t, new, learning, tree, words, space)\n"
_INNER_GAIN = "space.gain[s] = np.float32(space.own[node]) + tree.stop[node] if used"

WALK_MUTANTS = {
    "own_token_not_removed": [Edit(KERNEL, _REMOVED, ""), Edit(KERNEL, _SETTLED, _REMOVED + _SETTLED)],
    "own_word_not_removed": [
        Edit(KERNEL, "space.phi[space.slot[t]] = phi_without(row, t, words)", "pass"),
    ],
    "no_stop_weight_at_inner_nodes": [Edit(KERNEL, _INNER_GAIN, "space.gain[s] = np.float32(space.own[node]) if used")],
    "reach_of_a_sibling": [
        Edit(
            KERNEL,
            "space.ratio[i] = (b + tree.child_weight[node]) / total",
            "sibling = node - 1 if tree.parent[node - 1] == tree.parent[node] else node + 1\n"
            "    b = np.float32(space.through[sibling])\n"
            "    space.ratio[i] = (b + tree.child_weight[sibling]) / total",
        )
    ],
    "no_denominator": [
        Edit(
            KERNEL,
            "space.ratio[i] = (b + tree.child_weight[node]) / total",
            "space.ratio[i] = b + tree.child_weight[node]",
        )
    ],
    "beta_of_the_level_above": [
        Edit(STATE, "beta = hyper.beta[self.level]", "beta = hyper.beta[np.maximum(self.level - 1, 0)]")
    ],
    "no_v_times_beta": [Edit(STATE, "self.words.mass[:] = beta * self.n_words", "self.words.mass[:] = beta")],
}
"""Those that show in either way of drawing."""

SLOW_MUTANTS = {
    "phi_is_its_mean": [Edit(SAMPLERS, "    if draw:\n", "    if not draw:\n")],
    "slow_topics_not_counted": [Edit(SAMPLERS, "        if len(slow) == 0:\n", "        if state is not None:\n")],
    "phi_of_another_prior": [Edit(SAMPLERS, "words.beta[slow], state.seed", "words.beta[slow] * 3, state.seed")],
}
"""Those of topics whose phi is instantiated."""

PROPOSAL_MUTANTS = {
    "stale_tables_not_corrected": [
        Edit(KERNEL, "if uniform32(space.stream) * (p_old * q_new) < p_new * q_old:", "if True:")
    ],
    "proposal_takes_used_topics_for_unused": [
        Edit(KERNEL, "return space.drawn[s], space.drawn[s] + rest", "return space.drawn[s], space.drawn[s]")
    ],
    "only_the_highest_way_to_a_topic": [
        Edit(KERNEL, "            total += r\n            if lowest", "            total = r\n            if lowest")
    ],
}
"""Those of proposals from tables."""
