"""Multiple-choice questions from the trace of a text: the engine makes the choices and knows the right one.

- `question`: `Question` and `Choice`, the `Scene` that a kind looks at and the `Draft` that it writes.
- `kinds`: `KINDS`, one row per kind; which tokenizers it suits, and the function that writes it. `ask` asks one
  question, `quiz` several.
- `merging` (and what waits in the queue of a merge model), `missing_merge`,
  `counts`, `matches`, `fallback`, `paths`, `normalized`: the kinds.

Nothing is stored: a question is a function of tokenizer, text, kind and seed. Wrong choices are runners-up that occur
in the trace, or what a common misconception gives. A kind that the text does not allow gives None.
"""

from explorer.learning.questions.kinds import KINDS, Kind, ask, quiz
from explorer.learning.questions.question import Choice, Question

__all__ = ["KINDS", "Choice", "Kind", "Question", "ask", "quiz"]
