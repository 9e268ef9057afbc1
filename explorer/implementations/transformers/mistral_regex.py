"""The setting fix_mistral_regex: replaces the wrong pattern that some of Mistral's tokenizers were saved with.

Follows `_patch_mistral_regex` of both versions. They consider vocabularies of more than 100,000 pieces in a folder
whose config.json does not rule Mistral out by another model_type or a later transformers_version. Without the setting
they only warn.
"""

import re

from explorer.errors import shown
from explorer.facts import UNUSED, WARNING
from explorer.formats.files import CONFIG, TOKENIZER_CONFIG
from explorer.formats.model_folder import Settings
from explorer.implementations.transformers.arguments import Arguments, Backend
from explorer.implementations.transformers.builders import PARTS
from explorer.implementations.transformers.parts import sequence

KEY = "fix_mistral_regex"
LARGE = 100_000
MISTRAL = frozenset({"mistral", "mistral3", "voxtral", "ministral", "pixtral"})
VERSION = re.compile(r"v?(\d{1,9})(?:\.(\d{1,9}))?(?:\.(\d{1,9}))?(?:\.\d+)*(.*)", re.DOTALL)
"""A release: up to three numbers, and a suffix such as .dev0 or rc1."""


def fix(args: Arguments, backend: Backend, settings: Settings) -> None:
    """Replaces the pattern if the setting is true and the folder may be Mistral's."""
    # version 4 counts the pieces of the model, version 5 the added tokens as well
    new = sum(content not in backend.texts for content in backend.added) if args.version != 4 else 0
    place, value = f"{TOKENIZER_CONFIG}: {KEY}", args.flag(KEY, None)
    if len(backend.texts) + new <= LARGE or backend.pre_tokenizer is None or not _may_be_mistral(args, settings):
        if value is not None:
            says = f"It has no effect: it is for Mistral's vocabularies of more than {LARGE:,} pieces."
            backend.say("pre-tokenizer", says, place, kind=UNUSED)
        return
    if not value:
        if value is None:
            says = (
                "Some of Mistral's tokenizers were saved with a wrong pattern, and transformers warns that this may be "
                f"one. If it is, set {KEY} to true, which replaces the pattern."
            )
            backend.say("pre-tokenizer", says, TOKENIZER_CONFIG, kind=WARNING)
        return
    backend.say("pre-tokenizer", "The pattern is replaced by the one that Mistral's models were trained with.", place)
    part, (pattern, spelling) = backend.pre_tokenizer, PARTS["bytes of Mistral"]
    if part["type"] == "Sequence":
        backend.pre_tokenizer = {**part, "pretokenizers": [pattern, *part["pretokenizers"][1:]]}
        return
    if args.version == 4:
        raise args.refusal(f"{KEY} is true, but the pre-tokenizer is not a Sequence")
    last = spelling if part["type"] == "Metaspace" else part
    backend.pre_tokenizer = sequence("pretokenizers", pattern, last)


def _may_be_mistral(args: Arguments, settings: Settings) -> bool:
    """Whether config.json does not rule Mistral out."""
    if settings.config is None:
        return False
    release = settings.config.get("transformers_version")
    other = bool(settings.config.get("model_type")) and settings.model_type not in MISTRAL
    if not release:
        return args.version == 4 or not other
    early = before(args, release, (5, 0, 0), False)
    if args.version == 4 and not before(args, release, (4, 57, 2), True):
        return early
    return early and not other


def before(args: Arguments, release: str, other: tuple[int, int, int], same: bool) -> bool:
    """Whether a release is before another one, or equal to it if `same`.

    >>> [before(Arguments(4), each, (5, 0, 0), False) for each in ("4.57.6", "5.0.0.dev0", "5.0.0", "5.23")]
    [True, True, False, False]
    """
    match = VERSION.fullmatch(release.strip())
    if match is None:
        raise args.refusal(f"{CONFIG}: transformers_version is {shown(release)}, not a release")
    number = tuple(int(each or 0) for each in match.groups()[:3])
    # a release with the suffix dev or rc comes before the release itself
    early = bool(re.match(r"[.\-_]?(dev|a|b|rc|c|alpha|beta|pre)", match[4], re.IGNORECASE))
    return number < other or (number == other and (same or early))
