"""The small drawing of each lesson in Learn's list, from the panel of one of its cards.

Those of the program's own lessons are kept in a file (`learning.lessons.drawings`), because making them opens most
bundled vocabularies: `python -m tests.drawings` writes it, and a test compares it with what is made here.
"""

from __future__ import annotations

from explorer.analysis.sampling import sample
from explorer.analysis.vocabulary.query import By, Query
from explorer.answers.explore import Request, tokenizer, trace_of
from explorer.answers.learn import followers, prompt_rows, spec_of
from explorer.answers.questions import question
from explorer.answers.train import trained
from explorer.answers.vocabulary import vocabulary_view
from explorer.engine.options import Options
from explorer.learning.checks.engine import train_request
from explorer.learning.lessons.lesson import (
    ComparePanel,
    ExplorePanel,
    Lesson,
    NextPanel,
    Panel,
    PromptPanel,
    SamplePanel,
    TrainPanel,
)
from explorer.stages.speller import shown_vocabulary
from explorer.stages.stage import Drawing
from explorer.views.lesson_drawings import (
    prompt_drawing,
    rows_drawing,
    stage_drawing,
    tokens_drawing,
    training_drawing,
)


def drawing_of(lesson: Lesson) -> Drawing:
    """The drawing of a lesson. Raises InputError where its panel can't be shown."""
    return panel_drawing(lesson.cards[min(lesson.drawn, len(lesson.cards)) - 1].panel)


@question
def panel_drawing(panel: Panel) -> Drawing:
    """The drawing of a panel. Raises InputError."""
    if isinstance(panel, ExplorePanel):
        spec = spec_of(panel.tokenizer, panel.implementation)
        return stage_drawing(trace_of(Request(spec, panel.text, Options(panel.special))), panel.stage)
    if isinstance(panel, TrainPanel):
        return training_drawing(trained(train_request(panel)).training)
    if isinstance(panel, NextPanel):
        return tokens_drawing((text, id) for id, text, _ in followers(panel).rows)
    if isinstance(panel, PromptPanel):
        return prompt_drawing(cell for _, row in prompt_rows(panel).rows for cell in row)
    if isinstance(panel, SamplePanel):
        tok = tokenizer(spec_of(panel.tokenizer, panel.implementation))
        drawn = sample(tok, panel.text, panel.alpha, panel.seed, rule=panel.rule, draw=panel.draw, add_special=False)
        spelling = shown_vocabulary(tok.trace(""), False).spelling
        return tokens_drawing((spelling(id), id) for id in drawn.ids)
    if isinstance(panel, ComparePanel):
        plain = Options(False)
        return rows_drawing(trace_of(Request(spec_of(label), panel.text, plain)) for label in panel.tokenizers)
    spec = spec_of(panel.tokenizer, panel.implementation)
    found = vocabulary_view(spec, Query(panel.search, By(panel.by)), False, 20)
    return tokens_drawing((str(row[1]), int(str(row[0]))) for row in found.rows)
