"""The card of a tokenizer as `transformers` runs it: the class, which setting is in force, what is passed over.

The facts about its parts are those of Hugging Face's tokenizers; where a class has put another part in place of the
file's, the place is the class.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from explorer.facts import Fact, FactKind, listed
from explorer.formats.model_files import ADDED_TOKENS, CONFIG, SPECIAL_TOKENS_MAP, TOKENIZER_CONFIG
from explorer.formats.model_folder import KNOWN, NAMED, Settings
from explorer.formats.tokenizer_json import TokenizerJson
from explorer.implementations.huggingface.added_tokens import token_name
from explorer.implementations.transformers.arguments import Arguments
from explorer.implementations.transformers.backend import Backend
from explorer.implementations.transformers.tokens import Token, text
from explorer.implementations.transformers.variants import Made
from explorer.implementations.transformers.versions import VERSIONS

TOPIC: Final = "settings"
SECTIONS: Final = ("normalizer", "pre_tokenizer", "post_processor", "decoder")
FOR_THE_MODEL: Final = {
    "model_max_length": "A longer text is warned of, and not cut.",
    "max_len": "A longer text is warned of, and not cut.",
    "padding_side": "Padding is done when it is asked for.",
    "truncation_side": "Truncation is done when it is asked for.",
}
"""Keys that are no matter of the ids of one text → what they are for."""


def facts_of(
    made: Made, found: str, settings: Settings, parts: Iterable[Fact], file: TokenizerJson | None
) -> Iterator[Fact]:
    """The card. parts: the facts about what is run. file: the folder's tokenizer.json."""
    args, backend = made.args, made.backend
    version = VERSIONS[args.version]
    named = (settings.tokenizer or {}).get("tokenizer_class") is not None
    place = f"{TOKENIZER_CONFIG}: tokenizer_class" if named else f"{CONFIG}: model_type" if settings.model_type else ""
    yield Fact(TOPIC, f"transformers {version.number} runs this folder as {found}.", place)
    changed = [] if file is None else [key for key in SECTIONS if getattr(file, key) != getattr(backend, key)]
    for fact in parts:
        section = fact.place.partition(".")[0].partition("[")[0]
        yield fact._replace(place=found) if section in changed else fact
    for key in changed:
        if getattr(file, key) is not None:
            says = f"{found} puts its own {key.replace('_', '-')} in the place of the file's."
            yield Fact(key.replace("_", "-"), says, f"tokenizer.json: {key}", kind=FactKind.UNUSED)
    yield from special_facts(args)
    yield from new_tokens(backend, settings, file)
    yield from setting_facts(made, settings)
    for key in ("truncation", "padding"):
        if getattr(file, key, None) is not None:
            says = f"transformers does its {key} only when a call asks for it."
            yield Fact(key, says, f"tokenizer.json: {key}", kind=FactKind.UNUSED)
    yield from unknown_facts(settings)
    yield from file_facts(settings)


def special_facts(args: Arguments) -> Iterator[Fact]:
    """The special tokens by their names."""
    named = [
        f"{key.removesuffix('_token')} {token_name(text(token))}"
        for key in NAMED
        if isinstance(token := args.values.get(key), (str, Token))
    ]
    if named:
        yield Fact("special tokens", f"By name: {listed(named)}.", TOKENIZER_CONFIG)


def new_tokens(backend: Backend, settings: Settings, file: TokenizerJson | None) -> Iterator[Fact]:
    """Tokens that tokenizer.json does not have. Where config.json says how many rows there are, that is told apart."""
    if file is None:
        return
    there = {entry.content for entry in file.added_tokens}
    new = [
        f"{token_name(content)} ({id})"
        for content, (id, _) in backend.added.items()
        if content not in there and content not in backend.texts
    ]
    if new:
        says = f"Not in tokenizer.json, but added with new ids: {listed(new)}."
        doubtful = settings.rows is None
        says += " The model may have no rows for them." if doubtful else ""
        kind = FactKind.WARNING if doubtful else FactKind.USED
        yield Fact("added tokens", says, TOKENIZER_CONFIG, kind=kind)


def setting_facts(made: Made, settings: Settings) -> Iterator[Fact]:
    """What the keys of tokenizer_config.json come to."""
    config = settings.tokenizer or {}
    place = f"{TOKENIZER_CONFIG}: {{}}".format
    if config.get("clean_up_tokenization_spaces"):
        key = "clean_up_tokenization_spaces"
        if made.cleans:
            yield Fact("decoder", "Spaces before punctuation and contractions are taken away last.", place(key))
        else:
            yield Fact("decoder", "Version 5 does not clean up what a BPE decodes.", place(key), kind=FactKind.UNUSED)
    if config.get("split_special_tokens"):
        says = "Special tokens are not looked for in a text: their spelling is text like any other."
        yield Fact("special tokens", says, place("split_special_tokens"))
    if made.args.version == 5:
        for key in ("add_bos_token", "add_eos_token"):
            if config.get(key) is not None and key not in made.args.values:
                says = "Version 5 passes it over where there is a tokenizer.json, whose post-processor counts."
                yield Fact("post-processor", says, place(key), kind=FactKind.UNUSED)
    for key, says in FOR_THE_MODEL.items():
        if config.get(key) is not None:
            yield Fact(TOPIC, says, place(key), kind=FactKind.UNUSED)


def unknown_facts(settings: Settings) -> Iterator[Fact]:
    """Keys of tokenizer_config.json that no class here has."""
    keys = [
        token_name(key) for key in settings.tokenizer or {}
        if key not in KNOWN and key not in NAMED and not key.endswith("_token")
    ]  # fmt: skip
    if keys:
        says = f"Keys that say nothing of tokenizing here: {listed(keys)}."
        yield Fact(TOPIC, says, TOKENIZER_CONFIG, kind=FactKind.UNUSED)


def file_facts(settings: Settings) -> Iterator[Fact]:
    """What the other files are good for."""
    decoder = "added_tokens_decoder" in (settings.tokenizer or {})
    for name, whole in ((SPECIAL_TOKENS_MAP, settings.special), (ADDED_TOKENS, settings.added)):
        if whole is None:
            continue
        if decoder:
            says = f"It is passed over, because {TOKENIZER_CONFIG} has added_tokens_decoder."
            yield Fact(TOPIC, says, name, kind=FactKind.UNUSED)
        else:
            count = "1 entry of it is" if len(whole) == 1 else f"{len(whole):,} entries of it are"
            yield Fact(TOPIC, f"{count} taken.", name)
