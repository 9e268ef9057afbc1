"""The command that saves a page as one HTML file, which plays without a server: `save`.

`explorer.saved` makes the file, above this floor's commands, and so does this one stand. Leaves out what needs a server
afterwards: other texts, other tokenizers.
"""

from pathlib import Path
from typing import Any

from explorer.cli.commands import load_model
from explorer.cli.shared import (
    Parsed,
    Warnings,
    choices,
    input_text,
    options,
    say,
)
from explorer.corpus.atomic import write_whole
from explorer.engine.part import Options
from explorer.errors import InputError, no_longer_offered
from explorer.saved.page import SERVER, Page, html
from explorer.text import visible
from explorer.text.say import size


def site(parsed: Parsed) -> int:
    from explorer.saved.lesson import site as write

    app = app_of(parsed)
    sizes = write(Path(parsed.folder), app, lambda name: say(visible(name), error=True), parsed.live)
    say(f"{visible(parsed.folder)}: {len(sizes)} files, {size(sum(sizes.values()))}")
    return 0


def save(parsed: Parsed) -> int:
    app = app_of(parsed)
    page = html(page_of(parsed), app).encode()
    write_whole(Path(parsed.output), page)
    say(f"{visible(parsed.output)}: {size(len(page))}")
    return 0


def page_of(parsed: Parsed) -> Page:
    """The page that the call asks for."""
    if parsed.lesson is not None:
        if parsed.models or parsed.text is not None:
            parsed.usage_error("--lesson has its own texts and tokenizers; leave out -m and TEXT")
        from explorer.saved.lesson import lesson_page

        return lesson_page(lesson_of(parsed.lesson))
    if parsed.train is not None:
        from explorer.answers.saved import training_page

        return training_page(parsed.train, parsed.whom, parsed.words, parsed.vocab_size, input_text(parsed))
    if not parsed.models:
        parsed.usage_error("give a tokenizer with -m, --train, or --lesson")
    if len(parsed.models) > 1:
        if parsed.quiz is not None or parsed.stage or parsed.pattern is not None:
            parsed.usage_error("give one -m; a comparison has no --quiz, --stage or --pattern")
        from explorer.answers.saved import comparison_page

        for model in parsed.models:
            if sentence := no_longer_offered("implementation", model.rpartition("@")[2]):
                say(f"explorer: {sentence}", error=True)
        chosen = tuple(choices(parsed).items())
        return comparison_page(parsed.models, input_text(parsed), Options(**options(parsed)), chosen)
    (parsed.model,) = parsed.models
    warned = Warnings()
    tok, text = load_model(parsed, warned), input_text(parsed)
    if parsed.quiz is not None:
        from explorer.learning.questions import Quiz
        from explorer.saved.lesson import quiz_page

        return quiz_page(tok, Quiz(parsed.quiz, parsed.seed, texts=tuple(line for line in text.split("\n") if line)))
    from explorer.saved.explore import explore_page

    trace = tok.trace(text, **options(parsed))
    warned.of_ids(tok, trace.ids, not parsed.no_add_special)
    return explore_page(tok, trace, only=parsed.stage)


def lesson_of(spec: str) -> Any:
    """A lesson of the program by its key, or one in a file. Raises InputError."""
    from explorer.learning.lessons import library, read_lesson
    from explorer.learning.lessons.reading import lesson_named, read_file

    known = lesson_named(spec)
    if known is not None:
        return known
    if Path(spec).suffix != ".toml":
        raise InputError(f"no lesson {spec[:60]!r}; use one of {', '.join(library())}, or a TOML file")
    return read_lesson(read_file(Path(spec), visible(spec)), visible(spec))


def app_of(parsed: Parsed) -> str:
    """The URL that links lead to; empty for no links. Raises InputError for one that no browser opens as a page."""
    url: str = SERVER if parsed.app is None else parsed.app
    if url and not url.startswith(("http://", "https://")):
        raise InputError(f"--app {url[:100]!r} is not a URL of a page; give one that begins with http:// or https://")
    return url
