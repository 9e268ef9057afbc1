"""The classes of `transformers` 5.0.0 where they differ from those of later releases.

The best known: BERT's is cased by default, and classes with a Unigram model do without the character map of the file.
Left out: what 5.0.0 makes of special_tokens_map.json, added_tokens.json and special tokens with names of their own, and
PhoBERT's files.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Final

from explorer.implementations.transformers import languages, parts, phobert
from explorer.implementations.transformers import v5_builders as make
from explorer.implementations.transformers import v5_classes as later
from explorer.implementations.transformers.arguments import ADDITIONAL, Arguments
from explorer.implementations.transformers.backend import Backend
from explorer.implementations.transformers.v5_builders import Build, Vocabulary
from explorer.implementations.transformers.v5_classes import CLASSES, ClassSpecV5
from explorer.implementations.transformers.versions import FIRST_5
from explorer.vocabulary import SPACE_MARK

LINES: Final = parts.replace_regex(r"[\n\r\t]", " ")
TWO_SPACES: Final = parts.replace_regex(parts.TWO_SPACES, " ")
NFKC: Final[parts.Part] = {"type": "NFKC"}


@cache
def classes(version: int) -> Mapping[str, ClassSpecV5]:
    """Class name → its row, in a release of version 5."""
    if version != FIRST_5:
        return CLASSES
    return {name: row for name, row in {**CLASSES, **_first()}.items() if name not in phobert.NAMES}


def normalized(build: Build, *steps: parts.Part) -> Build:
    """A builder whose normalizer is a Sequence of these; of none, no normalizer."""

    def built(args: Arguments, of: Vocabulary) -> Backend:
        backend = build(args, of)
        backend.normalizer = parts.sequence("normalizers", *steps) if steps else None
        return backend

    return built


def albert(args: Arguments, of: Vocabulary) -> Backend:
    """ALBERT's: accents and case always go."""
    backend = make.albert(args, of)
    plain = make.plain_accents(args)
    always: list[parts.Part] = [{"type": "NFKD"}, {"type": "StripAccents"}, {"type": "Lowercase"}]
    backend.normalizer = parts.sequence("normalizers", *parts.QUOTES, *always, TWO_SPACES, *plain, TWO_SPACES)
    return backend


def xlnet(args: Arguments, of: Vocabulary) -> Backend:
    """XLNet's."""
    backend = make.xlnet(args, of)
    plain = make.plain_accents(args, always=True)
    backend.normalizer = parts.sequence("normalizers", *parts.QUOTES, *plain, TWO_SPACES)
    return backend


def camembert(args: Arguments, of: Vocabulary) -> Backend:
    """CamemBERT's."""
    backend = make.camembert(args, of)
    steps = (parts.replace_regex(r"\s{2,}|[\n\r\t]", " "), parts.strip(right=True))
    backend.normalizer = parts.sequence("normalizers", *steps)
    backend.pre_tokenizer = parts.metaspace(make.scheme_of(args))
    return backend


def gemma(args: Arguments, of: Vocabulary) -> Backend:
    """Gemma's, without a pre-tokenizer."""
    backend = make.gemma(args, of)
    backend.pre_tokenizer = None
    return backend


def pegasus(args: Arguments) -> None:
    """Pegasus's special tokens, only without others."""
    if args.values.get(ADDITIONAL) is None:
        later.pegasus(args)


def rembert(args: Arguments, of: Vocabulary) -> Backend:
    """RemBERT's."""
    backend = make.rembert(args, of)
    steps = [*parts.QUOTES, TWO_SPACES, *make.plain_accents(args), LINES, NFKC]
    backend.normalizer = parts.sequence("normalizers", *steps)
    return backend


def xglm(args: Arguments, backend: Backend) -> None:
    """Sets XGLM's template: EOS on both sides."""
    later.enclosed("eos_token", "eos_token")(args, backend)


def blenderbot(args: Arguments, backend: Backend) -> None:
    """Sets a RobertaProcessing with BOS and EOS."""
    later.clip(args, backend)


def _first() -> dict[str, ClassSpecV5]:
    """The rows that differ."""
    bert = CLASSES["BertTokenizer"]._replace(defaults={**CLASSES["BertTokenizer"].defaults, "do_lower_case": False})
    strip = parts.strip(right=True)
    builds: dict[str, Build] = {
        "AlbertTokenizer": albert,
        "XLNetTokenizer": xlnet,
        "CamembertTokenizer": camembert,
        "GemmaTokenizer": gemma,
        "T5Tokenizer": normalized(make.unigram(2, always=True)),
        "XLMRobertaTokenizer": normalized(make.unigram(3), strip, parts.replace(parts.TWO_SPACES, SPACE_MARK)),
        "MBart50Tokenizer": normalized(
            make.mbart50, LINES, NFKC, strip, parts.replace_regex(parts.TWO_SPACES, SPACE_MARK)
        ),
        "NllbTokenizer": normalized(make.nllb, LINES, NFKC, TWO_SPACES),
        "XGLMTokenizer": normalized(make.xglm, LINES, NFKC, TWO_SPACES),
        "ReformerTokenizer": normalized(
            make.nllb, parts.replace_regex(r"\s{2,}|[\n\r\t]", " "), {"type": "NFC"}, strip
        ),
        "RemBertTokenizer": rembert,
        "PegasusTokenizer": normalized(make.pegasus, parts.replace_regex("\\n", " "), TWO_SPACES),
    }
    rows = {name: CLASSES[name]._replace(build=build) for name, build in builds.items()}
    return rows | {
        "BertTokenizer": bert,
        "DistilBertTokenizer": bert,
        "GPTNeoXTokenizer": CLASSES["GPTNeoXTokenizer"]._replace(finished=()),
        "DebertaV2Tokenizer": CLASSES["DebertaV2Tokenizer"]._replace(finished=()),
        "BlenderbotTokenizer": CLASSES["BlenderbotTokenizer"]._replace(finished=(blenderbot,)),
        "MPNetTokenizer": CLASSES["MPNetTokenizer"]._replace(
            finished=(later.enclosed("cls_token", "sep_token", cls_token=0, sep_token=2),)
        ),
        "NllbTokenizer": rows["NllbTokenizer"]._replace(finished=(languages.nllb,)),
        "PegasusTokenizer": rows["PegasusTokenizer"]._replace(prepared=(pegasus,)),
        "XGLMTokenizer": rows["XGLMTokenizer"]._replace(finished=(xglm,)),
        "RemBertTokenizer": rows["RemBertTokenizer"]._replace(
            defaults={**CLASSES["RemBertTokenizer"].defaults, "keep_accents": False}
        ),
    }
