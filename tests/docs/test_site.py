"""The documentation builds without a warning into a site that can be read offline."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("material", reason="the site needs the extra `docs`")

ROOT = Path(__file__).parents[2]
LOADED = re.compile(r"<(?:script|img|iframe)[^>]*\ssrc=[\"']?(https?:|//)|<link[^>]*\shref=[\"']?(https?:|//)")


def build(folder: Path, site: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--config-file", "mkdocs.yml", "--site-dir", site]
    environment = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=300
    )


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    result = build(ROOT, folder)
    assert result.returncode == 0, result.stderr
    assert "WARNING" not in result.stderr
    return folder


def test_every_page_is_in_the_site(site: Path) -> None:
    pages = {path.relative_to(ROOT / "docs").with_suffix("") for path in (ROOT / "docs").rglob("*.md")}
    assert pages <= {path.relative_to(site).with_suffix("") for path in site.rglob("*.html")}


def test_no_page_loads_anything_from_the_network(site: Path) -> None:
    for page in site.rglob("*.html"):
        assert LOADED.search(page.read_text(encoding="utf-8")) is None, page.name


def test_search_works_without_a_server(site: Path) -> None:
    assert (site / "search" / "search_index.js").is_file()


@pytest.mark.parametrize("link", ["missing.md", "faq.md#no-such-heading"])
def test_a_broken_link_fails_the_build(link: str, tmp_path: Path) -> None:
    shutil.copytree(ROOT / "docs" / "assets", tmp_path / "docs" / "assets")
    (tmp_path / "docs" / "faq.md").write_text("# A page\n")
    (tmp_path / "docs" / "index.md").write_text(f"# Home\n\n[somewhere]({link})\n")
    configuration = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:")[0]
    (tmp_path / "mkdocs.yml").write_text(configuration + "\n", encoding="utf-8")
    result = build(tmp_path, tmp_path / "site")
    assert result.returncode != 0
    assert link.partition("#")[2] in result.stderr
