"""Old names of methods, which call names of topics labels."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from typing import TYPE_CHECKING, Any


class OldNames:
    """The methods of `TopicTree` under their old names."""

    if TYPE_CHECKING:
        names: dict[int, str]

        def name(self, topic: int) -> str: ...  # noqa: D102
        def word_name(self, topic: int) -> str: ...  # noqa: D102
        def set_names(self, names: Mapping[Any, str] | str | PathLike[str]) -> None: ...  # noqa: D102

    @property
    def labels(self) -> dict[int, str]:
        """The old name of `names`."""
        return self.names

    def label(self, topic: int) -> str:
        """Return `name`: its old name."""
        return self.name(topic)

    def word_label(self, topic: int) -> str:
        """Return `word_name`: its old name."""
        return self.word_name(topic)

    def set_labels(self, labels: Mapping[Any, str] | str | PathLike[str]) -> None:
        """Call `set_names`: its old name."""
        self.set_names(labels)
