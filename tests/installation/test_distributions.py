"""The distributions to publish: built, checked and installed as users get them."""

import email
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile
from collections.abc import Iterator
from email.message import Message
from pathlib import Path
from typing import NamedTuple

import pytest

import topicgrove

ROOT = Path(__file__).parents[2]
HOME = "https://git.example.org/somebody/topicgrove"
BESIDE_THE_SOURCES = {
    *(".gitignore", "CHANGELOG.md", "CITATION.cff", "LICENSE", "PKG-INFO", "README.md", "hatch_build.py"),
    "pyproject.toml",
}


class Built(NamedTuple):
    """The files that `python -m build` makes."""

    wheel: Path
    sdist: Path


def build(folder: Path, source: Path = ROOT, **environment: str) -> Built:
    without = {name: value for name, value in os.environ.items() if not name.startswith("TOPICGROVE_RE")}
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, source]
    done = subprocess.run(command, env=without | environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    (wheel,), (sdist,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
    return Built(wheel, sdist)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    return build(tmp_path_factory.mktemp("dist"))


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory) -> Built:
    """Build as the release workflow does, which knows where the repository is."""
    return build(tmp_path_factory.mktemp("release"), TOPICGROVE_REPOSITORY=HOME, TOPICGROVE_REF="v1.2.3")


def metadata_of(wheel: Path) -> Message:
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        return email.message_from_bytes(archive.read(name))


def sources() -> set[str]:
    """All files of the package, as paths from ``src``."""
    files = (path for path in (ROOT / "src").rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return {path.relative_to(ROOT / "src").as_posix() for path in files}


def test_the_wheel_holds_the_package_and_nothing_else(built: Built) -> None:
    with zipfile.ZipFile(built.wheel) as archive:
        names = set(archive.namelist())
    about = {name for name in names if ".dist-info/" in name}
    assert names - about == sources()
    assert {name.partition(".dist-info/")[2] for name in about} == {
        *("METADATA", "RECORD", "WHEEL", "entry_points.txt", "licenses/LICENSE"),
        "licenses/src/topicgrove/explore/assets/vendor/LICENSE-d3",
    }
    assert {
        *("topicgrove/py.typed", "topicgrove/data/debian.jsonl.gz", "topicgrove/explore/assets/page.html.j2"),
        *("topicgrove/explore/assets/vendor/d3.min.js", "topicgrove/explore/assets/vendor/LICENSE-d3"),
        *("topicgrove/explore/assets/main.js", "topicgrove/explore/assets/frame.css", "topicgrove/widget/explorer.js"),
    } <= names


def test_the_source_distribution_holds_what_building_needs(built: Built) -> None:
    with tarfile.open(built.sdist) as archive:
        names = {member.name.partition("/")[2] for member in archive.getmembers() if member.isfile()}
    assert names == {f"src/{name}" for name in sources()} | BESIDE_THE_SOURCES


def test_one_wheel_is_for_every_system_and_needs_no_compiler(built: Built) -> None:
    assert built.wheel.name.endswith("-py3-none-any.whl")


def test_an_index_would_take_them(built: Built, released: Built) -> None:
    command = [sys.executable, "-m", "twine", "--no-color", "check", "--strict", *built, *released]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout
    assert done.stdout.count("PASSED") == 4


def test_metadata_say_what_it_is(built: Built) -> None:
    about = metadata_of(built.wheel)
    assert (about["Name"], about["Version"]) == ("topicgrove", topicgrove.__version__)
    assert about["License-Expression"] == "MIT AND ISC"
    assert about["Requires-Python"] == ">=3.11"
    assert about["Description-Content-Type"] == "text/markdown"
    versions = {line.rpartition(" ")[2] for line in about.get_all("Classifier", []) if "Python :: 3." in line}
    assert versions == {"3.11", "3.12", "3.13", "3.14"}


class TestAddresses:
    def test_a_checkout_claims_none(self, built: Built) -> None:
        assert metadata_of(built.wheel).get_all("Project-URL") is None

    def test_a_release_has_those_of_its_repository(self, released: Built) -> None:
        urls = dict(line.split(", ") for line in metadata_of(released.wheel).get_all("Project-URL", []))
        assert urls["Homepage"] == urls["Source"] == HOME
        assert urls["Issues"] == f"{HOME}/issues"
        assert urls["Changelog"] == f"{HOME}/blob/v1.2.3/CHANGELOG.md"
        for name in ("Changelog", "Documentation"):
            assert (ROOT / urls[name].removeprefix(f"{HOME}/blob/v1.2.3/")).is_file()

    def test_every_link_of_the_readme_works_on_an_index(self, released: Built) -> None:
        text = metadata_of(released.wheel).get_payload()
        links = re.findall(r"(!?)\[[^\]]*\]\(([^)]+)\)", text)
        assert len(links) == len(re.findall(r"\]\(", (ROOT / "README.md").read_text(encoding="utf-8")))
        for image, link in links:
            assert link.startswith("https://")
            if link.startswith(HOME):
                inside = link.removeprefix(f"{HOME}/{'raw' if image else 'blob'}/v1.2.3/").partition("#")[0]
                assert (ROOT / inside).is_file(), link
        assert sum(link.startswith(HOME) for _, link in links) > 10

    def test_they_stay_in_a_wheel_built_from_the_source_distribution(self, released: Built, tmp_path: Path) -> None:
        with tarfile.open(released.sdist) as archive:
            archive.extractall(tmp_path, filter="data")
        (source,) = tmp_path.iterdir()
        again = build(tmp_path / "dist", source)
        urls = metadata_of(released.wheel).get_all("Project-URL")
        assert metadata_of(again.wheel).get_all("Project-URL") == urls

    def test_a_wrong_address_is_refused(self, tmp_path: Path) -> None:
        with pytest.raises(AssertionError, match="TOPICGROVE_REPOSITORY must be an address such as"):
            build(tmp_path, TOPICGROVE_REPOSITORY="git@somewhere:topicgrove")


class Installed(NamedTuple):
    """Make a separate environment with the wheel, and the libraries of this one."""

    python: Path
    folder: Path
    cache: Path

    def run(self, *command: str | Path) -> str:
        ours = ("PYTHONPATH", "TOPICGROVE_CALL_PARTS")
        environment = {name: value for name, value in os.environ.items() if name not in ours}
        environment["TOPICGROVE_CACHE_DIR"] = str(self.cache)
        done = subprocess.run(
            command, cwd=self.folder, env=environment, capture_output=True, text=True, encoding="utf-8", timeout=600
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout


@pytest.fixture(scope="module")
def installed(built: Built, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installed]:
    place = tmp_path_factory.mktemp("environment")
    venv.create(place, with_pip=False)
    paths = sysconfig.get_paths("venv", vars={"base": str(place), "platbase": str(place)})
    python = Path(paths["scripts"], Path(sys.executable).name)
    if not python.exists():
        python = Path(paths["scripts"], "python")
    install = ("pip", "--python", python, "install", "--quiet", "--no-deps", "--no-index", built.wheel)
    subprocess.run([sys.executable, "-m", *install], check=True, timeout=120)
    libraries = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    Path(paths["purelib"], "libraries.pth").write_text("\n".join(libraries), encoding="utf-8")
    yield Installed(python, tmp_path_factory.mktemp("empty"), place / "cache")
    shutil.rmtree(place)


def first_block() -> str:
    """Return the first Python block of README.md."""
    found = re.search(r"^```python\n(.*?)^```$", (ROOT / "README.md").read_text(encoding="utf-8"), re.M | re.S)
    assert found is not None
    return found[1]


def test_the_installed_command_tells_its_version(installed: Installed) -> None:
    command = installed.python.with_name("topicgrove" + sysconfig.get_config_var("EXE"))
    assert installed.run(command, "--version") == f"topicgrove {topicgrove.__version__}\n"


def test_the_installed_package_has_its_example(installed: Installed) -> None:
    program = "import topicgrove; print(topicgrove.__file__); print(topicgrove.load_example())"
    place, corpus = installed.run(installed.python, "-c", program).splitlines()
    assert Path(place).is_relative_to(installed.python.parents[1])
    assert corpus.startswith("Corpus(n_docs=3000,")


def test_the_first_block_of_the_readme_runs_in_an_empty_folder(installed: Installed) -> None:
    program = installed.folder / "first.py"
    program.write_text(first_block(), encoding="utf-8")
    printed = installed.run(installed.python, program)
    assert printed.startswith("3000 [0] ")
    assert {path.name for path in installed.folder.iterdir()} == {"first.py", "debian.grove"}
