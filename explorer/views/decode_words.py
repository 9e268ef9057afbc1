"""What a token gives when ids are decoded, in words, by the event of the decoder."""

from __future__ import annotations

from collections.abc import Mapping

from explorer.engine.decoders.rows import DecodeEvent

HOW: Mapping[DecodeEvent, str] = {
    DecodeEvent.DROP: "dropped: it was added around the text",
    DecodeEvent.PIECE: "its piece, ▁ as a space",
    DecodeEvent.BYTE: "one byte",
    DecodeEvent.SPELLED: "a special or user-defined token, as spelled",
    DecodeEvent.HIDDEN: "nothing: this kind of token is not written",
    DecodeEvent.SURFACE: "what the model writes for unknown text",
    DecodeEvent.REPLACED: "U+FFFD: this byte is not part of a character",
    DecodeEvent.GLUED: "its piece without the ## prefix",
    DecodeEvent.SPACED: "a space, because it begins a word, and its piece",
    DecodeEvent.PRINTABLE: "its piece, printable characters back to bytes",
    DecodeEvent.RAW: "its piece, byte by byte",
    DecodeEvent.STRING: "its piece",
    DecodeEvent.SUBSTITUTED: "text in it is replaced",
    DecodeEvent.FUSED: "joined with all later pieces",
    DecodeEvent.STRIPPED: "characters at its ends are removed",
    DecodeEvent.METASPACE: "the space mark becomes a space, or nothing at the beginning",
    DecodeEvent.SUFFIX: "the end-of-word suffix becomes a space, or nothing at the end",
    DecodeEvent.SAME: "left out, because it repeats the piece before it",
    DecodeEvent.BLANK: "the padding in it is left out",
    DecodeEvent.DELIMITER: "the word delimiter in it becomes a space",
    DecodeEvent.BETWEEN: "a space before it, because there is no decoder",
    DecodeEvent.APART: "a space before it, because an added token is set apart",
    DecodeEvent.IGNORED: "nothing for a byte that is not part of a character",
}
