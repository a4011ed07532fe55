"""Suggest three commands to run after training."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from topicgrove import shell

MORE_SWEEPS = 100


class Command(NamedTuple):
    """A command for the shell, and its purpose.

    >>> Command("show", ["my model.grove"], "print the tree").line()
    "topicgrove show 'my model.grove'"
    """

    name: str
    arguments: Sequence[object]
    purpose: str

    def line(self) -> str:
        """Return the command, quoted for the shell."""
        return " ".join(["topicgrove", self.name, *map(quoted, self.arguments)])


def quoted(argument: object) -> str:
    """Quote an argument for the shell; prefix a path that looks like an option with ``./``.

    >>> quoted(Path("my texts.csv")), quoted(Path("-m.grove"))
    ("'my texts.csv'", './-m.grove')
    """
    text = str(argument)
    return shell.quoted(f"./{text}" if isinstance(argument, Path) and text.startswith("-") else text)


def lines_of(commands: list[Command]) -> list[str]:
    """Return a line per command, with its purpose as a shell comment."""
    from topicgrove.tree.outline import escape

    shown = [escape(command.line()) for command in commands]
    width = max(map(len, shown))
    return [f"  {line:{width}}  # {command.purpose}" for line, command in zip(shown, commands, strict=True)]


def next_commands(
    model: Path,
    sweeps: int,
    *,
    documents: Path | None = None,
    new_documents: Path | None = None,
    is_part_held_out: bool = False,
    checkpoint: Path | None = None,
    reading: Sequence[str] = (),
) -> list[Command]:
    """Suggest commands to show the tree, to explore it, and, depending on the run, to measure, resume or export.

    ``documents`` are those of training, some of which may be held out, ``new_documents`` are others, if any;
    ``reading`` has the options for reading both.

    >>> for command in next_commands(Path("m.grove"), 50, checkpoint=Path("run")):
    ...     print(command.line())
    topicgrove show m.grove
    topicgrove explore m.grove -o m.html
    topicgrove resume run -o m.grove --iterations 150
    """
    again = documents is not None and (documents.is_file() or documents.is_dir())
    texts = ["--corpus", documents, *reading] if again else []
    commands = [
        Command("show", [model], "print the tree"),
        Command("explore", [model, "-o", model.with_suffix(".html"), *texts], "a page for the browser"),
    ]
    if new_documents is not None:
        # --format belongs to the documents of training.
        others = reading[2:] if "--format" in reading[:1] else reading
        third = Command("evaluate", [model, new_documents, *others], "measure the tree on documents it has not seen")
    elif is_part_held_out and again:
        third = Command("evaluate", [model, documents, "--held-out", *reading], "measure it on the documents held out")
    elif checkpoint is not None:
        more = ["--iterations", sweeps + MORE_SWEEPS]
        third = Command("resume", [checkpoint, "-o", model, *more], f"train {MORE_SWEEPS} sweeps more")
    elif again:
        third = Command("evaluate", [model, documents, *reading], "measure the tree")
    else:
        third = Command("export", [model, "-o", model.with_suffix(".csv")], "a table of topics for other programs")
    return [*commands, third]


def reading_of(params: dict[str, Any]) -> list[str]:
    """Return the options of ``fit`` that other commands need to read the same documents.

    >>> reading_of({"text_field": "body", "encoding_errors": "strict"})
    ['--text-field', 'body']
    """
    usual: dict[str, Any] = {"format": None, "text_field": "text", "encoding_errors": "strict"}
    given = [(name, params.get(name, usual[name])) for name in usual]
    return [word for name, value in given if value != usual[name] for word in (f"--{name.replace('_', '-')}", value)]
