"""The board of a training: what its columns and sentences say is what a recount, or the original, gives."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import pairwise
from typing import Any

import pytest
from tokenizers import Tokenizer

from explorer.answers.train import train_view, trained
from explorer.languages import ENGLISH
from explorer.script.script import Replay, Script, unpack
from explorer.training.trainers import OFFERED, TrainRequest
from explorer.training.training import UnigramState, UnigramTrain
from explorer.training.words import CUTTINGS
from explorer.views.examples import CORPORA, PROSE, TWO_LINES
from explorer.views.steppers.train_board import Line, Look

BPE, UNIGRAM, WORDS = ("bpe", "huggingface"), ("unigram", "huggingface"), ("wordlevel", "huggingface")


def asked(trainer_id: tuple[str, str], text: str, size: int) -> TrainRequest:
    offered = OFFERED[trainer_id]
    return TrainRequest(trainer_id, (*offered.cuttings, "none")[0], text, size, offered.options)


def played(request: TrainRequest) -> Replay:
    """The script, at the step at which the board opens."""
    view = train_view(request)
    replay = Replay(Script(unpack(view.script)))
    while replay.step < view.opens:
        replay.forward()
    return replay


def lines(replay: Replay, column: str, kind: Line) -> list[tuple[Any, ...]]:
    """The lines of a kind, their first text in place of its index."""
    texts = replay.script.data["texts"]
    return [(texts[row[1]], *row[2:]) for row in replay.rows(column).values() if row[0] == kind]


def story(replay: Replay) -> str:
    """The sentence at Story."""
    script = replay.script
    kind = script.kind(replay.step)
    return Script({**script.data, "kinds": [kind | {"say": kind["story"]}], "steps": {
        **script.data["steps"], "kind": [0] * replay.step}}).sentence(replay.step)  # fmt: skip


@pytest.mark.parametrize("name", ["Two lines", "play + ing"])
def test_the_tokens_after_each_join_are_what_the_original_encodes_at_that_size(name: str) -> None:
    """A vocabulary of each smaller size is that of a training that ends there."""
    text = CORPORA[name]
    request = asked(BPE, text, 48)
    replay = played(request)
    values = [int(replay.script.data["texts"][row[2]].replace(",", "")) for row in replay.rows("growth").values()]
    learned = trained(request).training.learned
    first = len(learned.tokens) - len(learned.merges)
    for joins in range(len(values)):
        view = train_view(asked(BPE, text, first + joins))
        original = Tokenizer.from_str(view.file.decode())
        assert values[joins] == sum(len(original.encode(line).ids) for line in text.split("\n") if line)
    assert values[-1] == train_view(request).after


@pytest.mark.parametrize("trainer", [*OFFERED], ids="-".join)
@pytest.mark.parametrize("language", ["de", "ja"])
def test_what_the_vocabulary_starts_with_is_said_in_the_language(language: str, trainer: tuple[str, str]) -> None:
    request = asked(trainer, TWO_LINES, 300)
    scripts = [Script(unpack(train_view(request, each).script)) for each in (ENGLISH, language)]
    if any(track["name"] == "growth" for track in scripts[0].data["tracks"]):
        english, here = ({label for label, *_ in lines(Replay(each), "growth", Line.BAR)} for each in scripts)
        assert english
        assert not english & here


def test_the_pairs_are_a_recount() -> None:
    """At the first join no pair ties; the bars are the largest counts, and the note has all others."""
    replay = played(asked(BPE, TWO_LINES, 48))
    words = CUTTINGS["metaspace"].words(TWO_LINES.split("\n"))
    pairs = Counter(pair for word, n in words.items() for pair in pairwise(word) for _ in range(n))
    (best, most), *others = pairs.most_common()
    assert all(n < most for _, n in others)
    texts = replay.script.data["texts"]
    bars = lines(replay, "ranking", Line.BAR)
    assert bars[0][0] == " ".join(best)
    assert bars[0][-1] == Look.FOCUS
    counts = [int(texts[row[1]]) for row in bars]
    assert counts == sorted(pairs.values(), reverse=True)[: len(bars)]
    ((more,),) = lines(replay, "ranking", Line.NOTE)
    left = Counter(sorted(pairs.values(), reverse=True)[len(bars) :])
    assert [int(word) for word in more.replace(",", "").split() if word.isdecimal()] == [left[2], left[1]]
    said = story(replay)
    assert said.startswith(f"“{best[0]}” and “{best[1]}” become “{''.join(best)}”: ")
    assert f"{most} times" in said


def test_a_tie_is_counted_and_its_rule_is_said() -> None:
    replay = played(asked(BPE, TWO_LINES, 48))
    while "tie" not in replay.script.kind(replay.step)["label"]:
        replay.forward()
    ties = replay.script.args(replay.step)[2]
    replay.forward()
    assert f"{ties + 1} pairs occur twice" in story(replay)
    assert "lowest ids" in story(replay)


def test_a_piece_that_goes_is_the_first_of_those_below_the_cut() -> None:
    replay = played(asked(UNIGRAM, PROSE, 112))
    training = trained(asked(UNIGRAM, PROSE, 112)).training
    state, symbols = UnigramState(), training.learned.symbols
    for row in training.events:
        if row.kind in (UnigramTrain.KEPT, UnigramTrain.PRUNED):
            break
        state.apply(row)
    losses = {symbols[piece]: loss for piece, loss in state.losses.items()}
    bars = lines(replay, "losses", Line.BAR)
    texts = replay.script.data["texts"]
    assert [texts[row[1]] for row in bars] == [f"{losses[row[0]]:.3f}" for row in bars]
    ranked = sorted(losses, key=lambda piece: -losses[piece])
    focus = next(row[0] for row in bars if row[-1] == Look.FOCUS)
    kept = ranked.index(focus)
    assert f"less than {kept} other pieces" in story(replay)
    ((stay, go),) = ((row[0], texts[row[1]]) for row in lines(replay, "losses", Line.CUT))
    assert (stay, go) == (f"{kept} stay", f"{len(ranked) - kept} go")


def test_words_without_a_piece_are_spelled_by_others() -> None:
    replay = played(asked(UNIGRAM, PROSE, 112))
    texts = replay.script.data["texts"]
    focus = next(row[0] for row in lines(replay, "losses", Line.BAR) if row[-1] == Look.FOCUS)
    words = [row for row in replay.rows("without").values() if row[0] == Line.WORD]
    changed = [(one, other) for one, other in pairwise(words) if other[1] < 0]
    more = 0
    for one, other in changed:
        before, after = ([texts[index] for index in row[2::2]] for row in (one, other))
        assert "".join(before) == "".join(after)
        assert focus in before
        assert focus not in after
        more += one[1] * (len(after) - len(before))
    title = next(row for row in replay.rows("without").values() if row[0] == Line.TITLE)
    assert texts[title[1]].endswith(focus)
    assert texts[title[2]].startswith(f"{more} ")


def test_the_pieces_left_after_each_decision_are_those_of_the_events() -> None:
    request = asked(UNIGRAM, PROSE, 112)
    replay = played(request)
    training = trained(request).training
    stages = [int(row[0].replace(",", "")) for row in lines(replay, "stages", Line.STAGE)]
    state, sizes = UnigramState(), []
    for row in training.events:
        state.apply(row)
        sizes.append(len(state.scores))
    assert stages[0] == max(sizes)
    assert stages[-1] == len(training.learned.tokens) == 112
    assert set(stages[:-1]) <= set(sizes)
    assert stages == sorted(stages, reverse=True)
    last = [row for row in replay.rows("stages").values() if row[0] == Line.STAGE][-1]
    assert replay.script.data["texts"][last[2]] == f"{train_view(request).after:,} tokens"


def test_what_happened_at_each_decision_is_counted() -> None:
    request = asked(UNIGRAM, PROSE, 112)
    replay, training = played(request), trained(request).training
    texts = replay.script.data["texts"]
    notes = [texts[row[5]] for row in replay.rows("stages").values() if row[0] == Line.STAGE]
    of = Counter(row.kind for row in training.events)
    assert notes[0].startswith(f"to begin with: {of[UnigramTrain.SEED_LETTER]} characters and {of[UnigramTrain.SEED]} ")
    rare = [int(note.split()[0]) for note in notes if "half a time" in note]
    assert sum(rare) == of[UnigramTrain.RARE]
    pruned = next(note for note in notes if "unused" in note)
    assert pruned.startswith(f"{of[UnigramTrain.UNUSED]} unused and these {of[UnigramTrain.PRUNED]} go")
    assert notes[-1].startswith(f"{of[UnigramTrain.REQUIRED]} characters and 1 special token")
    assert f"{of[UnigramTrain.NO_ROOM]} pieces left out" in notes[-1]


def test_the_first_decisions_of_unigram_say_how_many_go() -> None:
    request = asked(UNIGRAM, PROSE, 112)
    view = train_view(request)
    replay = Replay(Script(unpack(view.script)))
    gone = []
    while replay.forward():
        if replay.script.kind(replay.step)["label"] == "rare":
            gone.append(int(story(replay).split()[0]))
    assert sum(gone) == sum(row.kind == UnigramTrain.RARE for row in trained(request).training.events)
    assert story(replay).startswith(f"{len(trained(request).training.learned.tokens) - 12} pieces become tokens")


def test_a_score_is_the_count_over_both_sides_counts() -> None:
    """Of WordPiece by likelihood: the score of each pair is recounted, and how many pairs have the best one."""
    request = asked(("wordpiece", "likelihood"), TWO_LINES, 64)
    replay = Replay(Script(unpack(train_view(request).script)))
    while replay.forward() and replay.script.kind(replay.step)["label"] != "merge":
        pass
    words = CUTTINGS["whitespace"].words(TWO_LINES.split("\n"))
    spelled = {word: [word[0], *(f"##{ch}" for ch in word[1:])] for word in words}
    uses = Counter(each for word, n in words.items() for each in spelled[word] for _ in range(n))
    pairs = Counter(pair for word, n in words.items() for pair in pairwise(spelled[word]) for _ in range(n))
    scores = {pair: Fraction(n, uses[pair[0]] * uses[pair[1]]) for pair, n in pairs.items()}
    best = max(scores.values())
    texts = replay.script.data["texts"]
    shown = {row[0]: Fraction(texts[row[1]]) for row in lines(replay, "ranking", Line.BAR)}
    assert shown == {pair: score for each, score in scores.items() if (pair := " ".join(each)) in shown}
    assert f"{sum(each == best for each in scores.values())} pairs have the score {best}" in story(replay)
    while replay.step < len(replay.script) - 1:
        replay.forward()
    assert "no other pair is left" in story(replay), "all words are whole in the end"


def test_a_word_that_no_other_ties_with_is_said_to_be_alone() -> None:
    replay = played(asked(WORDS, "a a a b b c", 9))
    said = [story(replay)]
    while replay.forward():
        if replay.script.kind(replay.step)["label"] == "word":
            said.append(story(replay))
    alone = ["occurs 3 times", "occurs twice", "occurs once"]
    assert [each.partition(": ")[2].partition(".")[0] for each in said] == [f"no other word {each}" for each in alone]


def test_the_words_of_a_text_become_known_one_by_one() -> None:
    request = asked(WORDS, TWO_LINES, 12)
    replay = played(request)
    counts = Counter(TWO_LINES.replace(".", " .").split())
    twice = sum(n == 2 for n in counts.values())
    assert story(replay).startswith(f"“.” gets id 1: {twice} words occur twice")
    texts = replay.script.data["texts"]
    left = [int(texts[row[2]]) for row in replay.rows("growth").values()]
    assert left[0] == counts.total()
    assert left[-1] == 0
    known = [texts[row[1]] for row in replay.rows("growth").values()][1:]
    assert [a - b for a, b in pairwise(left)] == [counts[word] for word in known]


@pytest.mark.parametrize("trainer_id", OFFERED)
def test_the_tokens_of_the_text_are_those_of_the_trained_file(trainer_id: tuple[str, str]) -> None:
    """As the original reads the file that was written."""
    view = train_view(asked(trainer_id, TWO_LINES, max(77, OFFERED[trainer_id].smallest + 40)))
    texts = TWO_LINES.split("\n")
    if view.file_name.endswith(".json"):
        original = Tokenizer.from_str(view.file.decode())
        assert view.after == sum(len(original.encode(text, add_special_tokens=False).ids) for text in texts)
    elif trainer_id[1].startswith("sentencepiece"):
        sentencepiece = pytest.importorskip("sentencepiece")
        model = sentencepiece.SentencePieceProcessor(model_proto=view.file)
        assert view.after == sum(len(model.encode(text)) for text in texts)
    else:
        training = trained(asked(trainer_id, TWO_LINES, max(77, OFFERED[trainer_id].smallest + 40))).training
        words = [[*text.encode()] for text in texts]
        for left, right, joined in training.learned.merges:
            for word in words:
                at = 0
                while at < len(word) - 1:
                    word[at : at + 2] = [joined] if word[at : at + 2] == [left, right] else word[at : at + 2]
                    at += 1
        assert view.after == sum(map(len, words))
    assert view.after <= view.before
