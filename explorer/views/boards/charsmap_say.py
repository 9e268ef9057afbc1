"""What the normalization of a SentencePiece vocabulary did, in one sentence: the character map, then white space."""

from __future__ import annotations

from explorer.engine.normalizers.charsmap.rows import CharsmapEvent
from explorer.engine.results import Stage
from explorer.text.quantities import plural
from explorer.text.say import Say


def charsmap_say(stage: Stage) -> Say:
    """The sentence; it leaves out what didn't happen.

    >>> import explorer
    >>> from explorer.text.say import plain
    >>> plain(charsmap_say(explorer.load("xlm-r").trace("ﬁne  ").stage("normalize")))
    'The character map made 1 replacement; 2 white space characters are dropped; a ▁ is put before the text.'
    """
    count = dict.fromkeys(CharsmapEvent, 0)
    times = dict(count)
    for event in stage.events:
        count[CharsmapEvent(event.kind)] += event.size
        times[CharsmapEvent(event.kind)] += 1
    parts = []
    if replaced := times[CharsmapEvent.MAP]:
        parts.append(f"The character map made {plural(replaced, 'replacement')}")
    if kept := times[CharsmapEvent.USER_DEFINED] + times[CharsmapEvent.BEGINNING]:
        parts.append(f"{plural(kept, 'user-defined piece')} passed unchanged")
    if cut := times[CharsmapEvent.CUT]:
        parts.append(
            plural(cut, "character begins", "characters begin") + " with the bytes of a user-defined piece; llama.cpp "
            "takes only these bytes, so the rest is not valid text"
        )
    if dropped := count[CharsmapEvent.DROP]:
        parts.append(plural(dropped, "white space character is dropped", "white space characters are dropped"))
    if times[CharsmapEvent.PREFIX]:
        parts.append("a ▁ is put before " + ("each fragment" if times[CharsmapEvent.PREFIX] > 1 else "the text"))
    if times[CharsmapEvent.SUFFIX]:
        parts.append("a ▁ is put after the text")
    if escaped := times[CharsmapEvent.ESCAPE]:
        parts.append(plural(escaped, "run of white space is", "runs of white space are") + " written ▁ (U+2581)")
    said = "; ".join(parts) or "Changed nothing"
    return Say.of("{0:t}.", said[0].upper() + said[1:])
