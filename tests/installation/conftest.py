"""What pyproject.toml asks for."""

import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement


@pytest.fixture(scope="session")
def requirements() -> dict[str, list[Requirement]]:
    """Return requirements by extra; those of the package itself are under an empty name."""
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]
    lists = {"": project["dependencies"], **project["optional-dependencies"]}
    return {extra: [Requirement(line) for line in lines] for extra, lines in lists.items()}
