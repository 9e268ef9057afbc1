"""The classes of `transformers` 5.0.0 where they differ from those of later releases.

The best known: BERT's is cased by default, and classes with a Unigram model do without the character map of the file.
Left out: what 5.0.0 makes of special_tokens_map.json and added_tokens.json, and PhoBERT's files.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from explorer.implementations.transformers import builders as make
from explorer.implementations.transformers import parts, phobert, templates
from explorer.implementations.transformers import v5_classes as later
from explorer.implementations.transformers.arguments import ADDITIONAL, Arguments
from explorer.implementations.transformers.backend import Backend
from explorer.implementations.transformers.builders import (
    LINES,
    NFC,
    NFKC,
    ONE_MARK,
    ONE_SPACE,
    QUOTES,
    Build,
    Vocabulary,
)
from explorer.implementations.transformers.v5_classes import CLASSES, ClassSpecV5
from explorer.implementations.transformers.versions import FIRST_5
from explorer.vocabulary import SPACE_MARK


@cache
def classes(version: int) -> Mapping[str, ClassSpecV5]:
    """Class name → its row, in a release of version 5."""
    if version != FIRST_5:
        return CLASSES
    return {name: row for name, row in {**CLASSES, **_first()}.items() if name not in phobert.NAMES}


def normalized(build: Build, *steps: parts.Part | Callable[[Arguments], list[parts.Part]]) -> Build:
    """A builder with other normalizers, some of which follow from the arguments; of none, no normalizer."""

    def built(args: Arguments, of: Vocabulary) -> Backend:
        backend = build(args, of)
        made = [part for step in steps for part in (step(args) if callable(step) else [step])]
        backend.normalizer = parts.sequence("normalizers", *made) if steps else None
        return backend

    return built


def camembert(args: Arguments, of: Vocabulary) -> Backend:
    """CamemBERT's, whose Metaspace is alone."""
    backend = make.camembert(args, of)
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


def _first() -> dict[str, ClassSpecV5]:
    """The rows that differ."""
    strip = parts.strip(right=True)
    builds: dict[str, Build] = {
        "AlbertTokenizer": normalized(
            make.albert, *QUOTES, *make.PLAIN, {"type": "Lowercase"}, ONE_SPACE, make.plain_accents, ONE_SPACE
        ),
        "XLNetTokenizer": normalized(make.xlnet, *QUOTES, make.accents_of_xlnet, ONE_SPACE),
        "CamembertTokenizer": normalized(camembert, make.PLAIN_SPACES, strip),
        "GemmaTokenizer": gemma,
        "T5Tokenizer": normalized(make.unigram(2, always=True)),
        "XLMRobertaTokenizer": normalized(make.unigram(3), strip, parts.replace(" {2,}", SPACE_MARK)),
        "MBart50Tokenizer": normalized(make.mbart50, LINES, NFKC, strip, ONE_MARK),
        "NllbTokenizer": normalized(make.nllb, LINES, NFKC, ONE_SPACE),
        "XGLMTokenizer": normalized(make.xglm, LINES, NFKC, ONE_SPACE),
        "ReformerTokenizer": normalized(make.nllb, make.PLAIN_SPACES, NFC, strip),
        "RemBertTokenizer": normalized(make.rembert, *QUOTES, ONE_SPACE, make.plain_accents, LINES, NFKC),
        "PegasusTokenizer": normalized(make.pegasus, parts.replace_regex("\\n", " "), ONE_SPACE),
    }
    changes: dict[str, dict[str, Any]] = {
        "BertTokenizer": {"defaults": {**later.BERT.defaults, "do_lower_case": False}},
        "GPTNeoXTokenizer": {"finished": ()},
        "DebertaV2Tokenizer": {"finished": ()},
        "BlenderbotTokenizer": {"finished": (later.clip,)},
        "MPNetTokenizer": {"finished": (later.enclosed("cls_token", "sep_token", cls_token=0, sep_token=2),)},
        "NllbTokenizer": {"finished": (templates.nllb,)},
        "PegasusTokenizer": {"prepared": (pegasus,)},
        "XGLMTokenizer": {"finished": (later.enclosed("eos_token", "eos_token"),)},
        "RemBertTokenizer": {"defaults": {**CLASSES["RemBertTokenizer"].defaults, "keep_accents": False}},
    }
    changes["DistilBertTokenizer"] = changes["BertTokenizer"]
    for name, build in builds.items():
        changes.setdefault(name, {})["build"] = build
    return {name: CLASSES[name]._replace(**change) for name, change in changes.items()}
