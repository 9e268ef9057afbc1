"""Runs the command `train`: reads the corpus, trains, writes the file."""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from explorer.cli.corpus_job import JobProgress, resume_hint
from explorer.cli.shared import Parsed, input_lines, say, say_columns
from explorer.cli.train import ALGORITHMS, FLAGS
from explorer.corpus.atomic import check_writable, write
from explorer.corpus.documents import all_batches
from explorer.corpus.run import Parts, remove_empty, run, tasks_of
from explorer.corpus.sources import Invalid, Reading, Task, find
from explorer.errors import InputError
from explorer.formats import sentencepiece_model
from explorer.text import visible
from explorer.text.say import number, plain, plural
from explorer.training.trainers import TRAINERS, Recipe, Trainer, changed, fingerprint
from explorer.training.trainers import read as read_recipe
from explorer.training.training import Training
from explorer.training.why import crowded, merges_in, parting, parting_say, why_text
from explorer.training.words import CUTTINGS, Counting

USUAL_WORDS: Mapping[str, str] = {"wordpiece": "bert", "wordlevel": "whitespace", "unigram": "metaspace"}
"""How words are cut where nothing is said; other algorithms: byte-level; minbpe: each text is one word."""

SAVED_WITH = "unk_token"
"""An option of the model that is saved, not of most trainers."""


def train(parsed: Parsed) -> int:
    sort_out(parsed)
    replayed = recipe_to_replay(parsed)
    trainer = trainer_of(parsed)
    usual = "none" if parsed.whom == "minbpe" else USUAL_WORDS.get(parsed.algorithm, "byte-level")
    words = parsed.words or usual
    cutting = CUTTINGS[words]
    if parsed.whom == "minbpe" and parsed.words == "byte-level":
        parsed.usage_error("--words byte-level spells bytes as characters, and minbpe learns from bytes itself")
    output = output_of(parsed, trainer)
    options = options_of(parsed, trainer) if replayed is None else trainer.options(**replayed.options)
    if parsed.output:
        check_writable(output)
    if parsed.recipe:
        check_writable(Path(os.path.abspath(parsed.recipe)))
    folder = output.with_name(f"{output.name}.parts")
    reading = Reading(parsed.field, "", Invalid(parsed.invalid), False, parsed.longest)
    tasks = tasks_of(find(parsed.paths, [output, folder]).files, reading, parsed.part)
    progress = JobProgress(parsed.resume)
    parts = None
    try:
        if trainer.of_words and (replayed is None or replayed.line_ends):
            counts, parts = run(tasks, Counting(cutting, reading), progress, folder=folder, resume=parsed.resume,
                                workers=parsed.workers, scheduler=parsed.scheduler)  # fmt: skip
            corpus: Any = counts.ordered()
        else:
            lines = [text.rstrip("\n") for text in texts(tasks, reading)]
            corpus = cutting.words(lines) if trainer.of_words else lines
        progress.end()
        if replayed is not None:
            replayed.check(corpus)
        training = trainer.train(corpus, options)
        if parsed.why:
            trainer_id = parsed.algorithm, parsed.whom
            say_why(training, corpus, list(texts(tasks, reading)), trainer_id, words, options, parsed.why)
        if parsed.against:
            theirs = merges_in(line.text for line in input_lines([parsed.against], []))
            say(plain(parting_say(parting(training, theirs, words))))
        learned = training.learned
        if note := crowded(learned, options, words, parsed.whom):
            say(f"explorer: warning: {note}", error=True)
        if parsed.output:
            write(output, trainer.save(learned, options, cutting, parsed.unk_token))
        if parsed.recipe:
            line_ends = trainer.of_words if replayed is None else replayed.line_ends
            recipe = Recipe(parsed.algorithm, parsed.whom, words, line_ends, changed(options), parsed.unk_token,
                            fingerprint(corpus))  # fmt: skip
            write(Path(os.path.abspath(parsed.recipe)), recipe.json().encode())
        if parts is not None:
            parts.end()
    except KeyboardInterrupt:
        progress.end()
        say(f"explorer: interrupted; {resume_hint(folder if trainer.of_words else None)}", error=True)
        return 130
    except InputError as error:
        progress.end()
        hint = what_is_left(parts, folder, progress.begun, len(tasks))
        if not hint:
            raise
        raise InputError(f"{error} ({hint})") from error
    finally:
        if parts is not None:
            parts.release()
    if parsed.output:
        say(f"{visible(parsed.output)}: {plural(len(learned.tokens), 'token')}")
    return 0


def what_is_left(parts: Parts[Any] | None, folder: Path, begun: bool, tasks: int) -> str:
    """Clears up after an error, so that the corrected command runs. Returns what is kept, "" if nothing is.

    parts: of a corpus that was counted, None before that. begun: whether counting began. One part is counted anew.
    """
    if parts is not None and tasks > 1:
        parts.leave()
        return f"the counted words are kept in {folder.name}, where the corrected command finds them"
    if parts is not None:
        parts.end()
    elif begun and any(folder.glob("*.tally")):
        return resume_hint(folder)
    elif begun:
        remove_empty(folder)
    return ""


def output_of(parsed: Parsed, trainer: Trainer) -> Path:
    """The file to write; beside it the counted parts are kept. A usage error for one of another kind."""
    if not (parsed.output or parsed.why or parsed.against):
        parsed.usage_error("give --output FILE, or ask about a token with --why TOKEN")
    if parsed.against and (parsed.algorithm != "bpe" or parsed.whom == "minbpe"):
        parsed.usage_error("--against compares the merges of bpe, other than minbpe's, which are of bytes")
    output = Path(os.path.abspath(parsed.output or f"vocabulary{trainer.suffix}"))
    if output.suffix != trainer.suffix:
        parsed.usage_error(f"--output ends in {trainer.suffix}: that is what {parsed.whom} writes")
    return output


def sort_out(parsed: Parsed) -> None:
    """Takes the first argument as a path if it does not name an algorithm and a recipe does."""
    if parsed.replay and parsed.algorithm not in ALGORITHMS:
        parsed.paths, parsed.algorithm = [parsed.algorithm, *(parsed.paths or ())], None
    elif parsed.algorithm not in ALGORITHMS:
        parsed.usage_error(f"{visible(parsed.algorithm)} is not an algorithm; give {', '.join(ALGORITHMS)}")
    elif not parsed.paths:
        parsed.usage_error("give a PATH to learn from")


def recipe_to_replay(parsed: Parsed) -> Recipe | None:
    """The recipe that is asked for; what it says takes its place among the arguments. A usage error for both."""
    if not parsed.replay:
        return None
    flags = [flag for flag in (*FLAGS, "words", "normalizer-of") if getattr(parsed, flag.replace("-", "_")) is not None]
    if flags:
        parsed.usage_error(f"--{flags[0]} is in the recipe; leave it out with --replay")
    path = Path(parsed.replay)
    name = visible(str(path))
    try:
        recipe = read_recipe(path.read_text("utf-8"), name)
    except (OSError, UnicodeDecodeError):
        raise InputError(f"{name}: it can't be read as text; give the file that --recipe wrote") from None
    if parsed.algorithm not in (None, recipe.algorithm):
        parsed.usage_error(f"this is a recipe for {recipe.algorithm}, not for {parsed.algorithm}")
    parsed.algorithm = recipe.algorithm
    parsed.whom, parsed.unk_token = recipe.whom, recipe.unk_token
    parsed.words = recipe.words if TRAINERS[recipe.algorithm, recipe.whom].of_words else None
    return recipe


def trainer_of(parsed: Parsed) -> Trainer:
    """The trainer; a usage error for one that does not exist, or with options it does not have."""
    trainer = TRAINERS.get((parsed.algorithm, parsed.whom))
    if trainer is None:
        known = [whom for algorithm, whom in TRAINERS if algorithm == parsed.algorithm]
        parsed.usage_error(f"{parsed.algorithm} is not learned as {parsed.whom}; give --as {' or '.join(known)}")
    assert trainer is not None  # a usage error exits
    if not trainer.of_words:
        for name in ("words", "workers", "scheduler", "resume"):
            if getattr(parsed, name):
                parsed.usage_error(f"--{name} is not for {parsed.whom}, which cuts and counts whole texts itself")
    elif parsed.normalizer_of:
        parsed.usage_error("--normalizer-of is for sentencepiece; --words chooses a normalizer, too")
    return trainer


def options_of(parsed: Parsed, trainer: Trainer) -> Any:
    """The options that were given. A usage error for one that this trainer does not have."""
    has = {field.name for field in fields(trainer.options)}
    values: dict[str, Any] = {}
    for flag in FLAGS:
        value = getattr(parsed, flag.replace("-", "_"))
        if value is None:
            continue
        name = field_of(flag)
        if name not in has:
            if name == SAVED_WITH and trainer.suffix == ".json":
                continue
            others = [
                f"{algorithm} --as {whom}"
                for (algorithm, whom), each in TRAINERS.items()
                if name in {field.name for field in fields(each.options)}
            ]
            parsed.usage_error(f"--{flag} is an option of {', '.join(others)}")
        values[name] = tuple(value) if FLAGS[flag] or flag == "initial-alphabet" else value
    if parsed.normalizer_of and "normalization_rule_name" in values:
        parsed.usage_error("give --normalizer-of or --normalization-rule-name: rules of a model, or those with a name")
    if parsed.normalizer_of:
        values["charsmap"] = charsmap_of(Path(parsed.normalizer_of))
    return trainer.options(**values)


def field_of(flag: str) -> str:
    """The name of an option in its class: a flag that may be repeated is a list there.

    >>> field_of("special-token"), field_of("vocab-size")
    ('special_tokens', 'vocab_size')
    """
    return flag.replace("-", "_") + ("s" if FLAGS[flag] else "")


def charsmap_of(path: Path) -> bytes:
    """The compiled normalization rules of a sentencepiece model."""
    if not path.is_file():
        raise InputError(f"{visible(str(path))}: the file does not exist; give a .model")
    charsmap = sentencepiece_model.read(path).normalizer.precompiled_charsmap
    if not charsmap:
        raise InputError(
            f"{visible(str(path))}: this model changes no characters; give --normalization-rule-name identity"
        )
    return charsmap


def texts(tasks: tuple[Task, ...], reading: Reading) -> Iterator[str]:
    """The documents of all tasks, in order."""
    for task in tasks:
        for batch in all_batches(task, reading):
            yield from batch.texts


# What `train --why` prints: why a text is a token or not, and the decisions of the training that this rests on.
#
# The training is traced for that, so only a corpus is accepted whose decisions fit into memory.

MOST = 1_000_000
"""Characters of a corpus, as its trainer reads it: each distinct word once."""


def say_why(
    training: Training[Any],
    corpus: Mapping[str, int] | Sequence[str],
    texts: Sequence[str],
    trainer_id: tuple[str, str],
    cutting: str,
    options: Any,
    tokens: Sequence[str],
) -> None:
    """Prints the answers. corpus: words with their counts, or texts. Raises InputError for a corpus that is too large.

    The other arguments: see `why_text`.
    """
    size = sum(map(len, corpus))
    if size > MOST:
        raise InputError(
            f"--why follows every decision, and this corpus has {number(size)} characters to learn from; "
            f"give at most {number(MOST)}"
        )
    words = list(corpus) if isinstance(corpus, Mapping) else []
    _ = training.events  # what was learned comes with them
    for token in tokens:
        answer = why_text(training, token, trainer_id, cutting, texts, words, options)
        say(plain(answer.say))
        say_columns((f"  event {step.event}", plain(step.say)) for step in answer.steps)
