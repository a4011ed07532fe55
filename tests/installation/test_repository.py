"""Files that a repository has for its readers, and for the services around it."""

import re
import subprocess
import sys
from datetime import date
from pathlib import Path
from typing import Any

import pytest
import yaml
from packaging.version import Version

import topicgrove

ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
SCHEMAS = {
    **dict.fromkeys(WORKFLOWS, "github-workflows"),
    ROOT / ".github/dependabot.yml": "dependabot",
    ROOT / ".github/ISSUE_TEMPLATE/bug.yml": "github-issue-forms",
    ROOT / ".github/ISSUE_TEMPLATE/feature.yml": "github-issue-forms",
    ROOT / ".github/ISSUE_TEMPLATE/config.yml": "github-issue-config",
    ROOT / "CITATION.cff": "citation-file-format",
}


def loaded(path: Path) -> Any:
    # BaseLoader, for which "on" is no boolean.
    return yaml.load(path.read_text(encoding="utf-8"), yaml.BaseLoader)


@pytest.mark.parametrize("path", SCHEMAS, ids=lambda path: path.name)
def test_it_is_what_its_service_accepts(path: Path) -> None:
    command = ["check_jsonschema", "--builtin-schema", f"vendor.{SCHEMAS[path]}", path]
    done = subprocess.run([sys.executable, "-m", *command], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout


def test_repo_review_has_nothing_to_say() -> None:
    command = [sys.executable, "-m", "repo_review", "--show", "errskip", ROOT]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", timeout=120)
    assert done.returncode == 0, done.stdout


def test_every_exception_of_repo_review_has_its_reason() -> None:
    import tomllib

    ignored = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["repo-review"]["ignore"]
    assert all(reason.strip() for reason in ignored.values())


class TestWorkflows:
    @pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
    def test_jobs_may_do_no_more_than_they_need(self, path: Path) -> None:
        workflow = loaded(path)
        assert workflow["permissions"] in ({}, {"contents": "read"})
        allowed = {"contents": "read", "id-token": "write"}
        for job in workflow["jobs"].values():
            assert job.get("permissions", {}).items() <= allowed.items()
            assert int(job["timeout-minutes"]) <= 90
            for step in job["steps"]:
                if step.get("uses", "").startswith("actions/checkout@"):
                    assert step["with"]["persist-credentials"] == "false"

    def test_tests_run_on_three_systems_with_the_oldest_and_newest_python(self) -> None:
        jobs = loaded(ROOT / ".github/workflows/ci.yml")["jobs"]
        matrix = jobs["test"]["strategy"]["matrix"]
        assert matrix["system"] == ["ubuntu-latest", "macos-latest", "windows-latest"]
        text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
        declared = re.findall(r"Python :: (3\.\d+)", text)
        assert matrix["python"] == [declared[0], declared[-1]]
        assert {entry["python"] for entry in matrix["include"]} == set(declared[1:-1])
        assert {"run": "make test-oldest"} in jobs["oldest"]["steps"]
        assert {"run": "make lint"} in jobs["lint"]["steps"]
        assert {"run": "make docs"} in jobs["docs"]["steps"]

    def test_only_a_pushed_tag_is_published_and_without_a_password(self) -> None:
        workflow = loaded(ROOT / ".github/workflows/release.yml")
        assert workflow["on"]["push"] == {"tags": ["v*"]}
        publish = workflow["jobs"]["publish"]
        assert publish["if"] == "github.event_name == 'push'"
        assert (publish["permissions"], publish["environment"]) == ({"id-token": "write"}, {"name": "pypi"})
        assert publish["steps"][-1] == {"uses": "pypa/gh-action-pypi-publish@release/v1"}
        assert "secrets." not in str(workflow)

    def test_programs_that_they_run_are_there(self) -> None:
        for path in WORKFLOWS:
            text = path.read_text(encoding="utf-8")
            for program in re.findall(r"python (\S+\.py)", text):
                assert (ROOT / program).is_file()
            targets = re.findall(r"run: make (\S+)", text)
            makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
            assert all(re.search(f"^{target}:", makefile, re.M) for target in targets)


class TestChangelog:
    @pytest.fixture
    def headings(self) -> list[tuple[str, str]]:
        text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
        return re.findall(r"^## \[([^\]]+)\](?: - (\S+))?$", text, re.M)

    def test_versions_fall_and_so_do_their_dates(self, headings: list[tuple[str, str]]) -> None:
        released = [(Version(name), date.fromisoformat(day)) for name, day in headings if name != "Unreleased"]
        assert released == sorted(released, reverse=True)
        assert len({version for version, _ in released}) == len(released)

    def test_the_newest_version_is_this_one_or_the_one_before(self, headings: list[tuple[str, str]]) -> None:
        version = Version(topicgrove.__version__)
        if version.is_devrelease:
            assert headings[0] == ("Unreleased", "")
            assert Version(headings[1][0]) < version
        else:
            assert headings[0][0] == str(version)


class TestRelease:
    @pytest.fixture
    def release(self) -> Any:
        import importlib.util

        spec = importlib.util.spec_from_file_location("check_release", ROOT / "scripts/check_release.py")
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    def test_a_tag_of_the_version_in_the_changelog_is_fine(self, release: Any) -> None:
        assert (
            release.faults("v1.2.3", "1.2.3", "# Changelog\n\n## [1.2.3] - 2026-12-01\n\n## [1.2.2] - 2026-11-01") == []
        )

    @pytest.mark.parametrize(
        ("tag", "version", "changelog", "fault"),
        [
            ("v1.2.4", "1.2.3", "## [1.2.3] - 2026-12-01", "the tag is v1.2.4, the version 1.2.3"),
            ("1.2.3", "1.2.3", "## [1.2.3] - 2026-12-01", "the tag must be v and the version"),
            ("v1.2.3.dev0", "1.2.3.dev0", "## [1.2.3.dev0] - 2026-12-01", "is no version to release"),
            ("v1.2.3", "1.2.3", "## [Unreleased]\n\n## [1.2.3] - 2026-12-01", "begins with [Unreleased]"),
            ("v1.2.3", "1.2.3", "## [1.2.3] - soon", "it must be [1.2.3] - YYYY-MM-DD"),
            ("v1.2.3", "1.2.3", "", "begins with nothing"),
        ],
    )
    def test_anything_else_is_not(self, release: Any, tag: str, version: str, changelog: str, fault: str) -> None:
        assert fault in "\n".join(release.faults(tag, version, changelog))

    def test_the_version_is_read_without_importing_the_package(self, release: Any) -> None:
        source = (ROOT / "src/topicgrove/__init__.py").read_text(encoding="utf-8")
        assert release.version_of(source) == topicgrove.__version__


def test_texts_have_the_same_bytes_on_every_system() -> None:
    assert "* text=auto eol=lf" in (ROOT / ".gitattributes").read_text(encoding="utf-8").splitlines()
