"""Provenance of a result: the machine, the versions of libraries, the commit, and the kernels' sources."""

from __future__ import annotations

import os
import platform
import subprocess
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import topicgrove
from topicgrove.kernels.cache import sources_hash

ROOT = Path(__file__).parents[1]
PYTHONPATH = os.pathsep.join(str(path) for path in (ROOT / "src", ROOT))
"""Environment variable by which programs that a run starts find the same sources."""

PACKAGES = ("topicgrove", "numpy", "scipy", "numba", "scikit-learn", "mpi4py", "mpich")

SOURCES = ("src", "experiments", "benchmarks", "pyproject.toml", ":(exclude)experiments/results")
"""Paths that a result depends on. Results themselves may be uncommitted; otherwise, no experiment could be resumed."""


class SourcesError(Exception):
    """Sources are not committed, so a result could not be traced to its code."""


@dataclass(frozen=True)
class Code:
    """The code that makes results."""

    commit: str | None
    """None if git does not know the sources."""

    uncommitted: bool | None
    """Whether sources differ from the commit; None if unknown."""

    kernels: str | None
    """Hash of the kernels' sources; None if it was not recorded and cannot be derived from a commit."""


def code() -> Code:
    """Describe the code on disk."""
    commit = _git("rev-parse", "--short=12", "HEAD")
    return Code(commit, None if commit is None else bool(changed_sources()), sources_hash())


def check_committed() -> None:
    """Raise SourcesError unless a commit has exactly the sources in use."""
    package = Path(topicgrove.__file__).parent
    if package != ROOT / "src" / "topicgrove":
        raise SourcesError(f"topicgrove is imported from {package}; experiments use that of {ROOT / 'src'}")
    changed = changed_sources()
    if changed is None:
        raise SourcesError(
            f"{ROOT} is not a git repository; results are kept by commit, so clone it to run experiments"
        )
    if changed:
        shown = ", ".join(changed[:3]) + (f" and {len(changed) - 3} more" if len(changed) > 3 else "")
        raise SourcesError(f"uncommitted sources: {shown}; commit or stash them, or try the experiment with --tiny")


def changed_sources() -> list[str] | None:
    """List sources that differ from the commit or are not in it; None if git does not know."""
    lines = _git("status", "--porcelain", "--untracked-files=all", "--", *SOURCES)
    return None if lines is None else [line[2:].strip() for line in lines.splitlines()]


def _git(*arguments: str) -> str | None:
    """Run git on the repository; return its output, or None if it fails."""
    try:
        command = ["git", "-C", str(ROOT), *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip("\n")
    except (OSError, subprocess.CalledProcessError):
        return None


def provenance(of_code: Code) -> dict[str, Any]:
    """Describe the machine, the versions and the code of a run."""
    return {
        "processor": _processor(),
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "system": f"{platform.system()} {platform.machine()}",
        "load_average": round(os.getloadavg()[0], 2),
        "python": platform.python_version(),
        "packages": {name: known for name in PACKAGES if (known := _version(name))},
        **asdict(of_code),
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:  # not Linux
        return platform.processor()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "unknown")


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None
