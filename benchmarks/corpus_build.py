"""Text to corpus store, including files, against CountVectorizer.fit_transform in memory; and the cost of phrases.

Phrases are joined in 20news and in the first 50,000 abstracts of arxiv_150k. All tasks take turns; the best time of
each counts.
"""

from __future__ import annotations

import gzip
import io
import json
import tempfile
import time
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Any

import zstandard
from corpora import FOLDER
from sklearn.feature_extraction.text import CountVectorizer

from topicgrove.corpus import Corpus, build_store

ROUNDS = 3
RULES: dict[str, Any] = {"stop_words": "english", "min_df": 5, "max_df": 0.5}
ARXIV = "arxiv_150k"
N_ABSTRACTS = 50_000


def store(path: Path, folder: Path, **rules: Any) -> Callable[[], Corpus]:
    """Return a task that builds a store, each time in a new folder."""
    return lambda: build_store(path, Path(tempfile.mkdtemp(dir=folder)) / "store", **rules)


def best_seconds(tasks: dict[str, Callable[[], Any]], rounds: int = ROUNDS) -> dict[str, tuple[float, Any]]:
    """Run tasks in turns; return the least time and the last result of each."""
    best: dict[str, tuple[float, Any]] = {}
    for _ in range(rounds):
        for name, task in tasks.items():
            started = time.perf_counter()
            result = task()
            seconds = time.perf_counter() - started
            best[name] = min(seconds, best.get(name, (seconds,))[0]), result
    return best


def against_count_vectorizer(path: Path, folder: Path) -> None:
    texts = [json.loads(line)["text"] for line in gzip.decompress(path.read_bytes()).splitlines()]
    Corpus.from_texts(texts[:100], **RULES)  # machine code ready
    best = best_seconds(
        {
            "CountVectorizer.fit_transform": lambda: CountVectorizer(**RULES).fit_transform(texts),
            "Corpus.from_texts": lambda: Corpus.from_texts(texts, **RULES),
            "build_store from .jsonl.gz": store(path, folder, **RULES),
        }
    )
    theirs, X = best["CountVectorizer.fit_transform"]
    for name, (seconds, _) in best.items():
        print(f"{name:30} {seconds:.2f} s: {theirs / seconds:.1f}x as fast")
    corpus, built = best["Corpus.from_texts"][1], best["build_store from .jsonl.gz"][1]
    plain = Corpus.from_texts(texts, clean=None, **RULES).to_csr()
    same = bool((corpus.words == built.words).all()) and plain.shape == X.shape and (plain != X).nnz == 0
    print(f"without cleaning, counts are {'the same' if same else 'DIFFERENT'}", flush=True)


def cost_of_phrases(path: Path, folder: Path) -> None:
    tasks = {"without": store(path, folder, phrases=False), "with": store(path, folder, phrases=True)}
    tasks["with"]()  # machine code ready
    best = best_seconds(tasks, 2 * ROUNDS)
    (without, plain), (joined, corpus) = best["without"], best["with"]
    n_phrases = sum(" " in word for word in corpus.vocabulary or ())
    print(
        f"{path.name} with {n_phrases:,} phrases: {joined:.2f} s, {joined / without:.2f} times as long as without; "
        f"{corpus.n_words:,} words in place of {plain.n_words:,}",
        flush=True,
    )


def first_abstracts(folder: Path) -> Path:
    """Write the first abstracts as JSON Lines."""
    path = folder / f"{ARXIV}.jsonl"
    with (FOLDER / ARXIV / f"{ARXIV}.jsonl.zst").open("rb") as file, path.open("w", encoding="utf-8") as out:
        data = zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=True)
        out.writelines(islice(io.TextIOWrapper(data, "utf-8"), N_ABSTRACTS))
    return path


def main() -> None:
    path = FOLDER / "20news" / "20news.jsonl.gz"
    if not path.exists():
        raise SystemExit(
            f"benchmark corpus 20news is not there: {path} (set TOPICGROVE_DATA to the folder that has it)"
        )
    with tempfile.TemporaryDirectory() as folder:
        against_count_vectorizer(path, Path(folder))
        cost_of_phrases(path, Path(folder))
        if (FOLDER / ARXIV).exists():
            cost_of_phrases(first_abstracts(Path(folder)), Path(folder))


if __name__ == "__main__":
    main()
