"""A library that is not installed, and one that is but cannot be imported, are told apart."""

import sys
from pathlib import Path

import pytest

from topicgrove import read_corpus
from topicgrove.extras import EXTRAS


def test_a_library_that_is_not_installed_is_named_with_its_extra(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportError) as caught:
        read_corpus(write(tmp_path / "docs.parquet"))
    assert str(caught.value) == (
        f"reading {tmp_path / 'docs.parquet'} needs pyarrow, which is not installed: pip install 'topicgrove[parquet]'"
    )


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("import a_library_that_is_not_there", "ModuleNotFoundError: No module named 'a_library_that_is_not_there'"),
        ("raise ValueError('numpy.dtype size changed')", "ValueError: numpy.dtype size changed"),
        ("", "ImportError: cannot import name 'parquet' from 'pyarrow'"),
    ],
    ids=["dependency", "binary", "part"],
)
def test_a_library_that_cannot_be_imported_says_why(tmp_path, monkeypatch, source, reason):
    for name in [name for name in sys.modules if name.split(".")[0] == "pyarrow"]:
        monkeypatch.delitem(sys.modules, name)
    write(tmp_path / "pyarrow" / "__init__.py", source)
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ImportError) as caught:
        read_corpus(write(tmp_path / "docs.parquet"))
    sys.modules.pop("pyarrow", None)
    text = str(caught.value)
    assert f"needs pyarrow, which is installed but cannot be imported ({reason}" in text
    assert text.endswith(": try pip install --upgrade 'topicgrove[parquet]'")


def test_extras_are_those_that_the_package_has(requirements):
    for library, extra in EXTRAS.items():
        assert library in {requirement.name for requirement in requirements[extra]}


def write(path: Path, text: str = "PAR1") -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path
