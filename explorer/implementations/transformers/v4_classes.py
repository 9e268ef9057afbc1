"""The supported classes of `transformers` 4: their defaults, and what each does before and after the common part."""

from collections.abc import Collection

from explorer.errors import shown
from explorer.implementations.transformers import templates
from explorer.implementations.transformers import two_files as two_files
from explorer.implementations.transformers.arguments import (
    ADDITIONAL,
    Arguments,
    Backend,
    Row,
    among,
    call,
    rows,
    spelled,
)
from explorer.tables import Json


class ClassSpecV4(Row, frozen=True, kw_only=True):
    """A class: a row of v4.toml."""

    prepared: tuple[str, ...] = ()
    normalizer: tuple[str, ...] = ()
    finished: tuple[str, ...] = ()
    slow: str = ""
    from_slow: bool = False

    def prepare(self, args: Arguments) -> None:
        """Completes the arguments before the common part."""
        args.values = self.applied(args.values)
        call(__name__, self.prepared, args)

    def finish(self, args: Arguments, backend: Backend) -> None:
        """Changes the tokenizer after the common part."""
        if self.normalizer:
            override_normalizer(args, backend, self.normalizer)
        call(__name__, self.finished, args, backend)


# --- the arguments -------------------------------------------------------------------------------------------------


MOST_SENTINELS = 100_000
MADEUP_WORDS = tuple(f"<madeupword{number}>" for number in range(7))


def sentinels(args: Arguments) -> None:
    """T5's <extra_id_0> to <extra_id_99>."""
    count, own = args.values["extra_ids"], args.values.get(ADDITIONAL)
    if not isinstance(count, int) or count > MOST_SENTINELS:
        raise args.refusal(f"extra_ids is {shown(count)}, not a number of tokens")
    made = [f"<extra_id_{number}>" for number in range(count)]
    if own is None:
        args.values[ADDITIONAL] = made
        return
    named = [each for each in own if "<extra_id_" in spelled(each)]
    if not named:
        args.values[ADDITIONAL] = [*own, *made]
    elif 0 < count != len(named):
        raise args.refusal(f"{ADDITIONAL} has {len(named)} tokens <extra_id_…>, but extra_ids is {count}")


def checked_offset(args: Arguments) -> int:
    """Pegasus's setting offset."""
    offset = args.values["offset"]
    if not isinstance(offset, int) or offset > MOST_SENTINELS:
        raise args.refusal(f"offset is {shown(offset)}, not a number of tokens")
    return offset


def pegasus_tokens(args: Arguments) -> None:
    """Pegasus's <mask_1> and <unk_2> to <unk_102>."""
    offset, mask = checked_offset(args), args.values["mask_token_sent"]
    first = [] if mask is None else [mask]
    if args.values.get(ADDITIONAL) is None:
        made = [*first, *(f"<unk_{number}>" for number in range(2, offset))]
    else:
        own = templates.listed(args)
        own = own if mask is None or among(mask, own) else [mask, *own]
        made = [*own, *(f"<unk_{number}>" for number in range(len(own), offset - 1))]
        if len(set(made)) != len(made):
            raise args.refusal(f"{ADDITIONAL} lists a token twice, or shifts the list of <unk_…>")
    args.values[ADDITIONAL] = made


def pegasus(args: Arguments) -> None:
    """The same, and it ignores added_tokens_decoder; other names are those of the slow class."""
    pegasus_tokens(args)
    args.decoder.clear()
    if [args.spelling(key) for key in ("pad_token", "eos_token", "unk_token")] != ["<pad>", "</s>", "<unk>"]:
        args.values["from_slow"] = True


def madeup_words(args: Arguments) -> None:
    """XGLM's <madeupword0> to <madeupword6>, after the folder's own special tokens."""
    own = templates.listed(args)
    args.values[ADDITIONAL] = own + [word for word in MADEUP_WORDS if not among(word, own)]


def question(args: Arguments) -> None:
    """Splinter's token for a question, its only unnamed special token."""
    if ADDITIONAL in args.values:
        raise args.refusal(f"it sets {ADDITIONAL} itself; remove it")
    args.values[ADDITIONAL] = [args.values["question_token"]]


# --- the tokenizer -------------------------------------------------------------------------------------------------


def override_normalizer(args: Arguments, backend: Backend, settings: Collection[str]) -> None:
    """Lets do_lower_case and the like override a BertNormalizer's settings. settings: those that the class reads."""
    if backend.normalizer is None:
        raise args.refusal("tokenizer.json has no normalizer, but this class needs one")
    if backend.normalizer["type"] != "BertNormalizer":
        return
    wanted = {key: args.values.get(argument) for key, argument in BERT_SETTINGS.items() if argument in settings}
    if any(backend.normalizer.get(key) != value for key, value in wanted.items()):
        for key in wanted.keys() - {"strip_accents"}:
            args.sure(BERT_SETTINGS[key], True)
        backend.normalizer = {**backend.normalizer, **wanted}


BERT_SETTINGS = {
    "lowercase": "do_lower_case",
    "strip_accents": "strip_accents",
    "handle_chinese_chars": "tokenize_chinese_chars",
}
"""A setting of a BertNormalizer → the argument that overrides it."""


def trimmed(args: Arguments, backend: Backend) -> None:
    """Lets add_prefix_space and trim_offsets override those of the post-processor."""
    state = dict(backend.post_processor or {})
    for key in state.keys() & {"add_prefix_space", "trim_offsets"}:
        value = args.sure(key, False) if state["type"] == "RobertaProcessing" else args.flag(key, False)
        state[key] = state[key] if value is None else value
    if backend.post_processor is not None:
        backend.post_processor = state


def bos_and_eos(args: Arguments, backend: Backend) -> None:
    """Replaces the post-processor with a template of BOS and EOS."""
    templates.set_template(args, backend, bool(args.values["add_bos_token"]), bool(args.values["add_eos_token"]))


def prefix_everywhere(args: Arguments, backend: Backend) -> None:
    """If add_prefix_space is true, sets it in every part of the pre-tokenizer that has such a setting."""
    if args.flag("add_prefix_space") and backend.pre_tokenizer is not None:
        backend.pre_tokenizer = _with_prefix(backend.pre_tokenizer)


def _with_prefix(part: Json) -> Json:
    """A part with the setting, and the parts in it."""
    inner = {"pretokenizers": [_with_prefix(each) for each in part.get("pretokenizers", ())]}
    if part["type"] == "Sequence":
        return {**part, **inner}
    return {**part, "add_prefix_space": True} if "add_prefix_space" in part else part


def no_bos(args: Arguments, backend: Backend) -> None:
    """Refuses add_bos_token."""
    if args.values.get("add_bos_token", False):
        raise args.refusal("add_bos_token is true, but it cannot add a BOS token; remove it")


def sequence_only(args: Arguments, backend: Backend) -> None:
    """Refuses a CLIP of an older form."""
    if backend.pre_tokenizer is None or backend.pre_tokenizer["type"] != "Sequence":
        raise args.refusal("the pre-tokenizer is not a Sequence; the file is for a version before 4.17")
    if backend.model.get("end_of_word_suffix") is None:
        raise args.refusal("the model has no end_of_word_suffix, which decoding needs")


CLASSES = rows("v4.toml", "class", ClassSpecV4)
"""Class name → its row."""
