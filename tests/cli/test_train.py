"""`explorer train`: the files equal what the originals learn from the same files."""

from __future__ import annotations

import json
from dataclasses import fields
from pathlib import Path

import pytest
import sentencepiece
from tokenizers import Tokenizer, models, pre_tokenizers, trainers

import explorer
from explorer.answers.train import why_token
from explorer.cli import train
from explorer.cli.main import main
from explorer.cli.train_job import field_of
from explorer.corpus.run import tasks_of
from explorer.corpus.sources import Reading, find
from explorer.formats.sentencepiece_model import read
from explorer.text.say import plain
from explorer.training.sentencepiece.sentences import RULES
from explorer.training.trainers import TRAINERS, TrainRequest
from explorer.training.words import CUTTINGS, Counting
from tests.originals import corpus
from tests.training.corpora import NOTES

SP_NO_FILE = {"charsmap"}
"""Options that no flag sets by this name."""


@pytest.fixture
def text(tmp_path: Path) -> Path:
    path = tmp_path / "text.txt"
    path.write_text("\n".join([*NOTES, *corpus.LINES]) + "\n", "utf-8")
    return path


def test_flags_are_the_options_of_the_trainers() -> None:
    options = {field.name for each in TRAINERS.values() for field in fields(each.options)}
    assert {field_of(flag) for flag in train.FLAGS} == options - SP_NO_FILE
    algorithms, followed = (tuple(dict.fromkeys(each)) for each in zip(*TRAINERS, strict=True))
    assert (algorithms, followed, tuple(CUTTINGS)) == (train.ALGORITHMS, train.FOLLOWED, train.CUTTINGS)
    assert tuple(train.OPTIONS["--normalization-rule-name"]["choices"]) == RULES
    kinds = {"int": int, "float": float, "train.BooleanOptionalAction": bool, "append": tuple}
    for option, declared in train.OPTIONS.items():
        for each in TRAINERS.values():
            default = {field.name: field.default for field in fields(each.options)}.get(field_of(option[2:]))
            kind = kinds.get(declared.get("type", declared.get("action")))
            assert default is None or kind is None or type(default) is kind, option


def test_bpe_as_hugging_face(text: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    output = tmp_path / "my.json"
    asked = ["train", "bpe", "--vocab-size", "400", "--special-token", "<s>", "--output", str(output), str(text)]
    assert main([*asked, "--part", "500"]) == 0
    assert capsys.readouterr().out == f"{output}: 400 tokens\n"
    original = Tokenizer(models.BPE())
    original.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    original.train([str(text)], trainers.BpeTrainer(vocab_size=400, special_tokens=["<s>"], show_progress=False))
    assert json.loads(output.read_text("utf-8"))["model"] == json.loads(original.to_str())["model"]
    assert explorer.load(output).encode("The quick fox").ids == original.encode("The quick fox").ids
    assert not list(tmp_path.glob("*.parts"))


@pytest.mark.sample(3)
@pytest.mark.parametrize("kind", ["bpe", "unigram"])
@pytest.mark.parametrize("rule", ["", *RULES])
def test_as_sentencepiece(rule: str, kind: str, text: Path, tmp_path: Path) -> None:
    """The same pieces and the same rules, by default, too; a model's rules in place of a name give them again."""
    with text.open("a", encoding="utf-8") as file:
        file.write("ﬁne ½ Straße CAFÉ\u200bcafe\u0301 １２ ㌔ \u1e9b\u0323 ＡＢ\n")
    prefix, output = tmp_path / "original", tmp_path / "mine.model"
    named = {"normalization_rule_name": rule} if rule else {}
    sentencepiece.SentencePieceTrainer.train(
        input=str(text), model_prefix=str(prefix), model_type=kind, vocab_size=170, num_threads=4, minloglevel=4,
        user_defined_symbols=["fox"], character_coverage=0.99, **named,
    )  # fmt: skip
    theirs = prefix.with_suffix(".model")
    asked = ["train", kind, "--as", "sentencepiece", "--vocab-size", "170", "--user-defined-symbol", "fox"]
    asked += ["--character-coverage", "0.99", "--output", str(output), str(text)]
    asked += ["--num-threads", "4"] if kind == "unigram" else []
    assert main(asked + (["--normalization-rule-name", rule] if rule else [])) == 0
    assert (read(output).pieces, read(output).normalizer) == (read(theirs).pieces, read(theirs).normalizer)
    if rule != "identity":
        assert main([*asked, "--normalizer-of", str(theirs)]) == 0
        assert read(output).pieces == read(theirs).pieces


@pytest.mark.parametrize(("algorithm", "whom"), TRAINERS)
def test_every_trainer_writes_a_file_that_opens(algorithm: str, whom: str, text: Path, tmp_path: Path) -> None:
    trainer = TRAINERS[algorithm, whom]
    output = tmp_path / f"trained{trainer.suffix}"
    size = "150" if algorithm == "unigram" else "400"
    asked = ["train", algorithm, "--as", whom, "--vocab-size", size, "--output", str(output), str(text)]
    names = {field.name for field in fields(trainer.options)}
    asked += ["--special-token", "[UNK]"] if "special_tokens" in names else []
    asked += ["--reserved-token", "[UNK]"] if "reserved_tokens" in names else []
    asked += ["--lower-thresh", "1"] if "lower_thresh" in names else []
    asked += ["--unk-token", "[UNK]"] if algorithm == "unigram" and whom == "huggingface" else []
    assert main(asked) == 0
    choices = {"pattern": "gpt2"} if trainer.suffix == ".tiktoken" else {}
    tok = explorer.load(output, **choices)
    assert tok.encode("The quick brown fox").ids
    if trainer.suffix == ".json":
        assert Tokenizer.from_file(str(output)).encode("The quick fox").ids == tok.encode("The quick fox").ids


def test_counting_that_was_interrupted_goes_on(
    text: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    output = tmp_path / "my.json"
    asked = ["train", "bpe", "--vocab-size", "300", "--output", str(output), str(text), "--part", "300"]
    do, done = Counting.do, []

    def interrupted(self: Counting, *arguments: object) -> bytes:
        if len(done) == 2:
            raise KeyboardInterrupt
        done.append(1)
        return do(self, *arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(Counting, "do", interrupted)
    assert main(asked) == 130
    assert "finished parts are kept in my.json.parts: --resume continues from there" in capsys.readouterr().err
    assert main(asked) == 1
    assert "it has parts of an interrupted job" in capsys.readouterr().err
    monkeypatch.setattr(Counting, "do", do)
    assert main([*asked, "--resume"]) == 0
    assert "explorer: 2 of " in capsys.readouterr().err
    resumed = output.read_bytes()
    assert main(["train", "bpe", "--vocab-size", "300", "--output", str(output), str(text)]) == 0
    assert output.read_bytes() == resumed


@pytest.mark.parametrize("part", ["300", "1M"])
def test_a_training_that_failed_does_not_block_the_corrected_command(
    part: str, text: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    output, parts = tmp_path / "my.json", tmp_path / "my.json.parts"
    asked = ["train", "wordpiece", "--vocab-size", "300", "--output", str(output), str(text), "--part", part]
    assert main(asked) == 1
    several = part == "300"
    assert ("kept in my.json.parts" in capsys.readouterr().err, parts.exists()) == (several, several)
    if several:
        # nothing is counted twice
        monkeypatch.delattr(Counting, "do")
    else:
        (tmp_path / "bad.txt").write_bytes(b"\xff\n")
        assert main(["train", "bpe", "--output", str(output), str(tmp_path / "bad.txt")]) == 1
        assert not parts.exists()
    assert main([*asked, "--special-token", "[UNK]"]) == 0
    assert not parts.exists()


@pytest.mark.long
def test_counting_in_several_processes(text: Path, tmp_path: Path) -> None:
    output = tmp_path / "my.json"
    asked = [
        "train",
        "wordpiece",
        "--special-token",
        "[UNK]",
        "--vocab-size",
        "300",
        "--output",
        str(output),
        str(text),
    ]
    assert main(asked) == 0
    alone = output.read_bytes()
    assert main([*asked, "--workers", "2", "--part", "200"]) == 0
    assert output.read_bytes() == alone


def test_words_come_in_the_order_of_the_corpus(text: Path) -> None:
    reading = Reading()
    counting = Counting(CUTTINGS["whitespace"], reading)
    tasks = tasks_of(find([str(text)]).files, reading, 200)
    assert len(tasks) > 3
    forwards, backwards = counting.nothing(), counting.nothing()
    for task in tasks:
        forwards.take(counting.read(counting.do(task)), task.number)
    for task in reversed(tasks):
        backwards.take(counting.read(counting.do(task)), task.number)
    whole = CUTTINGS["whitespace"].words(text.read_text("utf-8").splitlines(keepends=True))
    assert list(forwards.ordered().items()) == list(backwards.ordered().items()) == list(whole.items())
    assert forwards.text_bytes() == text.stat().st_size


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        (["bpe", "--as", "likelihood", "--output", "a.json"], "bpe is not learned as likelihood; give --as"),
        (["unigram", "--min-frequency", "3", "--output", "a.json"], "--min-frequency is an option of bpe --as"),
        (["bpe", "--output", "a.model"], "--output ends in .json: that is what huggingface writes"),
        (["bpe", "--as", "sentencepiece", "--words", "bert", "--output", "a.model"], "--words is not for"),
        (["bpe", "--normalizer-of", "a.model", "--output", "a.json"], "--normalizer-of is for sentencepiece"),
        (
            ["bpe", "--as", "sentencepiece", "--normalizer-of", "a.model", "--normalization-rule-name", "nfkc",
             "--output", "a.model"],
            "give --normalizer-of or --normalization-rule-name",
        ),
    ],
)  # fmt: skip
def test_usage(asked: list[str], says: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["train", *asked, "text.txt"])
    assert ended.value.code == 2
    assert says in capsys.readouterr().err


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        (["bpe", "--vocab-size", "-1"], "vocab_size is -1; choose a number from 0 to 1,114,112"),
        (["unigram", "--vocab-size", "3"], "vocab_size is 3, and the words have "),
        (["wordpiece"], "the unknown token '[UNK]' is not in the vocabulary; add it to the special tokens"),
    ],
)
def test_bad_input(asked: list[str], says: str, text: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["train", *asked, "--output", str(tmp_path / "a.json"), str(text)]) == 1
    assert says in capsys.readouterr().err


def test_why_on_the_command_line_is_why_on_the_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The page reads lines without their ends, the command with them; words cut at white space are the same."""
    path = tmp_path / "text.txt"
    path.write_text("\n".join(NOTES) + "\n", "utf-8")
    request = TrainRequest(("bpe", "huggingface"), "whitespace", "\n".join(NOTES), 40)
    tokens = ["the", "brown", "zzz", "q"]
    asked = [part for token in tokens for part in ("--why", token)]
    assert main(["train", "bpe", "--vocab-size", "40", "--words", "whitespace", *asked, str(path)]) == 0
    lines = capsys.readouterr().out.splitlines()
    answers = [why_token(request, token) for token in tokens]
    assert [line for line in lines if not line.startswith("  ")] == [plain(answer.say) for answer in answers]
    steps = [line.split(maxsplit=2)[2] for line in lines if line.startswith("  event ")]
    assert steps == [plain(say) for answer in answers for _, say in answer.lines]


def test_a_damaged_part(text: Path) -> None:
    from explorer.errors import InputError

    for data in (b"", b"{", b"[1, 2]", b'[1, {"a": "b"}]', b"\xff"):
        with pytest.raises(InputError, match="it is damaged; delete it, and --resume counts this part again"):
            Counting(CUTTINGS["none"], Reading()).read(data, "part")
