"""What each part of Corpus answers: one large sentence, and a line about it.

A tokenizer that loses text costs nothing for it, so it is in no ranking. Numbers are texts here: the browser is exact
only up to 2⁵³.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from explorer.corpus.result import Result
from explorer.facts import listed
from explorer.text.say import Say, three_digits
from explorer.views.corpus.charts import name_of
from explorer.views.corpus.premiums import compared_labels
from explorer.views.premiums import LOST_FROM

UNKNOWN_MATTERS: Final = 0.01
"""From this share on, unknown tokens make a token count look better than it is."""
FREQUENT: Final = 10
"""How many of the most frequent tokens are added up."""
FEW: Final = 3
"""Labels that a sentence names."""


class Said(NamedTuple):
    """The answer, and what is to be said about it."""

    answer: Say
    more: Say | None


def shares_unknown(result: Result) -> list[float]:
    """Of every tokenizer the share of its tokens that are unknown."""
    return [measures.get("unknown_share") or 0.0 for measures in result.total.measures]


def named(result: Result, counts: Sequence[int], count: int) -> list[str]:
    """The tokenizers with this count."""
    return [name for name, its in zip(result.tokenizers, counts, strict=True) if its == count]


def corpus_said(result: Result) -> Said:
    """Which tokenizer needs the fewest tokens for the corpus, and its size."""
    text, shares = result.total.text, shares_unknown(result)
    size = Say.of("{0:t} documents of {1:t} bytes{2:t}.", f"{text['documents']:,}", f"{text['bytes']:,}", apart(result))
    counts = [
        int(measures["tokens"] or 0) if share <= LOST_FROM else 0
        for measures, share in zip(result.total.measures, shares, strict=True)
    ]
    compared = [count for count in counts if count]
    if len(compared) < 2:
        return Said(size, left_out(result))
    fewest, most = min(compared), max(compared)
    if fewest == most:
        who = "All tokenizers" if len(compared) == len(counts) else listed(named(result, counts, most))
        return Said(Say.of("{0:t} make {1:t} tokens of it.", who, f"{fewest:,}"), with_left_out(size, result))
    best, dearest = counts.index(fewest), listed(named(result, counts, most))
    answer = Say.of(
        f"{{0:t}} need{'' if counts.count(fewest) > 1 else 's'} the fewest tokens, {{1:t}}; "
        f"{{2:t}} need{'' if counts.count(most) > 1 else 's'} the most, {{3:t}} × as many.",
        listed(named(result, counts, fewest)), f"{fewest:,}", dearest, f"{most / fewest:.2f}",
    )  # fmt: skip
    if shares[best] >= UNKNOWN_MATTERS:
        lost = "But {0:t} of the tokens of {1:t} are the unknown token: lost text costs nothing."
        size = size.then(Say.of(lost, f"{shares[best]:.1%}", result.tokenizers[best]))
    return Said(answer, with_left_out(size, result))


def apart(result: Result) -> str:
    """The documents of the labels that the comparison of languages leaves out, which the whole text has too."""
    compared = compared_labels(result)
    others = [row for row in result.labels if row.text["documents"] and row not in compared]
    if not compared or not 0 < len(others) <= FEW:
        return ""
    return f", with the {sum(row.text['documents'] for row in others):,} of {listed([name_of(row) for row in others])}"


def left_out(result: Result) -> Say | None:
    """Which tokenizers are in no ranking, and why."""
    names = [
        f"{name} ({100 * share:.2g} % unknown)"
        for name, share in zip(result.tokenizers, shares_unknown(result), strict=True) if share > LOST_FROM
    ]  # fmt: skip
    return Say.of("Not compared, because the text is lost: {0:t}.", listed(names)) if names else None


def with_left_out(said: Say, result: Result) -> Say:
    """A sentence, and who is not compared."""
    lost = left_out(result)
    return said if lost is None else said.then(lost)


def extremes(result: Result, numbers: Mapping[int, int]) -> tuple[int, int] | None:
    """The tokenizers with the least and the greatest number. numbers: by tokenizer, of those that have one.

    None if there is nothing to compare.
    """
    shares = shares_unknown(result)
    kept = {index: each for index, each in numbers.items() if shares[index] <= LOST_FROM}
    if len(set(kept.values())) < 2:
        return None
    return min(kept, key=lambda index: kept[index]), max(kept, key=lambda index: kept[index])


def lengths_said(result: Result) -> Said:
    """How long half of the documents are at most. Lengths are counted in ranges: a range's end is said."""
    halves: dict[int, int] = {}
    for index, details in enumerate(result.details):
        total, so_far = sum(count for *_, count in details.buckets), 0
        for _, last, count in details.buckets:
            so_far += count
            if 2 * so_far >= total:
                halves[index] = last
                break
    about = Say.of(
        "The chart shows, for each number of tokens, how many documents fit into a context window of that size."
    )
    found = extremes(result, halves)
    if found is None:
        index, half = next(iter(halves.items()))
        words = "Half of the documents have at most {0:t} tokens with {1:t}."
        return Said(Say.of(words, f"{half:,}", result.tokenizers[index]), about)
    least, most = found
    answer = Say.of(
        "Half of the documents have at most {0:t} tokens with {1:t}, at most {2:t} with {3:t}.",
        f"{halves[least]:,}", result.tokenizers[least], f"{halves[most]:,}", result.tokenizers[most],
    )  # fmt: skip
    return Said(answer, with_left_out(about, result))


def frequent_said(result: Result, index: int) -> Said:
    """Which token of a tokenizer is the most frequent one, and what the first ones make up. It has one."""
    total = result.total.measures[index]["tokens"] or 1
    first = result.details[index].frequent[:FREQUENT]
    id, text, count = first[0]
    subject = "{0:q} is"
    if id in result.details[index].in_bytes:
        subject = "The bytes {0:q} are" if " " in text else "The byte {0:q} is"
    words = f"{subject} the most frequent token of {{1:t}}: {{2:t}} of all."
    answer = Say.of(words, text, result.tokenizers[index], f"{100 * count / total:.3g} %")
    together = sum(count for *_, count in first)
    share = f"{100 * together / total:.3g} %"
    more = Say.of("The {0} most frequent ones together are {1:t}.", len(first), share) if len(first) > 1 else None
    return Said(answer, more)


def larger_said(result: Result, size: str, tokens: Mapping[int, int]) -> Said:
    """How many tokens a larger corpus takes. size: its size in words. tokens: estimates by tokenizer."""
    about = Say.of(
        "Estimates from the rates of this result. A suffix array stores a position for each byte or id, in the fewest "
        "bytes that hold the largest position, or in 4 or 8."
    )
    found = extremes(result, tokens)
    if found is None:
        index, count = next(iter(tokens.items()))
        said = Say.of(
            "{0:t} of such text is about {1:t} tokens with {2:t}.", size, three_digits(count), result.tokenizers[index]
        )
        return Said(said, about)
    counts = [(three_digits(tokens[index]), result.tokenizers[index]) for index in found]
    (few, frugal), (many, dear) = counts
    words = "{0:t} of such text is about {1:t} tokens with {2:t}, {3:t} with {4:t}."
    answer = Say.of(words, size, few, frugal, many, dear)
    return Said(answer, with_left_out(about, result))
