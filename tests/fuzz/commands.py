"""The command line with any options, config files and inputs: one line on standard error at most, and an exit code."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any, NamedTuple

from typer.main import get_command

from topicgrove import load, open_store
from topicgrove.cli import main
from topicgrove.cli.app import app
from topicgrove.persistence import checkpoints, models

from . import resealing, samples
from .cases import Target
from .damage import damaged, packed
from .mutations import Random

EXIT_CODES = (2, 74)
COMMANDS = {
    "fit": ["fit", "texts.jsonl", "-o", "new.grove", "--iterations", "2", "--threads", "1", "--seed", "1"],
    "build": ["corpus", "build", "texts.jsonl", "-o", "new.store", "--threads", "1"],
    "corpus info": ["corpus", "info", "texts.jsonl"],
    "info": ["info", "model.grove"],
    "show": ["show", "model.grove"],
    "top-words": ["top-words", "model.grove"],
    "export": ["export", "model.grove", "-o", "tree.json"],
    "infer": ["infer", "model.grove", "texts.jsonl", "-o", "placed.jsonl", "--threads", "1"],
    "evaluate": ["evaluate", "model.grove", "texts.jsonl", "--threads", "1"],
    "resume": ["resume", "run", "-o", "new.grove", "--iterations", "10", "--threads", "1"],
    "explore": ["explore", "model.grove", "-o", "page.html"],
}
VALUES = ["", "0", "1", "2", "3", "-1", "1.5", "1e400", "nan", "inf", "x", "é", "\x1b[31m", "a,b", "1,2,3",
          "0.5,0.3,0.1", "none", "auto", "english", "sub/x", ".", "texts.jsonl", "model.grove", "run", "store", "text",
          "title", "label", "9" * 30, "-", "--", "[", "(", r"\d", "alpha,beta", "strict", "replace", "draw", "bgs",
          "cgs", "true", "1,2", "absent", "\udcff", "out.csv", "out.dot", "out.graphml", "out.nwk",
          "out.tsv"]  # fmt: skip
"""Values of options. None points outside the case's folder or to a device."""

FEW = ("--iterations", "--threads", "--port")
"""Options whose large values are valid, but take forever."""

LEFT_OUT = ("--watch", "--port", "--help", "--output")
TOML = ["true", "1", "-1", "0.5", "nan", "1e400", '"x"', "[1, 0.5]", "[[1]]", "{a = 1}", "1979-05-27", '"\\u0000"',
        "[]", '"""\n"""', "0x10", "9" * 30, "['a', 1]", '"\\ud800"', "inf", "''"]  # fmt: skip


class Call(NamedTuple):
    """A command and the folder that it runs in."""

    arguments: list[str]
    folder: Path


class Ended(NamedTuple):
    """How a command ended."""

    code: Any
    err: str


class Refused(Exception):  # noqa: N818 - what a command does with bad input
    """A command ended with a code other than 0."""


class Command(Target):
    """`topicgrove` in this process."""

    share = 6
    refusals = (Refused,)

    def __init__(self, change: Callable[[Random, Call], None], main: Callable[[list[str]], None] = main) -> None:
        self._change = change
        self._main = main

    def prepare(self) -> None:
        """Compile what any command needs."""
        samples.model_file()
        samples.folder_of("checkpoints")

    def generate(self, rng: Random, folder: Path) -> Call:
        """Make a valid command and its files, then change something."""
        names = list(COMMANDS)
        call = Call(list(COMMANDS[names[rng.integers(len(names))]]), folder)
        (folder / "texts.jsonl").write_bytes(samples.text_files()["jsonl"])
        (folder / "model.grove").write_bytes(samples.model_file())
        samples.write_folder(folder / "run", samples.folder_of("checkpoints"))
        samples.write_folder(folder / "store", samples.folder_of("store"))
        self._change(rng, call)
        return call

    def run(self, given: Call) -> Ended:
        """Run it in its folder."""
        ended = self.call(given)
        if ended.code != 0:
            raise Refused(ended)
        return ended

    def call(self, given: Call) -> Ended:
        """Run the command; return the exit code and standard error."""
        before = Path.cwd()
        os.chdir(given.folder)
        try:
            with open("stdout.txt", "w", encoding="utf-8") as out, open("stderr.txt", "w+", encoding="utf-8") as err:
                with redirect_stdout(out), redirect_stderr(err):
                    code = self._exit_code(given.arguments)
                err.seek(0)
                return Ended(code, err.read())
        finally:
            os.chdir(before)

    def _exit_code(self, arguments: list[str]) -> Any:
        try:
            self._main(arguments)
        except SystemExit as end:
            return end.code
        return "none: it returned"

    def check_refusal(self, given: Call, error: Exception) -> None:
        """Check that the code is documented, the last line says why, and no output is left half done."""
        ended: Ended = error.args[0]
        assert "Traceback" not in ended.err, ended.err
        assert ended.code in EXIT_CODES, f"exit code {ended.code}\n{ended.err}"
        assert "not enough memory" not in ended.err, ended.err
        last = ended.err.rstrip("\n").split("\n")[-1]
        assert last.startswith("topicgrove: error: ") or ended.err.startswith("Usage: "), ended.err
        check_folder(given)

    def check(self, given: Call, result: Ended) -> None:
        """Check that the command succeeded and its output can be read."""
        assert "Traceback" not in result.err, result.err
        assert "error:" not in result.err, result.err
        check_folder(given)
        if (given.folder / "new.grove").exists():
            load(given.folder / "new.grove")
        if (given.folder / "new.store").exists():
            open_store(given.folder / "new.store")


class Process(Command):
    """`topicgrove` in a separate process."""

    share = 1

    def call(self, given: Call) -> Ended:
        """Run the command in a process; return the exit code and standard error."""
        ended = subprocess.run(
            [sys.executable, "-m", "topicgrove", *given.arguments],
            cwd=given.folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            check=False,
        )
        return Ended(ended.returncode, ended.stderr)


def check_folder(call: Call) -> None:
    """Check that no temporary file is left."""
    left = [file.name for file in call.folder.rglob(".*") if ".tmp" in file.name]
    assert not left, f"{left} were left behind"


def change_options(rng: Random, call: Call) -> None:
    """Add, repeat, replace or take out options and their values."""
    arguments = call.arguments
    known = options_of(arguments)
    for _ in range(rng.integers(1, 4)):
        kind = rng.random()
        if kind < 0.75:
            name, takes_value = known[rng.integers(len(known))]
            value = VALUES[rng.integers(8 if name in FEW else len(VALUES))]
            arguments += [name, value] if takes_value or rng.random() < 0.05 else [name]
        elif kind < 0.85 and len(arguments) > 1:
            arguments[rng.integers(1, len(arguments))] = VALUES[rng.integers(len(VALUES))]
        elif kind < 0.95 and len(arguments) > 1:
            del arguments[rng.integers(1, len(arguments))]
        else:
            arguments.append(VALUES[rng.integers(len(VALUES))])


def options_of(arguments: list[str]) -> list[tuple[str, bool]]:
    """Return the options of a command, and whether they take a value."""
    command: Any = get_command(app)
    for name in arguments[: 2 if arguments[0] == "corpus" else 1]:
        command = command.commands[name]
    return [
        (option, not getattr(param, "is_flag", False))
        for param in command.params
        for option in (*param.opts, *param.secondary_opts)
        if option.startswith("--") and option not in LEFT_OUT
    ]


def change_config(rng: Random, call: Call) -> None:
    """Give options in a TOML file, damaged or with odd values."""
    call.arguments[:] = COMMANDS[["fit", "build"][rng.integers(2)]]
    known = [name.lstrip("-") for name, _ in options_of(call.arguments) if name not in FEW]
    lines = ["min_df = 1", "titles = true", 'stop-words = "english"']
    lines += [f"{known[rng.integers(len(known))]} = {TOML[rng.integers(len(TOML))]}" for _ in range(rng.integers(3))]
    data = "\n".join(lines).encode()
    (call.folder / "run.toml").write_bytes(damaged(rng, data) if rng.random() < 0.6 else data)
    call.arguments.extend(["--config", "run.toml" if rng.random() < 0.95 else "store"])


def change_files(rng: Random, call: Call) -> None:
    """Damage the files that the command reads."""
    kind = list(resealing.CHANGES.values())[rng.integers(len(resealing.CHANGES))]
    model, texts = call.folder / "model.grove", call.folder / "texts.jsonl"
    if "model.grove" in call.arguments and rng.random() < 0.7:
        model.write_bytes(kind(rng, model.read_bytes(), models.KIND, models.VERSION)[1])
    elif "texts.jsonl" in call.arguments:
        texts.write_bytes(packed(rng, damaged(rng, texts.read_bytes()))[1])
    else:
        newest = sorted((call.folder / "run").glob("checkpoint-*"))[-1]
        newest.write_bytes(kind(rng, newest.read_bytes(), checkpoints.KIND, checkpoints.VERSION)[1])


def change_any(rng: Random, call: Call) -> None:
    """Change options, a config file or the input files."""
    changes = (change_options, change_config, change_files)
    changes[rng.integers(len(changes))](rng, call)


TARGETS: dict[str, Target] = {
    "options": Command(change_options),
    "config": Command(change_config),
    "files": Command(change_files),
    "process": Process(change_any),
}
