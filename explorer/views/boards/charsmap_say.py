"""What the normalization of a SentencePiece vocabulary did, in one sentence: the character map, then white space."""

from __future__ import annotations

from explorer.engine.normalizers.charsmap.rows import CharsmapEvent
from explorer.engine.tokenizer import Stage
from explorer.text.quantities import plural
from explorer.views.say import Say


def charsmap_say(stage: Stage) -> Say:
    """Only what happened is said.

    >>> import explorer
    >>> from explorer.views.say import plain
    >>> plain(charsmap_say(explorer.load("xlm-r").trace("ﬁne  ").stage("normalize")))
    'The character map replaced 1 place; 2 white space characters are dropped; a ▁ is put in front.'
    """
    count = dict.fromkeys(CharsmapEvent, 0)
    places = dict(count)
    for event in stage.events:
        count[CharsmapEvent(event.kind)] += event.size
        places[CharsmapEvent(event.kind)] += 1
    parts = []
    if replaced := places[CharsmapEvent.MAP]:
        parts.append(f"The character map replaced {plural(replaced, 'place')}")
    if kept := places[CharsmapEvent.USER_DEFINED] + places[CharsmapEvent.BEGINNING]:
        parts.append(f"{plural(kept, 'user-defined piece')} passed unchanged")
    if cut := places[CharsmapEvent.CUT]:
        parts.append(
            plural(cut, "character begins", "characters begin") + " with the same bytes as a user-defined piece, of "
            "which llama.cpp takes those alone, so that the rest is no text"
        )
    if dropped := count[CharsmapEvent.DROP]:
        parts.append(plural(dropped, "white space character is dropped", "white space characters are dropped"))
    if places[CharsmapEvent.PREFIX]:
        parts.append("a ▁ is put in front" + (" of each fragment" if places[CharsmapEvent.PREFIX] > 1 else ""))
    if places[CharsmapEvent.SUFFIX]:
        parts.append("a ▁ is put behind")
    if escaped := places[CharsmapEvent.ESCAPE]:
        parts.append(plural(escaped, "run of white space is", "runs of white space are") + " written ▁ (U+2581)")
    said = "; ".join(parts) or "Changed nothing"
    return Say.of("{0:t}.", said[0].upper() + said[1:])
