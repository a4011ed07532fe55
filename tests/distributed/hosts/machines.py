"""Two machines on one: each has its own network, name, shared memory and mounts; a cable joins them."""

import os
import shutil
import signal
import subprocess
import sys
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

NAMES = ("alpha", "beta")
ADDRESSES = ("10.123.45.1", "10.123.45.2")
CABLE = "cable"
BIN = Path(sys.executable).parent
KINDS = ("net", "uts", "ipc", "mnt")

# Children of the first process are reaped without being asked for. /sys lists the devices of the network that it was
# mounted in, and MPI looks for them there.
FIRST_PROCESS = """
trap '' CHLD
hostname "$1" && mount -t tmpfs none /dev/shm && mount -t sysfs none /sys &&
    mount --bind "$2" /etc/hosts && ip link set lo up && echo ready && exec sleep infinity
"""

# A stand-in for ssh. mpiexec passes options, a host and a command.
CONNECT = """#!/bin/sh
while [ "${1#-}" != "$1" ]; do shift; done
host=$1; shift
exec nsenter --target "$(cat "$(dirname "$0")/$host.pid")" --net --uts --ipc --mount --wd="$PWD" sh -c "$*"
"""


@dataclass(frozen=True)
class Host:
    """A machine; ``pid`` is that of its first process, which does nothing."""

    name: str
    pid: int

    def command(self, *arguments):
        """A command line that runs there."""
        inside = ["nsenter", "--target", str(self.pid), *(f"--{kind.replace('mnt', 'mount')}" for kind in KINDS)]
        return [*inside, f"--wd={os.getcwd()}", *map(str, arguments)]

    def run(self, *arguments):
        """Run a command there to its end."""
        return subprocess.run(self.command(*arguments), check=True, capture_output=True, text=True).stdout

    def processes(self):
        """Process ids of what runs there; its first process is none of them."""
        network = os.readlink(f"/proc/{self.pid}/ns/net")
        return [pid for pid in map(int, filter(str.isdigit, os.listdir("/proc"))) if self._runs(pid, network)]

    def _runs(self, pid, network):
        # A process may end while it is looked at; one that has only its exit code left has no links.
        with suppress(OSError):
            return pid != self.pid and os.readlink(f"/proc/{pid}/ns/net") == network
        return False

    def ranks(self):
        """Process ids there by rank."""
        found = {}
        for pid in self.processes():
            with suppress(OSError):
                variables = dict(part.partition("=")[::2] for part in _environment(pid))
                if "PMI_RANK" in variables:
                    found[int(variables["PMI_RANK"])] = pid
        return found


@dataclass(frozen=True)
class Machines:
    """Both machines, and where their launcher and list are."""

    hosts: tuple[Host, ...]
    folder: Path
    addresses = ADDRESSES
    cable = CABLE

    def mpiexec(self, *options, n=4):
        """The command line of mpiexec on the first machine, up to the program; ranks go to both in turn by pairs."""
        launcher = ("-launcher", "ssh", "-launcher-exec", self.folder / "connect", "-f", self.folder / "machines")
        return self.hosts[0].command(BIN / "mpiexec", *launcher, "-ppn", "2", "-n", n, *options)

    def cut(self):
        """Unplug the cable."""
        self.hosts[1].run("ip", "link", "set", CABLE, "down")

    def mend(self):
        """Plug the cable in again."""
        self.hosts[1].run("ip", "link", "set", CABLE, "up")

    def processes(self):
        """Return the processes of both machines."""
        return [pid for host in self.hosts for pid in host.processes()]

    def ranks(self):
        """Process ids by rank."""
        return {rank: pid for host in self.hosts for rank, pid in host.ranks().items()}

    def clear(self):
        """End everything that still runs there."""

        def none_is_left():
            left = self.processes()
            for pid in left:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            return not left

        wait_until(none_is_left, "all processes have ended")


def why_not():
    """Return why machines cannot be made here; empty if they can."""
    missing = [tool for tool in ("unshare", "nsenter", "ip", "mount", "hostname") if shutil.which(tool) is None]
    if missing:
        return f"no {', '.join(missing)} here (Debian has them in util-linux, iproute2 and hostname)"
    trial = ("ip link add one type veth peer name other", "mount -t sysfs none /sys", "mount -t tmpfs none /dev/shm")
    ended = subprocess.run(_unshare("sh", "-c", " && ".join(trial)), capture_output=True, text=True)
    return f"namespaces are not permitted here: {ended.stderr.strip()}" if ended.returncode else ""


@contextmanager
def machines(folder):
    """Both machines, until the end of the block."""
    lines = [f"{address} {name}\n" for address, name in zip(ADDRESSES, NAMES, strict=True)]
    (folder / "etc-hosts").write_text("".join(["127.0.0.1 localhost\n", *lines]))
    (folder / "machines").write_text("\n".join(NAMES) + "\n")
    (folder / "connect").write_text(CONNECT)
    (folder / "connect").chmod(0o755)
    started = []
    try:
        for name in NAMES:
            first = _unshare("sh", "-c", FIRST_PROCESS, "sh", name, folder / "etc-hosts")
            started.append(subprocess.Popen(first, stdout=subprocess.PIPE, text=True))
            assert started[-1].stdout.readline() == "ready\n", f"{name} does not start"
            (folder / f"{name}.pid").write_text(str(started[-1].pid))
        hosts = tuple(Host(name, one.pid) for name, one in zip(NAMES, started, strict=True))
        _lay_cable(hosts)
        both = Machines(hosts, folder)
        yield both
        both.clear()
    finally:
        for one in started:
            with one:
                one.kill()


def _lay_cable(hosts):
    one, other = hosts
    one.run("ip", "link", "add", CABLE, "type", "veth", "peer", "name", CABLE, "netns", other.pid)
    for host, address in zip(hosts, ADDRESSES, strict=True):
        host.run("ip", "address", "add", f"{address}/24", "dev", CABLE)
        host.run("ip", "link", "set", CABLE, "up")
    for host in hosts:
        wait_until(lambda host=host: "state UP" in host.run("ip", "link", "show", CABLE), "the cable works")


def wait_until(condition, what, seconds=60.0):
    """Poll until a condition holds."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"after {seconds:g} s it is not so that {what}"
        time.sleep(0.01)


def _unshare(*command):
    return ["unshare", "--net", "--uts", "--ipc", "--mount", *map(str, command)]


def _environment(pid):
    return Path(f"/proc/{pid}/environ").read_bytes().decode(errors="replace").split("\0")
