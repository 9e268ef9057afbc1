"""The commands about what a tokenizer has, without a text: `patterns`, `vocab find|show|check|diff|export` and `edit`.

`patterns` says what differs between two patterns of pre-tokenizers. `vocab` is for whole vocabularies; its `diff` exits
with 1 if something differs, and with 2 for bad input. `edit -m MODEL --script edits.toml --output FILE` changes one.
"""

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from explorer.analysis.inputs import Line
from explorer.analysis.languages import languages, measure
from explorer.analysis.pre_tokenizer import PROBE, pre_tokenizer_facts, suggestions
from explorer.analysis.tokenizer_exports import (
    checks_export,
    dossier_export,
    logit_bias,
    tokens_export,
    vocabulary_difference_export,
)
from explorer.analysis.vocabulary.checks import Finding, all_findings, difference, quick_findings
from explorer.analysis.vocabulary.derivation import Derivation
from explorer.analysis.vocabulary.index import By, Query, Search, Sort, VocabularyIndex, index_of
from explorer.analysis.vocabulary.reach import Dossier, dossier, speller_of
from explorer.cli.commands import load_all, load_model
from explorer.cli.shared import (
    DIFFERENT,
    SAME,
    WIDE,
    Parsed,
    Warnings,
    argument,
    as_comparison,
    choices,
    clipped,
    input_lines,
    progress,
    say,
    say_columns,
    say_export,
    say_lines,
)
from explorer.corpus.atomic import check_writable, write
from explorer.editing import edits as edits_file
from explorer.editing.edits import AddMerges, Edit, Editor, Preset, Remove, SetPreTokenizer, title
from explorer.editing.replay import Effect, changed, editor_of, effect, replay
from explorer.errors import ChoiceNeeded, Choices, InputError, shown
from explorer.implementations.opened import Opened
from explorer.implementations.tiktoken import with_sha256
from explorer.opening.catalog import file_of, parse_spec
from explorer.opening.formats import format_of, open_bytes, source_at
from explorer.stages.spelling import Speller
from explorer.text import visible
from explorer.text.say import number, plain, plural


def patterns(parsed: Parsed) -> int:
    from explorer.analysis.pattern_difference import difference, known_pattern, pieces, shown, summary, verdict
    from explorer.text import visible

    differs = difference(known_pattern(parsed.left), known_pattern(parsed.right))
    say(summary(differs))
    for pair in differs.pairs:
        say("")
        say(shown(differs.left, pair.left))
        if not pair.same:
            say(shown(differs.right, pair.right))
        table = [(f"  {visible(each.text)}", pieces(each.left), pieces(each.right)) for each in pair.texts]
        say_columns(table or [(f"  {verdict(pair)}",)])
    return 0


LENGTHS = re.compile(r"(\d{1,9})(?:-(\d{1,9}))?")


def find(parsed: Parsed) -> int:
    """`vocab find`."""
    index = opened(parsed)
    search, query = Search(index), query_of(parsed)
    matches = search.find(query)
    ids = search.ids(matches, query, max(0, parsed.limit))
    if parsed.json:
        say_export(tokens_export(index, query, ids, matches.total))
        return 0
    say(f"{number(matches.total)} of {plural(index.all.bit_count(), 'token')}")
    speller = speller_of(index)
    say_columns((f"{id:>8}", clipped(speller.token(id)), index.classes[id].value, index.scripts[id]) for id in ids)
    return 0


def show(parsed: Parsed) -> int:
    """`vocab show`."""
    index = opened(parsed)
    about = dossier(index, id_of(index, parsed.token))
    if parsed.json:
        say_export(dossier_export(index, about))
        return 0
    speller = speller_of(index)
    say(f"{about.id}  {clipped(about.text)}")
    say_columns((f"  {name}", value) for name, value in facts(index, about, speller))
    return 0


def facts(index: VocabularyIndex, about: Dossier, speller: Speller) -> Iterator[tuple[str, str]]:
    """The lines of a dossier: a name and a value."""

    def tokens(ids: Iterable[int]) -> str:
        return ", ".join(f"{clipped(speller.token(id))} ({id})" for id in ids)

    def pair(left: bytes, right: bytes) -> str:
        return f"{speller.symbol(left)} + {speller.symbol(right)}"

    yield "verdict", plain(about.verdict)
    yield "bytes", clipped(about.data[:WIDE].hex(" ").upper())
    yield "stored as", clipped(about.stored)
    script = "" if about.script == "none" else f", {about.script}"
    yield "kind", f"{about.of_class.value}{script}, {plural(len(about.data), 'byte')}"
    if about.value is not None:
        yield "score", number(about.value)
    if about.derivation is not None:
        yield from ((f"merge {at}", line) for at, line in enumerate(merge_lines(about.derivation, speller), 1))
    for split in about.splits[1:6]:
        yield "also", f"{pair(split.left, split.right)}, {split.unit} {number(split.value)}"
    if about.uses is not None:
        left, right = about.uses
        yield "used in", f"{plural(left + right, 'merge')}: {number(left)} on the left, {number(right)} on the right"
    from_it = [each.id for each in about.longer if each.made_from]
    named = {
        "longer from it": from_it[:8],
        "shorter": about.shorter[:8],
        "same letters": about.same_letters[:8],
        "same bytes": about.same_bytes[:8],
    }
    yield from ((name, tokens(ids)) for name, ids in named.items() if ids)
    for each in about.trials:
        yield each.where, " | ".join(clipped(speller.token(id)) for id in each.ids[:12])


def merge_lines(derivation: Derivation, speller: Speller) -> Iterator[str]:
    """The merges of a derivation in order."""
    for node in derivation.nodes:
        if node.children:
            left, right = (speller.symbol(derivation.nodes[child].piece) for child in node.children)
            yield f"{left} + {right} → {speller.symbol(node.piece)}  {number(node.value or 0)}"


def check(parsed: Parsed) -> int:
    """`vocab check`."""
    progress("reading the vocabulary")
    index = opened(parsed)

    def report(done: int) -> None:
        progress(f"checked {done * 50 // max(1, len(index))} %")

    findings = quick_findings(index) if parsed.quick else all_findings(index, report)
    progress()
    if parsed.json:
        say_export(checks_export(index, findings))
        return 0
    speller = speller_of(index)
    say(f"{plural(len(index), 'id')}, {plural(len(findings), 'finding')}")
    for finding in findings:
        say_lines(finding_lines(finding, speller, parsed.limit))
    return 0


def finding_lines(finding: Finding, speller: Speller, limit: int) -> Iterator[str]:
    """A finding, its meaning and its first tokens."""
    yield ""
    yield f"{number(finding.count)}: {finding.title}"
    yield f"  {finding.means}"
    for id in finding.ids[:limit]:
        note = finding.notes.get(id, "")
        yield f"  {id:>8}  {clipped(speller.token(id))}{f'   ({clipped(note)})' if note else ''}"
    for line in finding.lines[:limit]:
        yield f"  {clipped(line)}"
    more = max(len(finding.ids), len(finding.lines)) - limit
    if more > 0:
        yield f"  … and {number(more)} more"


@as_comparison
def diff(parsed: Parsed) -> int:
    """`vocab diff`."""
    if len(parsed.models) != 2:
        raise InputError("give two tokenizers, -m A -m B")
    left, right = map(index_of, load_all(parsed.models, parsed, Warnings()))
    differs = difference(left, right)
    if parsed.json:
        labels = parsed.models if parsed.models[0] != parsed.models[1] else ["left", "right"]
        say_export(vocabulary_difference_export(left, right, labels, differs))
        return SAME if differs.equal else DIFFERENT
    if differs.equal:
        say(f"Nothing differs: {plural(differs.same, 'token')} with the same ids")
        return SAME
    spellers = [speller_of(left), speller_of(right)]
    say(f"{plural(differs.same, 'token')} with the same id")
    for name, ids, speller in (("left", differs.only_left, spellers[0]), ("right", differs.only_right, spellers[1])):
        say_some(f"only {name}", [f"{id:>8}  {clipped(speller.token(id))}" for id in ids[: parsed.limit]], len(ids))
    pairs = {
        "with another id": differs.other_id,
        "with another score": differs.other_score,
        "of another kind": differs.other_kind,
    }
    for what, both in pairs.items():
        lines = [f"{a:>8}  {b:>8}  {clipped(spellers[0].token(a))}" for a, b in both[: parsed.limit]]
        say_some(what, lines, len(both))
    if differs.merges is not None:
        one, other, shared = map(number, differs.merges)
        say(f"merges: {one} only left, {other} only right, {shared} in both")
    return DIFFERENT


def say_some(what: str, lines: list[str], count: int) -> None:
    """Prints a heading and the first lines of many."""
    if count:
        say_lines([f"{number(count)} {what}", *(f"  {line}" for line in lines)])
        if count > len(lines):
            say(f"  … and {number(count - len(lines))} more")


def export(parsed: Parsed) -> int:
    """`vocab export`."""
    index = opened(parsed)
    search, query = Search(index), query_of(parsed)
    matches = search.find(query)
    ids = search.ids(matches, query)
    if parsed.format in ("csv", "json"):
        say_export(tokens_export(index, query, ids, matches.total), parsed.format)
    else:
        say(str(ids) if parsed.format == "ids" else logit_bias(ids))
    return 0


# --- input and output -------------------------------------------------------------------------------------------------


def opened(parsed: Parsed) -> VocabularyIndex:
    """The index of the tokenizer of the call."""
    return index_of(load_model(parsed))


def query_of(parsed: Parsed) -> Query:
    """The search of the call. Raises InputError."""
    facets = {"kind": parsed.kind, "script": parsed.script, "with": parsed.having}
    return Query(
        parsed.query,
        By(parsed.by),
        parsed.match_case,
        tuple((name, tuple(values)) for name, values in facets.items() if values),
        lengths(parsed.bytes, "--bytes"),
        lengths(parsed.characters, "--characters"),
        Sort(parsed.sort),
    )


def lengths(text: str | None, option: str) -> tuple[int, int] | None:
    """A range of lengths.

    >>> lengths("3-5", "--bytes"), lengths("3", "--bytes"), lengths(None, "--bytes")
    ((3, 5), (3, 3), None)
    """
    if text is None:
        return None
    match = LENGTHS.fullmatch(text)
    if match is None:
        raise InputError(f"{option} {shown(text)} is not a length; write it as 3 or 3-5")
    return int(match[1]), int(match[2] or match[1])


def id_of(index: VocabularyIndex, token: str) -> int:
    """The id of a token given by id, text or spelling. Raises InputError."""
    if token.isdecimal() and int(token) < len(index):
        return int(token)
    data = token.encode("utf-8", "surrogateescape")
    known = index.tokenizer.vocabulary.ids.get(data)
    id = known if known is not None else next((id for id, each in enumerate(index.data) if each == data), None)
    if id is None:
        raise InputError(f"{shown(token)} is not a token of this vocabulary; search it with vocab find")
    return id


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
    after = reopened(edited.data, before, chosen, data)
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


def reopened(data: bytes, before: Opened, choices: Choices, old: bytes) -> Opened:
    """The edited file as the original of the unedited one runs it. Raises InputError.

    Known ranks are no longer known once they are edited; their pattern stays.
    """
    known = with_sha256(old)
    if known and "pattern" not in choices:
        choices = {**choices, "pattern": known[0].name}
    try:
        return open_bytes(data, "edited", before.implementation, choices)
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
