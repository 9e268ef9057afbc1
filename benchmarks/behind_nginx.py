"""The configuration of `deploy/` on this machine: its nginx.conf with other ports and folders, and its processes."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

from benchmarks.served import Server, free_port, served, wait_for
from tests.browser.conftest import ROOT

SITE: Final = ROOT / "deploy" / "nginx.conf"
PORTS: Final = (8501, 8502)
"""Of the processes in the committed file."""
NGINX: Final = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
MAIN: Final = """
daemon off;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
worker_processes 1;
events {{}}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    include {folder}/site.conf;
}}
"""
"""What Debian's /etc/nginx/nginx.conf does, in a folder of its own."""


def configuration(folder: Path, listen: int = 80, ports: Mapping[int, int] | None = None) -> Path:
    """Writes nginx's configuration into a folder and returns its path. ports: those to replace."""
    site = SITE.read_text("utf-8").replace("listen 80;", f"listen 127.0.0.1:{listen};")
    site = site.replace("/var/cache/nginx/explorer", f"{folder}/cache")
    for port, other in (ports or {}).items():
        site = site.replace(str(port), str(other))
    (folder / "site.conf").write_text(site, "utf-8")
    main = folder / "nginx.conf"
    main.write_text(MAIN.format(folder=folder), "utf-8")
    return main


@contextmanager
def served_behind_nginx() -> Iterator[tuple[str, list[Server]]]:
    """The address of nginx, and the servers behind it."""
    assert NGINX is not None, "needs nginx (Debian package nginx-light)"
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        listen, ports = free_port(), {port: free_port() for port in PORTS}
        secret = {"STREAMLIT_SERVER_COOKIE_SECRET": "of a benchmark"}
        starting = [served(port, arguments=("--open-first",), **secret) for port in ports.values()]
        servers = [stack.enter_context(each) for each in starting]
        for server in servers:
            server.wait()
        main = configuration(Path(folder), listen, ports)
        Path(folder).chmod(0o755)
        nginx = subprocess.Popen([NGINX, "-c", main], stderr=subprocess.DEVNULL)
        try:
            address = f"http://127.0.0.1:{listen}"
            wait_for(address)
            yield address, servers
        finally:
            nginx.terminate()
            nginx.wait(10)
