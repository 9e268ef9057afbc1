"""The stage that applies a SentencePiece model's precompiled character map and then its white space rules.

A model trained with sentencepiece carries its Unicode normalization (mostly `nmt_nfkc`, NFKC with additions) as a
binary table: a double-array trie over UTF-8 bytes (Darts-clone) whose values are offsets into a block of
NUL-terminated strings. At each position the longest prefix in the trie is replaced by its string; a character that no
rule matches stays. Three programs read the same table differently:

- sentencepiece (`normalizer.cc`) takes the longest match and leaves user-defined symbols unchanged; then it trims white
  space, prepends (or appends) a ▁, and writes spaces as ▁.
- llama.cpp (`llm_tokenizer_ugm_session::normalize`) takes the longest match, too, but also leaves *prefixes* of
  user-defined tokens unchanged, and writes the ▁ before each word rather than for each space.
- Hugging Face (`spm_precompiled`) goes grapheme by grapheme and takes the *shortest* match; see `huggingface`.

Left out: where a prefix of a user-defined token ends within a character, llama.cpp splits the character into two
invalid halves; here whole characters are compared. A table with a rule that ends within a character is refused.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable

from explorer.engine.budget import asking, turns
from explorer.engine.items import Item, Items, LengthBudget, Segment
from explorer.engine.normalizers.charsmap.rows import CharsmapEvent, CharsmapRow, Chunk, Note
from explorer.engine.normalizers.charsmap.table import PrecompiledCharsmap
from explorer.engine.normalizers.charsmap.white_space import Whitespace, WhitespaceRule, sentencepiece_whitespace
from explorer.engine.part import Options
from explorer.engine.partition.symbol_tree import SymbolTree
from explorer.engine.trace import Emit

Search = Callable[["PrecompiledCharsmap | None", SymbolTree, str, Note], list[Chunk]]
"""Divides a text into chunks by looking it up in the map."""


def longest_match(
    charsmap: PrecompiledCharsmap | None,
    user_defined: SymbolTree,
    text: str,
    note: Note,
) -> list[Chunk]:
    """The search of sentencepiece and llama.cpp: from the left, the longest prefix that has a rule."""
    data = text.encode()
    chunks: list[Chunk] = []
    budget = LengthBudget("the character map", len(text))
    at = byte = made = 0
    cut = 0
    """the bytes of the character at `at` that belong to the user-defined piece before it"""
    for _ in turns(len(text), "the normalizer"):
        if at >= len(text):
            break
        size = 0 if cut else user_defined.length(text, at)
        cut = cut or user_defined.cut(text, at, size)
        if size:
            replaced = source = text[at : at + size]
            note(CharsmapEvent.USER_DEFINED if user_defined.is_whole(source) else CharsmapEvent.BEGINNING, at, size, -1)
        elif cut:
            size, source = 1, text[at]
            replaced, cut = user_defined.cut_up(source, cut), 0
            note(CharsmapEvent.CUT, at, 1, -1)
        elif charsmap is not None and (found := charsmap.matches(data, byte)):
            for length, value in found[:-1]:
                note(CharsmapEvent.SHORTER, at, len(charsmap.rule(data, byte, length)), value)
            length, value = found[-1]
            source, replaced = charsmap.rule(data, byte, length), charsmap.string(value)
            size = len(source)
            note(CharsmapEvent.MAP, at, size, value)
        else:
            size, replaced = 1, text[at]
            source = replaced
            note(CharsmapEvent.KEEP, at, 1, -1)
        made += len(replaced)
        budget.check(made)
        chunks.append(Chunk(at, at + size, replaced))
        at += size
        byte += len(source.encode())
    return chunks


class CharsmapNormalization:
    """The stage: for each segment the map, then white space.

    charsmap: None for a model without one (`identity`). search, whitespace: the variants of one program.

    >>> stage = CharsmapNormalization(None)
    >>> stage.run([Segment.of("a  b ")], Options(), lambda *row: None)[0].text
    '▁a▁b'
    """

    name = "normalize"
    row = CharsmapRow
    kinds = CharsmapEvent

    def __init__(
        self,
        charsmap: PrecompiledCharsmap | None,
        rules: Whitespace = Whitespace(),  # noqa: B008  # immutable
        user_defined: SymbolTree | None = None,
        *,
        search: Search = longest_match,
        whitespace: WhitespaceRule = sentencepiece_whitespace,
    ) -> None:
        self.charsmap, self.rules = charsmap, rules
        self.user_defined = user_defined or SymbolTree(())
        self.search, self.whitespace = search, whitespace

    def run(self, items: Items, options: Options, emit: Emit) -> Items:
        """The items with every segment normalized; segments that become empty are dropped."""
        done: list[Item] = []
        for item in asking(items, "the normalizer"):
            if isinstance(item, Segment):
                item = self.apply(item, emit)
                if not item.text:
                    continue
            done.append(item)
        return done

    def apply(self, segment: Segment, emit: Emit) -> Segment:
        """One segment normalized. Raises InputError if the text gets too long."""
        starts, ends = segment.starts, segment.ends

        def note(kind: CharsmapEvent, at: int, size: int, value: int) -> None:
            start = starts[at] if at < len(starts) else ends[-1]
            emit(kind, start, ends[at + size - 1] - start if size else 0, value)

        def start_of(at: int) -> int:
            return starts[at] if at < len(starts) else ends[-1]

        chunks = self.search(self.charsmap, self.user_defined, segment.text, note)
        written = self.whitespace(chunks, self.rules, note)
        spans = zip(written.starts, written.ends, strict=True)
        placed = [(start_of(a), ends[b - 1] if b > a else start_of(a)) for a, b in spans]
        return Segment("".join(written.text), array("i", [a for a, _ in placed]), array("i", [b for _, b in placed]))
