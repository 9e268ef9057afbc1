"""deploy/: nginx reads its configuration, and a visitor whose process dies goes on with the text on the other one."""

from __future__ import annotations

import os
import re
import shutil
import socket
import ssl
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from urllib.error import HTTPError

import pytest
from playwright.sync_api import Browser
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

import explorer
from benchmarks.behind_nginx import NGINX, SITE, Front, configuration, kill, served_behind_nginx
from benchmarks.served import free_port, served
from explorer.cli.processes import place, processes, site
from explorer.errors import InputError
from tests.browser.conftest import ROOT, Explorer

needs_nginx = pytest.mark.skipif(
    NGINX is None and not os.environ.get("CI"), reason="no nginx on the PATH; install Debian's package nginx-light"
)


def test_the_configuration_is_the_one_of_the_command() -> None:
    """If it isn't: python -c "from explorer.cli.processes import site; print(site([8501, 8502]), end='')"."""
    assert SITE.read_text("utf-8") == site([8501, 8502])


@needs_nginx
def test_nginx_reads_the_configuration(tmp_path: Path) -> None:
    assert NGINX is not None, "CI must run this test: install Debian's package nginx-light"
    done = subprocess.run([NGINX, "-t", "-c", configuration(tmp_path, 8080)], capture_output=True, text=True)
    assert "test is successful" in done.stderr, done.stderr
    assert "[warn]" not in done.stderr


def with_tls(site: str) -> str:
    """The configuration with TLS, as its comments say."""
    location = site.rpartition("location / {")[2].partition("\n    }")[0]
    return site.replace(
        location, location.replace("# add_header", "add_header").replace("# proxy_cookie", "proxy_cookie")
    )


@needs_nginx
def test_headers_for_tls_are_read_where_nginx_sends_them(tmp_path: Path) -> None:
    """nginx leaves out the server block's headers in a location with headers of its own."""
    assert NGINX is not None
    main, site = configuration(tmp_path, 8080), tmp_path / "site.conf"
    changed = with_tls(site.read_text("utf-8"))
    location = changed.rpartition("location / {")[2].partition("\n    }")[0]
    assert re.findall(r"^ *(?:add_header (\S+)|(proxy_cookie_flags))", location, re.MULTILINE) == [
        ("Set-Cookie", ""), ("Strict-Transport-Security", ""), ("", "proxy_cookie_flags"),
    ]  # fmt: skip
    site.write_text(changed, "utf-8")
    done = subprocess.run([NGINX, "-t", "-c", main], capture_output=True, text=True)
    assert "test is successful" in done.stderr, done.stderr


@needs_nginx
def test_nginx_reads_it_for_one_process_and_for_five(tmp_path: Path) -> None:
    assert NGINX is not None
    main = configuration(tmp_path, 8080)
    for count in (1, 5):
        written = site(range(8501, 8501 + count), "[::1]:8080", f"{tmp_path}/cache")
        (tmp_path / "site.conf").write_text(written, "utf-8")
        done = subprocess.run([NGINX, "-t", "-c", main], capture_output=True, text=True)
        assert "test is successful" in done.stderr, done.stderr
        assert written.count(" backup;") == count * (count - 1)


@pytest.mark.parametrize("count", ["0", "-1", "65", "two", "²", ""])
def test_a_count_of_processes_that_is_none(count: str) -> None:
    with pytest.raises(InputError, match="--processes"):
        processes(count)


def test_a_port_that_is_taken_and_flags_nginx_has_to_know() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(InputError, match=str(port)):
            place(["--server.port", str(port)])
    for flag in ("--server.sslCertFile=a", "--server.baseUrlPath"):
        with pytest.raises(InputError, match="deploy/README"):
            place(["--server.port=0", flag, "b"])


@pytest.mark.long
@needs_nginx
@pytest.mark.skipif(shutil.which("openssl") is None, reason="no openssl to make a certificate with")
def test_a_session_through_tls(tmp_path: Path) -> None:
    """The page, its headers and cookies, and a connection whose Origin is the site's, over HTTPS."""
    assert NGINX is not None
    tmp_path.chmod(0o755)
    listen, port = free_port(), free_port()
    main = configuration(tmp_path, listen, {8501: port, 8502: free_port()})
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost", "-addext",
         "subjectAltName=DNS:localhost", "-days", "1", "-keyout", key, "-out", certificate],
        check=True, capture_output=True,
    )  # fmt: skip
    site = tmp_path / "site.conf"
    plain, secure = f"listen 127.0.0.1:{listen};", f"listen 127.0.0.1:{listen} ssl;"
    given = f"{secure} ssl_certificate {certificate}; ssl_certificate_key {key};"
    site.write_text(with_tls(site.read_text("utf-8")).replace(plain, given), "utf-8")
    trusted = ssl.create_default_context(cafile=certificate)
    with served(port, ROOT, ()) as server:
        server.wait()
        with subprocess.Popen([NGINX, "-c", main], stderr=subprocess.DEVNULL) as nginx:
            try:
                address = f"localhost:{listen}"
                wait_for_tls(address, trusted)
                with urllib.request.urlopen(f"https://{address}/", context=trusted) as answer:
                    assert answer.headers["Strict-Transport-Security"] == "max-age=31536000"
                    assert answer.headers["X-Frame-Options"] == "SAMEORIGIN"
                    cookies = answer.headers.get_all("Set-Cookie")
                    assert any("explorer_process=1" in each for each in cookies)
                with urllib.request.urlopen(f"https://{address}/_stcore/health", context=trusted) as answer:
                    for each in answer.headers.get_all("Set-Cookie"):
                        assert each.startswith("explorer_process=") or "secure" in each.lower(), each
                stream = partial(connect, f"wss://{address}/_stcore/stream", subprotocols=["streamlit"], ssl=trusted)  # type: ignore[call-overload]
                with stream(origin=f"https://{address}"):
                    pass
                with pytest.raises(InvalidStatus):
                    stream(origin="https://evil.example").__enter__()
            finally:
                nginx.terminate()


def wait_for_tls(address: str, trusted: ssl.SSLContext) -> None:
    """Waits until nginx and the app behind it answer."""
    for _ in range(500):
        with suppress(OSError), urllib.request.urlopen(f"https://{address}/_stcore/health", context=trusted):
            return
        time.sleep(0.02)


@pytest.mark.long
def test_the_health_script_restarts_what_does_not_answer(tmp_path: Path) -> None:
    curl = tmp_path / "curl"
    curl.write_text('#!/bin/sh\ncase "$*" in *:8501/*) exit 0;; esac\nexit 7\n')
    curl.chmod(0o755)
    path = f"{tmp_path}:{os.environ['PATH']}"
    done = subprocess.run(
        [ROOT / "deploy" / "health", "8501", "8502"], env={"PATH": path, "HEALTH_RESTART": "echo restart"},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout.splitlines()[-1] == "restart explorer@8502.service"
    assert "8501" not in done.stdout


@pytest.fixture(scope="module")
def behind() -> Iterator[Front]:
    with served_behind_nginx() as running:
        yield running


@pytest.mark.long
@needs_nginx
@pytest.mark.parametrize(
    "path", ["/_stcore/metrics", "//_stcore//metrics", "/learn/_stcore/metrics/", "/_stcore/%6detrics"]
)
def test_the_servers_counts_are_closed(behind: Front, path: str) -> None:
    with pytest.raises(HTTPError) as refused:
        urllib.request.urlopen(behind.address + path)
    with refused.value as answer:
        assert answer.code == 404
    with urllib.request.urlopen(f"{behind.address}/_stcore/health") as answer:
        assert answer.status == 200


@pytest.mark.long
@pytest.mark.browser
@needs_nginx
def test_a_text_too_long_for_the_url_outlives_its_process(behind: Front, browser: Browser) -> None:
    address = behind.address
    context = browser.new_context()
    context.add_init_script("try { localStorage.setItem('explorer-visited', 'yes') } catch {}")
    here = Explorer(context.new_page(), address)
    here.page.goto(f"{address}/?m=gpt-2")
    counted = here.page.locator(".st-key-overview .count").first
    counted.wait_for()
    here.settle()
    text = "What is LoRA? " * 200
    here.field.fill(text)
    gpt2 = explorer.load("gpt-2")

    def counts(text: str) -> bool:
        tokens = f"{len(gpt2.encode(text).ids):,} tokens"
        return here.comes_to(lambda: counted.text_content() == tokens)

    def process() -> str:
        return next(each["value"] for each in context.cookies() if each["name"] == "explorer_process")

    assert counts(text)
    before = process()
    dead = behind.servers[int(before)]
    kill(dead)
    assert here.comes_to(lambda: process() != before), "the page reconnects to the other process"
    assert here.comes_to(lambda: behind.servers[int(before)] is not dead), "the dead one is started again"
    here.settle()
    assert here.field.input_value() == text
    assert counts(text)
    here.field.press("Control+End")
    here.field.press_sequentially("And more.")
    assert counts(f"{text}And more.")
    context.close()
