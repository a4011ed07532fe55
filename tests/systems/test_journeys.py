"""Everything works on systems that lack features of Linux, which a process on Linux imitates."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

if sys.platform != "linux":
    pytest.skip("other systems are tested as they are", allow_module_level=True)

from .windows import AVAILABLE


def journey(system: str, folder: Path) -> str:
    program = Path(__file__).with_name("journey.py")
    done = subprocess.run(
        [sys.executable, "-X", "warn_default_encoding", program, system],
        cwd=folder,
        env=os.environ | {"PYTHONIOENCODING": "cp1252", "TZ": "Asia/Kolkata"},
        capture_output=True,
        timeout=600,
    )
    printed = done.stdout.decode("cp1252")
    assert done.returncode == 0, printed + done.stderr.decode("cp1252", "replace")
    return printed


@pytest.mark.parametrize("system", ["windows", "macos"])
def test_all_commands_work_without_what_a_system_lacks(system: str, tmp_path: Path) -> None:
    printed = journey(system, tmp_path)
    assert printed.endswith("left over: []\n")
    free = float(printed.rpartition("free memory: ")[2].splitlines()[0])
    physical = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    assert free == (AVAILABLE if system == "windows" else physical)
    # The console of a western Windows: its letters as they are, others as escapes, and no lines that it could not draw.
    assert "größe" in printed
    assert "\\u6d77\\u6d0b" in printed
    assert "`-- " in printed
    assert {path.name for path in tmp_path.glob("*.*")} >= {"a model.grove", "placed.csv", "tree.html", "tree.json"}
