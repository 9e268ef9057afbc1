"""Whether an original opens a file, and the words in which it refuses.

A file is opened as its original opens it. Where this reader is more lenient than Hugging Face's tokenizers, `LENIENT`
and `_stricter` say what the library demands. `ERRORS` has the library's own error for each kind of refusal, which tests
compare with the library, live.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any, Final, NamedTuple

from explorer.errors import ChoiceNeeded, InputError
from explorer.facts import listed
from explorer.formats import strict_json
from explorer.formats.tokenizer_json import FLAGS

BOM: Final = b"\xef\xbb\xbf"
REQUIRED: Final = {
    "BPE": ("vocab", "merges"),
    "WordPiece": ("unk_token", "continuing_subword_prefix", "max_input_chars_per_word", "vocab"),
    "WordLevel": ("vocab", "unk_token"),
    "Unigram": ("vocab",),
}
"""The keys without which tokenizers refuses a model that names its type."""

TOKENIZERS, LLAMA_CPP, TRANSFORMERS = "tokenizers", "llama.cpp", "transformers"
_TOKEN: Final = "Special token {0} has to be either str or AddedToken"
_IN_LIST: Final = "One of the tokens is not a string or an AddedToken"
_OBJECT: Final = r"(?:special_tokens_map.*|.*added_tokens_decoder.*|.*(?=.*__type))"
_CONTENT: Final = _OBJECT + r" is \{.*'content': \d+\b"
_SWITCH: Final = r"(?:special_tokens_map[^\[]*|.*added_tokens_decoder.*)\.\w+ is '"
ERRORS: Final[dict[str, tuple[tuple[str, str], ...]]] = {
    TOKENIZERS: (
        (r"model\.merges\[\d+\] (?:merges|makes) '(.*?)', which", "Token `{0}` out of vocabulary"),
        (r"model\.merges\[\d+\] is '", "Merges text file invalid at line"),
        (r"model\.merges", "data did not match any variant of untagged enum MergeType"),
        (r"model\.type ", "data did not match any variant of untagged enum ModelUntagged"),
        (r"model\.vocab\['.*'\] is '(.*?)', not an id", 'invalid type: string "{0}", expected u32'),
        (r"model\.vocab\['.*'\] is (-\d+), not an id", "invalid value: integer `{0}`, expected u32"),
        (r"model\.vocab\['.*'\] is (\d+\.\d+), not an id", "invalid type: floating point `{0}`, expected u32"),
        (r"model\.vocab is not an object", "invalid type: sequence, expected a map"),
        (r"model\.unk_token is (\d+), not of type str", "invalid type: integer `{0}`, expected a string"),
        (r"model\.max_input_chars_per_word is (-\d+)", "invalid value: integer `{0}`, expected usize"),
        (r"model\.unk_id is (\d+)", "Unable to load vocab UnkIdNotInVocabulary"),
        (r"normalizer: .* is unknown", "data did not match any variant of untagged enum NormalizerUntagged"),
        (r"pre_tokenizer: .* is unknown", "data did not match any variant of untagged enum PreTokenizerUntagged"),
        (r"post_processor: .* is unknown", "data did not match any variant of untagged enum PostProcessorWrapper"),
        (r"decoder: .* is (?:unknown|missing)", "data did not match any variant of untagged enum PyDecoderWrapper"),
        (r"\w+: \w+\.(\w+) is missing", "missing field `{0}`"),
        (r"keys are missing in the BPE", "Missing vocab/merges"),
        (r"keys are missing in the Unigram", "Missing vocab"),
        (r"keys are missing in ", "missing field"),
        (r"version is '(.*?)'", "Unknown tokenizer version '{0}'"),
        (r"the object 'model' is missing", "Model missing."),
        (r"a tokenizer\.json has no key", "expected `,` or `}}`"),
        (r".*byte order mark|.*text in UTF-16", "expected value at line 1 column 1"),
        (r"byte offset \d+ is not UTF-8", "invalid unicode code point"),
        (r".*line (\d+), column (\d+).*comma stands before the end", "trailing comma at line {0} column {1}"),
    ),
    LLAMA_CPP: (
        (r"tokenizer\.ggml\.pre is '(.*?)'", "unknown pre-tokenizer type: '{0}'"),
        (r"tokenizer\.ggml\.model is '(.*?)'", "unknown tokenizer: '{0}'"),
        (r"the key (tokenizer\.ggml\.\w+) is missing", "cannot find tokenizer {0} in model file"),
    ),
    TRANSFORMERS: (
        (r".*extra_special_tokens is a list", "'list' object has no attribute 'keys'"),
        (r".*extra_special_tokens is null", "'NoneType' object has no attribute 'keys'"),
        (r'.*: (\w+_token) is .* without "__type"', _TOKEN),
        (r"tokenizer_config\.json: (\w+_token) is (?!.*__type)", _TOKEN),
        (r"special_tokens_map\.json: (\w+_token) is (?!\{)", _TOKEN),
        (r".*extra_special_tokens\.'(.*?)' is (?!.*__type)", _TOKEN),
        (r".*model_specific_special_tokens contains", "has to be either str or AddedToken"),
        (r".*added_tokens_decoder\.'((?!\s*[-+]?\d+(?:_\d+)*\s*').*)' is not an id",
         "invalid literal for int() with base 10: '{0}'"),
        (r".*added_tokens_decoder\.'.*?' is (?!not an id|\{)",
         "in the saved `added_tokens_decoder`, should be a dictionary or an AddedToken instance"),
        (r".*added_tokens_decoder is ", "object has no attribute 'items'"),
        (r"added_tokens\.json: .* has \[", "unhashable type: 'list'"),
        (r"added_tokens\.json: .* has \{", "unhashable type: 'dict'"),
        (r"added_tokens\.json: .* has (?:None|')", "'<' not supported between instances of"),
        (r"(?:added_tokens|special_tokens_map)\.json: this is not a JSON object", "object has no attribute 'items'"),
    ),
    f"{TRANSFORMERS}-4": (
        (r".*additional_special_tokens is \[", _IN_LIST),
        (r".*additional_special_tokens is ", "is not a list or tuple"),
        (r".*extra_special_tokens is ", "object has no attribute 'keys'"),
        (r"tokenizer_config.*additional_special_tokens\[\d+\] is (?!.*__type)", _IN_LIST),
        (r"special_tokens_map.*additional_special_tokens\[\d+\] is (?!\{)", _IN_LIST),
        (_CONTENT, "argument 'content': 'int' object cannot be converted to 'PyString'"),
        (_SWITCH, "'str' object cannot be converted to 'PyBool'"),
    ),
    f"{TRANSFORMERS}-5": (
        (r".*(?:additional|extra)_special_tokens is ", "must be a list/tuple of tokens or a dict of named tokens"),
        (r".*additional_special_tokens\[\d+\] is (?!.*__type)|.*extra_special_tokens contains",
         "Input must be a List[Union[str, AddedToken]]"),
        (_CONTENT, "'int' object is not an instance of 'str'"),
        (_SWITCH, "'str' object is not an instance of 'bool'"),
    ),
}  # fmt: skip
"""Original, or one version of it → how a refusal begins here, after the file's name, and what it says then."""


class Refusal(NamedTuple):
    """who: refuses. says: why, as a sentence without its end. error: the original's own, empty if it isn't known."""

    who: str
    says: str
    error: str

    @property
    def text(self) -> str:
        """Both, as sentences."""
        if not self.error:
            return f"It was not opened: {self.says}."
        return f"{self.who} doesn't open it: {self.says}. It says: {self.error.rstrip('.')}."


def refusal(who: str, says: str) -> Refusal:
    """A refusal with the original's own words.

    >>> refusal("tokenizers", "model.merges[1] merges 'x', which is not in model.vocab; repair the file").error
    'Token `x` out of vocabulary'
    """
    for pattern, error in (*ERRORS.get(who.partition("-")[0], ()), *(ERRORS.get(who, ()) if "-" in who else ())):
        if match := re.match(pattern, says):
            return Refusal(who, says, error.format(*match.groups()))
    return Refusal(who, says, "")


def refused(who: str, opened: Callable[[], object], name: str) -> Iterator[Refusal]:
    """The refusal of whoever opens a file, if any. name: of the file in errors. Raises ChoiceNeeded unless it tells."""
    try:
        opened()
    except InputError as error:
        before, _, says = str(error).partition(f"{name}: ")
        found = refusal(who, says if says and before[-1:] in ("", "/", "\\") else str(error))
        if isinstance(error, ChoiceNeeded) and not found.error:
            raise
        yield found


def of_tokenizer_json(data: bytes, name: str) -> Iterator[Refusal]:
    """Why tokenizers refuses a tokenizer.json: what this reader forgives, or what it refuses, too."""
    from explorer.formats import tokenizer_json
    from explorer.opening.formats import as_huggingface

    found = []
    if data.startswith(BOM):
        found.append("it begins with a byte order mark (U+FEFF), which is not JSON; save it without")
    with suppress(InputError):  # said below
        whole = strict_json.read(data, name, "a tokenizer.json")
        found += _stricter(whole) if isinstance(whole, dict) else ()
    yield from (refusal(TOKENIZERS, says) for says in found)
    if not found:
        yield from refused(TOKENIZERS, lambda: as_huggingface(tokenizer_json.read(data, name), name), name)


def _stricter(whole: dict[str, Any]) -> Iterator[str]:
    """What tokenizers refuses in a file, and this reader doesn't."""
    model, added = whole.get("model"), whole.get("added_tokens")
    if isinstance(model, dict) and "type" in model and model["type"] is None:
        yield "model.type is null; name the type, or remove the key"
    elif isinstance(model, dict) and isinstance(kind := model.get("type"), str):
        missing = [key for key in REQUIRED.get(kind, ()) if key not in model]
        if missing:
            yield f"keys are missing in the {kind} model: {listed(missing)}; write them"
    for index, entry in enumerate(added if isinstance(added, list) else ()):
        if missing := [key for key in FLAGS if isinstance(entry, dict) and key not in entry]:
            yield f"keys are missing in added_tokens[{index}]: {listed(missing)}; write them"
            return
