"""Corpus stores with anything in them; those that are opened are corpora that can be trained on."""

from __future__ import annotations

import hashlib
import json
from contextlib import suppress
from pathlib import Path

import numpy as np
import orjson

from topicgrove import Corpus, CorruptStoreError, open_store
from topicgrove.corpus.store import manifest_digest

from . import samples
from .cases import Target
from .damage import damaged
from .models import Changed
from .mutations import Random, mutate_array, mutate_fact
from .readers import assert_same, check_corpus

MANIFEST = "manifest.json"


class Stores(Target):
    """`open_store`."""

    share = 7
    refusals = (CorruptStoreError, OSError)

    def __init__(self, kind: str) -> None:
        self._kind = kind

    def prepare(self) -> None:
        """Compile what training needs."""
        train(samples.corpus())

    def generate(self, rng: Random, folder: Path) -> Changed:
        """One of its files changed."""
        files = dict(samples.folder_of("store"))
        if self._kind == "raw":
            name = sorted(files)[rng.integers(len(files))]
            files[name] = damaged(rng, files[name])
            what = name
        else:
            what = change_content(rng, files) if self._kind == "content" else change_manifest(rng, files)
        root = samples.write_folder(folder / "store", files)
        return Changed(what, root, files == samples.folder_of("store"))

    def run(self, given: Changed) -> Corpus:
        """Open it."""
        return open_store(given.path)

    def check(self, given: Changed, result: Corpus) -> None:
        """It is a corpus, also without checking its sums, and can be trained on."""
        damaged_bytes = self._kind == "raw" and not given.is_same
        assert not damaged_bytes or "manifest" in given.what, "a damaged store was opened"
        check_corpus(result, given.path.with_name("kept"))
        assert_same(open_store(given.path, verify=False), result)
        if result.n_tokens and result.n_words < 10**4:
            train(result)

    def check_refusal(self, given: Changed, error: Exception) -> None:
        """The message names the store."""
        assert given.path.name in str(error), f"no store in {error}"


def train(corpus: Corpus) -> None:
    """A sweep over a corpus."""
    samples.estimator(n_iter=1, init_iterations=1).fit(corpus).tree_.check()


def change_content(rng: Random, files: dict[str, bytes]) -> str:
    """Change an array or the vocabulary; sizes and sums in the manifest fit again."""
    names = sorted(name for name in files if name != MANIFEST)
    name = names[rng.integers(len(names))]
    if name.endswith(".json"):
        what, value = mutate_fact(rng, json.loads(files[name]))
        data = json.dumps(value, ensure_ascii=bool(rng.integers(2))).encode("utf-8", "surrogatepass")
    else:
        dtype = np.int64 if "offsets" in name else np.int32 if name == "words.bin" else np.uint8
        what, array = mutate_array(rng, np.frombuffer(files[name], dtype))
        data = array.tobytes()
    files[name] = data
    manifest = json.loads(files[MANIFEST])
    manifest["files"][name] = {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
    if name == "words.bin":
        manifest["n_tokens"] = len(data) // 4
    if name == "offsets.bin":
        manifest["n_docs"] = len(data) // 8 - 1
    files[MANIFEST] = signed(manifest)
    return f"{name}: {what}"


def change_manifest(rng: Random, files: dict[str, bytes]) -> str:
    """Change the manifest, which keeps a sum that fits."""
    manifest = json.loads(files[MANIFEST])
    del manifest["sha256"]
    what, changed = mutate_fact(rng, manifest)
    files[MANIFEST] = signed(changed) if isinstance(changed, dict) else json.dumps(changed).encode()
    return f"manifest: {what}"


def signed(manifest: dict[str, object]) -> bytes:
    """A manifest with its own sum, as the program reads it; no sum for one that it cannot read."""
    text = json.dumps({name: value for name, value in manifest.items() if name != "sha256"})
    with suppress(orjson.JSONDecodeError):
        digest = manifest_digest(orjson.loads(text))
        text = f'{{"sha256": "{digest}", {text[1:]}'
    return text.encode()


TARGETS: dict[str, Target] = {kind: Stores(kind) for kind in ("content", "manifest", "raw")}
