"""What is known of a tokenizer as `transformers` runs it: its class, settings in force or without effect, switches.

The facts about its parts are those of Hugging Face's tokenizers; if a class replaces a part of the file, the fact's
place is the class.

The settings of a folder as switches: each setting that changes the tokenizer its class makes.

Found by building the tokenizer again with the setting flipped, or without the key; a setting without effect is not a
switch.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations
from typing import Any, NamedTuple

from explorer.errors import InputError
from explorer.facts import UNUSED, USED, WARNING, Fact, listed
from explorer.formats.files import ADDED_TOKENS, CONFIG, SPECIAL_TOKENS_MAP, TOKENIZER_CONFIG
from explorer.formats.model_folder import KNOWN, NAMED, Settings
from explorer.formats.tokenizer_json import TokenizerJson
from explorer.implementations.huggingface.added_tokens import token_name
from explorer.implementations.opened import Opened, Variant
from explorer.implementations.transformers.arguments import VERSIONS, Arguments, Backend, Token, text
from explorer.implementations.transformers.decoding import SAYS
from explorer.tables import Json, Record, read_toml

_TABLE: Json = read_toml(__file__, "facts.toml")
FLAGS: Mapping[str, bool] = _TABLE["flags"]
"""Setting → its default, if neither the file nor the class sets it."""
CLASS_KEYS: Sequence[str] = _TABLE["class_keys"]
"""Keys that tokenizing doesn't read."""
MODEL_KEYS: Sequence[str] = _TABLE["model_keys"]
"""The keys of config.json that a version reads for the tokenizer."""


class Built(NamedTuple):
    """The result of a class for a folder. cleans: whether decoding is cleaned up. splits: whether the spelling of a
    special token is plain text. class_name: the class."""

    args: Arguments
    backend: Backend
    cleans: bool
    splits: bool
    class_name: str

    @property
    def parts(self) -> Any:
        """Everything in which two results can differ."""
        backend = self.backend
        return (
            {key: value for key, value in backend.model.items() if key not in ("vocab", "merges")},
            backend.normalizer, backend.pre_tokenizer, backend.post_processor, backend.decoder, backend.entries,
            self.cleans, self.splits,
        )  # fmt: skip


def variants(
    built: Built, settings: Settings, rebuild: Callable[[Settings], Built], finish: Callable[[Built], Opened]
) -> tuple[list[Variant], list[str]]:
    """The switches, and the settings in the file without effect.

    built: the result for `settings`. rebuild: the result for other settings. finish: makes a tokenizer of a result.
    """
    config = settings.tokenizer or {}
    found: list[Variant] = []
    idle: list[str] = []
    for key, default in FLAGS.items():
        in_file = config.get(key)
        value_now = built.args.values.get(key) if in_file is None else in_file
        if value_now is None and key == "strip_accents":
            value_now = built.args.values.get("do_lower_case")  # null means the same as that
        on = default if value_now is None else bool(value_now)
        # if the file does not set it, either value may be the default of the class
        for value in (not on, on) if in_file is None else (not on,):
            try:
                flipped = rebuild(replace(settings, tokenizer={**config, key: value}))
            except InputError:
                break  # the original raises an error, so this is not a switch
            if flipped.parts != built.parts:
                whole = state(key, not value, in_file is not None)
                found.append(Variant(key, not value, in_file is not None, whole, partial(finish, flipped)))
                break
        else:
            idle += [key] if in_file is not None else []
    for name, key, other in without_keys(settings):
        try:
            flipped = rebuild(other)
        except InputError:
            continue
        if flipped.parts != built.parts:
            says = f"{key} is in {name}" if key != name else f"{name} is read"
            found.append(Variant(key, True, True, says, partial(finish, flipped), removed=True))
        elif key not in NAMED:
            idle.append(key)
    return found, idle


def without_keys(settings: Settings) -> Iterator[tuple[str, str, Settings]]:
    """Each key that has no opposite: its file, its name, and the settings without it. added_tokens.json is one."""
    config, special, model = settings.tokenizer or {}, settings.special or {}, settings.config or {}
    for key in config:
        if key not in FLAGS and key not in CLASS_KEYS and (key in KNOWN or key in NAMED or key.endswith("_token")):
            yield TOKENIZER_CONFIG, key, replace(settings, tokenizer=_without(config, key))
    for key in special:
        yield SPECIAL_TOKENS_MAP, f"{SPECIAL_TOKENS_MAP}: {key}", replace(settings, special=_without(special, key))
    for key in MODEL_KEYS:
        if model.get(key) is not None:
            yield CONFIG, f"{CONFIG}: {key}", replace(settings, config=_without(model, key))
    if settings.added:
        yield ADDED_TOKENS, ADDED_TOKENS, replace(settings, added={})


def _without(whole: Json, key: str) -> Record:
    return {each: value for each, value in whole.items() if each != key}


def state(key: str, on: bool, in_file: bool) -> str:
    """The state of a setting in words.

    >>> state("legacy", True, False)
    'legacy is true by default'
    """
    return f"{key} is {'true' if on else 'false'} {f'in {TOKENIZER_CONFIG}' if in_file else 'by default'}"


TOPIC = "settings"
SECTIONS = ("normalizer", "pre_tokenizer", "post_processor", "decoder")
CUTTING = ("normalizer", "pre_tokenizer", "model")
"""The sections that decide the ids of a text."""
UNSET = (None, False, "")
"""Values of a model's keys that mean the same as no key."""
REPORTED = "huggingface/transformers#45812"
"""Where it was reported that classes of version 5 cut a text otherwise than the tokenizer.json says."""
WITH_BOXES = ("LayoutLMv", "LayoutXLM")
FOR_THE_MODEL: Mapping[str, str] = _TABLE["for_the_model"]
"""Keys that do not affect the ids of one text → what they are for."""


def facts_of(
    built: Built, class_name: str, settings: Settings, parts: Iterable[Fact], file: TokenizerJson | None
) -> Iterator[Fact]:
    """All facts. parts: about the parts that are run. file: the folder's tokenizer.json."""
    args, backend = built.args, built.backend
    named = (settings.tokenizer or {}).get("tokenizer_class") is not None
    place = f"{TOKENIZER_CONFIG}: tokenizer_class" if named else f"{CONFIG}: model_type" if settings.model_type else ""
    yield Fact(TOPIC, f"transformers {VERSIONS[args.version]} runs this folder as {class_name}.", place)
    changed = replaced_sections(backend, file)
    for fact in parts:
        section = fact.place.partition(".")[0].partition("[")[0]
        yield fact._replace(place=class_name) if section in changed else fact
    for key in changed:
        if getattr(file, key) is not None:
            about = f" ({REPORTED})" if key == "pre_tokenizer" and args.version != 4 else ""
            says = f"{class_name} uses its own {key.replace('_', '-')} instead of the file's{about}."
            yield Fact(key.replace("_", "-"), says, f"tokenizer.json: {key}", kind=UNUSED)
    if file is not None and (own := model_changes(backend, file)):
        says = f"{class_name} uses its own model instead of the file's: {listed(own)}."
        yield Fact("model", says, "tokenizer.json: model", kind=UNUSED)
    if class_name.startswith(WITH_BOXES):
        yield Fact(TOPIC, "This class is called with words and their boxes; a text is run as its method tokenize does.")
    steps = SAYS.get(class_name.removesuffix("Fast"))
    if steps:
        yield Fact("decoder", steps, class_name)
    yield from _special_facts(args)
    yield from backend.facts
    yield from _new_token_facts(backend, settings, file)
    yield from _moved_facts(built, settings)
    yield from _setting_facts(built, settings)
    for key in ("truncation", "padding"):
        if getattr(file, key, None) is not None:
            says = f"transformers applies {key} only if a call requests it."
            yield Fact(key, says, f"tokenizer.json: {key}", kind=UNUSED)
    yield from _unknown_facts(settings)
    yield from _file_facts(settings)


def replaced_sections(backend: Backend, file: TokenizerJson | None) -> list[str]:
    """The sections of a tokenizer.json that a class has parts of its own for."""
    return [] if file is None else [key for key in SECTIONS if getattr(file, key) != getattr(backend, key)]


def model_changes(backend: Backend, file: TokenizerJson) -> list[str]:
    """In what the model of a class differs from the file's: its keys with both values, and how many merges it has."""
    # without the pieces, but with the number of the merges
    now, was = (
        {**model, "vocab": None, "merges": len(model.get("merges") or ()) or None}
        for model in (backend.model, file.model)
    )
    keys = [key for key in {**now, **was} if _set(now.get(key)) != _set(was.get(key))]
    # settings of two types don't compare
    if "type" in keys:
        keys = [key for key in ("type", "merges") if key in keys]
    return [f"{key} {_value(now.get(key))}, not {_value(was.get(key))}" for key in keys]


def _set(value: object) -> object:
    return None if any(value is each or value == each == "" for each in UNSET) else value


def _value(value: object) -> str:
    return "none" if _set(value) is None else f"{value:,}" if type(value) is int else str(value)


def own_parts(built: Built, class_name: str, file: TokenizerJson) -> Iterator[tuple[Collection[str], str]]:
    """Each choice of the sections that decide the ids and that a class has instead of the file's, the smallest first.

    With a sentence that says so, without its end.
    """
    replaced = replaced_sections(built.backend, file)
    changed = [key for key in CUTTING if key in replaced or (key == "model" and model_changes(built.backend, file))]
    for size in range(1, len(changed) + 1):
        for keys in combinations(changed, size):
            about = f" ({REPORTED})" if "pre_tokenizer" in keys else ""
            yield keys, f"{class_name} uses its own {named_sections(keys)} instead of the file's{about}"


def named_sections(keys: Collection[str]) -> str:
    """Sections in words.

    >>> named_sections(["normalizer", "pre_tokenizer", "model"])
    'normalizer, pre-tokenizer and model'
    """
    *before, last = (key.replace("_", "-") for key in keys)
    return f"{', '.join(before)} and {last}" if before else last


def python_facts(args: Arguments, class_name: str, settings: Settings, own: Collection[str] = ()) -> Iterator[Fact]:
    """The facts about a tokenizer whose class is written in Python. own: the keys that the class reads."""
    config = settings.tokenizer or {}
    place = f"{TOKENIZER_CONFIG}: tokenizer_class" if config.get("tokenizer_class") else CONFIG
    yield Fact(TOPIC, f"transformers {VERSIONS[args.version]} runs this folder as {class_name}.", place)
    yield from _special_facts(args)
    if config.get("clean_up_tokenization_spaces"):
        says = "Spaces before punctuation and contractions are removed last."
        yield Fact("decoder", says, f"{TOKENIZER_CONFIG}: clean_up_tokenization_spaces")
    if config.get("split_special_tokens"):
        says = "Added tokens are not searched for in a text: their spelling is plain text."
        yield Fact("special tokens", says, f"{TOKENIZER_CONFIG}: split_special_tokens")
    yield from _unknown_facts(settings, own)
    yield from _file_facts(settings)


def _special_facts(args: Arguments) -> Iterator[Fact]:
    named = [
        f"{key.removesuffix('_token')} {token_name(text(token))}"
        for key in NAMED
        if isinstance(token := args.values.get(key), (str, Token))
    ]
    if named:
        yield Fact("special tokens", f"By name: {listed(named)}.", TOKENIZER_CONFIG)


def _new_token_facts(backend: Backend, settings: Settings, file: TokenizerJson | None) -> Iterator[Fact]:
    """Tokens that tokenizer.json does not have: a warning, unless config.json has the number of rows to check."""
    if file is None:
        return
    listed_tokens = {entry.content for entry in file.added_tokens}
    new = [
        f"{token_name(content)} ({id})"
        for content, (id, _) in backend.added.items()
        if content not in listed_tokens and content not in backend.texts
    ]
    if new:
        says = f"Not in tokenizer.json, but added with new ids: {listed(new)}."
        doubtful = settings.rows is None
        says += " The model may have no rows for them." if doubtful else ""
        kind = WARNING if doubtful else USED
        yield Fact("added tokens", says, TOKENIZER_CONFIG, kind=kind)


def _moved_facts(built: Built, settings: Settings) -> Iterator[Fact]:
    """Entries of added_tokens_decoder or added_tokens.json that get another id, or none: the class numbers new tokens
    itself."""
    listed_there = "added_tokens_decoder" in (settings.tokenizer or {})
    place = f"{TOKENIZER_CONFIG}: added_tokens_decoder" if listed_there else ADDED_TOKENS
    in_decoder = {token.content: id for id, token in built.args.decoder.items()}
    entries = in_decoder if listed_there else settings.added or {}
    got = {content: built.backend.id_of(content) for content in entries}
    moved = [
        token_name(content) + (f" ({id}) is no token" if got[content] is None else f" gets {got[content]}, not {id}")
        for content, id in entries.items() if got[content] != id
    ]  # fmt: skip
    if moved:
        says = f"Ids of {'1 entry' if len(moved) == 1 else f'{len(moved):,} entries'} aren't those in force: "
        yield Fact("added tokens", f"{says}{listed(moved)}.", place, kind=WARNING)


def _setting_facts(built: Built, settings: Settings) -> Iterator[Fact]:
    """The effect of keys of tokenizer_config.json."""
    config = settings.tokenizer or {}
    place = f"{TOKENIZER_CONFIG}: {{}}".format
    if config.get("clean_up_tokenization_spaces"):
        key = "clean_up_tokenization_spaces"
        if built.cleans:
            yield Fact("decoder", "Spaces before punctuation and contractions are removed last.", place(key))
        else:
            says = "Version 5 does not clean up the decoded text of a BPE model."
            yield Fact("decoder", says, place(key), kind=UNUSED)
    if config.get("split_special_tokens"):
        says = "Special tokens are not searched for in a text: their spelling is plain text."
        yield Fact("special tokens", says, place("split_special_tokens"))
    if built.args.version != 4:
        for key in ("add_bos_token", "add_eos_token"):
            if config.get(key) is not None and key not in built.args.values:
                says = "Version 5 ignores it if there is a tokenizer.json, and uses that file's post-processor."
                yield Fact("post-processor", says, place(key), kind=UNUSED)
    for key, says in FOR_THE_MODEL.items():
        if config.get(key) is not None:
            yield Fact(TOPIC, says, place(key), kind=UNUSED)


def _unknown_facts(settings: Settings, own: Collection[str] = ()) -> Iterator[Fact]:
    """Keys of tokenizer_config.json that no class reads, nor this one. own: the keys that it reads."""
    keys = [
        token_name(key) for key in settings.tokenizer or {}
        if key not in KNOWN and key not in NAMED and key not in own and not key.endswith("_token")
    ]  # fmt: skip
    if keys:
        says = f"Keys that do not affect tokenizing here: {listed(keys)}."
        yield Fact(TOPIC, says, TOKENIZER_CONFIG, kind=UNUSED)


def _file_facts(settings: Settings) -> Iterator[Fact]:
    """Which of the other files are used."""
    decoder = "added_tokens_decoder" in (settings.tokenizer or {})
    for name, whole in ((SPECIAL_TOKENS_MAP, settings.special), (ADDED_TOKENS, settings.added)):
        if whole is None:
            continue
        if decoder:
            says = f"It is ignored, because {TOKENIZER_CONFIG} has added_tokens_decoder."
            yield Fact(TOPIC, says, name, kind=UNUSED)
        else:
            count = "1 entry of it is" if len(whole) == 1 else f"{len(whole):,} entries of it are"
            yield Fact(TOPIC, f"{count} used.", name)
