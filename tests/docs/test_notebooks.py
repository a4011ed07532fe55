"""The notebooks of the documentation run anywhere, and their pages show their output."""

import runpy
import warnings
from pathlib import Path
from typing import Any

import pytest

nbclient = pytest.importorskip("nbclient", reason="running notebooks needs the dependency group `docs`")
pytest.importorskip("nbconvert", reason="pages of notebooks need the dependency group `docs`")
nbformat = pytest.importorskip("nbformat")

ROOT = Path(__file__).parents[2]
NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))


def read(path: Path) -> Any:
    return nbformat.read(path, as_version=4)


def test_there_are_three() -> None:
    assert [path.stem for path in NOTEBOOKS] == ["news", "packages", "papers"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_in_an_empty_folder(path: Path, tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # those of the client; a failing cell raises
        nbclient.NotebookClient(read(path), timeout=300, resources={"metadata": {"path": str(tmp_path)}}).execute()


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_kept_with_its_outputs(path: Path) -> None:
    cells = [cell for cell in read(path).cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))
    assert all(cell.outputs for cell in cells)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_the_page_of_a_notebook_is_up_to_date(path: Path) -> None:
    script = runpy.run_path(str(ROOT / "scripts" / "make_notebook_pages.py"))
    for name, content in script["page"](path).items():
        assert (path.parent / name).read_bytes() == content, f"{name} is out of date: run make docs"
