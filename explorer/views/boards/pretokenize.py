"""The pre-tokenizer: the pieces, colored by the alternative that took them, and the printable bytes."""

from __future__ import annotations

from collections import Counter
from typing import cast

import regex

from explorer.engine.items import Segment
from explorer.engine.pre_tokenizers.stage import PreTokenization, PreTokenizeEvent
from explorer.engine.results import Stage, Trace
from explorer.engine.unicode.byte_map import bytes_of
from explorer.engine.unicode.scripts import NAMES
from explorer.facts import listed
from explorer.text import label, visible
from explorer.text.quantities import plural
from explorer.text.say import Say
from explorer.text.unicode_versions import after_15, after_16
from explorer.text.visible import hexadecimal
from explorer.views.alternatives import LONGEST, lost_by_rewriting, takes
from explorer.views.boards.board import Board, BoardCell, cell, code_points, glyph, row, shortened
from explorer.views.window import Window
from explorer.vocabulary import Vocabulary

MOST = 400
"""Alternatives listed at most. The known patterns have up to ten."""
ASKS = regex.compile(r"\\[pPwW]")
"""An alternative that uses the category of a character."""


def pretokenize_board(trace: Trace, vocabulary: Vocabulary, window: Window) -> Board:
    """The pieces of a window, the alternatives of the pattern with what each took, and the byte-to-printable map."""
    stage = trace.stage("pre-tokenize")
    part = cast(PreTokenization, stage.part)
    took, failed = decisions(stage)
    pieces = [item for item in stage.after if isinstance(item, Segment)]
    inside = [piece for piece in pieces if window.holds(piece.starts[0])]
    before = sum(piece.starts[0] < window.start for piece in pieces)
    joined = joined_says(stage, part)
    scripts = {event.start: event.choice for event in stage.events if event.kind == PreTokenizeEvent.SCRIPT}
    spelled = any(event.kind == PreTokenizeEvent.BYTE for event in stage.events)
    cells = [piece_cell(trace.text, piece, part, took, failed, joined, scripts, spelled) for piece in inside]
    # removed text stays in text order
    cells = sorted(cells + left_out(trace.text, stage, part, window), key=lambda each: (each["s"], each["e"]))
    rows = [
        row("chips", "Pre-tokens", cells, note="colored by the alternative that took each", limit=300,
            empty="No pre-tokens: there is no text.", outside=(before, len(pieces) - before - len(inside)))
    ]  # fmt: skip
    if part.alternatives:
        counts = Counter(took.values())
        removed = Counter(event.choice for event in stage.events if event.kind == PreTokenizeEvent.REMOVED)
        alternatives = [
            cell(visible(each.regex), -1, -1, id=index, sub=f"{index + 1} · {took_says(counts[index], removed[index])}",
                 look=None if counts[index] or removed[index] else "unused",
                 tip=[["alternative", str(index + 1)], ["takes", takes(each)]])
            for index, each in enumerate(part.alternatives[:MOST])
        ]  # fmt: skip
        rows.append(row("chips", "The alternatives, in the order they are tried", alternatives,
                        note="the first that matches at a position wins, however little it takes"))  # fmt: skip
    of_bytes = byte_cells(trace.text, stage, window)
    if of_bytes:
        rows.append(row("map", "Bytes, spelled as printable characters", of_bytes, limit=96,
                        note="the vocabulary spells a space Ġ and a line feed Ċ",
                        outside=(window.start, max(0, len(trace.text) - window.end))))  # fmt: skip
    return Board(pretokenize_say(stage, part).then(*rewritten_says(trace, stage, part)), rows, of_tokens=False)


def took_says(pieces: int, removed: int) -> str:
    """What an alternative took, in a few words.

    >>> took_says(2, 0), took_says(0, 1), took_says(1, 2)
    ('took 2 pre-tokens', 'removed 1 stretch', 'took 1 pre-token, removed 2 stretches')
    """
    out = f"removed {plural(removed, 'stretch', 'stretches')}"
    took = f"took {plural(pieces, 'pre-token')}"
    return took if not removed else out if not pieces else f"{took}, {out}"


def piece_text(piece: Segment, spelled: bool) -> str:
    """The text of a piece. spelled: its bytes are spelled as printable characters, and read back if they are UTF-8.

    >>> piece_text(Segment.of("Ġé"), False), piece_text(Segment.of("ĠÃ©"), True), piece_text(Segment.of("Ã"), True)
    ('Ġé', ' é', 'Ã')
    """
    data = bytes_of(piece.text) if spelled else None
    if data is None:
        return piece.text
    try:
        return data.decode()
    except UnicodeDecodeError:
        return piece.text


def decisions(stage: Stage) -> tuple[dict[int, int], dict[int, list[int]]]:
    """Start of a piece → the last alternative that took it, and the ones that failed there."""
    took: dict[int, int] = {}
    failed: dict[int, list[int]] = {}
    for event in stage.events:
        if event.kind == PreTokenizeEvent.PIECE:
            took[event.start] = event.choice
        elif event.kind == PreTokenizeEvent.GAP:
            took.setdefault(event.start, -1)
        elif event.kind == PreTokenizeEvent.MERGED_NEXT:
            took[event.start] = event.choice
        elif event.kind == PreTokenizeEvent.FAILED:
            failed.setdefault(event.start, []).append(event.choice)
    return took, failed


def left_out(text: str, stage: Stage, part: PreTokenization, window: Window) -> list[BoardCell]:
    """The stretches that the splitters removed, as dropped pieces."""
    cells = []
    for kind, start, end, choice in stage.events:
        if kind not in (PreTokenizeEvent.REMOVED, PreTokenizeEvent.REST_REMOVED) or not window.holds(start):
            continue
        why = "it lies between the matches, which are kept"
        if choice >= 0:
            why = f"it is a separator, taken by alternative {choice + 1}: {part.alternatives[choice].regex}"
        tip = [["removed", shortened(text[start:end])], ["why", why], ["code points", code_points(text[start:end])]]
        cells.append(cell(shortened(text[start:end]), start, end, look="dropped", sub="removed", tip=tip))
    return cells


def joined_says(stage: Stage, part: PreTokenization) -> dict[int, list[str]]:
    """Start of a piece → what joined it, in words."""
    says: dict[int, list[str]] = {}
    begun = 0
    for kind, start, _, choice in stage.events:
        if kind in (PreTokenizeEvent.PIECE, PreTokenizeEvent.GAP, PreTokenizeEvent.MERGED_NEXT):
            begun = start
        if kind in (PreTokenizeEvent.MERGED_PREVIOUS, PreTokenizeEvent.JOINED, PreTokenizeEvent.MERGED_NEXT):
            what = f"alternative {choice + 1}: {part.alternatives[choice].regex}" if choice >= 0 else "no alternative"
            how = "begins it, taken by" if kind == PreTokenizeEvent.MERGED_NEXT else "joins it, taken by"
            says.setdefault(begun, []).append(f"from character {start + 1} on {how} {what}")
    return says


def piece_cell(
    text: str,
    piece: Segment,
    part: PreTokenization,
    took: dict[int, int],
    failed: dict[int, list[int]],
    joined: dict[int, list[str]],
    scripts: dict[int, int],
    spelled: bool,
) -> BoardCell:
    """One piece: its text as earlier stages left it, and why it was cut like this."""
    start, end = piece.starts[0], piece.ends[-1]
    choice = took.get(start, -1)
    source = piece_text(piece, spelled)
    tip = [["pre-token", shortened(source)]]
    if source != text[start:end]:
        tip.append(["from the text", shortened(text[start:end]) or "nothing"])
    if choice >= 0:
        chosen = part.alternatives[choice]
        tip.append(["taken by", f"alternative {choice + 1}: {chosen.regex}"])
        tip.append(["which takes", takes(chosen)])
        tip += newer_characters(part, source)
    else:
        tip.append(["taken by", "no alternative: it lies between two matches, or the text is not cut"])
    if start in scripts:
        tip[-1] = ["script", NAMES[scripts[start]].replace("_", " ")]
    tip += [["joined", each] for each in joined.get(start, ())[:3]]
    before = [f"{index + 1}: {part.alternatives[index].regex}" for index in failed.get(start, ())]
    if before:
        tip.append(["failed before", " · ".join(before)])
    if piece.text != source:
        tip.append(["spelled", shortened(piece.text)])
    tip += [["code points", code_points(source)], ["bytes", hexadecimal(source.encode())]]
    return cell(
        shortened(source), start, end, id=choice if choice >= 0 else None,
        sub=str(choice + 1) if choice >= 0 else "–", tip=tip,
    )  # fmt: skip


def newer_characters(part: PreTokenization, source: str) -> list[list[str]]:
    """An entry about characters newer than the original's Unicode version, if its pattern uses their category.

    >>> from explorer.engine.pre_tokenizers.patterns import GPT2
    >>> from explorer.engine.pre_tokenizers.by_regex import RegexSplit
    >>> newer_characters(PreTokenization([RegexSplit(GPT2)]), "a\\U0003e784")
    [['newer than Unicode 16', 'U+3E784: unassigned to the original, neither letter nor number']]
    """
    for splitter in () if source.isascii() else part.splitters:
        version = splitter.unicode
        if version and any(ASKS.search(each.regex) for each in splitter.alternatives):
            newer = after_16() if version == "16" else after_15()
            labels = [label(ch) for ch in dict.fromkeys(source) if ord(ch) in newer]
            if labels:
                says = f"{listed(labels)}: unassigned to the original, neither letter nor number"
                return [[f"newer than Unicode {version}", says]]
    return []


def byte_cells(text: str, stage: Stage, window: Window) -> list[BoardCell]:
    """Each character of the window with the printable characters that spell its bytes."""
    spelled: dict[int, list[str]] = {}
    for event in stage.events:
        if event.kind == PreTokenizeEvent.BYTE and window.holds(event.start):
            spelled.setdefault(event.start, []).append(chr(event.choice))
    cells = []
    for index, chars in sorted(spelled.items()):
        source = text[index : index + 1]
        shown = glyph(source)
        to = None if chars == [source] else [{"t": ch} for ch in chars]
        tip = [["character", code_points(source)], ["bytes", hexadecimal(source.encode())], ["spelled", "".join(chars)]]
        look = "changed" if to else None
        cells.append(cell(shown.pop("t"), index, index + 1, to=to, look=look, tip=tip, **shown))
    return cells


def pretokenize_say(stage: Stage, part: PreTokenization) -> Say:
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
                    event.start + 1, visible(lost), visible(tried.rewritten),
                )
            ]  # fmt: skip
    return []
