"""Why is this token in the trained vocabulary, and why is that one not? The ways to write a word, and lint."""

from __future__ import annotations

from explorer.analysis.lint import lint
from explorer.answers.questions import question
from explorer.answers.train import SECONDS, TrainRequest, train_view, trained
from explorer.engine.limits import budget
from explorer.engine.unicode.byte_map import bytes_of, printable
from explorer.formats import tokenizer_json
from explorer.text.say import Say
from explorer.training.likelihood import PREFIX
from explorer.training.why import IN
from explorer.training.why_words import why
from explorer.training.word_ways import WordWays, word_ways

LONGEST = 60
"""Characters of a text that is asked about."""


def stored(text: str, request: TrainRequest) -> str:
    """A text as the vocabulary spells it: with ▁ for spaces, or with the characters of its bytes.

    >>> stored(" the", TrainRequest(("bpe", "huggingface"), "metaspace", "", 48))
    '▁the'
    >>> stored(" é", TrainRequest(("bpe", "huggingface"), "byte-level", "", 48))
    'ĠÃ©'
    """
    if request.cutting == "metaspace" or request.whose[1].startswith("sentencepiece"):
        return text.replace(" ", "▁")
    if request.cutting == "byte-level" and bytes_of(text) is None:
        return printable(text.encode())
    return text


@question()
def ways_of(request: TrainRequest, word: str) -> WordWays:
    """All ways to write a word with a trained Unigram model. Raises InputError."""
    with budget.within("this question", SECONDS):
        return word_ways(trained(request).training.learned, stored(word[:LONGEST], request))


@question()
def lint_of(request: TrainRequest) -> tuple[Say, ...]:
    """Contradictions in the file that a training gives, with what to do; none for a file that is no tokenizer.json."""
    view = train_view(request)
    if not view.file_name.endswith(".json"):
        return ()
    found = lint(tokenizer_json.read(view.file, "tokenizer.json"))
    return tuple(finding.says.then(Say.of(finding.fix)) for finding in found)


@question()
def why_token(request: TrainRequest, text: str) -> Say:
    """The answer, beginning with whether the text is a token. Raises InputError."""
    training, words, options = trained(request)
    token = stored(text[:LONGEST], request)
    texts = request.text.split("\n")
    if request.cutting == "byte-level":
        texts = [printable(each.encode()) for each in texts]
    prefix = PREFIX if request.whose[0] == "wordpiece" else getattr(options, "continuing_subword_prefix", None) or ""
    with budget.within("this question", SECONDS):
        found = why(training, token, texts, list(words), prefix)
    is_in = found.cause in IN
    return Say.of("{0:q} is a token." if is_in else "{0:q} is no token.", token).then(found.say)
