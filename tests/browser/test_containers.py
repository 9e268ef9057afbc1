"""deploy/'s Dockerfile, compose file and Space: what they name is there, and a frame of another site takes a file."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
import yaml
from playwright.sync_api import Browser

from benchmarks.image import steps
from explorer.cli.parser import parser
from tests.browser.conftest import ROOT, served

DOCKERFILE = (ROOT / "deploy" / "Dockerfile").read_text("utf-8")
KEYS = {"title", "emoji", "colorFrom", "colorTo", "sdk", "app_port", "license", "short_description"}
"""Of a Space's front matter, as https://huggingface.co/docs/hub/spaces-config-reference has them."""


def of(name: str, dockerfile: str = DOCKERFILE) -> list[str]:
    return [rest for step, rest in steps(dockerfile) if step == name]


@pytest.fixture(scope="module")
def space(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("space")
    subprocess.run([ROOT / "deploy" / "space", folder], check=True)
    return folder


def test_the_space_holds_all_that_its_dockerfile_copies(space: Path) -> None:
    written = (space / "Dockerfile").read_text("utf-8")
    for rest in of("COPY", written):
        for source in rest.split()[:-1]:
            assert (space / source).exists(), source
            assert (ROOT / source).exists(), source
    (commit,) = (rest.removeprefix("COMMIT=") for rest in of("ARG", written))
    assert re.fullmatch("[0-9a-f]{40}", commit)
    assert of("USER", written) == ["1000:1000"], "the user a Space runs"


def test_the_front_matter_of_the_space(space: Path) -> None:
    _, front, _ = (space / "README.md").read_text("utf-8").split("---\n", 2)
    given = yaml.safe_load(front)
    assert set(given) == KEYS
    assert given["sdk"] == "docker"
    assert [str(given["app_port"])] == of("EXPOSE", (space / "Dockerfile").read_text("utf-8"))
    assert len(given["short_description"]) <= 60, "the longest a Space shows"


def test_commands_are_ones_that_the_command_line_takes_at_the_port_that_is_exposed() -> None:
    compose = yaml.safe_load((ROOT / "deploy" / "compose.yaml").read_text("utf-8"))["services"]["explorer"]
    (exposed,), (command,) = of("EXPOSE"), map(json.loads, of("CMD"))
    for words in (command, compose["command"]):
        assert words[0] == "explorer"
        parsed, rest = parser(words[1]).parse_known_args(words[1:])
        assert parsed.open_first
        flags = dict(zip(rest[::2], rest[1::2], strict=True))
        assert flags["--server.port"] == exposed
        assert flags["--server.address"] == "0.0.0.0"
    assert compose["ports"] == [f"{exposed}:{exposed}"]
    assert f":{exposed}/_stcore/health" in of("HEALTHCHECK")[0]
    build = compose["build"]
    assert (ROOT / "deploy" / build["context"] / build["dockerfile"]).read_text("utf-8") == DOCKERFILE


def test_the_table_of_the_environment_has_every_variable() -> None:
    table = (ROOT / "deploy" / "README.md").read_text("utf-8").partition("## The environment")[2]
    sources = "".join(path.read_text("utf-8") for path in (ROOT / "explorer").rglob("*.py"))
    assert set(re.findall(r"`(EXPLORER_\w+)`", table)) == set(re.findall(r'"(EXPLORER_[A-Z_]+)"', sources))


@pytest.fixture
def site() -> Iterator[tuple[str, list[str]]]:
    """Another site, and a list for the address that it frames."""
    framed: list[str] = []

    class Framing(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(f"<iframe width=1200 height=800 src='{framed[0]}'></iframe>".encode())

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Framing) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://localhost:{server.server_port}", framed
        server.shutdown()


@pytest.mark.browser
@pytest.mark.long
def test_a_page_in_a_frame_of_another_site_takes_a_file(
    space: Path, site: tuple[str, list[str]], browser: Browser, tmp_path: Path
) -> None:
    address, framed = site
    (given,) = of("ENV", (space / "Dockerfile").read_text("utf-8"))[1:]
    settings = dict(re.findall(r'(\w+)="?([^"\s][^"]*?)"?(?:\s|$)', given))
    assert settings.keys() == {"EXPLORER_HOSTS", "EXPLORER_FRAMED_BY", "STREAMLIT_SERVER_ENABLE_XSRF_PROTECTION"}
    settings["EXPLORER_FRAMED_BY"] += f" {address}"
    with served([sys.executable, "-m", "explorer", "app"], ROOT, tmp_path / "log.txt", **settings) as own:
        framed.append(f"{own}/?m=gpt-2&text=hi")
        context = browser.new_context()
        page = context.new_page()
        page.goto(address)
        frame = page.frame_locator("iframe")
        frame.locator(".st-key-overview .count").first.wait_for()
        vocabulary = json.dumps({"model": {"type": "BPE", "vocab": {"h": 0, "i": 1, "hi": 2}, "merges": ["h i"]}})
        frame.locator(".st-key-settings button").first.click()
        frame.locator(".st-key-drop input[type=file]").last.set_input_files(
            [{"name": "mine.tokenizer.json", "mimeType": "application/json", "buffer": vocabulary.encode()}]
        )
        frame.get_by_text("mine.tokenizer.json").first.wait_for()
        context.close()
