"""Checkpoints: a directory with the newest states of a run and the corpus they belong to.

``corpus/`` is a corpus store, unless the run's corpus is itself one; then its path is stored. Each checkpoint is a
sealed file of its own, so a run that dies while writing one keeps the earlier ones.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import time
from contextlib import suppress
from itertools import chain
from pathlib import Path
from pkgutil import resolve_name
from types import TracebackType
from typing import Any, NamedTuple

import numpy as np

from topicgrove.checks import flag
from topicgrove.choices import MODELS
from topicgrove.communication import Communicator
from topicgrove.communication.communicator import PeerLostError
from topicgrove.communication.together import together
from topicgrove.corpus import Corpus, open_store
from topicgrove.corpus.documents import storable_name
from topicgrove.corpus.formats import MANIFEST
from topicgrove.holding_out import HeldOut
from topicgrove.persistence.checking import check_nodes, check_snapshot
from topicgrove.persistence.history import check_history
from topicgrove.persistence.hyper import hyper_arrays, hyper_of
from topicgrove.persistence.locks import lock
from topicgrove.persistence.migrations import newest_version
from topicgrove.persistence.parameters import estimator_of, to_json
from topicgrove.persistence.parts import PARTS, part_path, tree_arrays, write_part
from topicgrove.persistence.sealed import Arrays, CorruptModelError, check_known, consistent, read_sealed, write_sealed
from topicgrove.persistence.snapshots import take_snapshot
from topicgrove.plans import has_fixed_weights
from topicgrove.training import SweepEvent
from topicgrove.validation import check_whole
from topicgrove.whole_files import FilePath

KIND = "topicgrove checkpoint"
VERSION = newest_version(KIND)
KEPT = 2
"""Checkpoints that are kept: the newest, and one more in case that one cannot be read."""

_PATTERN = "checkpoint-*.safetensors"
_LEFT_OVER = (".checkpoint-*.tmp", ".part-*.tmp")
_CORPUS = "corpus"
_LOCK = "lock"


class Checkpoint(NamedTuple):
    """The state of a run after an iteration."""

    iteration: int
    stopped: bool
    parameters: dict[str, Any]
    seed: int
    hyper: Any
    adjusters: list[dict[str, Any]]
    history: list[dict[str, Any]]
    fingerprint: str
    corpus: str
    state: Arrays
    run: str = ""
    n_parts: int = 0
    directory: str = ""
    n_held_out: int = 0
    model: str = "hlda"

    @property
    def fixed_weights(self) -> bool:
        """Whether its sampler draws the weights of paths."""
        return has_fixed_weights(self.parameters["sampler"])


class Checkpointer:
    """A callback that writes a checkpoint at intervals of iterations or minutes. It locks the directory.

    What it writes is that of hierarchical LDA; a subclass has that of another model.
    """

    model = "hlda"

    def __init__(
        self,
        directory: FilePath,
        corpus: Corpus,
        parameters: dict[str, Any],
        *,
        every: int,
        minutes: float | None = None,
        n_held_out: int = 0,
        comm: Communicator | None = None,
    ) -> None:
        self.comm = comm or Communicator()
        self.n_held_out = n_held_out
        self.directory = Path(directory)
        self.parameters = parameters
        self.every = every
        self.minutes = minutes
        self.history: list[dict[str, Any]] = []
        self.trainer: Any = None
        self._own: list[Path] = []
        self._last = time.monotonic()
        self._lock: int | None = None
        facts = together(self.comm, lambda: self._prepare(corpus) if self.comm.rank == 0 else [])
        self.fingerprint, self.corpus, self.run = json.loads(self.comm.broadcast(json.dumps(facts).encode()))

    def __enter__(self) -> Checkpointer:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._lock is not None:
            os.close(self._lock)

    def _prepare(self, corpus: Corpus) -> list[str]:
        """Lock the directory and store the corpus if needed.

        Return its fingerprint, its path, and a name for the run.
        """
        self.directory.mkdir(parents=True, exist_ok=True)
        self._lock = lock(self.directory / _LOCK)
        try:
            for path in chain(*map(self.directory.glob, _LEFT_OVER)):
                path.unlink()
            digest = fingerprint(corpus)
            return [digest, _keep_corpus(corpus, self.directory, digest), secrets.token_hex(8)]
        except BaseException:
            os.close(self._lock)
            raise

    def __call__(self, event: SweepEvent) -> None:
        """Write a checkpoint if one is due."""
        due = event.iteration % self.every == 0
        if self.minutes is not None and not due:
            waited = (time.monotonic() - self._last) / 60
            # Clocks differ: one rank whose time is up is enough.
            due = bool(self.comm.allreduce_max(waited >= self.minutes)[0])
        if due:
            self.write()

    def follow(self, trainer: Any, history: list[dict[str, Any]]) -> None:
        """Write checkpoints of this trainer, which may itself have been restored from one."""
        self.trainer = trainer
        self.history = history
        self._own = [self._path()]
        self.written = trainer.iteration

    def write(self) -> None:
        """Write one now, unless this iteration has one; remove those of other runs."""
        trainer, path = self.trainer, self._path()
        assert trainer is not None
        if path == self._own[-1]:
            return
        if self.comm.size > 1:
            self._write_with_parts(trainer, path)
        else:
            self._write_all(trainer, path)
        self._last = time.monotonic()
        self.written = trainer.iteration
        self._own = [*self._own, path][-KEPT:]

    def _write_with_parts(self, trainer: Any, path: Path) -> None:
        """Write all parts, then the tree; if a rank fails to write, all ranks raise OSError and remove their parts.

        If a rank is lost, the others cannot tell how far it came, so parts stay. What counts is whether the tree is
        there.
        """
        part = part_path(self.directory, trainer.iteration, self.comm.rank)
        try:
            together(self.comm, lambda: write_part(part, trainer.state, trainer.iteration, self.run))
            together(self.comm, lambda: self._write_all(trainer, path) if self.comm.rank == 0 else None)
        except PeerLostError:
            if path.exists():
                self.written = trainer.iteration
            raise
        except OSError:
            part.unlink(missing_ok=True)
            raise

    @property
    def last(self) -> str:
        """Say where the last checkpoint is."""
        if self.written == 0:
            return f"there is no checkpoint in {self.directory} yet"
        return f"go on from the checkpoint of iteration {self.written} in {self.directory}"

    def _write_all(self, trainer: Any, path: Path) -> None:
        """Write what rank 0 writes, everything or all but the parts."""
        state, shared = trainer.state, self.comm.size > 1
        facts = {
            "stopped": trainer.stopped,
            "adjusters": [adjuster.to_dict() for adjuster in trainer.adjusters],
            "n_parts": self.comm.size if shared else 0,
        }
        arrays = tree_arrays(state) if shared else take_snapshot(state)
        self._write_file(path, trainer, facts, arrays | hyper_arrays(state.hyper))

    def _write_file(self, path: Path, trainer: Any, own_facts: dict[str, Any], arrays: Arrays) -> None:
        """Write a file with the facts of every model and those of this one; then remove older checkpoints."""
        facts = {
            "model": self.model,
            "iteration": trainer.iteration,
            "parameters": self.parameters,
            "seed": int(trainer.state.seed),
            "history": self.history,
            "fingerprint": self.fingerprint,
            "corpus": self.corpus,
            "run": self.run,
        } | ({"n_held_out": self.n_held_out} if self.n_held_out else {})
        write_sealed(path, KIND, VERSION, facts | own_facts, arrays)
        kept = {*self._own[-1:], path}
        iterations = {file.stem.removeprefix("checkpoint") for file in kept}
        for old in set(self.directory.glob(_PATTERN)) - kept:
            _remove(old)
        for part in self.directory.glob(PARTS):
            if part.stem.removeprefix("part")[:10] not in iterations:
                _remove(part)

    def _path(self) -> Path:
        assert self.trainer is not None, "follow comes first"
        return self.directory / f"checkpoint-{self.trainer.iteration:09d}.safetensors"


def read_checkpoint(directory: FilePath) -> Checkpoint:
    """Read the newest readable checkpoint of a directory."""
    paths = sorted(Path(directory).glob(_PATTERN), reverse=True)
    if not paths:
        raise FileNotFoundError(f"{directory}: no checkpoint there (no file like {_PATTERN})")
    for path in paths:
        try:
            return _read(path)
        except CorruptModelError as error:
            damaged = error
    raise damaged


def corpus_of(directory: FilePath, checkpoint: Checkpoint) -> Corpus:
    """Open the corpus of a checkpoint, including the documents that are held out."""
    corpus = open_store(Path(directory) / checkpoint.corpus)
    check_same_corpus(corpus, checkpoint)
    return corpus


def training_corpus_of(directory: FilePath, checkpoint: Checkpoint) -> Corpus:
    """Open the documents that the run of a checkpoint trains on."""
    corpus = corpus_of(directory, checkpoint)
    if not checkpoint.n_held_out:
        return corpus
    return HeldOut(corpus.n_docs, checkpoint.n_held_out, checkpoint.seed).split(corpus)[0]


def check_same_corpus(corpus: Corpus, checkpoint: Checkpoint) -> None:
    """Raise ValueError if a checkpoint belongs to another corpus."""
    if fingerprint(corpus) != checkpoint.fingerprint:
        raise ValueError(
            f"the corpus ({corpus.n_docs} documents, {corpus.n_tokens} tokens, {corpus.n_words} words) is not the one "
            "that the checkpoint was made with"
        )


def fingerprint(corpus: Corpus) -> str:
    """Return the SHA-256 of tokens and vocabulary.

    >>> a, b = Corpus.from_documents([[0, 1]]), Corpus.from_documents([[0], [1]])
    >>> fingerprint(a) == fingerprint(a), fingerprint(a) == fingerprint(b)
    (True, False)
    """
    digest = hashlib.sha256(f"{corpus.n_docs} {corpus.n_tokens} {corpus.n_words}".encode())
    digest.update(np.ascontiguousarray(corpus.offsets).data)
    digest.update(np.ascontiguousarray(corpus.words).data)
    for word in corpus.vocabulary or ():
        digest.update(word.encode() + b"\0")
    return digest.hexdigest()


def _remove(path: Path) -> None:
    """Remove a file; on Windows, one that is being read stays until the next checkpoint is written."""
    with suppress(FileNotFoundError, PermissionError):
        path.unlink()


def _read(path: Path) -> Checkpoint:
    facts, arrays = read_sealed(path, KIND, VERSION)
    with consistent(path, "checkpoint"):
        check_known("fact", facts, Checkpoint._fields)
        check_known("model", [facts["model"]], MODELS)
        checkpoint = Checkpoint(**facts, hyper=None, state=arrays, directory=str(path.parent))
        # In full: an older program may have had fewer parameters.
        known = to_json(estimator_of(checkpoint.parameters, checkpoint.model).get_params(deep=False))
        checkpoint = checkpoint._replace(parameters=known)
        whole: Checkpoint = resolve_name(MODELS[checkpoint.model].read_checkpoint)(checkpoint)
        return whole


def read_one_path_state(checkpoint: Checkpoint) -> Checkpoint:
    """Add the hyper-parameters of hierarchical LDA, after checking everything."""
    arrays = checkpoint.state
    hyper = hyper_of(arrays)
    check_facts(checkpoint, hyper.n_levels)
    if checkpoint.n_parts:
        check_nodes(arrays, hyper.n_levels, checkpoint.n_parts, checkpoint.iteration)
    else:
        check_snapshot(arrays, hyper, checkpoint.iteration, checkpoint.fixed_weights)
    return checkpoint._replace(hyper=hyper)


def check_facts(checkpoint: Checkpoint, n_levels: int, *, full_depth: bool = True) -> None:
    """Raise an error at the first wrong fact; see `check_history` for ``full_depth``."""
    n_rows = len(check_history(checkpoint.history, n_levels, full_depth=full_depth))
    if check_whole("iteration", checkpoint.iteration, 1) != n_rows:
        raise ValueError(f"iteration is {checkpoint.iteration}, but the history has {n_rows}")
    check_whole("seed", checkpoint.seed, 0, 2**63 - 1)
    check_whole("n_parts", checkpoint.n_parts, 0)
    check_whole("n_held_out", checkpoint.n_held_out, 0)
    flag("stopped", checkpoint.stopped)
    for name in ("fingerprint", "corpus", "run"):
        if not isinstance(getattr(checkpoint, name), str):
            raise TypeError(f"{name} must be text; got {getattr(checkpoint, name)!r:.80}")
    if not isinstance(checkpoint.adjusters, list):
        raise TypeError(f"adjusters must be a list; got {checkpoint.adjusters!r:.80}")


def _keep_corpus(corpus: Corpus, directory: Path, digest: str) -> str:
    """Return the path of the corpus relative to the directory; save it there if it is in no store."""
    store = _store_of(corpus, digest)
    place = None if store is None else _seen_from(directory.resolve(), store)
    # A checkpoint stores text in UTF-8, but a path may not be UTF-8.
    if place is not None and storable_name(place) == place:
        return place
    path = directory / _CORPUS
    if path.exists():
        if fingerprint(open_store(path)) != digest:
            raise ValueError(f"checkpoint: {directory} has those of another corpus; choose another directory")
    else:
        corpus.save(path)
    return _CORPUS


def _seen_from(directory: Path, store: Path) -> str:
    """Return a store's path relative to a directory, with slashes; absolute if it is on another drive."""
    try:
        return Path(os.path.relpath(store, directory)).as_posix()
    except ValueError:
        return store.as_posix()


def _store_of(corpus: Corpus, digest: str) -> Path | None:
    """Return the store that the words are mapped from, if it holds exactly this corpus."""
    base = corpus.words
    while isinstance(base, np.ndarray):
        if isinstance(base, np.memmap) and base.filename is not None:
            folder = Path(base.filename).resolve().parent
            is_it = (folder / MANIFEST).is_file() and fingerprint(open_store(folder, verify=False)) == digest
            return folder if is_it else None
        base = base.base  # type: ignore[assignment]
    return None
