"""Write the pictures of docs/pictures.md, from the bundled corpus.

``python scripts/make_pictures.py`` writes them to docs/images.
"""

from __future__ import annotations

from pathlib import Path

from topicgrove import HierarchicalLDA, load_example
from topicgrove.demo import N_ITER, N_LEVELS

TARGET = Path(__file__).parents[1] / "docs" / "images"


def main() -> None:
    """Train the demo's model in one thread, which gives the same tree every time, and draw it."""
    TARGET.mkdir(exist_ok=True)
    model = HierarchicalLDA(N_LEVELS, n_iter=N_ITER, random_state=0, n_jobs=1).fit(load_example())
    model.tree_.plot(TARGET / "tree-picture.svg", levels=(1, 2), min_docs=75, words=6)
    model.plot_training(TARGET / "training-picture.svg")


if __name__ == "__main__":
    main()
