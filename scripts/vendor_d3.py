"""Fetch the modules of d3 that the explorer uses, with their licences: ``python scripts/vendor_d3.py`` (needs npm)."""

from __future__ import annotations

import subprocess
import tarfile
import tempfile
from pathlib import Path

MODULES = {
    "d3-array": "3.2.5",
    "d3-format": "3.1.3",
    "d3-hierarchy": "3.1.3",
    "d3-path": "3.1.1",
    "d3-shape": "3.2.1",
}
TARGET = Path(__file__).parents[1] / "src" / "topicgrove" / "explore" / "assets" / "vendor"


def fetch(module: str, version: str, folder: Path) -> tuple[str, str]:
    """Fetch the minified file of a module, and its licence."""
    command = ["npm", "pack", "--silent", f"{module}@{version}"]
    packed = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout.strip()
    with tarfile.open(folder / packed) as archive:
        return _text(archive, f"package/dist/{module}.min.js"), _text(archive, "package/LICENSE")


def _text(archive: tarfile.TarFile, name: str) -> str:
    member = archive.extractfile(name)
    if member is None:
        raise ValueError(f"{name} is no file of its package")
    return member.read().decode().strip()


def main() -> None:
    """Write ``d3.min.js``, with the modules one after the other, and ``LICENSE-d3``."""
    with tempfile.TemporaryDirectory() as folder:
        fetched = {name: fetch(name, version, Path(folder)) for name, version in MODULES.items()}
    TARGET.mkdir(parents=True, exist_ok=True)
    (TARGET / "d3.min.js").write_text("\n".join(code for code, _ in fetched.values()) + "\n", encoding="utf-8")
    licences = [f"{name} {MODULES[name]}\n\n{licence}\n" for name, (_, licence) in fetched.items()]
    (TARGET / "LICENSE-d3").write_text("\n".join(licences), encoding="utf-8")


if __name__ == "__main__":
    main()
