"""Text to corpus store, file and all, against CountVectorizer.fit_transform on texts that are in memory already."""

from __future__ import annotations

import gzip
import json
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from corpora import FOLDER
from sklearn.feature_extraction.text import CountVectorizer

from topicgrove.corpus import Corpus, build_store

ROUNDS = 3
RULES: dict[str, Any] = {"stop_words": "english", "min_df": 5, "max_df": 0.5}


def best_seconds(task: Callable[[], Any]) -> tuple[float, Any]:
    """The least time of some rounds, and the last result."""
    seconds = []
    for _ in range(ROUNDS):
        started = time.perf_counter()
        result = task()
        seconds.append(time.perf_counter() - started)
    return min(seconds), result


def main() -> None:
    path = FOLDER / "20news" / "20news.jsonl.gz"
    if not path.exists():
        raise SystemExit(
            f"benchmark corpus 20news is not there: {path} (set TOPICGROVE_DATA to the folder that has it)"
        )
    texts = [json.loads(line)["text"] for line in gzip.decompress(path.read_bytes()).splitlines()]
    Corpus.from_texts(texts[:100], **RULES)  # machine code ready
    theirs, X = best_seconds(lambda: CountVectorizer(**RULES).fit_transform(texts))
    print(f"CountVectorizer.fit_transform  {theirs:.2f} s for {len(texts)} texts in memory", flush=True)
    in_memory, corpus = best_seconds(lambda: Corpus.from_texts(texts, **RULES))
    print(f"Corpus.from_texts              {in_memory:.2f} s: {theirs / in_memory:.1f}x as fast", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "store"
        from_file, built = best_seconds(lambda: build_store(path, out, overwrite=True, **RULES))
        print(f"build_store from .jsonl.gz     {from_file:.2f} s: {theirs / from_file:.1f}x as fast")
        same = bool((corpus.words == built.words).all())
    plain = Corpus.from_texts(texts, clean=None, **RULES).to_csr()
    same = same and plain.shape == X.shape and (plain != X).nnz == 0
    print(f"without cleaning, counts are {'the same' if same else 'DIFFERENT'}")


if __name__ == "__main__":
    main()
