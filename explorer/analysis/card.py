"""The card of a tokenizer: what its file says, what of it is in effect, and what its vocabulary contains; and the
inventory of a folder: the tokenizers below it with their kinds, sizes, pre-tokenizers and templates, and which are the
same.

The facts of a card come from the reader of the file (`Tokenizer.facts`). What applies to any tokenizer is computed
here: the numbers of pieces by kind, the longest token, the tokens added around a text, the patterns that split it.
"""

import heapq
from collections.abc import Callable, Iterator, Mapping, Sequence
from json import dumps
from pathlib import Path
from typing import NamedTuple

from explorer.analysis.export import plain_values
from explorer.analysis.lint import Finding, model_files, model_ids, model_keys, words
from explorer.analysis.pre_tokenizer import identity
from explorer.errors import ChoiceNeeded, InputError, Unfinished
from explorer.facts import Fact, FactKind
from explorer.formats.files import CONFIG, GENERATION_CONFIG, TOKENIZER_CONFIG
from explorer.implementations.opened import Opened
from explorer.opening.catalog import Model, file_of, parse_spec
from explorer.opening.formats import files_at, format_at, kept_source, open_path, repository_of
from explorer.opening.model_names import Place, fingerprint, tokenizers_below
from explorer.stages.spelling import kind_of
from explorer.tables import Record
from explorer.text import visible
from explorer.text.say import Text, decimal, in_a_row, plural, size
from explorer.vocabulary import PieceKind, Vocabulary

TOPICS = ("model", "normalizer", "pre-tokenizer", "post-processor", "decoder", "special tokens", "flags")
"""The order of the usual topics; others follow in order of appearance."""

SPECIAL = {PieceKind.CONTROL: "control", PieceKind.UNKNOWN: "unknown"}
"""The kinds of special tokens and their names on a card."""

APART = SPECIAL | {PieceKind.USER_DEFINED: "user-defined"}
"""All kinds of tokens that are searched for in a text, special or not."""

KINDS = APART | {
    PieceKind.NORMAL: "normal",
    PieceKind.BYTE: "single bytes",
    PieceKind.UNUSED: "unused",
    PieceKind.UNDEFINED: "undefined",
}

ORDINARY = bytes(kind not in (*APART, PieceKind.UNUSED, PieceKind.UNDEFINED) for kind in range(256))
"""By kind: whether a token may be the longest."""
ASKED = 20
"""Pieces that are decoded to find the longest token, because the length of a spelling is only an estimate."""
LONG = 24
"""Bytes of a piece that may be the longest token of a usual vocabulary."""


class ListedToken(NamedTuple):
    """A token on a card: its id, its spelling, and the name of its kind."""

    id: int
    piece: str
    kind: str


class Card(NamedTuple):
    """Everything a card shows, as plain values.

    about: the origin of the vocabulary, as pairs of a name and a value. numbers: the content of the vocabulary, as such
    pairs. stages: the names of the stages. topics: the facts in effect, by topic. special: the control and unknown
    tokens. user_defined: added tokens that are not special.
    """

    name: str
    family: str
    implementation: str
    about: tuple[tuple[str, str], ...]
    numbers: tuple[tuple[str, str], ...]
    stages: tuple[str, ...]
    warnings: tuple[Fact, ...]
    topics: tuple[tuple[str, tuple[Fact, ...]], ...]
    unused: tuple[Fact, ...]
    special: tuple[ListedToken, ...]
    user_defined: tuple[ListedToken, ...] = ()

    def record(self) -> Record:
        """The card as plain values for JSON."""
        pairs = ("about", "numbers", "topics")
        record: Record = plain_values(self._asdict() | {name: dict(getattr(self, name)) for name in pairs})
        return record


def card(tokenizer: Opened, about: Sequence[tuple[str, str]] = (), more: Sequence[Fact] = ()) -> Card:
    """The card of a tokenizer. more: facts besides those that are quickly found.

    >>> import explorer
    >>> found = card(explorer.load("gpt-2"))
    >>> found.numbers[0], found.special
    (('ids', '50,257: 50,256 normal, 1 control'), (ListedToken(id=50256, piece='<|endoftext|>', kind='control'),))
    """
    vocabulary = tokenizer.vocabulary
    numbers, failed = list(vocabulary_numbers(tokenizer)), list[Fact]()
    for of_tokenizer in (longest_token_numbers, added_tokens_numbers):
        try:
            numbers += of_tokenizer(tokenizer)
        except Unfinished:  # a fact says so
            continue
        except InputError as error:  # a card matters most for a tokenizer that fails
            says = Text("Running it for this card failed: {0:t}", error.args[0])
            failed.append(Fact("model", says, kind=FactKind.WARNING))
    numbers += [("can be chosen", each.says) for each in tokenizer.choosable]
    wrong = (Fact("special tokens", found_text(each), kind=FactKind.WARNING) for each in words(tokenizer))
    facts = [*tokenizer.facts, *settings(tokenizer), *patterns(tokenizer), *wrong, *failed, *more]
    used = [fact for fact in facts if fact.kind == FactKind.USED]
    topics = dict.fromkeys([*TOPICS, *(fact.topic for fact in used)])
    by_topic = ((topic, tuple(fact for fact in used if fact.topic == topic)) for topic in topics)
    return Card(
        name=tokenizer.name,
        family=tokenizer.family,
        implementation=tokenizer.implementation,
        about=tuple(about),
        numbers=tuple(numbers),
        stages=tuple(part.name for part in tokenizer.parts),
        warnings=tuple(fact for fact in facts if fact.kind == FactKind.WARNING),
        topics=tuple((topic, found) for topic, found in by_topic if found),
        unused=tuple(fact for fact in facts if fact.kind == FactKind.UNUSED),
        special=tuple(tokens_of_kinds(vocabulary, SPECIAL)),
        user_defined=tuple(tokens_of_kinds(vocabulary, {PieceKind.USER_DEFINED: APART[PieceKind.USER_DEFINED]})),
    )


def found_text(finding: Finding) -> Text:
    """A finding with its repair."""
    return Text(finding.says.then(finding.fix.say))


def tokens_of_kinds(vocabulary: Vocabulary, kinds: Mapping[PieceKind, str]) -> Iterator[ListedToken]:
    """The tokens of some kinds. kinds: with their names."""
    for id in heapq.merge(*map(vocabulary.of_kind, kinds)):
        yield ListedToken(id, vocabulary.spelling(id), kinds[vocabulary.kind(id)])


def vocabulary_numbers(tokenizer: Opened) -> Iterator[tuple[str, str]]:
    """The numbers of ids by kind, and the range of scores."""
    vocabulary = tokenizer.vocabulary
    counts = sorted(vocabulary.count_by_kind.items(), key=lambda each: -each[1])
    by_kind = in_a_row(*(Text("{0} {1:t}", count, Text(KINDS[PieceKind(kind)])) for kind, count in counts))
    yield "ids", Text("{0}: {1:t}", len(vocabulary), by_kind)
    normal = [score for score, kind in zip(vocabulary.scores, vocabulary.kinds, strict=False) if kind == 1]
    least, most = min(normal, default=0.0), max(normal, default=0.0)
    if least < most:
        yield "scores", Text("{0:t} to {1:t}", decimal(least), decimal(most))


def longest_token_numbers(tokenizer: Opened) -> Iterator[tuple[str, str]]:
    """The token with the most bytes, and the length of its spelling if that differs."""
    vocabulary = tokenizer.vocabulary
    pieces, ordinary = vocabulary.pieces, vocabulary.kinds.translate(ORDINARY)
    for least in (LONG, 0):  # all, where no token has as many bytes
        ids = [id for id, piece in enumerate(pieces) if len(piece) >= least and ordinary[id]]
        candidates = heapq.nlargest(ASKED, ids, key=lambda id: len(pieces[id]))
        candidates += heapq.nlargest(ASKED, ids, key=lambda id: len(vocabulary.spelling(id)))
        longest = sorted((-len(data), id, data) for id in candidates for data in [tokenizer.token_bytes(id)])[:1]
        if longest and -longest[0][0] >= LONG:
            break
    for _, id, data in longest:
        text, spelled = visible(data.decode("utf-8", "backslashreplace")), len(pieces[id])
        shown = f"{text[:40]}{'…' if len(text) > 40 else ''}"
        says = Text("{0:t}, id {1:i}: {2:t}", plural(len(data), "byte"), id, shown)
        also = "" if spelled == len(data) else Text("spelled in {0:t}", plural(spelled, "byte"))
        yield "longest token", in_a_row(says, also)


def added_tokens_numbers(tokenizer: Opened) -> Iterator[tuple[str, str]]:
    """The tokens that are added before and after a text."""
    all_of_it = len(tokenizer.encode("a").ids)
    for where, added in zip(("in front of a text", "behind a text"), tokenizer.added_ids, strict=True):
        if added and len(added) < all_of_it:
            spelling = tokenizer.vocabulary.spelling
            yield where, in_a_row(*(Text("{0:t} (id {1:i})", visible(spelling(id)), id) for id in added))


def settings(tokenizer: Opened) -> Iterator[Fact]:
    """The settings of a model's folder that have an effect, and those that have none."""
    known = {fact.place.rpartition(" ")[2] for fact in tokenizer.facts}
    for variant in tokenizer.variants.all:
        if variant.name not in known:
            yield Fact("settings", f"{variant.says}.")
    for name in tokenizer.variants.idle:
        if name not in known:
            yield Fact("settings", Text("{0:t} is set and changes nothing.", name), kind=FactKind.UNUSED)


def folder_facts(spec: str, tokenizer: Opened) -> Iterator[Fact]:
    """The settings of a model's folder against each other: what each version uses, and the ids of the model's files."""
    model, _ = parse_spec(spec)
    if not isinstance(model, Path) or not model.is_dir():
        return
    try:
        files = model_files(model)
    except InputError as error:
        yield Fact("settings", f"{error}.", kind=FactKind.WARNING)
        return
    for name in (CONFIG, GENERATION_CONFIG):
        keys = [f"{key} {dumps(value)}" for key, value in model_keys(files.get(name, {})).items()]
        if keys:
            says = Text("No version of transformers reads these for a tokenizer: {0:t}.", in_a_row(*keys))
            yield Fact("settings", says, name, kind=FactKind.UNUSED)
    for found in model_ids(tokenizer, files):
        yield Fact("settings", found_text(found), found.place, kind=FactKind.WARNING)
    if TOKENIZER_CONFIG in files:
        yield from version_facts(model)


def version_facts(model: Path) -> Iterator[Fact]:
    """The keys of a model's folder that one version of transformers uses and the other doesn't, and who refuses it."""
    used, idle = list[set[str]](), list[set[str]]()
    for version in (5, 4):
        try:
            opened = open_path(model, f"transformers-{version}")
        except InputError as error:
            says = Text("Version {0:i} doesn't open this folder: {1:t}.", version, error.args[0])
            yield Fact("settings", says, kind=FactKind.WARNING)
            return
        used.append({each.name for each in opened.variants.all if each.said})
        idle.append(set(opened.variants.idle))
    for one, other, names in ((5, 4, used[0] & idle[1]), (4, 5, used[1] & idle[0])):
        for name in sorted(names):
            unlike = "{0:t}: version {1:i} of transformers uses it, and in version {2:i} it changes nothing."
            says = Text(unlike, name, one, other)
            yield Fact("settings", says, kind=FactKind.WARNING)


def patterns(tokenizer: Opened) -> Iterator[Fact]:
    """The patterns in effect, for a tokenizer whose facts show none."""
    if any(fact.topic == "pre-tokenizer" and fact.code and fact.kind == FactKind.USED for fact in tokenizer.facts):
        return
    known = tokenizer.pattern_slots
    for number, slot in enumerate(known, 1):
        says = Text("This pattern splits the text into pre-tokens.")
        if len(known) > 1:
            says = Text("Pattern {0} of {1}, each applied to what the one before it cut.", number, len(known))
        yield Fact("pre-tokenizer", says, code=slot.regex)


def about(spec: str) -> tuple[tuple[str, str], ...]:
    """The origin of a vocabulary, given as for `explorer.load`."""
    model, _ = parse_spec(spec)
    if isinstance(model, Model) and model.is_made:
        file, _ = file_of(model)
        return (
            ("title", model.title), ("file", file.name), ("made of", f"vocabs/{model.file}"),
            ("format", Text("a ranks file")), ("size", size(file.size)),
            ("licence", model.licence), ("sha256", file.sha256),
        )  # fmt: skip
    paths = files_at(model if isinstance(model, Path) else model.path)
    found = [("format", format_at(paths[0]).name), ("size", size(paths[0].stat().st_size))]
    if isinstance(model, Path):
        kept = kept_source(model)
        if kept is not None:
            commit = (("commit", kept.commit),) if kept.commit else ()
            return (("file", model.name), ("from", kept.url), *commit, found[0], ("size", size(kept.size)))
        repository = repository_of(model)
        if repository:
            found = [
                ("from", Text("{0:t} on the Hugging Face Hub", repository)),
                *of_branch(repository, model),
                *found,
            ]
        if model.is_dir():
            return (("folder", str(model)), ("files", ", ".join(path.name for path in paths)), *found)
        return (("file", str(model)), *found)
    return (
        ("title", model.title), ("file", f"vocabs/{model.file}"), *found, ("from", model.source),
        ("licence", model.licence), ("sha256", model.sha256),
    )  # fmt: skip


def of_branch(repository: str, path: Path) -> Iterator[tuple[str, str]]:
    """Which branch or tag the commit of a copy in the Hub's cache was, and when the Hub was last asked for it."""
    from datetime import date

    from explorer.opening.hub.names import MAIN, references

    for name, asked in references(path)[:1]:
        spec = repository.partition("@")[0] + (f"@{name}" if name != MAIN else "")
        on = date.fromtimestamp(asked).isoformat()
        asks = "{0:t} as of {1:t}; explorer models --refresh {2:t} asks for a newer commit"
        yield "revision", Text(asks, name, on, spec)


def code_lines(fact: Fact) -> list[str]:
    """The code of a fact, line by line."""
    return [shown(line) for line in fact.code.split("\n")] if fact.code else []


def shown(text: str) -> str:
    """Text as it is, except that control characters and invisible text are shown as labels."""
    if text.isprintable() and not text.isspace():
        return text
    return visible(text) if text.isspace() else visible(text).replace("␣", " ")


class Entry(NamedTuple):
    """A tokenizer below a folder.

    kind: as people call it. pre: llama.cpp's name of the pre-tokenizer with the same ids of a test text, "" if none is
    known. template: whether it has a chat template. bytes: of its files. same_as: the name of the first one with the
    same content, "" for itself. problem: why it can't be opened, "" if it can.
    """

    name: str
    path: str
    format: str = ""
    kind: str = ""
    implementation: str = ""
    tokens: int = 0
    pre: str = ""
    template: bool = False
    bytes: int = 0
    same_as: str = ""
    problem: str = ""


def inventory(folder: Path, problems: list[str]) -> Iterator[Entry]:
    """The tokenizers below a folder, one after the other; each content is opened once. Arguments as for the walk."""
    known: dict[str, Entry] = {}
    for place in tokenizers_below(folder, problems):
        found = Entry(place.name, str(place.path))
        try:
            files = files_at(place.path)
            size = sum(path.stat().st_size for path in files)
            found = found._replace(format=format_at(files[0]).name, bytes=size)
            content = fingerprint(place.path)
            first = known.get(content)
            if first is not None:
                yield first._replace(name=found.name, path=found.path, bytes=size, same_as=first.name)
                continue
            known[content] = found = described(found, open_path(place.path, None))
        except ChoiceNeeded as error:
            found = found._replace(problem=f"{error}. Open it with --choose {error.key}=VALUE")
        except InputError as error:
            found = found._replace(problem=str(error))
        except OSError as error:
            found = found._replace(problem=f"{place.name}: cannot be read ({error.strerror}); check its permissions")
        yield found


def described(found: Entry, tokenizer: Opened) -> Entry:
    """The entry with what the opened tokenizer says."""
    # of WordPiece the converter asks for the ids, too, but its pre-tokenizers have the names of models
    known = identity(tokenizer) if tokenizer.family == "BPE" else None
    try:
        template = bool(tokenizer.chat.sources)
    except InputError:  # a damaged one; prompts say so
        template = False
    return found._replace(
        kind=kind_of(tokenizer),
        implementation=tokenizer.implementation,
        tokens=len(tokenizer.vocabulary.pieces),
        pre="" if known is None else known.pre,
        template=template,
    )


def checked(folder: Path, problems: list[str], check: Callable[[Place], None]) -> int:
    """Calls `check` for each tokenizer below a folder, once for each content. Its InputErrors become problems.

    Returns the number of tokenizers with the content of another.
    """
    seen: set[str] = set()
    same = 0
    for place in tokenizers_below(folder, problems):
        try:
            content = fingerprint(place.path)
            if content in seen:
                same += 1
                continue
            seen.add(content)
            check(place)
        except InputError as error:
            problems.append(str(error))
        except OSError as error:
            problems.append(f"{place.name}: cannot be read ({error.strerror}); check its permissions")
    return same
