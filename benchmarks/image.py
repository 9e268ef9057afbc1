"""Runs deploy/'s Dockerfile where no container engine is: `python -m benchmarks.image ROOT [--space]` (as root).

ROOT is a clean Debian with Python, such as

    debootstrap --variant=minbase --include=python3,python3-pip,python-is-python3,ca-certificates bookworm ROOT

Each COPY and RUN is done in it, then CMD by USER with ROOT read-only, only /tmp writable, and namespaces of its own,
until HEALTHCHECK's command succeeds. It prints each step with its seconds, and what ROOT has grown by. With --space,
the folder that deploy/space writes takes the clone's place. Leaves out what an engine adds: layers, seccomp, limits of
memory. Debian's debootstrap leaves proc mounted in ROOT: `umount ROOT/proc` before you remove or copy it.
"""

from __future__ import annotations

import argparse
import json
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from tests.browser.conftest import ROOT

CERTIFICATES = "/etc/ssl/certs/ca-certificates.crt"
CHROOT = "mount --bind {root} {root} && mount -o remount,bind,ro {root} && mount -t proc proc {root}/proc && "
"""What a namespace of its own begins with: the root, read-only."""


def steps(dockerfile: str) -> Iterator[tuple[str, str]]:
    """Each instruction and what follows it.

    >>> list(steps("FROM a\\\\n# why\\\\nRUN b \\\\\\\\\\\\n  && c\\\\n"))
    [('FROM', 'a'), ('RUN', 'b && c')]
    """
    whole = re.sub(r"\\\n\s*", "", "\n".join(line for line in dockerfile.splitlines() if not line.startswith("#")))
    for line in filter(None, whole.splitlines()):
        name, _, rest = line.partition(" ")
        yield name, rest.strip()


def size(root: Path) -> int:
    return int(subprocess.run(["du", "-sxm", root], capture_output=True, text=True, check=True).stdout.split()[0])


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.image", description=__doc__)
    parser.add_argument("root", type=Path)
    parser.add_argument("--space", action="store_true")
    given = parser.parse_args()
    root = given.root.resolve()
    clone, dockerfile = ROOT, ROOT / "deploy" / "Dockerfile"
    if given.space:
        clone = Path(tempfile.mkdtemp())
        subprocess.run([ROOT / "deploy" / "space", clone], check=True)
        dockerfile = clone / "Dockerfile"
    environment = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"}
    environment |= {"PIP_BREAK_SYSTEM_PACKAGES": "1", "DEBIAN_FRONTEND": "noninteractive", "PIP_CERT": CERTIFICATES}
    for each in ("/etc/resolv.conf", CERTIFICATES):  # this machine's way to the network
        shutil.copy(each, root / each[1:])
    here, user, started, health, before = "/", "0:0", list[str](), list[str](), size(root)
    for name, rest in steps(dockerfile.read_text("utf-8")):
        began = time.monotonic()
        if name == "WORKDIR":
            here = rest
            (root / here[1:]).mkdir(parents=True, exist_ok=True)
        elif name == "COPY":
            *sources, target = rest.split()
            place = root / here[1:] / target
            for source in sources:
                whole = clone / source
                if whole.is_dir():
                    shutil.copytree(whole, place, dirs_exist_ok=True)
                else:
                    place.mkdir(exist_ok=True)
                    shutil.copy(whole, place)
        elif name in ("ENV", "ARG"):
            environment |= dict(each.split("=", 1) for each in shlex.split(rest))
        elif name == "RUN":
            inside = f"mount -t proc proc {root}/proc; chroot {root} sh -c {shlex.quote(f'cd {here} && {rest}')}"
            subprocess.run(
                ["unshare", "-m", "sh", "-euc", inside], env=environment, check=True, stdout=subprocess.DEVNULL
            )
        elif name == "USER":
            user = rest
        elif name == "HEALTHCHECK":
            health = json.loads(rest.partition("CMD ")[2])
        elif name == "CMD":
            started = json.loads(rest)
        print(f"{name:12}{rest[:60]:62}{time.monotonic() - began:6.1f} s", flush=True)
    print(f"{'grown by':74}{size(root) - before:6} MB")
    command = shlex.join(["chroot", f"--userspec={user}", str(root), *started])
    inside = CHROOT.format(root=root) + f"mount -t tmpfs tmpfs {root}/tmp && exec {command}"
    with subprocess.Popen(["unshare", "-m", "sh", "-euc", inside], env=environment) as app:
        try:
            for _ in range(120):
                time.sleep(0.5)
                if app.poll() is not None:
                    return 1
                if not subprocess.run(["chroot", f"--userspec={user}", root, *health], env=environment,
                                      capture_output=True).returncode:  # fmt: skip
                    print("HEALTHCHECK answers")
                    return 0
            print("HEALTHCHECK does not answer")
            return 1
        finally:
            app.terminate()


if __name__ == "__main__":
    sys.exit(main())
