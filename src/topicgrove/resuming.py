"""Going on with a run from its checkpoints, which every model does in the same way."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pkgutil import resolve_name
from typing import Any, Self

from topicgrove import fitting
from topicgrove.choices import MODELS
from topicgrove.communication import Communicator
from topicgrove.communication.together import together
from topicgrove.persistence import parameters
from topicgrove.persistence.checkpoints import read_checkpoint


class Resumable:
    """A model whose runs write checkpoints. ``_train`` is the function that trains it."""

    n_iter: int
    _train: Any

    @classmethod
    def resume(
        cls,
        directory: str | os.PathLike[str],
        X: Any = None,
        *,
        n_iter: int | None = None,
        n_jobs: int | None = None,
        callbacks: Iterable[Any] = (),
        verbose: int = 0,
        communicator: Communicator | None = None,
    ) -> Self:
        """Resume from a directory's newest checkpoint; with one thread, the result equals that of an uninterrupted run.

        Parameters
        ----------
        directory : str or path-like
            The directory given as ``checkpoint``.
        X : texts, tokens, counts or Corpus, default=None
            The same documents again. None takes the corpus that the checkpoints refer to.
        n_iter : int, default=None
            A new total number of sweeps; even a run that stopped early then continues.
        n_jobs, callbacks, verbose
            As in the constructor; checkpoints do not include them.
        communicator : Communicator, default=None
            As in `fit`; the number of processes may differ.
        """
        model: Any = together(communicator or Communicator(), lambda: cls.from_checkpoint(directory))
        n_iter = model.n_iter if n_iter is None else n_iter
        model.set_params(n_iter=n_iter, n_jobs=n_jobs, callbacks=callbacks, verbose=verbose)
        resumed: Self = model.continue_fit(X, communicator=communicator)
        return resumed

    @classmethod
    def from_checkpoint(cls, directory: str | os.PathLike[str]) -> Self:
        """Return the unfitted estimator of the run that wrote the checkpoints in a directory."""
        model = model_of_checkpoint(directory)
        if not issubclass(cls, type(model)):
            raise ValueError(f"{directory}: these are checkpoints of a {type(model).__name__}, not of a {cls.__name__}")
        own: Self = cls(**model.get_params(deep=False))
        return own

    def continue_fit(self, X: Any = None, *, communicator: Communicator | None = None) -> Self:
        """Resume from the newest checkpoint in ``checkpoint``, like `resume` on an existing estimator."""
        model: Any = self
        self._train(self, lambda: fitting.task_of_checkpoint(model, X), communicator or Communicator())
        return self


def model_of_checkpoint(directory: str | os.PathLike[str]) -> Any:
    """Return the unfitted estimator, of whichever model, of the run that wrote the checkpoints in a directory."""
    checkpoint = read_checkpoint(directory)
    saved = parameters.estimator_of(checkpoint.parameters, checkpoint.model).get_params(deep=False)
    return resolve_name(MODELS[checkpoint.model].estimator)(**saved | {"checkpoint": directory})
