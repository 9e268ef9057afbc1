"""Special tokens around a text: BOS and EOS, and the languages of translation and speech models.

A text is taken to be in the source language. `src_lang`, `language` and `task` are settings of the folder.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from explorer.errors import shown
from explorer.facts import WARNING
from explorer.implementations.transformers.arguments import (
    ADDITIONAL,
    EXTRA,
    Arguments,
    Backend,
    Some,
    among,
    languages,
    text,
)
from explorer.implementations.transformers.parts import Part, template

TASKS = {"transcribe": "<|transcribe|>", "translate": "<|translate|>"}

Hook = Callable[[Arguments], None]


# --- BOS and EOS ---------------------------------------------------------------------------------------------------


def set_template(args: Arguments, backend: Backend, bos: bool, eos: bool) -> None:
    """Sets the template. Raises InputError if a token is missing, or not allowed in a template."""
    before = [_named_token(args, backend, "bos_token")] if bos else []
    after = [_named_token(args, backend, "eos_token")] if eos else []
    backend.post_processor = template(before, after)


def _named_token(args: Arguments, backend: Backend, key: str) -> tuple[str, int]:
    """A named special token with its id."""
    token: Some | None = args.token(key)
    if token is None:
        raise args.refusal(f"add_{key} is true, but there is no {key}")
    return in_template(args, text(token)), id_or_unknown(args, backend, text(token))


def in_template(args: Arguments, name: str, *, listed: bool = False) -> str:
    """A token's spelling, if a template may contain it. listed: the original has the template as a list, not a line."""
    if not name or (not listed and any(ch.isspace() for ch in name)) or ":" in name or name.startswith("$"):
        raise args.refusal(f"{shown(name)} is not allowed in a template")
    return name


def id_or_unknown(args: Arguments, backend: Backend, name: str) -> int:
    """The id of a token, or of the unknown token if it does not exist."""
    id = backend.id_of(name)
    unknown = args.token("unk_token")
    if id is None and unknown is not None:
        id = backend.id_of(text(unknown))
    if id is None:
        raise args.refusal(f"{shown(name)} has no id")
    return id


def update_template(args: Arguments, backend: Backend) -> None:
    """Sets the template of version 5: BOS and EOS, if requested and defined."""
    keys = ("bos_token", "eos_token")
    bos, eos = (bool(args.values.get(f"add_{key}")) and args.token(key) is not None for key in keys)
    set_template(args, backend, bos, eos)


# --- the special tokens of languages ---------------------------------------------------------------------------------


def source_language(args: Arguments, default: str) -> str:
    """The setting src_lang. Raises InputError if it isn't a text."""
    found = args.values.get("src_lang")
    if found is not None and not isinstance(found, str):
        raise args.refusal(f"src_lang is {shown(found)}, not the code of a language")
    return default if found is None else found


def listed(args: Arguments, key: str = ADDITIONAL) -> list[Some]:
    """The unnamed special tokens of a setting, an empty list for null."""
    found = args.values.get(key)
    if found is not None and not isinstance(found, list):
        raise args.refusal(f"{key} is {shown(found)}, not a list of tokens")
    return list(found or [])


def known_language(args: Arguments, model: str) -> str:
    """The source language of an MBart. Raises InputError for one that the class doesn't know."""
    code = source_language(args, "en_XX")
    if code not in languages(model):
        raise args.refusal(f"src_lang is {shown(code)}, which is no language of the class")
    return code


def mbart_languages(args: Arguments) -> None:
    """Puts MBart's languages before the folder's own special tokens."""
    codes: list[Some] = list(languages("mbart"))
    args.values[ADDITIONAL] = codes + [token for token in listed(args) if not among(token, codes)]


def mbart50_languages(args: Arguments) -> None:
    """Puts MBart50's after those."""
    own = listed(args)
    args.values[ADDITIONAL] = own + [code for code in languages("mbart50") if not among(code, own)]


def nllb_languages(args: Arguments) -> None:
    """Makes NLLB's the special tokens if the folder has none."""
    key = EXTRA if args.version != 4 and args.values.get(EXTRA) is not None else ADDITIONAL
    if args.values.get(key) is None:
        args.values[key] = list(languages("nllb"))
    if args.version != 4:
        args.values[EXTRA] = args.values[key]


# --- languages around a text -----------------------------------------------------------------------------------------


def around(
    args: Arguments, backend: Backend, before: Sequence[str], after: Sequence[str], *, by_id: bool = True
) -> None:
    """Sets a template with these tokens. by_id: an unknown one is spelled as the unknown token, as its id is."""
    names = backend.contents

    def token(name: str) -> tuple[str, int]:
        id = id_or_unknown(args, backend, name)
        if backend.id_of(name) is None:
            says = f"{shown(name)} is no token of this folder, so the unknown token ({id}) is put in its place."
            backend.say("post-processor", says, kind=WARNING)
        return in_template(args, names.get(id, name) if by_id else name, listed=True), id

    backend.post_processor = template([token(name) for name in before], [token(name) for name in after])


def end_of(args: Arguments) -> str:
    """The EOS token. Raises InputError if there is none."""
    token = args.token("eos_token")
    if token is None:
        raise args.refusal("eos_token is null, but the template needs it")
    return text(token)


def mbart(args: Arguments, backend: Backend) -> None:
    """MBart's: the text, EOS, the language."""
    around(args, backend, [], [end_of(args), source_language(args, "en_XX")])


def mbart50(args: Arguments, backend: Backend) -> None:
    """MBart50's: the language, the text, EOS; only with a language that the class knows."""
    around(args, backend, [known_language(args, "mbart50")], [end_of(args)])


def nllb(args: Arguments, backend: Backend) -> None:
    """NLLB's: the language first, or last with the setting legacy_behaviour."""
    code, end = source_language(args, "eng_Latn"), end_of(args)
    before, after = ([], [end, code]) if args.flag("legacy_behaviour") else ([code], [end])
    around(args, backend, before, after, by_id=args.version != 5)


def seamless(args: Arguments, backend: Backend) -> None:
    """SeamlessM4T's: the language, the text, EOS."""
    code = source_language(args, "eng")
    around(args, backend, [code if "__" in code else f"__{code}__"], [end_of(args)])


def whisper(args: Arguments, backend: Backend) -> None:
    """Whisper's of version 5."""
    backend.post_processor = whisper_template(args, lambda name: id_or_unknown(args, backend, name), backend.contents)


def whisper_template(args: Arguments, id_of: Callable[[str], int], names: Mapping[int, str]) -> Part:
    """The start, language and task if the settings name them, no time stamps; the text; EOS. names: spelling by id."""
    ids = [id_of("<|startoftranscript|>")]
    language = args.values.get("language")
    if language is not None:
        ids.append(ids[0] + 1 + languages("whisper").index(_whisper_code(args, language)))
    task = args.values.get("task")
    if task is not None:
        if not isinstance(task, str) or task not in TASKS:
            raise args.refusal(f"task is {shown(task)}; set it to transcribe or translate")
        ids.append(id_of(TASKS[task]))
    if not args.flag("predict_timestamps"):
        ids.append(id_of("<|notimestamps|>"))
    before = []
    for id in ids:
        if id not in names:
            raise args.refusal(f"the language {shown(language)} has the id {id}, which is no token")
        before.append((in_template(args, names[id]), id))
    end = end_of(args)
    return template(before, [(in_template(args, end), id_of(end))])


def _whisper_code(args: Arguments, language: Any) -> str:
    """The code of a language by its English name or its code."""
    names = languages("whisper-names")
    codes = dict(zip(names[::2], names[1::2], strict=True))
    name = language.lower() if isinstance(language, str) else ""
    found = codes.get(name.replace(" ", "_"), name)
    if found not in languages("whisper"):
        raise args.refusal(f"language is {shown(language)}, which is no language of Whisper")
    return found
