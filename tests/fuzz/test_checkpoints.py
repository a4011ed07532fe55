"""Checkpoints with a valid seal and false contents are refused, or resume to the tree that they should.

Changes that give a state that another run might have had are listed in ``resume_mutations.OTHER_STATES``.
"""

from pathlib import Path

from .judging import assert_judged, reports_of


def test_mutated_checkpoints_are_refused_or_resume_to_the_right_tree(tmp_path: Path) -> None:
    assert_judged(reports_of("resume_mutations", tmp_path, 300), 300, most_others=0.15)
