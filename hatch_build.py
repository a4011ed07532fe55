"""Metadata that only a release knows: addresses of the project.

A checkout does not know where its home is. A release does: TOPICGROVE_REPOSITORY has the address of the repository, and
TOPICGROVE_REF the tag that is released. Then the package gets URLs, and the links and pictures of README.md, which are
relative to the repository, get full addresses, so that they work on a package index.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

REPOSITORY, REF = "TOPICGROVE_REPOSITORY", "TOPICGROVE_REF"

_LINK = re.compile(r"(?P<image>!?)\[(?P<text>[^\]]*)\]\((?!https?://|#)(?P<target>[^)\s]+)\)")


class CustomMetadataHook(MetadataHookInterface):
    """Fills in ``urls`` and ``readme``."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Change the metadata of the project."""
        text = Path(self.root, "README.md").read_text(encoding="utf-8")
        repository, ref = os.environ.get(REPOSITORY, "").rstrip("/"), os.environ.get(REF, "main")
        if repository:
            if not re.fullmatch(r"https://[\w.-]+(/[\w.-]+)+", repository):
                raise ValueError(f"{REPOSITORY} must be an address such as https://HOST/OWNER/NAME; got {repository!r}")
            metadata["urls"] = urls(repository, ref)
            text = with_full_addresses(text, repository, ref)
        else:
            metadata["urls"] = {}
        metadata["readme"] = {"content-type": "text/markdown", "text": text}


def urls(repository: str, ref: str) -> dict[str, str]:
    """The addresses that an index shows."""
    return {
        "Homepage": repository,
        "Documentation": f"{repository}/blob/{ref}/docs/index.md",
        "Changelog": f"{repository}/blob/{ref}/CHANGELOG.md",
        "Issues": f"{repository}/issues",
        "Source": repository,
    }


def with_full_addresses(text: str, repository: str, ref: str) -> str:
    """Markdown whose links lead into the repository, wherever it is read."""

    def full(link: re.Match[str]) -> str:
        kind = "raw" if link["image"] else "blob"
        return f"{link['image']}[{link['text']}]({repository}/{kind}/{ref}/{link['target']})"

    return _LINK.sub(full, text)
