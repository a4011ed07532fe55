"""Check that a tag can be released: ``python scripts/check_release.py v0.4.0``.

The tag must be the package's version, and the changelog must begin with that version and its date.
"""

from __future__ import annotations

import re
import sys
from datetime import date
from pathlib import Path

ROOT = Path(__file__).parents[1]
HEADING = re.compile(r"^## \[(?P<version>[^\]]+)\](?: - (?P<date>\S+))?$", re.MULTILINE)


def version_of(source: str) -> str:
    """Return the version in ``__init__.py``."""
    found = re.search(r'^__version__ = "([^"]+)"$', source, re.MULTILINE)
    if found is None:
        raise ValueError("__init__.py states no version")
    return found[1]


def faults(tag: str, version: str, changelog: str) -> list[str]:
    """List everything that is wrong with a release.

    >>> faults("v0.4.0", "0.4.0", "## [0.4.0] - 2026-12-01")
    []
    >>> faults("v0.4.0", "0.4.0.dev0", "## [Unreleased]")  # doctest: +NORMALIZE_WHITESPACE
    ['the tag is v0.4.0, the version 0.4.0.dev0: the tag must be v and the version',
     '0.4.0.dev0 is no version to release, such as 0.4.0',
     'CHANGELOG.md begins with [Unreleased]; it must be [0.4.0.dev0] - YYYY-MM-DD']
    """
    found = []
    if tag != f"v{version}":
        found.append(f"the tag is {tag}, the version {version}: the tag must be v and the version")
    if not re.fullmatch(r"\d+\.\d+\.\d+((a|b|rc)\d+)?", version):
        found.append(f"{version} is no version to release, such as 0.4.0")
    heading = HEADING.search(changelog)
    shown = heading[0].removeprefix("## ") if heading else "nothing"
    if heading is None or heading["version"] != version or not is_date(heading["date"]):
        found.append(f"CHANGELOG.md begins with {shown}; it must be [{version}] - YYYY-MM-DD")
    return found


def is_date(text: str | None) -> bool:
    """Return whether a text is a date such as 2026-12-01."""
    try:
        return text is not None and date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def main(tag: str) -> None:
    """Check this checkout; exit code 1 and a line for each fault."""
    source = (ROOT / "src/topicgrove/__init__.py").read_text(encoding="utf-8")
    found = faults(tag, version_of(source), (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"))
    sys.exit("\n".join(found) or None)


if __name__ == "__main__":
    main(sys.argv[1])
