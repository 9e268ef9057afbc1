"""WordPiece, the trie and the first-miss loop on toys checked by eye."""

from __future__ import annotations

from explorer.engine.models.longest_match import FirstMiss, TrieMatch, Wpm
from explorer.engine.pre_tokenizers.by_regex import PreTokenization
from explorer.stages.stage import CutCause, OriginKind
from explorer.vocabulary import Vocabulary
from tests.analysis.toy_tokenizers import toy, trie, vocabulary, word_piece
from tests.analysis.why.said import cut, origin, sentence, steps
from tests.meaning import mentions


def test_word_piece() -> None:
    tok = word_piece("aw", "a", "##h", "##hat", "##is")
    found = cut(tok, "awhatis")
    assert (found.cause, sentence(found)) == (CutCause.LONGEST_MATCH, "The longest match from here is “aw”.")
    assert steps(found) == [
        "1: awhatis = , no such piece",
        "2: awhati = , no such piece",
        "3: awhat = , no such piece",
        "4: awha = , no such piece",
        "5: awh = , no such piece",
        "6: aw = aw, the longest piece: token 1",
        "9: ##hat = ##hat, the longest piece: token 4",
    ]
    assert found.joined is not None
    assert (found.joined.text, found.joined.id) == ("awhat", None)
    assert found.others is not None
    assert (found.others.total, found.others.fewest) == (1, 2)
    token = origin(tok, "awhatis", 1)
    assert (token.how, sentence(token)) == (
        OriginKind.LONGEST_MATCH,
        "“##hat” is the longest piece at the start of the remaining word: token 4. 2 longer candidates are not pieces.",
    )
    assert mentions(sentence(origin(tok, "awhatis", 2)), "“##is” is a piece and the whole rest of the word: token 5.")


def test_a_word_that_pieces_cannot_spell() -> None:
    found = origin(word_piece("aw", "##h"), "awhx")
    assert (found.how, found.lost) == (OriginKind.UNKNOWN, "awhx")
    assert mentions(
        sentence(found), "No piece begins “##x”, so the whole word “awhx” becomes “[UNK]”, and its text is lost."
    )
    assert steps(found)[-1] == "6: ##x = , no such piece"


def test_a_word_that_is_too_long() -> None:
    found = origin(word_piece("a", max_characters=3), "aaaa")
    assert mentions(
        sentence(found), "“aaaa” has 4 characters, and words of more than 3 are not tried: it becomes “[UNK]”."
    )


def test_llama_cpp_puts_a_mark_in_front() -> None:
    made = Vocabulary.of([b"[UNK]", "▁a".encode(), b"b", b"bc"], (), [2, 1, 1, 1])
    tok = toy(made, PreTokenization([]), Wpm(made, 0))
    found = cut(tok, "abc")
    assert found.joined is not None
    assert (found.left.text, found.right.text, found.joined.text) == ("▁a", "bc", "▁abc")
    assert steps(found) == [
        "1: ▁abc = , no such piece",
        "2: ▁ab = , no such piece",
        "3: ▁a = ▁a, the longest piece: token 1",
        "4: bc = bc, the longest piece: token 3",
    ]


def test_the_walk_through_a_trie() -> None:
    tok = trie("a", "ab", "abcd", "c", "x")
    token = origin(tok, "abcx")
    assert (token.how, sentence(token)) == (
        OriginKind.LONGEST_MATCH, "No edge for 78: the walk ends. The last token passed is “ab”, the longest match."
    )  # fmt: skip
    assert steps(token) == [
        "1: 61 = a, token 0",
        "2: 62 = ab, token 1",
        "3: 63 = abc, a node that is not a token",
        "4: 78 = , no edge for 78: the walk ends",
    ]
    found = cut(tok, "abcx")
    assert (found.cause, sentence(found)) == (CutCause.LONGEST_MATCH, "The longest match from here is “ab”.")
    assert [step.event for step in found.steps] == [2, 3, 4]
    assert found.joined is not None
    assert (found.joined.text, found.joined.id) == ("abc", None)
    # the text's end ends a walk, too
    assert mentions(
        sentence(origin(tok, "abcx", 2)), "The text ends, and so does the walk. The only token passed is “x”."
    )


def test_a_byte_that_no_token_begins_with() -> None:
    made = vocabulary("<unk>", "a", unknown=True)
    tok = toy(made, TrieMatch(made, 0))
    found, token = cut(tok, "é"), origin(tok, "é")
    assert (found.cause, token.how, token.lost) == (CutCause.UNKNOWN, OriginKind.UNKNOWN, "C3")
    assert sentence(found) == "No token begins with C3 here, so this byte alone becomes “<unk>”."


def world(*more: str) -> Vocabulary:
    """The ids of RWKV World: 1 to 256 are the bytes."""
    return Vocabulary.of([b"<end>", *(bytes([byte]) for byte in range(256)), *(piece.encode() for piece in more)])


def test_the_first_miss() -> None:
    made = world("!--")
    tok = toy(made, FirstMiss(made))
    found = cut(tok, "!--")
    assert (found.cause, sentence(found)) == (
        CutCause.FIRST_MISS, "“!-” is not a token, so the loop stops after “!”."
    )  # fmt: skip
    token = origin(tok, "!--")
    assert (token.how, sentence(token)) == (
        OriginKind.FIRST_MISS, "“!-” is not a token, so the loop stops and takes the prefix before it, “!”."
    )  # fmt: skip
    assert mentions(sentence(origin(tok, "!--", 2)), "The text ends, so the loop takes what it has: “-”.")


def test_the_loop_never_tries_what_lies_beyond_a_miss() -> None:
    made = world("!--", "--")
    found = cut(toy(made, FirstMiss(made)), "!--")
    assert mentions(
        sentence(found), "“!-” is not a token, so the loop stops after “!”. It never tries “!--”, which is token 257."
    )
    assert found.others is not None
    assert (found.others.total, found.others.fewest) == (3, 1)


def test_a_character_that_is_not_a_token() -> None:
    made = world()
    tok = toy(made, FirstMiss(made))
    found, token = cut(tok, "é"), origin(tok, "é", 1)
    assert (found.cause, token.how) == (CutCause.BYTES, OriginKind.BYTE)
    assert mentions(sentence(found), "“é” is not a token: it becomes one token for each of its 2 bytes.")
    assert mentions(sentence(token), "“é” is not a token. Its byte A9, 2 of 2, becomes token 170.")
