"""The commands `trim` and `extend`: a vocabulary cut to what a corpus needs, or with new tokens learned from one.

`trim` writes the map of ids that cuts a model's embeddings. Of each file and label every other document chooses the
tokens, and the ones between say what it costs.
"""

import json
import os
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from explorer.cli.commands import load_all
from explorer.cli.corpus_job import aligned
from explorer.cli.shared import Parsed, Warnings, choices, input_lines, open_input, say, say_lines
from explorer.cli.vocab import contents, reopened
from explorer.corpus.atomic import write
from explorer.corpus.documents import ranges
from explorer.corpus.run import tasks_of
from explorer.corpus.sources import Invalid, Reading, find
from explorer.editing.extending import extended
from explorer.editing.replay import editor_of
from explorer.editing.trimming import PLAIN, chosen, companions, counted, trimmed, unmade
from explorer.errors import InputError
from explorer.formats import strict_json
from explorer.implementations.opened import Opened
from explorer.opening.formats import format_of, open_bytes
from explorer.text import visible, visible_words
from explorer.text.say import plural


def trim(parsed: Parsed) -> int:
    before, data, name = opened(parsed)
    config = config_of(parsed.config) if parsed.config else {}
    counts = np.zeros(len(before.vocabulary), np.int64)
    languages, groups = [each for each in parsed.keep_languages.split(",") if each], set[str]()
    for group, texts in documents(parsed):
        groups.add(group)
        if not languages or group in languages:
            counts += counted(before, texts[::2])
    if missing := [each for each in languages if each not in groups]:
        raise InputError(f"{visible(missing[0])} is none of {', '.join(map(visible, sorted(groups)[:20]))}")
    lines = input_lines([parsed.keep] if parsed.keep else [], [])
    first = [id for line in lines for id in before.encode(line.text, add_special=False).ids]
    kept = chosen(before, counts, parsed.size, first)
    result = trimmed(before, data, name, kept)
    after = reopened(result.data, before, choices(parsed), data)
    if lost := unmade(before, after, result.ids):
        spelling = before.vocabulary.spelling(lost[0])
        raise InputError(f"{visible(spelling)} and {len(lost) - 1} more kept tokens aren't made any more")
    say(f"{len(kept):,} of {len(before.vocabulary):,} tokens are kept; text gives each of them as before")
    costs = defaultdict[str, list[int]](lambda: [0, 0])
    for group, texts in documents(parsed):
        for at, tokenizer in enumerate((before, after)):
            costs[group][at] += len(tokenizer.encode_batch(texts[1::2], **PLAIN).ids)
    rows = [
        [visible_words(group), f"{old:,}", f"{new:,}", f"{new / old - 1:+.1%}" if old else "-"]
        for group, (old, new) in costs.items()
    ]
    say_lines(aligned([["", "all", "kept", "more"], *rows]))
    save(parsed, name, result.data, companions(before, result.ids, config))
    return 0


def extend(parsed: Parsed) -> int:
    before, data, name = opened(parsed)
    learned = extended(before, data, name, (text for _, texts in documents(parsed) for text in texts), parsed.size)
    after = reopened(learned.data, before, choices(parsed), data).vocabulary
    say(f"{plural(len(learned.new), 'token')} added to {len(before.vocabulary):,}; all old ones keep their ids")
    new = {after.ids[piece]: parts for piece, parts in learned.new.items()}
    for id, parts in list(new.items())[: parsed.limit]:
        say(f"  {id:>8}  {visible(after.spelling(id))}  = {' '.join(map(str, parts))}")
    save(parsed, name, learned.data, {"new_tokens.json": json.dumps(new).encode()})
    return 0


def config_of(path: str) -> dict[str, Any]:
    """A config.json."""
    with open_input(path) as file:
        config = strict_json.read(file.read(), path, "a config.json")
    # its size goes into a script
    if not isinstance(config, dict) or type(config.get("vocab_size", 0)) is not int:
        raise InputError(f"{path}: this is no config.json, an object with a whole number as vocab_size")
    return config


def opened(parsed: Parsed) -> tuple[Opened, bytes, str]:
    """The tokenizer, the bytes of its file, and the file's name."""
    (tokenizer,) = load_all([parsed.model], parsed, Warnings())
    data, name = contents(parsed.model)
    if tokenizer.implementation not in format_of(data, name).implementations:  # it reads the settings of a folder
        tokenizer = open_bytes(data, name, None, choices(parsed))
    return tokenizer, data, name


def documents(parsed: Parsed) -> Iterator[tuple[str, list[str]]]:
    """The documents in batches, by label, or by file without one."""
    reading = Reading(parsed.field, parsed.label, Invalid(parsed.invalid), False, parsed.longest)
    for task in tasks_of(find(parsed.corpus).files, reading, parsed.part):
        for file_range, batches, _ in ranges(task, reading):
            for batch in batches:
                groups = defaultdict[str, list[str]](list)
                labels = batch.labels or [file_range.file.shown] * len(batch.texts)
                for group, text in zip(labels, batch.texts, strict=True):
                    groups[group].append(text)
                yield from groups.items()


def save(parsed: Parsed, name: str, data: bytes, others: Mapping[str, bytes]) -> None:
    """Writes the tokenizer and the files beside it."""
    if not parsed.output:
        return
    folder = Path(os.path.abspath(parsed.output))
    folder.mkdir(parents=True, exist_ok=True)
    files = {f"tokenizer{editor_of(format_of(data, name), name).suffix}": data, **others}
    for file, content in files.items():
        write(folder / file, content)
    say(f"{visible(parsed.output)}: {', '.join(files)}")
