"""The command that changes a vocabulary: `edit -m MODEL --script edits.toml --output FILE`."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from explorer.analysis.inputs import Line
from explorer.analysis.languages import languages, measure
from explorer.analysis.pre_tokenizer import PROBE, pre_tokenizer_facts, suggestions
from explorer.analysis.vocabulary.index import VocabularyIndex
from explorer.analysis.vocabulary.reach import speller_of
from explorer.cli.commands import load_all
from explorer.cli.shared import (
    Parsed,
    Warnings,
    argument,
    choices,
    clipped,
    input_lines,
    progress,
    say,
    say_columns,
    say_lines,
)
from explorer.corpus.atomic import check_writable, write
from explorer.editing import edits as edits_file
from explorer.editing.edits import AddMerges, Edit, Editor, Preset, Remove, SetPreTokenizer, title
from explorer.editing.replay import Effect, changed, editor_of, effect, replay
from explorer.errors import ChoiceNeeded, InputError
from explorer.implementations.opened import Opened
from explorer.implementations.tiktoken import with_sha256
from explorer.opening.catalog import file_of, parse_spec
from explorer.opening.formats import Choices, format_of, open_bytes, source_at
from explorer.origin import File
from explorer.text import visible
from explorer.text.say import number, plural


def edit(parsed: Parsed) -> int:
    chosen = choices(parsed)
    (before,) = load_all([parsed.model], parsed, Warnings())
    if parsed.suggest_pre:
        return suggest(before, parsed)
    data, name = contents(parsed.model)
    format = format_of(data, name)
    editor = editor_of(format, name)
    if before.implementation not in format.implementations:  # it reads the settings of a folder
        before = open_bytes(data, name, None, chosen)
        say(f"Before and after as {before.implementation} runs {name} alone.")
    edits = edits_of(parsed, editor)
    if not edits:
        parsed.usage_error("no edit is given: use --script, --add, --add-merges, --remove, --pre or --preset")
    for path in filter(None, (parsed.output, parsed.save_script)):
        check_writable(Path(os.path.abspath(path)))
    edited = replay(data, edits, name)
    for at, (each, notes) in enumerate(zip(edits, edited.notes, strict=True), 1):
        say(f"{at}. {title(each)}")
        for note in notes:
            say(f"   {note}")
    after = opened(edited.data, before, chosen, data)
    say_vocabulary(before, after, parsed.limit)
    lines = [*input_texts(parsed)]
    if lines:
        say_effect(effect(before, after, lines, counted), parsed.limit)
    if parsed.languages:
        say_languages(before, after)
    if parsed.output:
        write(Path(os.path.abspath(parsed.output)), edited.data)
        say(f"{visible(parsed.output)}: {plural(len(edited.data), 'byte')}, {format.name}")
    if parsed.save_script:
        write(Path(os.path.abspath(parsed.save_script)), edits_file.write(edits).encode())
        say(f"{visible(parsed.save_script)}: {plural(len(edits), 'edit')}")
    return 0


def contents(spec: str) -> tuple[bytes, str]:
    """The bytes of the file that a spec names, and its name. Raises InputError."""
    model, _ = parse_spec(spec)
    if not isinstance(model, Path):
        file, data = file_of(model)
        return data, file.name
    source, _ = source_at(model)
    return source.deciding(), source.name


def opened(data: bytes, before: Opened, choices: Choices, old: bytes) -> Opened:
    """The edited file as the original of the unedited one runs it. Raises InputError.

    Known ranks are no longer known once they are edited; their pattern stays.
    """
    known = with_sha256(old)
    if known and "pattern" not in choices:
        choices = {**choices, "pattern": known[0].name}
    try:
        return open_bytes(data, "edited", before.implementation, choices, File.of("edited", data))
    except ChoiceNeeded:
        raise
    except InputError as error:
        raise InputError(f"after these edits {before.implementation} can't run the vocabulary: {error}") from None


def edits_of(parsed: Parsed, editor: Editor) -> list[Edit]:
    """The edits of the call, in order. Raises InputError."""
    edits: list[Edit] = []
    if parsed.script:
        path = Path(parsed.script)
        try:
            edits += edits_file.read(path.read_bytes(), visible(str(path)))
        except OSError as error:
            raise InputError(f"{visible(str(path))}: cannot be read ({error.strerror}); check the path") from None
    if parsed.preset:
        edits.append(Preset(parsed.preset))
    if parsed.remove:
        edits.append(Remove(tuple(read(each, parsed) for each in parsed.remove), keep_ids=parsed.keep_ids))
    elif parsed.keep_ids:
        parsed.usage_error("--keep-ids needs --remove")
    for special, texts in ((False, parsed.add), (True, parsed.add_special)):
        edits += [editor.found_first(read(text, parsed), special) for text in texts]
    if parsed.add_merges:
        edits.append(AddMerges(tuple(read(each, parsed) for each in parsed.add_merges)))
    if parsed.pre:
        edits.append(SetPreTokenizer(parsed.pre))
    return edits


def read(token: str, parsed: Parsed) -> str:
    """An argument as the text of a token. Raises InputError for bytes that aren't UTF-8."""
    if not token:
        raise InputError("a token is empty; give a text")
    return argument(parsed, token, "an argument")


def input_texts(parsed: Parsed) -> Iterator[Line]:
    """The texts to compare."""
    if parsed.text is not None:
        yield Line("TEXT", 1, argument(parsed, parsed.text, "TEXT"))
    yield from input_lines(parsed.lines, [], escapes=parsed.escapes)


def counted(done: int) -> None:
    """Reports progress on a terminal."""
    if not done % 1000:
        progress(f"{number(done)} lines")


def say_vocabulary(before: Opened, after: Opened, limit: int) -> None:
    """Prints what became of the tokens."""
    change = changed(before, after)
    what = change.difference
    say(
        f"{plural(len(what.only_right), 'token')} added, {number(len(what.only_left))} removed, "
        f"{plural(len(what.other_id), 'id')} moved, {number(what.same)} as before"
    )
    for mark, ids, index in (("+", what.only_right, change.right), ("-", what.only_left, change.left)):
        say_lines(token_lines(mark, ids, index, limit))
    if change.unreached:
        say(f"{plural(len(change.unreached), 'new token')} that text does not give; explorer vocab show tells why")
        say_lines(token_lines("!", change.unreached, change.right, limit))


def token_lines(mark: str, ids: Sequence[int], index: VocabularyIndex, limit: int) -> Iterator[str]:
    """The first of some tokens."""
    speller, most = speller_of(index), max(0, limit)
    for id in ids[:most]:
        yield f"  {mark} {id:>6}  {clipped(speller.token(id))}"
    if len(ids) > most:
        yield f"  {mark} … and {number(len(ids) - most)} more"


def say_effect(change: Effect, limit: int) -> None:
    """Prints tokens before and after, and the words whose tokens differ."""
    progress()
    share = f" ({(change.after - change.before) / change.before:+.1%})".replace("-", "−") if change.before else ""
    tokens = f"{plural(change.before, 'token')} before, {number(change.after)} after{share}"
    say(f"{plural(change.lines, 'text')}, {number(change.changed)} cut differently: {tokens}")
    for what, words in (("more", change.broken), ("fewer", change.joined)):
        if words:
            say(f"{plural(len(words), 'word')} with {what} tokens")
            say_columns(
                (f"  {clipped(visible(each.word))}", f"{each.before} → {each.after}", f"× {number(each.times)}")
                for each in words[: max(1, limit)]
            )


def say_languages(before: Opened, after: Opened) -> None:
    """Prints the tokens of the bundled text in every language."""
    table = measure([*languages().values()], [before, after])
    rows = []
    for row in table.rows:
        one, other = (cost.tokens for cost in row.costs)
        share = f"{(other - one) / one:+.0%}".replace("-", "−") if one else ""
        rows.append((row.language.code, row.language.name, number(one), number(other), share))
    say_columns([("code", "language", "before", "after", ""), *rows])


def suggest(known: Opened, parsed: Parsed) -> int:
    """Prints llama.cpp's pre-tokenizers, those that cut like this tokenizer first."""
    probe = PROBE if parsed.text is None else next(input_texts(parsed)).text
    for each in suggestions(known, probe)[: max(1, parsed.limit)]:
        first, *more = each.lines
        say_lines([first, *(f"         {line}" for line in more)])
    say_lines(fact.says for fact in pre_tokenizer_facts(known))
    return 0
