"""The exercises of the lessons: the engine's answers against the originals and plain counting."""

from __future__ import annotations

import ast
import json
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import pairwise
from math import exp, log

import pytest
import regex
from msgspec.structs import replace
from tokenizers import Tokenizer, models, pre_tokenizers, trainers

import explorer
from explorer.answers.learn import ENGINE
from explorer.errors import InputError
from explorer.learning.checks import claims
from explorer.learning.checks.cards import Asked, Shown, answer_of, question_of
from explorer.learning.lessons import library, read_lesson
from explorer.learning.lessons.reading import Card, Exercise, PromptPanel, TrainPanel, VocabularyPanel, lessons_in
from explorer.text.say import plain
from explorer.vocabulary import PieceKind
from tests.learning.naive import priority, states
from tests.learning.test_lessons import GOOD
from tests.training.test_likelihood import naive as naive_likelihood

GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
QWEN2 = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
LINES = ("The quick brown fox jumps over the lazy dog.", "A quick brown dog jumps over the lazy fox.")


def exercise_of(card: Card) -> Asked | None:
    return question_of(ENGINE, card)


def failures(card: Card) -> Iterator[str]:
    return claims.failures(ENGINE, card)


def pieces(pattern: str, text: str) -> str:
    return f"{len(regex.findall(pattern, text))} pre-tokens"


def most_frequent_pair() -> str:
    """The pair of neighbors within words that occurs most often."""
    counts = Counter(pair for line in LINES for word in line.split(" ") for pair in pairwise(f"▁{word}"))
    return " + ".join(counts.most_common(1)[0][0])


def first_of_word_piece_trainer() -> str:
    """The first token that the library's trainer learns after its alphabet."""
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    lines = ("Peter Piper picked a peck of peppers.", "Peter Piper ate a pepper.")
    tokenizer.train_from_iterator(lines, trainers.WordPieceTrainer(vocab_size=60, special_tokens=["[UNK]"]))
    vocabulary = tokenizer.get_vocab()
    single = [id for token, id in vocabulary.items() if len(token.removeprefix("##")) == 1]
    return next(token for token, id in vocabulary.items() if id == max(single) + 1)


def by_score_and_longest_match(word: str) -> str:
    """A word by the longest match with the tokens that a plain count of all scores learns from the lines."""
    panel = library()["train-wordpiece"].cards[4].panel
    assert isinstance(panel, TrainPanel)
    assert panel.size is not None
    cut = pre_tokenizers.Whitespace().pre_tokenize_str
    counted = Counter(part for line in panel.text.split("\n") for part, _ in cut(line))
    tokens, found, at = naive_likelihood(counted, panel.size - 1), list[str](), 0  # [UNK] is the first of the size
    while at < len(word):
        mark = "##" if at else ""
        end = max(end for end in range(at + 1, len(word) + 1) if mark + word[at:end] in tokens)
        found.append(mark + word[at:end])
        at = end
    return " ".join(found)


def trained_on_a_greeting(text: str) -> list[str]:
    """The tokens of a text, from the library's BPE trained on the lines of the lesson."""
    panel = library()["own"].cards[2].panel
    assert isinstance(panel, TrainPanel)
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.train_from_iterator(
        panel.text.split("\n"), trainers.BpeTrainer(vocab_size=panel.size, show_progress=False)
    )
    return [token.replace("▁", "·") for token in tokenizer.encode(text).tokens]


def kept_whole() -> float:
    """How often in 100 the library's own dropout leaves the word of a card whole, in many draws."""
    record = json.loads(explorer.catalog()["gpt-2"].path.read_bytes())
    record["model"]["dropout"] = 0.1
    tokenizer = Tokenizer.from_str(json.dumps(record))
    drawn = 2_000
    return 100 * sum(len(tokenizer.encode(" unrelated").ids) == 1 for _ in range(drawn)) / drawn


def best_way_with_alpha_twice(word: str, theta: float) -> str:
    """How often in 100 the best way comes by `Lattice::sample` of the library, whose forward sums scale sums again."""
    vocabulary = explorer.load("xlm-r").vocabulary
    known = {vocabulary.spelling(id): vocabulary.scores[id] for id in vocabulary.of_kind(PieceKind.NORMAL)}
    ends = range(1, len(word) + 1)
    into = {end: [(start, known[word[start:end]]) for start in range(end) if word[start:end] in known] for end in ends}
    summed, best, chance = {0: 0.0}, {0: 0.0}, {0: 1.0}
    for end in ends:
        summed[end] = log(sum(exp(theta * (score + summed[start])) for start, score in into[end]))
        weights = [exp(summed[start] + theta * score) for start, score in into[end]]
        best[end], at = max((best[start] + score, at) for at, (start, score) in enumerate(into[end]))
        chance[end] = chance[into[end][at][0]] * weights[at] / sum(weights)
    return f"{100 * chance[len(word)]:.2f}"


def first_misses(text: str) -> str:
    """The ids of RWKV World for 猫 and for each byte of a text; byte 0 is token 1."""
    return " ".join(map(str, [14398, *(byte + 1 for byte in text.encode())]))


def valid_lines() -> str:
    """The lines of RWKV's file whose literal is text, or bytes that are valid UTF-8."""
    literals = (line[line.index(" ") : line.rindex(" ")].strip() for line in
                explorer.catalog()["rwkv-world"].path.read_text("utf-8").splitlines())  # fmt: skip
    return f"{sum(not each.startswith('b') or is_text(ast.literal_eval(each)) for each in literals):,}"


def is_text(data: bytes) -> bool:
    return data == data.decode("utf-8", "ignore").encode()


ORACLES: dict[str, Callable[[], str]] = {
    "Into how many pre-tokens does GPT-2 cut HE'S?": lambda: pieces(GPT2, "HE'S"),
    "And into how many pre-tokens does Qwen 2.5 cut a space and 123?": lambda: pieces(QWEN2, " 123"),
    "Into how many pre-tokens does GPT-2 cut me@home.org?": lambda: pieces(GPT2, "me@home.org"),
    "What is n of cell 0 after this merge?": lambda: str(len("▁hel".encode())),  # += right_sym.n
    "What does GPT-2 get for cranberry with a space in front?": lambda: " ".join(
        Tokenizer.from_file(str(explorer.catalog()["gpt-2"].path)).encode(" cranberry").tokens
    ).replace("Ġ", "·"),
    "Which ids does the model get for this prompt, with its space at the end?": lambda: " ".join(
        map(str, Tokenizer.from_file(str(explorer.catalog()["gpt-2"].path)).encode("The answer is ").ids)
    ),
    # ▁ok, ▁, and a token for each byte
    "How many ids must arrive before a program can show 🧇?": lambda: str(2 + len("🧇".encode())),
    # Łódź without what NFD splits off, in lowercase: "łodz" is a line of BERT's vocabulary
    "What does BERT uncased make of Łódź?": lambda: " ".join(
        Tokenizer.from_file(str(explorer.catalog()["bert-uncased"].path)).encode("Łódź").tokens[:3]
    ),
    # <s> twice, ▁hello, </s>
    "Which ids does the model get?": lambda: " ".join(
        map(str, [1, 1, explorer.load("llama-2").vocabulary.ids["▁hello".encode()], 2])
    ),
    "How many tokens does GPT-4 need for დიახ?": lambda: str(
        len(states([bytes([byte]) for byte in "დიახ".encode()], priority("cl100k_base"))[-1])
    ),
    "In wie viele Tokens zerlegt GPT-2 dieses Wort?": lambda: str(
        len(Tokenizer.from_file(str(explorer.catalog()["gpt-2"].path)).encode("Donaudampfschifffahrt").ids)
    ),
    # by hand, from the numbers below 0.3 (at, ted and rel) and those not below it
    "What does this draw make of the word?": lambda: "·unre la t ed",
    # by hand, from the shares into which the numbers fall: able, ev, i, bel, ·un
    "Which way does this draw give?": lambda: "·un bel i ev able",
    # ChatML, by hand: the words of the messages are none of these; "\n" ends the role's line and begins the answer
    "Who wrote the framed token, assistant?": lambda: "The template",
    "Who wrote the framed token?": lambda: "The template and message 2",
    # <s> is written once, and Llama 2's file has add_bos
    "With which four ids does the prompt begin now?": lambda: " ".join(
        str(explorer.load("llama-2").vocabulary.ids[piece.encode()]) for piece in ("<s>", "<s>", "▁[", "INST")
    ),
    "How many tokens does this template mark for training?": lambda: str(len(["A", "·method", ".", "<|im_end|>"])),
    # by hand, from vLLM 0.33.0: "\n".join of the parts' texts; json.loads of the arguments, {} where it fails
    "What does vLLM give the template as this content?": lambda: json.dumps("\n".join(["Name two", "rivers."])),
    "What does vLLM give the template as arguments?": lambda: json.dumps({}),
    "How many code points do these 10 bytes make?": lambda: f"{len('café 🤗')} code points",
    "Wie viele Codepunkte ergeben diese 12 Bytes?": lambda: f"{len('Straße 🤗')} code points",
    "What does BERT make of playing?": lambda: " ".join(
        Tokenizer.from_file(str(explorer.catalog()["bert-uncased"].path)).encode("playing").tokens[:3]  # the file pads
    ),
    "Which ids should this loop give for 猫🦊?": lambda: first_misses("🦊"),
    "猫🦊 に対して、このループが返すべき ID はどれですか。": lambda: first_misses("🦊"),
    "What does XLM-RoBERTa make of three unknown characters in a row?": lambda: "<s> · <unk> </s>",
    "How often does h follow a lowercase t in these lines?": lambda: str("\n".join(LINES).count("th")),
    "Which pair is merged first?": most_frequent_pair,
    "Which pair does WordPieceTrainer merge first?": lambda: {"##er": "##e + ##r"}[first_of_word_piece_trainer()],
    "What does this vocabulary make of pepper?": lambda: by_score_and_longest_match("pepper"),
    "Which tokens does the next training see?": lambda: " ".join(
        Tokenizer.from_file(str(explorer.catalog()["gpt-2"].path)).encode(" unrelated").tokens
    ).replace("Ġ", "·"),
    "What does this vocabulary make of こんにちは?": lambda: " ".join(trained_on_a_greeting("こんにちは")),
}  # fmt: skip


def test_an_exercise_has_its_answer_from_the_training() -> None:
    asked = exercise_of(library()["train-bpe"].cards[1])
    assert asked is not None
    assert plain(asked.choices[asked.right][0]) == ORACLES[plain(asked.prompt)]()


@pytest.mark.long  # opens six tokenizers
def test_the_engine_finds_what_the_originals_do() -> None:
    cards = [card for lesson in library().values() for card in lesson.cards if isinstance(card.question, Exercise)]
    assert {card.question.ask for card in cards if isinstance(card.question, Exercise)} == set(ORACLES)
    for card in cards:
        asked = exercise_of(card)
        assert asked is not None
        shown = [each.shown for each in asked.choices]
        assert shown[asked.right] == ORACLES[plain(asked.prompt)](), plain(asked.prompt)
        assert 3 <= len(set(shown)) == len(shown)
        assert all(plain(each.why) for index, each in enumerate(asked.choices) if index != asked.right)
        assert not isinstance(card.panel, TrainPanel) or asked.step <= asked.after


@pytest.mark.long  # opens GPT-2 and XLM-RoBERTa
def test_the_chances_that_cards_claim_are_the_library_s() -> None:
    claimed = [card.claims["chances"]["huggingface"] for card in library()["ways"].cards if "chances" in card.claims]
    assert claimed[0] == min(("65.46", "94.03"), key=lambda each: abs(float(each) - kept_whole()))
    assert claimed[1] == best_way_with_alpha_twice("▁unbelievable", 0.2)


@pytest.mark.long  # opens RWKV World
def test_valid_tokens_are_counted_as_in_the_file() -> None:
    panel = library()["own"].cards[1].panel
    assert isinstance(panel, VocabularyPanel)
    shown = Shown(ENGINE, replace(panel, tokenizer="rwkv-world", implementation="rwkv"))
    assert answer_of(shown, "valid-tokens") == valid_lines()


def exercise(question: str) -> Card:
    source = GOOD + f'[card.question]\nask = "How many?"\nbecause = "So."\n{question}'
    return read_lesson(source, "x.toml").cards[0]


@pytest.mark.parametrize(
    ("question", "says"),
    [
        ('find = "tokens"\nwrong = { "2" = "" }', "question, wrong: '2' is right here; remove it"),
        ('find = "token"\nwrong = { "3" = "" }', "question, find: unknown: 'token'; use one of tokens, bytes, ids"),
        ('find = "result nothing"\nwrong = { "3" = "" }', "question, find: 'result nothing' finds nothing here"),
        ('find = "first-merge"\nwrong = { "3" = "" }', "question, find: this panel trains nothing"),
        ('find = "size x"\nwrong = { "3" = "" }', "question, find: 'size x' finds nothing here"),
        ('find = "tokens"\nwrong = ["3"]', "x.toml, card 1, question, wrong: not a table of 1 to 5 wrong"),
        ('find = "tokens"\nwrong = {}', "x.toml, card 1, question, wrong: not a table of 1 to 5 wrong answers"),
    ],
)
@pytest.mark.sample(7)
def test_an_exercise_without_an_answer_is_refused(question: str, says: str) -> None:
    with pytest.raises(InputError) as caught:
        exercise_of(exercise(question))
    assert str(caught.value).startswith(says)


PROMPT = """
title = "A title"
about = "What it is about."
minutes = 3
[[card]]
title = "First"
words = "Some words."
[card.prompt]
tokenizer = "qwen2.5"
template = "ours:chatml"
messages = [["user", "Hi"], ["assistant", "Hello"]]
asks = false
"""


@pytest.mark.parametrize(
    ("line", "instead", "says"),
    [
        ('template = "ours:chatml"', 'template = "ours:nothing"', "template"),
        ('messages = [["user", "Hi"], ["assistant", "Hello"]]', "messages = []", "messages"),
        ('messages = [["user", "Hi"], ["assistant", "Hello"]]', 'messages = [["user"]]', "messages"),
        ("asks = false", "asks = 7", "asks"),
        ("asks = false", "chosen = 0", "chosen"),
    ],
)
def test_a_prompt_that_is_none_is_refused(line: str, instead: str, says: str) -> None:
    assert read_lesson(PROMPT, "x.toml").cards[0].panel == PromptPanel(
        "qwen2.5", "huggingface", (("user", "Hi"), ("assistant", "Hello")), "ours:chatml", asks=False
    )
    with pytest.raises(InputError, match=says):
        read_lesson(PROMPT.replace(line, instead), "x.toml")


def test_what_a_prompt_s_card_claims_is_the_engine_s() -> None:
    claims = 'claims = { prompt = { tokens = 3, writers = { 4 = "message 1" }, findings = [] } }\n'
    (wrong,) = failures(read_lesson(PROMPT.replace("[card.prompt]", claims + "[card.prompt]"), "x.toml").cards[0])
    assert "'tokens': 12" in wrong
    assert "message 1" in wrong
    refused = PROMPT.replace("ours:chatml", "ours:mistral").replace('"user"', '"critic"')
    assert "refuses" in next(failures(read_lesson(refused, "x.toml").cards[0]))


@pytest.mark.parametrize("language", ["de", "ja"])
def test_phones_in_another_language_choose_by_the_same_number(language: str) -> None:
    """A class counts choices by their index (`ui/serving/classes.py`), of questions that are the same by their id."""
    others = {key.partition(".")[0]: lesson for key, lesson in lessons_in(language).items()}
    alike = 0
    for key, lesson in lessons_in("en").items():
        for here, there in zip(lesson.cards, others[key].cards, strict=False):  # a lesson with a file of its own
            asked, other = question_of(ENGINE, here), question_of(ENGINE, there, language)
            if asked is None or other is None or asked.data()["id"] != other.data()["id"]:
                continue
            assert (asked.right, len(asked.choices)) == (other.right, len(other.choices)), (key, here.title)
            alike += 1
    assert alike > 30
