"""What was trained opens as a tokenizer, here and in the original, and gives the ids of the original's own training."""

from __future__ import annotations

import io
import json
import random
from collections.abc import Iterable, Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest
import sentencepiece
from tokenizers import Tokenizer, models, trainers

import explorer
from explorer.errors import InputError
from explorer.formats.sentencepiece_model import ModelType
from explorer.training import teaching, words
from explorer.training import trainers as saving
from explorer.training.huggingface import bpe, unigram, word_level
from explorer.training.sentencepiece import bpe as sentencepiece_bpe
from explorer.training.sentencepiece import unigram as sentencepiece_unigram
from explorer.training.training import Learned
from explorer.training.words import CUTTINGS
from tests.originals.generators import all_strings
from tests.refusals import refusal
from tests.tiers import amount
from tests.training.corpora import NOTES, generated
from tests.training.sentencepiece import lines_given, options_of, settings_of, unigram_options_of

SPECIAL = ("<s>", "[UNK]")
TEXTS = [*NOTES, "", " ", "unheard of: 猫 and 👩‍👧", "<s>quick</s>", *all_strings(3, 40)]


def special_ids(learned: Learned[str], tokens: Iterable[str]) -> dict[str, int]:
    return {token: learned.ids[token] for token in tokens}


def theirs(model: Any, trainer: Any, name: str, texts: list[str]) -> Mapping[str, Any]:
    """The tokenizer.json that the original saves after its own training."""
    whole = json.loads(Tokenizer(model).to_str()) | CUTTINGS[name]._asdict()
    tokenizer = Tokenizer.from_str(json.dumps(whole))
    tokenizer.train_from_iterator(texts, trainer)
    found: Mapping[str, Any] = json.loads(tokenizer.to_str())
    return found


def opened(text: str, path: Path) -> None:
    """Opens here and in the original, with the same ids for all texts."""
    path.write_text(text, "utf-8")
    ours, original = explorer.load(path), Tokenizer.from_str(text)
    for each in TEXTS:
        assert ours.encode(each).ids == original.encode(each).ids, ascii(each)


@pytest.mark.parametrize("name", CUTTINGS)
def test_bpe(name: str, tmp_path: Path) -> None:
    for seed in range(amount(30)):
        texts = [*NOTES, *generated(seed)]
        options = bpe.Options(vocab_size=random.Random(seed).choice((60, 150, 400)), special_tokens=SPECIAL)
        learned = bpe.train(CUTTINGS[name].words(texts), options).learned
        model = saving.bpe_model(learned, options, "[UNK]")
        text = saving.tokenizer_json(model, CUTTINGS[name], special_ids(learned, SPECIAL))
        given = {key: value for key, value in asdict(options).items() if value not in (None, ())}
        trainer = trainers.BpeTrainer(show_progress=False, **given | {"special_tokens": list(SPECIAL)})
        assert json.loads(text) == theirs(models.BPE(unk_token="[UNK]"), trainer, name, texts)
    opened(text, tmp_path / "tokenizer.json")


@pytest.mark.parametrize("name", ["whitespace", "bert"])
def test_word_level_and_wordpiece(name: str, tmp_path: Path) -> None:
    counted = CUTTINGS[name].words(NOTES)
    options = word_level.Options(special_tokens=SPECIAL)
    learned = word_level.train(counted, options).learned
    special = special_ids(learned, SPECIAL)
    text = saving.tokenizer_json(saving.word_level_model(learned, options), CUTTINGS[name], special)
    trainer = trainers.WordLevelTrainer(special_tokens=list(SPECIAL), show_progress=False)
    assert json.loads(text) == theirs(models.WordLevel(unk_token="[UNK]"), trainer, name, list(NOTES))
    opened(text, tmp_path / "tokenizer.json")

    learned = bpe.train(counted, bpe.WordPieceOptions(vocab_size=80, special_tokens=SPECIAL)).learned
    special = special_ids(learned, SPECIAL)
    text = saving.tokenizer_json(saving.wordpiece_model(learned, options), CUTTINGS[name], special)
    opened(text, tmp_path / "tokenizer.json")


def test_unigram(tmp_path: Path) -> None:
    for unk_token, special in (("<unk>", ("<s>", "<unk>")), ("<unk>", ("<s>",)), (None, ())):
        options = unigram.Options(vocab_size=60, special_tokens=special, unk_token=unk_token)
        learned = unigram.train(CUTTINGS["metaspace"].words(NOTES), options).learned
        model = saving.unigram_model(learned, options)
        text = saving.tokenizer_json(model, CUTTINGS["metaspace"], special_ids(learned, special))
        trainer = trainers.UnigramTrainer(
            vocab_size=60, special_tokens=list(special), unk_token=unk_token, show_progress=False
        )
        saved = theirs(models.Unigram(), trainer, "metaspace", list(NOTES))
        ours = json.loads(text)
        assert {token for token, _ in ours["model"].pop("vocab")} == {token for token, _ in saved["model"].pop("vocab")}
        assert ours == saved
        if unk_token is not None:
            opened(text, tmp_path / "tokenizer.json")


def test_sentencepiece(tmp_path: Path) -> None:
    path = tmp_path / "trained.model"
    saved = 0
    for seed in range(amount(30)):
        choose = random.Random(seed)
        kind, options = (
            (ModelType.UNIGRAM, unigram_options_of(choose)) if seed % 2 else (ModelType.BPE, options_of(choose))
        )
        rule = choose.choice(("identity", "nmt_nfkc"))
        options = replace(
            options, vocab_size=700, hard_vocab_limit=False, normalization_rule_name=rule, required_chars=""
        )
        texts = [*NOTES, *generated(seed)]
        try:
            if isinstance(options, sentencepiece_unigram.Options):
                learned = sentencepiece_unigram.train(lines_given(texts), options).learned
            else:
                learned = sentencepiece_bpe.train(lines_given(texts), options).learned
        except InputError:
            continue  # every text is too long: the original would stop its process
        saved += 1
        data = saving.sentencepiece_model(learned, options, kind=kind)
        path.write_bytes(data)
        written = io.BytesIO()
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter(texts), model_writer=written, **settings_of(options, rule)
        )
        own = sentencepiece.SentencePieceProcessor(model_proto=written.getvalue())
        original, ours = sentencepiece.SentencePieceProcessor(model_proto=data), explorer.load(path)
        for text in TEXTS:
            assert original.encode(text) == own.encode(text), ascii(text)
            assert original.normalize(text) == own.normalize(text), ascii(text)
            assert ours.encode(text, add_special=False).ids == own.encode(text), ascii(text)
    assert saved > amount(30) // 2


def test_ranks(tmp_path: Path) -> None:
    counted = words.count(NOTES, lambda text: [text])
    learned = teaching.train(counted, teaching.Options(vocab_size=300)).learned
    path = tmp_path / "trained.tiktoken"
    path.write_bytes(saving.ranks(learned))
    tok = explorer.load(path, pattern="gpt2")
    assert [tok.vocabulary.pieces[id] for id in range(300)] == list(learned.tokens)


def test_an_unknown_token_that_is_none() -> None:
    learned = bpe.train({"ab": 1}).learned
    said = refusal(saving.bpe_model, learned, bpe.Options(), "[UNK]")
    assert "'[UNK]'" in said
