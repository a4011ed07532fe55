"""Small realistic files, and commands run on them: in this process, or as the installed command."""

import json
import random
import subprocess
import sys
from types import SimpleNamespace

import pytest

from topicgrove.cli import main

THEMES = {
    "space/moon": "moon orbit rocket crater lander astronaut launch module lunar gravity",
    "space/stars": "star galaxy telescope nebula light spectrum planet comet observatory lens",
    "sport/ice": "hockey puck skate goalie rink stick penalty ice team winter",
    "sport/ball": "football goal referee stadium penalty team pass striker match league",
}


def write_texts(path, n_docs=80, length=25, seed=0):
    rng = random.Random(seed)
    with path.open("w", encoding="utf-8") as file:
        for i in range(n_docs):
            label = rng.choice(sorted(THEMES))
            words = rng.choices(THEMES[label].split() + ["people", "year", "news"], k=length)
            record = {"id": f"doc-{i}", "title": f"Title {i}", "text": " ".join(words), "label_path": label}
            file.write(json.dumps(record) + "\n")
    return path


@pytest.fixture(scope="session")
def texts(tmp_path_factory):
    return write_texts(tmp_path_factory.mktemp("texts") / "texts.jsonl")


@pytest.fixture(scope="session")
def new_texts(tmp_path_factory):
    path = write_texts(tmp_path_factory.mktemp("texts") / "new.jsonl", n_docs=12, seed=1)
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps({"id": "=1+1", "text": "zebra crossing", "label_path": None}) + "\n")
    return path


@pytest.fixture(scope="session")
def model(texts, tmp_path_factory):
    path = tmp_path_factory.mktemp("model") / "small.grove"
    with pytest.raises(SystemExit) as end:
        main(["fit", str(texts), "-o", str(path), "--iterations", "20", "--seed", "1", "--threads", "1", "-q"])
    assert end.value.code == 0
    return path


@pytest.fixture
def command(capsys):
    """Run a command in this process; return its exit code and output."""

    def run(*arguments):
        capsys.readouterr()
        with pytest.raises(SystemExit) as end:
            main([str(argument) for argument in arguments])
        printed = capsys.readouterr()
        return SimpleNamespace(code=end.value.code, out=printed.out, err=printed.err)

    return run


@pytest.fixture
def process():
    """Start the command in its own process; kill anything that still runs at the end."""
    started = []

    def start(*arguments, **options):
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True} | options
        started.append(subprocess.Popen([sys.executable, "-m", "topicgrove", *map(str, arguments)], **pipes))
        return started[-1]

    yield start
    for one in started:
        with one:
            one.kill()
