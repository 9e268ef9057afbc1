"""The public names of the package, the one list of them: a name is imported when it is first asked for."""

from explorer.analysis.divergence.result import Comparison as Comparison
from explorer.analysis.sampling import Candidate as Candidate
from explorer.analysis.sampling import Distribution as Distribution
from explorer.analysis.sampling import Sample as Sample
from explorer.analysis.sampling import distribution as distribution
from explorer.analysis.sampling import nbest as nbest
from explorer.analysis.sampling import sample as sample
from explorer.analysis.streaming import Stream as Stream
from explorer.analysis.streaming import stream as stream
from explorer.analysis.why import Why as Why
from explorer.analysis.why import why as why
from explorer.corpus.measures import measure as measure
from explorer.engine.tokenizer import Batch as Batch
from explorer.engine.tokenizer import DecodeTrace as DecodeTrace
from explorer.engine.tokenizer import Encoding as Encoding
from explorer.engine.tokenizer import Stage as Stage
from explorer.errors import ChoiceNeeded as ChoiceNeeded
from explorer.errors import InputError as InputError
from explorer.facts import Fact as Fact
from explorer.implementations.offsets import offsets as offsets
from explorer.implementations.opened import Opened as Opened
from explorer.library import Tokenizer as Tokenizer
from explorer.library import Trace as Trace
from explorer.library import compare as compare
from explorer.library import load as load
from explorer.opening.catalog import Model as Model
from explorer.opening.catalog import catalog as catalog
from explorer.prompts.check import Check as Check
from explorer.prompts.check import check_template as check_template
from explorer.prompts.engines import Engines as Engines
from explorer.prompts.engines import compare_engines as compare_engines
from explorer.prompts.masks import LossMasks as LossMasks
from explorer.prompts.masks import loss_masks as loss_masks
from explorer.prompts.model_input import Prompt as Prompt
from explorer.prompts.model_input import prompt as prompt
from explorer.prompts.turns import NextTurn as NextTurn
from explorer.prompts.turns import next_turns as next_turns
from explorer.training.trainers import TextTraining as TextTraining
from explorer.training.trainers import train as train
from explorer.version import __version__ as __version__

__all__: list[str]
