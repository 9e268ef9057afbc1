"""A training as a saved page: every decision, and the file that was learned."""

from __future__ import annotations

from hashlib import sha256
from urllib.parse import urlencode

from explorer.answers.questions import question
from explorer.answers.train import TrainView, train_view
from explorer.saved.explore import quoted
from explorer.saved.page import Page, html, in_base64, repacked
from explorer.text.say import Say, plural
from explorer.training.request import ALGORITHMS, OFFERED, TrainRequest, asked_for, query_of
from explorer.version import __version__


def training_page(algorithm: str, whom: str, cutting: str, size: int, text: str) -> Page:
    """A vocabulary learned from a short text. cutting: of words, "" for the usual one. Raises InputError.

    >>> page = training_page("bpe", "huggingface", "whitespace", 12, "low lower lowest")
    >>> page.heading, page.data["file_name"]
    ('BPE learned from “low lower lowest”', 'trained here, 12 tokens.json')
    """
    request = asked_for(algorithm, whom, cutting, size, text)
    return page_of(request, train_view(request))


@question
def training_file(request: TrainRequest, app: str) -> tuple[str, str]:
    """A training on the page: the name of the file, and the file. app: the URL that its links lead to."""
    page = page_of(request, train_view(request))
    return page.file_name, html(page, app)


def page_of(request: TrainRequest, view: TrainView) -> Page:
    """What Train shows, as a saved page."""
    (algorithm, whom), text = request.trainer_id, request.text
    board = Say.of("Your text: {0:t} → {1:t} tokens", f"{view.before:,}", f"{view.after:,}")
    data = {
        "script": repacked(view.script),
        "on": {"script_id": view.id, "start": view.opens, "board": board._asdict()},
        "text": text,
        "file": in_base64(view.file),
        "file_name": view.file_name,
    }
    made = [
        ("Program", f"tokenizer-explorer {__version__}"),
        ("Trainer", f"{algorithm}, as {whom}"),
        ("Words", request.cutting),
        ("Size", f"{request.vocab_size} asked, {plural(view.tokens, 'token')} learned"),
        *((f"Option {name}", str(value)) for name, value in request.options),
        ("Text", f"{plural(len(text), 'character')}, sha256 {sha256(text.encode()).hexdigest()}"),
    ]
    title = OFFERED[request.trainer_id].title
    return Page(
        "training", f"{ALGORITHMS[algorithm]} learned from {quoted(text)}", data, made,
        f"{ALGORITHMS[algorithm]} as {title} learns it, {plural(view.tokens, 'token')}.",
        f"training-{algorithm}-{whom}-{view.id[:8]}.html", f"train?{urlencode(query_of(request))}",
    )  # fmt: skip
