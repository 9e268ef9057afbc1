"""All kinds of stage. A new family is a row here.

A stage is found by its name where all originals share a view of it, a model that merges by what its merges sort by, the
others by the type of their part or of their events.
"""

from collections.abc import Mapping
from typing import Any, cast

from explorer.engine.models.longest_match import FirstMissRow, TrieRow, WordPieceRow
from explorer.engine.models.lookup import CharWordRow, WordLevelRow
from explorer.engine.models.unigram import Plamo2, UnigramRow
from explorer.engine.part import Model
from explorer.engine.partition.user_defined import UserDefinedRow
from explorer.engine.pre_tokenizers.by_regex import PreTokenizeRow
from explorer.engine.pre_tokenizers.wpm import WpmRow
from explorer.engine.tokenizer import Stage
from explorer.stages.lattice.stage import PLAMO2, UNIGRAM
from explorer.stages.longest_match.stage import FIRST_MISS, LONGEST_MATCH, TRIE
from explorer.stages.lookup import UNITS, WORDS
from explorer.stages.merging.stage import MERGING
from explorer.stages.normalizers.stage import NORMALIZE
from explorer.stages.partition.stage import DNA, NORMALIZED, PARTITION, USER_DEFINED
from explorer.stages.post_processors import PAD, POST_PROCESS, TRUNCATE
from explorer.stages.pre_tokenizers import stage as pre_tokenizers
from explorer.stages.stage import ModelKind, StageKind

BY_NAME: Mapping[str, StageKind] = {
    "partition": PARTITION,
    "partition-normalized": NORMALIZED,
    "normalize": NORMALIZE,
    "dna": DNA,
    "truncate": TRUNCATE,
    "pad": PAD,
    "post-process": POST_PROCESS,
}
BY_ROW: Mapping[type[Any], StageKind] = {
    PreTokenizeRow: pre_tokenizers.PATTERN,
    WpmRow: pre_tokenizers.WORDS,
    UserDefinedRow: USER_DEFINED,
}
MODELS: Mapping[type[Any], ModelKind] = {
    WordPieceRow: LONGEST_MATCH,
    TrieRow: TRIE,
    FirstMissRow: FIRST_MISS,
    UnigramRow: UNIGRAM,
    Plamo2: PLAMO2,
    CharWordRow: UNITS,
    WordLevelRow: WORDS,
}
"""By the type of a model's events, or by its own where another's has the same events."""


IN_FILES = {kind.in_file: kind for kind in (*MERGING.values(), *MODELS.values()) if kind.in_file}
"""By the type of a tokenizer.json's model."""


def kind_of(stage: Stage) -> StageKind:
    """What kind of stage it is. Raises KeyError for an unknown one; a test checks that there is none."""
    part = stage.part
    if isinstance(part, Model):
        return model_kind(part)
    return BY_NAME[stage.name] if stage.name in BY_NAME else BY_ROW[cast("type[Any]", part.row)]


def model_kind(model: Model) -> ModelKind:
    """What kind of model it is.

    >>> import explorer
    >>> model_kind(explorer.load("gpt-2").model).name, model_kind(explorer.load("bert-uncased").model).name
    ('Merge', 'Longest match')
    """
    if model.priority is not None:
        return MERGING[model.priority]
    return MODELS.get(type(model)) or MODELS[cast("type[Any]", model.row)]
