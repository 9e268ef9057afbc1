"""Multiple-choice questions from the trace of a text: the engine makes the choices and knows the right one.

- `kinds`: `KINDS`, one row per kind; which tokenizers it suits, and the function that writes it. `ask` asks one
  question, `quiz` several.
- `counts`, `fallback`: kinds about any tokenizer. Those about one stage are in its folder of `stages/`.

Nothing is stored: a question is a function of tokenizer, text, kind and seed. Wrong choices are runners-up that occur
in the trace, or what a common misconception gives. A kind that the text does not allow gives None.
"""

from explorer.learning.questions.kinds import KINDS, Kind, ask, quiz
from explorer.stages.question import Choice, Question

__all__ = ["KINDS", "Choice", "Kind", "Question", "ask", "quiz"]
