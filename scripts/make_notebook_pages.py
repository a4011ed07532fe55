"""Write the pages of the notebooks in docs/notebooks: ``make docs`` does so before it builds the site.

``python scripts/make_notebook_pages.py --run`` runs the notebooks first and keeps their output.
"""

from __future__ import annotations

import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbconvert import MarkdownExporter

FOLDER = Path(__file__).parents[1] / "docs" / "notebooks"
TIMEOUT = 300


def main() -> None:
    """Write all pages and their pictures."""
    for path in sorted(FOLDER.glob("*.ipynb")):
        if "--run" in sys.argv[1:]:
            run(path)
        for name, content in page(path).items():
            (FOLDER / name).write_bytes(content)


def run(path: Path) -> None:
    """Run a notebook and keep its outputs."""
    notebook = nbformat.read(path, as_version=4)
    NotebookClient(notebook, timeout=TIMEOUT, record_timing=False, coalesce_streams=True).execute()
    nbformat.write(notebook, path)


def page(path: Path) -> dict[str, bytes]:
    """Make the page of a notebook and its pictures, by file name; its metadata has their alternative text."""
    notebook = nbformat.read(path, as_version=4)
    text, resources = MarkdownExporter().from_notebook_node(notebook, {"output_files_dir": "", "unique_key": path.stem})
    pictures: dict[str, bytes] = resources["outputs"]
    text = text.replace("![png]", f"![{notebook.metadata.get('alt', '')}]")
    head, _, rest = text.strip().partition("\n")
    note = f"[Download this notebook]({path.name}); it runs wherever TopicGrove is installed."
    lines = [line.rstrip() for line in f"{head}\n\n{note}\n{rest}\n".splitlines()]
    return {f"{path.stem}.md": ("\n".join(lines) + "\n").encode()} | pictures


if __name__ == "__main__":
    main()
