"""Optional libraries, and advice about those that cannot be imported."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

EXTRAS = {
    "pyarrow": "parquet",
    "pandas": "pandas",
    "polars": "polars",
    "networkx": "networkx",
    "matplotlib": "plot",
    "anywidget": "notebook",
    "mpi4py": "mpi",
    "rjieba": "chinese",
    "sudachipy": "japanese",
    "icu4py": "icu",
}
"""The extras of TopicGrove, by the library that they install."""


@contextmanager
def needed(library: str, purpose: str) -> Iterator[None]:
    """Raise ImportError with advice if an import inside the block fails.

    Examples
    --------
    >>> with needed("pandas", "to_pandas"):
    ...     raise ModuleNotFoundError("No module named 'pandas'", name="pandas")
    Traceback (most recent call last):
    ImportError: to_pandas needs pandas, which is not installed: pip install 'topicgrove[pandas]'
    """
    try:
        yield
    # Extensions built for other versions may raise anything, such as ValueError (NumPy) or RuntimeError (MPI).
    except Exception as error:
        install = f"'topicgrove[{EXTRAS[library]}]'"
        if isinstance(error, ModuleNotFoundError) and error.name == library:
            raise ImportError(f"{purpose} needs {library}, which is not installed: pip install {install}") from error
        raise ImportError(
            f"{purpose} needs {library}, which is installed but cannot be imported ({type(error).__name__}: {error}): "
            f"try pip install --upgrade {install}"
        ) from error
