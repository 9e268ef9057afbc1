"""What each stage did to a text, and what the model's stage and the whole text gave: a sentence each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final, cast

import regex

from explorer.engine.items import Item, Segment, Token
from explorer.engine.models.first_miss import FirstMiss
from explorer.engine.models.merges import MergeEvent, MergeRow
from explorer.engine.models.word_level import WordLevelEvent
from explorer.engine.partition.dna import DnaEvent
from explorer.engine.partition.rows import PartitionEvent
from explorer.engine.post_processors.lengths import LengthEvent, Padding, Truncation
from explorer.engine.post_processors.rows import PostProcessEvent
from explorer.engine.pre_tokenizers.stage import PreTokenization, PreTokenizeEvent
from explorer.engine.results import Stage, Trace
from explorer.engine.trace import silent
from explorer.facts import listed
from explorer.stages.pre_tokenizers.alternatives import LONGEST, lost_by_rewriting
from explorer.text import label, visible
from explorer.text.quantities import number, plural
from explorer.text.say import Say
from explorer.text.unicode_versions import after_15, after_16
from explorer.text.utf8 import character_of_each_byte
from explorer.vocabulary import Vocabulary


def tokens_result(trace: Trace) -> Say:
    """How many tokens for how much text. Added tokens don't count towards bytes per token."""
    tokens = trace.encoding.tokens
    added = sum(token.start < 0 for token in tokens)
    if not trace.text:
        return Say.of("The text is empty. {0:t}.", f"It gives {plural(len(tokens), 'token')}")
    size, count = len(trace.text.encode()), len(tokens) - added
    covered = size - len(trace.text[slice(*cut_off(trace))].encode())
    return Say.of(
        "{0:t}{1:t} for {2:t} ({3:t}): {4:t} bytes per token{5:t}.",
        plural(len(tokens), "token"),
        f", {number(added)} of them added," if added else "",
        plural(len(trace.text), "character"),
        plural(size, "byte"),
        f"{covered / count:.2f}" if count else "no",
        " of the text" if added else "",
    )


def cut_off(trace: Trace) -> tuple[int, int]:
    """The characters [start, end) whose tokens were truncated."""
    gone = [
        item
        for stage in trace.stages
        if stage.name == "truncate"
        for event in stage.events
        for item in stage.before[event.start : event.end]
    ]
    spans = [(item.start, item.end) for item in gone if isinstance(item, Token)]
    return (min(start for start, _ in spans), max(end for _, end in spans)) if spans else (0, 0)


def utf8_result(text: str) -> Say:
    """How many characters a reader sees, and how many code points and bytes they are."""
    size = len(text.encode())
    if not text:
        return Say.of("The text is empty: no code points, no bytes.")
    clusters = len(regex.findall(r"\X", text))
    seen = "" if clusters == len(text) else f"What a reader sees as {plural(clusters, 'character')} are "
    widths = sorted({len(ch.encode()) for ch in set(text)})
    range_of_widths = str(widths[0]) if len(widths) == 1 else f"{widths[0]} to {widths[-1]}"
    width = "one byte each" if widths == [1] else f"{range_of_widths} bytes each"
    points = plural(len(text), "code point")
    return Say.of("{0:t}{1:t} in {2:t} of UTF-8, {3:t}.", seen, points, plural(size, "byte"), width)


def partition_result(trace: Trace, stage: Stage, vocabulary: Vocabulary) -> Say:
    """Which tokens were found, in one sentence."""
    passed_over = sum(
        trace.text.count(trace.encoding.vocabulary.spelling(event.token))
        for event in stage.events
        if event.kind == PartitionEvent.NOT_PARSED
    )
    known = {item for item in stage.before if isinstance(item, Token)}
    found = [item.id for item in stage.after if isinstance(item, Token) and item not in known]
    if not trace.text:
        return Say.of("Changed nothing: the text is empty.")
    left = sum(isinstance(item, Segment) for item in stage.after)
    if passed_over and not found:
        return Say.of(
            "Changed nothing: {0:t} in the text, but special tokens are not parsed, so {1:t} text.",
            plural(passed_over, "special token is", "special tokens are"),
            "it stays" if passed_over == 1 else "they stay",
        )
    if not found:
        return Say.of("Changed nothing: the text contains no token that is cut out first.")
    also = ""
    if passed_over:
        also = f" {plural(passed_over, 'special token is', 'special tokens are')} in it, but not parsed."
    return Say.of(
        "Found {0:t} in the text: {1:t}, of which {2:t} left to tokenize.{3:t}",
        counted(found, trace.encoding.vocabulary),
        plural(len(stage.after), "fragment"),
        plural(left, "is", "are") if left else "none is",
        also,
    )


def counted(ids: Sequence[int], vocabulary: Vocabulary) -> str:
    """The number of tokens of each sort.

    >>> counted([0, 1, 1], Vocabulary.of([b"<s>", b"<x>"], kinds=[3, 4]))
    '1 special token and 2 user-defined tokens'
    """
    special = sum(vocabulary.is_special(id) for id in ids)
    sorts = (("special token", special), ("user-defined token", len(ids) - special))
    return " and ".join(plural(count, sort) for sort, count in sorts if count)


def dna_result(trace: Trace, stage: Stage, vocabulary: Vocabulary) -> Say:
    """How many groups of DNA were cut out."""
    events = list(stage.events)
    groups = sum(event.kind in (DnaEvent.GROUP, DnaEvent.FILLED, DnaEvent.UNKNOWN) for event in events)
    lost = sum(event.kind == DnaEvent.UNKNOWN for event in events)
    if not any(event.token >= 0 for event in events):
        return Say.of("Changed nothing: the text contains no <dna>.")
    unknown = f", of which {lost} {'is' if lost == 1 else 'are'} unknown" if lost else ""
    found = plural(groups, "group of six letters", "groups of six letters")
    return Say.of("DNA was found: {0:t}{1:t}.", found, unknown)


def pretokenize_result(trace: Trace, stage: Stage, vocabulary: Vocabulary) -> Say:
    """How many pieces, and what that means for the model; then where the original is not today's pattern or Unicode."""
    part = cast(PreTokenization, stage.part)
    return cut_say(stage, part).then(*rewritten_says(trace, stage, part), *newer_says(trace.text, part))


def cut_say(stage: Stage, part: PreTokenization) -> Say:
    """How many pieces, and what that means for the model."""
    pieces = sum(isinstance(item, Segment) for item in stage.after)
    if not pieces:
        return Say.of("There is no text to cut.")
    spelled = any(event.kind == PreTokenizeEvent.BYTE for event in stage.events)
    how = "" if not spelled else " Every byte is then spelled as a printable character, as in the vocabulary."
    dropped = sum(event.kind in (PreTokenizeEvent.REMOVED, PreTokenizeEvent.REST_REMOVED) for event in stage.events)
    out = f" {plural(dropped, 'stretch is', 'stretches are')} removed." if dropped else ""
    if pieces == sum(isinstance(item, Segment) for item in stage.before) and not part.alternatives:
        return Say.of("The text is not cut.{0:t}", how)
    return Say.of("The text is cut into {0:t}; no token crosses a cut.{1:t}", plural(pieces, "pre-token"), out + how)


def rewritten_says(trace: Trace, stage: Stage, part: PreTokenization) -> list[Say]:
    """The first match of the model's own pattern that llama.cpp's rewritten one misses, if any."""
    for event in stage.events:
        if event.kind != PreTokenizeEvent.FAILED or not part.alternatives[event.choice].rewritten:
            continue
        tried = part.alternatives[event.choice]
        lost = lost_by_rewriting(tried, trace.text[event.start : event.start + LONGEST])
        if lost:
            return [
                Say.of(
                    "At character {0} the model's own pattern would take {1:q} with {2:q}. llama.cpp has rewritten it "
                    "for ASCII letters and does not.",
                    event.start + 1,
                    visible(lost),
                    visible(tried.rewritten),
                )
            ]
    return []


ASKS: Final = regex.compile(r"\\[pPwW]")
"""An alternative that uses the category of a character."""


def newer_says(text: str, part: PreTokenization) -> list[Say]:
    """Characters newer than the original's Unicode version, if its pattern uses their category.

    >>> from explorer.engine.pre_tokenizers.patterns import GPT2
    >>> from explorer.engine.pre_tokenizers.by_regex import RegexSplit
    >>> [say.texts for say in newer_says("a\\U0003e784", PreTokenization([RegexSplit(GPT2)]))]
    [('16', 'U+3E784')]
    """
    for splitter in () if text.isascii() else part.splitters:
        version = splitter.unicode
        if version and any(ASKS.search(alternative.regex) for alternative in splitter.alternatives):
            newer = after_16() if version == "16" else after_15()
            labels = [label(ch) for ch in dict.fromkeys(text) if ord(ch) in newer]
            if labels:
                words = "Newer than Unicode {0:t}, so unassigned to the original, neither letter nor number: {1:t}."
                return [Say.of(words, version, listed(labels))]
    return []


def pieces_result(trace: Trace, stage: Stage, vocabulary: Vocabulary) -> Say:
    """How many pieces, and what that means."""
    pieces = pieces_of(stage)
    before = [item.text for item in stage.before if isinstance(item, Segment)]
    symbols = sum(isinstance(piece, Token) for piece in pieces)
    if symbols:
        words = "{0:t} cut out and {1:t} final; no token crosses a cut."
        return Say.of(words, plural(symbols, "piece is", "pieces are"), "is" if symbols == 1 else "are")
    if [piece.text for piece in pieces if isinstance(piece, Segment)] == before:
        return Say.of("Changed nothing: the text has no cut.")
    return Say.of("The text is cut into {0:t}; no token crosses a cut.", plural(len(pieces), "fragment"))


def pieces_of(stage: Stage) -> list[Item]:
    """The segments the stage left and the tokens it found."""
    known = {item for item in stage.before if isinstance(item, Token)}
    return [item for item in stage.after if isinstance(item, Segment) or item not in known]


def truncation_result(trace: Trace, stage: Stage, vocabulary: Vocabulary) -> Say:
    """How many tokens were cut off, where, and how many parts the original makes of them."""
    part, size = cast(Truncation, stage.part), len(stage.before)
    room = part.room(trace.options)
    if room is None:
        return Say.of(
            "Changed nothing: {0:t} allowed and {1:t} added, so the original's limit is below zero and nothing is cut.",
            plural(part.longest, "token is", "tokens are"),
            plural(part.added, "is", "are"),
        )
    besides = f" besides the {part.added} added" if room != part.longest else ""
    if size <= room:
        return Say.of(
            "Changed nothing: the text has {0:t}, and {1:t} room{2:t}.",
            plural(size, "token"),
            plural(room, "has", "have"),
            besides,
        )
    others = len(list(part.parts(size, room))) - 1
    overlap = f" that overlap by {plural(part.stride, 'token')}" if part.stride else ""
    return Say.of(
        "{0:t} cut off at the {1:t}: the text has {2:t}, and {3:t} room{4:t}. tokenizers returns the rest as "
        "{5:t}{6:t}; they are not among these ids.",
        plural(size - room, "token is", "tokens are"),
        "beginning" if part.left else "end",
        number(size),
        plural(room, "has", "have"),
        besides,
        plural(others, "further part"),
        overlap,
    )


def padding_result(trace: Trace, stage: Stage, vocabulary: Vocabulary) -> Say:
    """How much padding was added, or why none was."""
    part = cast(Padding, stage.part)
    filled = sum(event.end - event.start for event in stage.events if event.kind == LengthEvent.FILLED)
    if filled:
        return Say.of(
            "{0:t} of {1:q} ({2:t}) {5:t} the text to {3:t} {4:t}.",
            plural(filled, "token"),
            visible(vocabulary.spelling(part.token)),
            str(part.token),
            plural(len(stage.after), "token"),
            "at the beginning" if part.left else "at the end",
            "pads" if filled == 1 else "pad",
        )
    if part.length is None:
        reason = "a single text is the longest of its batch"
        reason += f", and its length is a multiple of {part.multiple}" if part.multiple else ""
    else:
        reason = f"the text has {number(len(stage.before))} tokens already"
    return Say.of("Changed nothing: {0:t}.", reason)


ALSO: Final = {
    PostProcessEvent.TRIMMED: " The offsets of {} are trimmed: they leave out white space at the ends.",
    PostProcessEvent.AGAIN: " The template contains the text more than once, which adds {}.",
    PostProcessEvent.LEFT_OUT: " The template doesn't contain the text, so none of its tokens is left.",
}
"""What else the stage may have done → the sentence about it."""


def post_process_result(trace: Trace, stage: Stage, vocabulary: Vocabulary) -> Say:
    """Which tokens were added, where, and whether the text had them already."""
    events = list(stage.events)
    counts = Counter(event.kind for event in events)
    words = []
    texts: list[str] = []
    for event in events:
        spelling = visible(vocabulary.spelling(event.token))
        where = {PostProcessEvent.FIRST: "before the text", PostProcessEvent.LAST: "after the text"}.get(
            PostProcessEvent(event.kind)
        )
        if where:
            words.append(f"{{{len(texts)}:q}} ({event.token}) is added {where}")
            texts.append(spelling)
    also = "".join(sentence.format(plural(counts[kind], "token")) for kind, sentence in ALSO.items() if counts[kind])
    for event in events:
        if event.kind == PostProcessEvent.SPARE:
            option, where = ("add_eos", "after the text") if event.unused else ("add_bos", "before the text")
            also += f" sentencepiece's option {option} would add {{{len(texts)}:q}} ({event.token}) {where}."
            texts.append(visible(vocabulary.spelling(event.token)))
        if event.kind == PostProcessEvent.PRESENT:
            also += f" The text itself ends with {{{len(texts)}:q}} ({event.token}), so it is not added."
            texts.append(visible(vocabulary.spelling(event.token)))
    twice = any(event.kind == PostProcessEvent.TWICE for event in events)
    if not words:
        if also:
            return Say.of("No tokens are added." + also, *texts)
        asked = "adding special tokens is off" if events else "this vocabulary adds no tokens"
        return Say.of("Changed nothing: {0:t}.", asked)
    template = " and ".join(words) + "."
    if twice:
        template += " The text already began with it, so it occurs twice, as in the original."
    template += also
    return Say.of(template, *texts)


def model_result(trace: Trace, stage: Stage, vocabulary: Vocabulary) -> Say:
    """How many tokens the model makes, and by how many merges."""
    stretches = sum(isinstance(item, Segment) for item in stage.before)
    tokens = len(stage.after) - (len(stage.before) - stretches)
    if not stretches:
        return Say.of("There is no text left for the model.")
    merges = sum(event.kind == MergeEvent.MERGE for event in stage.events) if stage.part.row is MergeRow else 0
    return Say.of(
        "{0:t} of text {1:t} {2:t}{3:t}.",
        plural(stretches, "stretch", "stretches"),
        "becomes" if stretches == 1 else "become",
        plural(tokens, "token"),
        f", by {plural(merges, 'merge')}" if merges else "",
    )


def word_level_result(trace: Trace, stage: Stage, vocabulary: Vocabulary) -> Say:
    """How many words were looked up, and how many are unknown."""
    words, unknown = len(stage.events), sum(event.kind == WordLevelEvent.UNKNOWN for event in stage.events)
    if not words:
        return Say.of("There is no word to look up.")
    looked_up = plural(words, "word is", "words are")
    if unknown:
        return Say.of("{0:t} looked up, of which {1:t} unknown.", looked_up, plural(unknown, "is", "are"))
    return Say.of("{0:t} looked up and found.", looked_up)


def first_miss_result(trace: Trace, stage: Stage, vocabulary: Vocabulary) -> Say:
    """How many tokens the loop that stops at the first miss makes, how many the trie, and where they first differ.

    >>> import explorer
    >>> from explorer.text.say import plain
    >>> tok = explorer.load("rwkv-world@first-miss")
    >>> trace = tok.trace("a!--")
    >>> plain(first_miss_result(trace, trace.stage("model"), tok.vocabulary))
    'The loop makes 3 tokens of this text, the trie 2. They first differ at character 2.'
    """
    model = cast(FirstMiss, stage.part)
    by_loop = by_trie = 0
    first = -1
    for item in stage.before:
        if isinstance(item, Segment):
            data = item.text.encode()
            loop, trie = model.tokenize(data, silent), model.trie.tokenize(data, silent)
            by_loop, by_trie = by_loop + len(loop), by_trie + len(trie)
            differ = set(loop) ^ set(trie)
            if differ and first < 0:
                character = character_of_each_byte(data)[min(match.start for match in differ)]
                first = item.starts[character]
    if first < 0:
        return Say.of("The loop and the trie make the same tokens of this text.")
    words = "The loop makes {0:t} of this text, the trie {1:t}. They first differ at character {2:t}."
    return Say.of(words, plural(by_loop, "token"), f"{by_trie:,}", f"{first + 1:,}")
