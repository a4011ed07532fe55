"""Models and corpus stores with valid checksums and false contents are refused, or are what they should be.

Changes that give another valid model or corpus are listed in ``load_mutations``.
"""

from pathlib import Path

from .judging import assert_judged, reports_of


def test_mutated_models_and_stores_are_refused_or_hold_together(tmp_path: Path) -> None:
    assert_judged(reports_of("load_mutations", tmp_path, 500), 500, most_others=0.25)
