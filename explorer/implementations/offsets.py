"""Offsets as an original gives them, where its convention is another than that of `Encoding.spans`.

`Encoding.spans` has one convention for all originals: a token's span is the text it was made of, all tokens of a
split character have the character's span, and an added token (BOS) has none. The originals:

| original | offsets |
|---|---|
| sentencepiece (`offset_mapping`) | a token ends where the next one begins, the last one where the text ends that was |
|                                  | not trimmed: dropped characters belong to the token before them, and of a split  |
|                                  | character only the last byte has a span; there are none with BOS or EOS          |
| Hugging Face, transformers       | of composed or replaced characters only one counts, the model counts bytes as if |
|                                  | it dropped nothing; (0, 0) for an added token                                    |
| llama.cpp, tiktoken, RWKV, mistral-common, subword-nmt | none                                                       |
"""

from itertools import pairwise

from explorer.engine import budget
from explorer.engine.normalizers.charsmap import CharsmapEvent
from explorer.engine.part import Aligned, Options, Segment, Token, initial_items, run_through
from explorer.engine.tokenizer import Tokenizer, Trace

HUGGING_FACE = ("huggingface", "transformers")
"""The beginnings of their names."""


def offsets(
    tokenizer: Tokenizer, text: str, *, add_special: bool = True, parse_special: bool = True
) -> list[tuple[int, int] | None] | None:
    """The offset [start, end) of each token as its original gives it, in code points of the text.

    None for an original that gives no offsets, and for a token that it gives none (sentencepiece's BOS). Raises
    InputError as `Tokenizer.encode` does.

    >>> import explorer
    >>> tok = explorer.load("mistral-v1")
    >>> tok.encode("🤗").spans
    [None, (0, 0), (0, 1), (0, 1), (0, 1), (0, 1)]
    >>> offsets(tok, "🤗")
    [None, (0, 0), (0, 0), (0, 0), (0, 0), (0, 1)]
    """
    if tokenizer.implementation.startswith(HUGGING_FACE):
        parts = [part.original() if isinstance(part, Aligned) else part for part in tokenizer.parts]
        with budget.run(budget.of_text(len(text))):
            items = run_through(parts, initial_items(text), Options(add_special, parse_special))
        return [(0, 0) if item.start < 0 else (item.start, item.end) for item in items if isinstance(item, Token)]
    if tokenizer.implementation != "sentencepiece":
        return None
    trace = tokenizer.trace_lazily(text, add_special=add_special, parse_special=parse_special)
    starts = [token.start for token in trace.encoding.tokens if token.start >= 0]
    ends = iter(pairwise([*starts, _end(trace)]))
    return [next(ends) if token.start >= 0 else None for token in trace.encoding.tokens]


def _end(trace: Trace) -> int:
    """Where sentencepiece takes a text to end: before the white space that it trims, which it does last."""
    stage = trace.stage("normalize")
    events = [event for event in stage.events if event.kind != CharsmapEvent.SUFFIX]
    if not events or events[-1].kind != CharsmapEvent.DROP:
        return len(trace.text)
    at = int(events[-1].at)
    last = max((item.starts[-1] for item in stage.after if isinstance(item, Segment) and item.text), default=-1)
    # a space that was written first; otherwise it is dropped before characters that stay
    trimmed = at > last or any(event.kind == CharsmapEvent.ESCAPE and event.at == at for event in events[:-1])
    return at if trimmed else len(trace.text)
