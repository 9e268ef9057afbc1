"""The command that saves a page as one HTML file, which plays without a server: `save`.

`explorer.saved` makes the file, above this floor's commands, and so does this one stand. Leaves out what needs a server
afterwards: other texts, other tokenizers.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from explorer.cli.commands import load_model
from explorer.cli.shared import (
    MODEL,
    Parsed,
    Warnings,
    add_choices,
    add_command,
    add_number,
    add_pattern,
    add_switches,
    add_text,
    add_value,
    choices,
    input_text,
    options,
    say,
)
from explorer.cli.train_flags import ALGORITHMS, CUTTINGS, FOLLOWED, trainer_name
from explorer.corpus.atomic import write_whole
from explorer.engine.part import Options
from explorer.errors import InputError, no_longer_offered
from explorer.saved.page import SERVER, Page, html
from explorer.text import visible
from explorer.text.say import size


def add_commands(commands: Any) -> None:
    command = add_command(
        commands,
        "save",
        save,
        "Save what the app shows as one HTML file that plays anywhere.",
        ('-m llama-2 "What is LoRA?" --output lora.html', "lora.html: "),
        ('-m gpt-2 "What is LoRA?" --stage model --output merges.html', "merges.html: "),
        ('-m gpt-2 -m bert-uncased "What is LoRA?" --output both.html', "both.html: "),
        ('--train bpe --vocab-size 20 "low lower lowest" --output bpe.html', "bpe.html: "),
        ("--lesson bytes --output bytes.html", "bytes.html: "),
        ('-m llama-2 --quiz 5 --seed 3 "What is LoRA?" --output quiz.html', "quiz.html: "),
    )
    command.add_argument("-m", "--model", action="append", default=[], dest="models", metavar="MODEL",
                         help=f"{MODEL}; several are compared")  # fmt: skip
    add_choices(command)
    add_pattern(command)
    add_text(command)
    add_switches(command)
    command.add_argument("-o", "--output", required=True, metavar="FILE", help="write the page to this file")
    add_value(command, "--stage", "STAGE", "only the stepper of this stage, such as model", default="")
    add_value(command, "--lesson", "LESSON", "a lesson by its name in the URL, or its TOML file")
    command.add_argument(
        "--train", choices=ALGORITHMS, help="a vocabulary learned from the text, which has at most 2,000 characters"
    )
    command.add_argument("--as", dest="whom", type=trainer_name, choices=FOLLOWED, default="huggingface",
                         help="the trainer to follow")  # fmt: skip
    command.add_argument("--words", choices=CUTTINGS, default="", help="how the text is cut into words")
    add_number(command, "--vocab-size", "to learn", 40)
    add_number(command, "--quiz", "a quiz of N questions about the lines of the text")
    add_number(command, "--seed", "of the quiz: which questions", 1)
    add_app(command)

    command = add_command(
        commands,
        "site",
        site,
        "Write all lessons and examples as static pages for a web host.",
        ("public", "public: "),
    )
    add_value(command, "folder", "FOLDER", "where to; files of the same names are replaced")
    add_app(command)


def add_app(command: argparse.ArgumentParser) -> None:
    add_value(command, "--app", "URL", "where its links lead: the first page of an explorer (http://localhost:8501/)")


def site(parsed: Parsed) -> int:
    from explorer.saved.lesson import site as write

    app = app_of(parsed)
    sizes = write(Path(parsed.folder), app, lambda name: say(visible(name), error=True))
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
        from explorer.saved.lesson import quiz_page

        return quiz_page(tok, [line for line in text.split("\n") if line], parsed.quiz, parsed.seed)
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
