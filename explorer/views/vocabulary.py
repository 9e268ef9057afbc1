"""A vocabulary as the page draws it: rows of tokens, facets with counts, the dossier of one token.

Every text is already visible and shortened; a token's text is drawn as on the other pages (`views.spelled`).
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from explorer.analysis.vocabulary.derivation import Derivation, pairs_of, parents
from explorer.analysis.vocabulary.index import SEARCHED, By, Found, Query, Search, TokenClass, VocabularyIndex
from explorer.analysis.vocabulary.reach import UNREACHED, Dossier, Outcome, speller_of, tokens_elsewhere
from explorer.errors import InputError
from explorer.implementations.opened import Opened
from explorer.stages.spelling import Form, Meaning, Speller, meanings
from explorer.tables import Json, Record
from explorer.text.say import Say, Text, in_a_row, number, plural, visible, worded

WIDE = 48
"""Characters of a token in a row or a chip."""

BYTES = 48
"""Bytes of a dossier that are drawn."""

LEAVES = 24
"""Symbols of a tree that is drawn."""

NAMED = 8
"""Tokens that a sentence names."""

LAST = 16
"""The last bar of the lengths: so many bytes and more."""

TITLES = {
    "script": Text("Script"),
    "kind": Text("Kind"),
    "with": Text("With"),
    "check": Text("Checks"),
}

ANSWERS = {Outcome.ITSELF: "yes", Outcome.PART: "yes"} | dict.fromkeys(UNREACHED, "no")
"""Whether text gives a token, where that is known."""

Row = list[object]
"""A token: id, text, left and right parent, look."""


def clipped(text: str, most: int = WIDE) -> str:
    """The beginning of a long text.

    >>> clipped("abcdef", 3), clipped("abc", 3)
    ('abc…', 'abc')
    """
    return text if len(text) <= most else f"{text[:most]}…"


def rows(index: VocabularyIndex, ids: Iterable[int]) -> list[Row]:
    """Tokens for the list, with the two parts that the last merge joins."""
    speller, pairs = speller_of(index), pairs_of(index.tokenizer)
    found: list[Row] = []
    for id in ids:
        sides = None if pairs is None else parents(index.tokenizer, id, pairs)
        both = ("", "") if sides is None else (speller.symbol(sides.left), speller.symbol(sides.right))
        found.append([id, token_text(index, speller, id), *map(clipped, both), look(index, id)])
    return found


def look(index: VocabularyIndex, id: int) -> str:
    """How a token is drawn. Hexadecimal digits for its bytes look like text: the token 30 may be the byte of a 0."""
    of = index.classes[id]
    if of in SEARCHED:
        return "special"
    return "bytes" if of in (TokenClass.BYTE, TokenClass.PART) else ""


def token_text(index: VocabularyIndex, speller: Speller, id: int) -> str:
    """A token as text, shortened before it is spelled."""
    if len(index.data[id]) > 4 * WIDE:
        return clipped(visible(index.texts[id][:WIDE]) + "…", WIDE + 1)
    return clipped(speller.token(id))


def ids_typed(search: Search, query: Query) -> Json | None:
    """What the ids are that a text to search for may mean, None if it reads as none of this vocabulary."""
    wanted = IDS_TYPED.fullmatch(query.text) if query.by is By.TEXT else None
    try:
        found = search.find(Query(wanted[1], By.IDS)) if wanted is not None else None
    except InputError:  # of an id that is not here
        return None
    if wanted is None or found is None or not found.total:
        return None
    if found.total > 1:
        say = Say("As ids, these are {0:t}.", plural(found.total, "token"))
    else:
        (id,) = search.ids(found, query, 1)
        say = Say("Id {0:i} is {1:q}.", id, token_text(search.index, speller_of(search.index), id))
    return {"q": wanted[1].strip(), "say": say._asdict()}


IDS_TYPED = re.compile(r"\s*(?:#|ids?\b|tokens?\b)?[\s:]*([\[(]?[0-9][0-9\s,;–-]*[\])]?)\s*", re.IGNORECASE)
"""Ids in a field for text, as people write them."""


def facets(search: Search, found: Found, query: Query) -> list[Record]:
    """The facets: for each value, how many tokens are found and how many there are; those chosen first."""
    chosen = dict(query.facets)
    facets = []
    for name, title in TITLES.items():
        values = [
            [value, found.counts[name][value], ids.bit_count(), value in chosen.get(name, ()), worded(value)]
            for value, ids in search.facets.get(name, {}).items() if ids
        ]  # fmt: skip
        if values:
            facets.append({"name": name, "title": title, "values": values})
    return facets


def lengths(search: Search, found: Found) -> list[list[int]]:
    """For 1 to `LAST` bytes: how many tokens are found, and how many there are."""
    bars = [[0, 0] for _ in range(LAST)]
    for length, ids in search.index.byte_lengths.items():
        if length:
            bar = bars[min(length, LAST) - 1]
            bar[0] += found.lengths[length]
            bar[1] += ids.bit_count()
    return bars


def dossier_view(index: VocabularyIndex, about: Dossier, findings: Mapping[str, Sequence[int]]) -> Record:
    """One token. findings: of the checks, by title, the tokens."""
    speller = speller_of(index)

    def chips(ids: Iterable[int]) -> list[list[object]]:
        return [[id, token_text(index, speller, id), look(index, id)] for id in ids]

    made = [each.id for each in about.longer if each.made_from]
    others = [(each.id, each.parents) for each in about.longer if not each.made_from and each.parents is not None][:3]
    apart = [
        Text(
            "not {0:q}: that is {1:q} + {2:q}", token_text(index, speller, id),
            clipped(speller.symbol(parts.left)), clipped(speller.symbol(parts.right)),
        )
        for id, parts in others
    ]  # fmt: skip
    merging, verdict = about.derivation is not None, Text(about.verdict)
    return {
        "id": about.id,
        "text": token_text(index, speller, about.id),
        "stored": clipped(visible(about.stored[: 2 * WIDE])),
        "facts": in_a_row(*facts(index, about)),
        "bytes": bytes_of(about),
        "more_bytes": max(0, len(about.data) - BYTES),
        "tree": tree(index, about.derivation, speller) if about.derivation is not None else [],
        "made": "" if not merging else how_made(index, about),
        "answer": ANSWERS.get(about.reached.outcome, ""),
        "verdict": verdict if len(verdict) <= MOST_SAID else clipped(verdict, MOST_SAID),
        "trials": [
            {"where": Text(each.where), "tokens": [[*chip, chip[0] == about.id] for chip in chips(each.ids[:12])]}
            for each in about.trials
        ],
        "relatives": [
            {"title": Text(title), "note": note, "tokens": chips(ids)}
            for title, note, ids in (
                ("Longer tokens made from it" if merging else "Longer tokens",
                 in_a_row(*apart, between="{0:t}; {1:t}"),
                 made if merging else [each.id for each in about.longer][:16]),
                ("Shorter tokens", BEGINS, about.shorter[:12]),
                ("The same letters", "", about.same_letters[:16]),
                ("The same bytes", "", about.same_bytes[:16]),
            )
            if ids or (note and note != BEGINS)
        ],
        "findings": [worded(title) for title, ids in findings.items() if about.id in ids],
        "explore": index.texts[about.id] if about.trials else "",
    }  # fmt: skip


GIVES = {
    Outcome.ITSELF: Say("text gives it"),
    Outcome.PART: Say("it comes with the rest of its character"),
    Outcome.BY_ID: Say("only its id gives it"),
    **dict.fromkeys(UNREACHED, Say("no text gives it")),
}
"""Whether text gives a token, as the end of a sentence."""


def headline(index: VocabularyIndex, about: Dossier, title: str) -> Say:
    """What a token is, in a sentence: its id, how it is made, whether text gives it. title: of its tokenizer."""
    what = "{0:q} is token {1:i} of {2:t}"
    if about.of_class is TokenClass.SPECIAL:
        what = "{0:q} is special token {1:i} of {2:t}"
    said = Say(what, token_text(index, speller_of(index), about.id), about.id, title)
    merges = 0 if about.derivation is None else sum(bool(node.children) for node in about.derivation.nodes)
    made = Say("{0} merge makes it", merges, many="{0} merges make it") if merges else None
    gives = GIVES.get(about.reached.outcome)
    end = Say("{0}, and {1}", made, gives) if made and gives else made or gives
    return Say("{0}: {1}.", said, end) if end else Say("{0}.", said)


def not_a_token(index: VocabularyIndex, text: str, ids: Sequence[int], title: str) -> Say:
    """What a text is that does not give one token. ids: what it gives. A token may spell it all the same."""
    speller = speller_of(index)
    shown = [token_text(index, speller, id) for id in ids[:NAMED]]
    listed = " ".join(f"{{{at}:q}}" for at in range(len(shown))) + (" …" if len(ids) > NAMED else "")
    spells = next((id for id, each in enumerate(index.texts) if each == text and not look(index, id)), None)
    words = "{0:q} is not a token of {1:t}: it takes {2:t}"
    if spells is not None:
        words = "{0:q} is a token of {1:t}. As a text alone it takes {2:t}"
    said = Say(words, clipped(visible(text)), title, plural(len(ids), "token"))
    return Say("{0}: {1}.", said, Say(listed, *shown)) if shown else Say("{0}.", said)


def other_view(text: str, label: str, title: str, other: Opened) -> Record:
    """A token's text in another tokenizer. label, title: its names in URLs and for people."""
    speller = Speller(other.trace(""), Form.AS_TEXT)
    ids = tokens_elsewhere(text, other)
    tokens = [[id, clipped(speller.token(id))] for id in ids[:12]]
    return {"m": label, "title": title, "tokens": tokens, "more": max(0, len(ids) - 12)}


def facts(index: VocabularyIndex, about: Dossier) -> Iterator[str]:
    """What a token is, in words."""
    yield worded(about.of_class.value)
    if about.script != "none":
        yield worded(about.script)
    yield plural(len(about.data), "byte")
    if about.value is not None:
        means = meaning(index)(about.id, about.value)
        yield Text("score {0:t}: {1:t}" if means else "score {0:t}", number(about.value), means)


def bytes_of(about: Dossier) -> list[list[str]]:
    """The first bytes in hexadecimal, each with the character that begins there."""
    labels = [""] * len(about.data[:BYTES])
    at = 0
    for ch in about.data[: BYTES + 4].decode("utf-8", "surrogateescape"):
        size = len(ch.encode("utf-8", "surrogateescape"))
        if at < len(labels) and not "\udc80" <= ch <= "\udcff":
            labels[at] = visible(ch)
        at += size
    return [[f"{byte:02X}", label] for byte, label in zip(about.data, labels, strict=False)]


def meaning(index: VocabularyIndex) -> Meaning:
    """What the numbers of this vocabulary say."""
    return meanings(index.tokenizer.vocabulary, index.tokenizer.model)


BELOW = {
    "merge": "below each its number", "rank": "below each its rank", "score": "below each its score",
}  # fmt: skip
"""What stands below the merges of a token, by what merges sort by."""


def how_made(index: VocabularyIndex, about: Dossier) -> str:
    """A sentence on the merges of a token."""
    assert about.derivation is not None
    value = index.tokenizer.model.priority or ""
    merges = sum(bool(node.children) for node in about.derivation.nodes)
    last, more = about.derivation.nodes[-1].value, len(about.splits) - 1
    uses = 0 if about.uses is None else about.uses.left + about.uses.right
    return in_a_row(
        in_a_row(plural(merges, "merge"), Text(BELOW[value])) if merges else Text("a symbol before any merge"),
        merges and value != "score" and last is not None and Text("the last: {0:t}", meaning(index)(about.id, last)),
        more > 0 and Text("{0} other pair would make it, too", more, many="{0} other pairs would make it, too"),
        uses and Text("a part in {0} further merge", uses, many="a part in {0} further merges"),
        between="{0:t}; {1:t}",
    )


def tree(index: VocabularyIndex, made: Derivation, speller: Speller) -> list[Record]:
    """The symbols and merges of a token, if they are few enough to draw."""
    if sum(not node.children for node in made.nodes) > LEAVES:
        return []
    ids, means = index.tokenizer.vocabulary.ids, meaning(index)
    return [
        {"text": clipped(speller.symbol(node.piece)), "id": ids.get(node.piece, -1), "span": [node.start, node.end],
         "children": list(node.children), "value": "" if node.value is None else number(node.value), "at": None,
         "means": "" if node.value is None else means(ids.get(node.piece, -1), node.value)}
        for node in made.nodes
    ]  # fmt: skip


BEGINS = Text("it begins with")
MOST_SAID = 600
"""Characters of a verdict."""
