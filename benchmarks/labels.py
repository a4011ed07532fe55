"""Agreement of level-1 topics with the top of the documents' label paths, with default settings."""

from __future__ import annotations

import gzip
import json

from corpora import FOLDER, load
from sklearn.metrics import normalized_mutual_info_score

from topicgrove import HierarchicalLDA


def top_labels(name: str) -> list[str]:
    with gzip.open(FOLDER / name / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
        return [json.loads(line)["label_path"][0] for line in lines]


def main() -> None:
    for name in ("20news", "arxiv_dev"):
        corpus, labels = load(name), top_labels(name)
        for seed in (1, 2, 3):
            model = HierarchicalLDA(n_iter=70, n_jobs=2, random_state=seed).fit(corpus)
            nmi = normalized_mutual_info_score(labels, model.paths_[:, 1])
            print(f"{name} seed {seed}: {model.tree_}, NMI of level 1 with the labels' top {nmi:.3f}", flush=True)


if __name__ == "__main__":
    main()
