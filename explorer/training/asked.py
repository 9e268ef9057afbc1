"""Why a token is in a trained vocabulary or not, asked as people write it, of a training of any trainer.

A text is spelled first as the vocabulary spells it: with ▁ for spaces, or with the characters of its bytes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from explorer.engine.unicode.byte_map import bytes_of, printable
from explorer.text.quantities import plural
from explorer.text.say import Say
from explorer.training.huggingface.bpe import Options as BpeOptions
from explorer.training.likelihood import PREFIX
from explorer.training.training import Learned, Training
from explorer.training.why import IN, Cause, Step, Why
from explorer.training.why_words import why

DECISIONS: Mapping[Cause, str] = dict.fromkeys(Cause, "This event decides.") | {
    Cause.LETTER: "Its character becomes a symbol.",
    Cause.NO_LETTER: "The character is left out.",
    Cause.REFUSED: "The pair is refused.",
    Cause.WAITING: "The training ends before it is merged.",
    Cause.STEPS: "The training ends before they are joined.",
    Cause.FULL: "The vocabulary is full.",
}
"""The sentence about the decision that an answer rests on, for an answer without steps."""

PAIR: Final = 2
"""Characters of a pair before any merge."""
METASPACE = "metaspace"
BYTE_LEVEL = "byte-level"
"""Names in `cuts.CUTTINGS` under which the vocabulary spells texts differently."""


def stored(text: str, trainer_id: tuple[str, str], cutting: str) -> str:
    """A text as the vocabulary spells it.

    >>> stored(" the", ("bpe", "huggingface"), "metaspace"), stored(" é", ("bpe", "huggingface"), "byte-level")
    ('▁the', 'ĠÃ©')
    """
    if cutting == METASPACE or trainer_id[1].startswith("sentencepiece"):
        return text.replace(" ", "▁")
    if cutting == BYTE_LEVEL and bytes_of(text) is None:
        return printable(text.encode())
    return text


def crowded(learned: Learned[Any], options: Any, cutting: str, whom: str) -> str:
    """A sentence for a training whose alphabet leaves no room for anything else; empty for any other.

    cutting: a name in `CUTTINGS`. whom: the trainer that is followed.

    >>> from explorer.training.huggingface import bpe
    >>> options = bpe.Options(vocab_size=2)
    >>> crowded(bpe.train({"abc": 2}, options).learned, options, "whitespace", "huggingface")[:65]
    'vocab_size is 2, but the alphabet alone needs 3 tokens, and no pa'
    """
    size, tokens = getattr(options, "vocab_size", None), learned.tokens
    around = (getattr(options, name, None) or "" for name in ("continuing_subword_prefix", "end_of_word_suffix"))
    prefix, suffix = around
    special_texts = set(getattr(options, "special_tokens", ()))
    special_ids = {id for id, text in enumerate(tokens) if id in learned.special or text in special_texts}
    longer = (
        len(text.removeprefix(prefix or PREFIX).removesuffix(suffix)) > 1
        for id, text in enumerate(tokens)
        if isinstance(text, str) and id not in special_ids and (not learned.kinds or learned.kinds[id] == 1)
    )
    if size is None or len(tokens) < size or learned.merges or not hasattr(options, "special_tokens") or any(longer):
        return ""
    special = f" with {plural(len(special_ids), 'special token')}" if special_ids else ""
    over = f" {whom} exceeds vocab_size there, too." if len(tokens) > size else ""
    limit = "--limit-alphabet N, " if hasattr(options, "limit_alphabet") else ""
    in_bytes = "" if cutting == BYTE_LEVEL else "--words byte-level, "
    return (
        f"vocab_size is {size}, but the alphabet alone needs {plural(len(tokens), 'token')}{special}, and no pair is "
        f"merged.{over} Give {limit}{in_bytes}or a larger --vocab-size."
    )


def why_text(
    training: Training[Any],
    text: str,
    trainer_id: tuple[str, str],
    cutting: str,
    texts: Iterable[str],
    words: Sequence[str],
    options: Any,
) -> Why:
    """The answer, which begins with whether the text is a token. It has a step if it rests on an event.

    trainer_id: the algorithm and its trainer. cutting: a name in `CUTTINGS`. texts: of the corpus. words: those
    they were cut into; empty for trainers that cut texts themselves. options: of the trainer.

    >>> from explorer.text.say import plain
    >>> from explorer.training.huggingface import bpe
    >>> words, options = {"low": 5, "lower": 2}, bpe.Options(vocab_size=7)
    >>> found = why_text(bpe.train(words, options), "low", ("bpe", "huggingface"), "none", ["low"], ["low"], options)
    >>> plain(found.say)
    '“low” is a token. It is merge 2 of 2: “lo” + “w” occurred 7 times. “e” + “r” would have been next, with count 2.'
    >>> [(step.event, plain(step.say)) for step in found.steps]
    [(24, 'Merge 1: “l” + “o” → “lo”.'), (34, 'Merge 2: “lo” + “w” → “low”.')]
    """
    token = stored(text, trainer_id, cutting)
    spelled = (printable(each.encode()) for each in texts) if cutting == BYTE_LEVEL else texts
    prefix = PREFIX if trainer_id[0] == "wordpiece" else getattr(options, "continuing_subword_prefix", None) or ""
    found = why(training, token, list(spelled), list(words), prefix)
    say = Say.of("{0:q} is a token." if found.cause in IN else "{0:q} is not a token.", token).then(found.say)
    longest = options.max_token_length if isinstance(options, BpeOptions) else None
    if found.cause == Cause.MERGED and longest is not None and longest <= PAIR and len(found.steps) == 1:
        says = (
            "max_token_length is {0} and doesn't bind it: pairs of single characters are counted before any merge, and "
            "only the length of pairs that arise later is limited."
        )
        say = say.then(Say.of(says, longest))
    steps = found.steps
    if not steps and found.event is not None:
        steps = (Step(found.event, Say.of(DECISIONS[found.cause])),)
    return replace(found, say=say, steps=steps)
