"""The examples of Explore: what each says is on the page, and what it claims is true."""

from __future__ import annotations

import unicodedata
from types import ModuleType

import pytest

import explorer
from explorer.corpus.record import position_bytes, word_bytes
from explorer.engine.models.longest_match import FirstMissEvent, Wpm
from explorer.engine.models.merges import MergeEvent
from explorer.engine.models.spm import Spm
from explorer.engine.part import Segment
from explorer.implementations.opened import with_pattern
from explorer.script.script import Replay, Script, window_of
from explorer.stages.decoders.losses import round_trip
from explorer.text.input import is_utf8
from explorer.text.say import Flat, plain
from explorer.training import likelihood
from explorer.training.huggingface import bpe
from explorer.views.examples import EXAMPLES, QUESTIONS, WALKS, Example, example_of
from explorer.views.overview import ribbon, sections
from explorer.vocabulary import bytes_of
from tests.bundled import bundled
from tests.toys import UNKNOWN, run, vocabulary

NAMES = [f"{each.label} {each.implementation} {each.stage} {each.step}" for each in EXAMPLES]


def sentence(script: Script, step: int, level: str) -> str:
    """The sentence of a step as a level shows it."""
    data = script.data
    words = script.kind(step) if step else data["start"]
    args = script.args(step) if step else data["start"]["args"]
    told = words["say"] if level == "implementation" else words.get("story") or words["say"]
    return plain(Flat(told, tuple(args), tuple(data["texts"])))


def opened(example: Example) -> explorer.Tokenizer:
    """The tokenizer of an example, with its choices."""
    name = f"{example.model}@{example.implementation}"
    return explorer.load(name, **dict(example.choose)) if example.choose else bundled(name)


@pytest.mark.parametrize("example", EXAMPLES, ids=NAMES)
def test_an_example_opens_at_the_sentence_it_is_about(example: Example) -> None:
    tok = opened(example)
    trace = tok.trace(example.text)
    assert example.stage in [node.key for node in ribbon(trace, tok.trace_decode(trace.ids))]
    back, window = round_trip(tok, trace), window_of(trace)
    (section,) = sections(tok, trace, back, window, example.stage, stored=False)
    assert section.script is not None
    steps = [
        step for step in range(len(section.script) + 1) if example.says in sentence(section.script, step, example.level)
    ]
    assert example.step in steps, f"{example.says} is the sentence of {steps}"


def pieces(text: str, name: str) -> list[str]:
    """The pieces of a pre-tokenizer, in plain characters."""
    after = bundled(f"{name}@llama.cpp").trace(text).stage("pre-tokenize").after
    spelled = [bytes_of(item.text) for item in after if isinstance(item, Segment)]
    return [data.decode() for data in spelled if data is not None]


def test_the_questions_are_true() -> None:
    assert len(QUESTIONS) == 6
    llama2, gpt2, gpt4 = (bundled(name) for name in ("llama-2", "gpt-2", "cl100k_base"))
    assert "▁LoRA".encode() not in llama2.vocabulary.pieces
    assert llama2.encode("What is LoRA?").pieces[3:5] == ["▁Lo", "RA"]
    one, other = gpt2.encode("hello hello").ids
    assert one != other
    greeting, hello = len(gpt4.encode("नमस्ते दुनिया")), len(gpt4.encode("Hello world"))
    assert (greeting, hello) == (13, 2)
    assert 6 * hello <= greeting < 7 * hello
    assert llama2.encode("🤗").pieces[2:] == ["<0xF0>", "<0x9F>", "<0xA4>", "<0x97>"]
    assert len(bundled("qwen2.5").encode("🤗")) == 1
    assert bundled("llama-3").encode("1234567").pieces[-3:] == ["123", "456", "7"]
    composed, decomposed = "é e\u0301".split()
    assert (composed.encode().hex(" "), decomposed.encode().hex(" ")) == ("c3 a9", "65 cc 81")
    assert unicodedata.normalize("NFC", decomposed) == composed
    assert gpt2.encode(composed).ids != gpt2.encode(decomposed).ids


def test_what_the_walk_through_the_pre_tokenizers_says_is_true() -> None:
    gpt2, qwen, llama = "gpt-2", "qwen2.5", "llama-3"
    assert pieces("He's going.", gpt2) == ["He", "'s", " going", "."]
    assert pieces("HE'S", gpt2) == ["HE", "'", "S"]
    assert pieces("HE'S", qwen) == pieces("HE'S", llama) == ["HE", "'S"]
    assert pieces("@World", gpt2) == ["@", "World"]
    assert pieces("@World", qwen) == pieces("@World", llama) == ["@World"]
    assert [len(pieces("12345", name)) for name in (gpt2, qwen, llama)] == [1, 5, 2]
    assert pieces(" 123", qwen) == [" ", "1", "2", "3"]
    assert pieces(" 123", llama) == [" ", "123"]
    assert pieces(" 123", gpt2) == [" 123"]
    assert pieces("Hello!!!\n\n", llama) == ["Hello", "!!!\n\n"]
    assert pieces("Hello!!!\n\n", gpt2) == ["Hello", "!!!", "\n\n"]
    assert pieces(" @!$", gpt2) == [" @!$"]
    assert pieces(" @\n", llama) == [" @\n"]
    assert pieces(" @\n", gpt2) == [" @", "\n"]
    assert pieces("World  ", gpt2) == ["World", "  "]
    assert pieces("world123", qwen) == ["world", "1", "2", "3"]
    assert pieces("３", llama) == ["３"]
    assert len("３".encode()) == 3


def test_the_other_walk_throughs_are_true() -> None:
    bert, llama2 = bundled("bert-uncased@llama.cpp"), bundled("llama-2")
    ids = bert.encode("ÅWhat is LoRA?").ids
    assert (ids[0], ids[-1], bert.decode(ids)) == (101, 102, " awhat is lora?")
    assert len("ÅWhat is LoRA?") == 14
    assert "Å".encode().hex(" ") == "c3 85"
    smile = llama2.encode("Hello, こんにちは! 😊").pieces
    assert set("こんにちは") <= set(smile)
    assert smile[-4:] == ["<0xF0>", "<0x9F>", "<0x98>", "<0x8A>"]
    assert len(llama2.encode("What is LoRA?")) == 6
    trie, loop = bundled("rwkv-world@rwkv"), bundled("rwkv-world@first-miss")
    assert trie.encode("吾輩は猫である。").ids == loop.encode("吾輩は猫である。").ids
    assert trie.encode("🤗").bytes[0] == b"\xf0\x9f"
    assert (len(trie.encode("🤗")), len(loop.encode("🤗"))) == (3, 4)


def symbols_at(text: str, step: int) -> dict[int, tuple[int, ...]]:
    """Size, prev and next of each symbol of Llama 2 at a step, by its index."""
    trace = bundled("llama-2").trace(text)
    back = round_trip(bundled("llama-2"), trace)
    (section,) = sections(bundled("llama-2"), trace, back, window_of(trace), "model", stored=False)
    assert section.script is not None
    replay = Replay(section.script)
    while replay.step < step:
        replay.forward()
    return {key: row[2:] for key, row in replay.rows("cells").items() if key >= 0}


def test_what_is_said_of_symbols_and_longest_matches_is_true() -> None:
    before, after = symbols_at("hello", 11), symbols_at("hello", 12)
    assert (before[5], after[5]) == ((1, 4, -1), (0, 4, -1)), "the n of a symbol that is absorbed becomes 0"
    assert (before[4], after[4]) == ((1, 2, 5), (2, 2, -1))
    left = symbols_at("What is LoRA?", 47)
    assert (len(left), sum(size > 0 for size, _, _ in left.values())) == (14, 5)
    bert = bundled("bert-uncased")
    assert bert.encode("playing").ids == bundled("bert-uncased@llama.cpp").encode("playing").ids == [101, 2652, 102]
    assert bert.encode("unplaying").pieces[1:-1] == ["un", "##play", "##ing"]
    assert b"##playing" not in bert.vocabulary.pieces
    unchecked = explorer.load("rwkv-world@first-miss", faults="end").trace("猫🤗").stage("model")
    assert list(unchecked.events)[-1].kind == FirstMissEvent.NO_ID


def shown(label: str) -> str:
    """What the menu says of a stop."""
    (found,) = [each.shows for each in EXAMPLES if each.label == label]
    return found


def test_what_the_menu_says_besides_is_true() -> None:
    """Numbers that no step of the example says."""
    bert = bundled("bert-uncased@llama.cpp")
    assert isinstance(bert.model, Wpm)
    said = shown("Longest match")
    assert f"max_token_len is {bert.model.max_token_len} bytes, a window {bert.model.window}." in said
    trace = bert.trace("ÅWhat is LoRA?")
    (added,) = sections(bert, trace, round_trip(bert, trace), window_of(trace), "post-process", stored=False)
    assert "before the model runs" in added.what
    assert "before the model runs" in shown("[CLS] and [SEP]")
    world = bundled("rwkv-world")
    tokens = world.vocabulary.pieces[1:]
    assert f"{len(tokens):,} tokens; {sum(is_utf8(token) for token in tokens):,} are valid UTF-8" in shown("The walk")
    ids = world.encode("吾輩は猫である。").ids
    assert f"{len(ids)} ids, {2 * len(ids)} bytes." in shown("Ids of 16 bits")
    found = [word_bytes(places) for places in (1 << 32, (1 << 32) + 1)]
    assert "A suffix array takes {} bytes an entry, above 2³² entries {}".format(*found) in shown("Ids of 16 bits")
    assert f"for 1 TB, {position_bytes(10**12)} would do" in shown("Ids of 16 bits")
    packed = "🤗".encode("utf-16-be").hex().upper()
    assert f"as two, {packed[:4]} {packed[4:]}." in shown("🤗 by the trie")
    (faulty,) = [each for each in EXAMPLES if each.label == "Two faults in the loop"]
    assert opened(faulty).encode("café").ids == [1784, 103, 2503]
    assert b"f\xc3" not in world.vocabulary.ids
    emoji = [chr(each) for each in range(0x1F300, 0x1F650)]
    assert all((ch.encode() in world.vocabulary.ids) == (len(world.encode(ch)) == 1) for ch in emoji)


def test_a_stray_space_in_a_pattern_takes_the_space_of_a_word() -> None:
    qwen = bundled("qwen2.5")
    (slot,) = qwen.pattern_slots
    stray = slot.regex.replace(r"\s*[\r\n]+", r"\s*[\r\n ]+")
    assert stray != slot.regex
    assert r"\s*[\r\n ]+" in shown("a  b")

    def cut(tokenizer: explorer.Tokenizer) -> list[str]:
        after = tokenizer.trace("a  b").stage("pre-tokenize").after
        return [item.text for item in after if isinstance(item, Segment)]

    assert cut(qwen) == ["a", "Ġ", "Ġb"]
    assert cut(with_pattern(qwen, stray)) == ["a", "ĠĠ", "b"]


def test_the_linked_list_of_a_toy_without_a_space_prefix() -> None:
    """Five symbols; l absorbs o."""
    pieces = vocabulary(("<unk>", 0.0, UNKNOWN), *((ch, -9.0) for ch in "helo"), ("lo", -1.0))
    _, events = run(Spm(pieces), "hello")
    sizes = [1] * 5
    for row in events:
        if row.kind == MergeEvent.MERGE:
            sizes[row.left] += sizes[row.right]
            sizes[row.right] = 0
    assert f"n goes from 1 1 1 1 1 to {' '.join(map(str, sizes))}." in shown("The linked list in small")


@pytest.mark.sample(2)
@pytest.mark.parametrize("trainer", [likelihood, bpe])
def test_training_of_word_piece_begins_with_characters(trainer: ModuleType) -> None:
    """With room for no merge, every token is one character."""
    assert "training begins with characters, not with words" in shown("playing is one piece")
    learned = trainer.train({"playing": 9, "ing": 1}, trainer.Options(vocab_size=1, special_tokens=())).learned
    assert {token.removeprefix("##") for token in learned.tokens} == set("playing")


def test_every_example_of_the_notes_is_there_and_is_told_from_the_others() -> None:
    texts = {stop.text for walk in WALKS for stop in walk.stops}
    assert texts >= {
        "ÅWhat is LoRA?", "What is LoRA?", "Hello, こんにちは! 😊", "吾輩は猫である。",
        "He's going.", " Hello World", "@World", "123World", " 123", "Hello!!!\n\n", " @!$", " @\n", "World  ",
        "world123", "３", "playing", "hello",
    }  # fmt: skip
    assert len({(each.text, each.model, each.implementation, each.stage, each.step) for each in EXAMPLES}) == len(
        EXAMPLES
    )
    for each in EXAMPLES:
        assert example_of(each.text, each.model, each.implementation, each.stage, str(each.step), each.choose) is each
    assert example_of("another text", "llama-2", "llama.cpp", "model", "40") is None
    assert example_of("What is LoRA?", "llama-2", "llama.cpp", "model", "0") is None
