"""The command that asks questions about a tokenizer and grades the answers: `quiz`.

On a terminal it prints a question with numbered choices and reads a number from standard input; an empty line leaves
the question out, and the end of the input ends the quiz. With --csv or --json the result goes to standard output and
the questions to standard error. The same seed asks the same questions.
"""

import sys
from collections.abc import Iterator, Sequence

from explorer.analysis.tokenizer_exports import Answered, quiz_export
from explorer.cli.commands import load_model
from explorer.cli.shared import (
    Parsed,
    argument,
    only_one,
    prompt,
    say,
    say_export,
)
from explorer.errors import InputError
from explorer.learning import questions as asking
from explorer.learning.questions import Choice, Question
from explorer.text.say import plain

TEXTS = (
    "What is LoRA?",
    "A tokenizer tokenizes unaffable texts.",
    "He's going to @World 123 times!!",
    "the theme of the thesis",
    "Ångström, Straße, ﬁne, e\u0301",
    "Hello, こんにちは! 😊 🦙",
    "吾輩は猫である。",
    "lower, lowest, 3.14159",
    "Donaudampfschifffahrt",
    "def f(x):\n\treturn x",
)


MOST_COUNT = 1_000


def quiz(parsed: Parsed) -> int:
    if not 1 <= parsed.count <= MOST_COUNT:
        parsed.usage_error(f"--count is {parsed.count}; give a number from 1 to {MOST_COUNT}")
    form = only_one(parsed, "csv", "json")
    tokenizer = load_model(parsed)
    texts = TEXTS if parsed.texts is None else [argument(parsed, each, "--text") for each in parsed.texts]
    questions = asking.quiz([tokenizer], texts, parsed.count, parsed.seed, parsed.kinds)
    if not questions:
        raise InputError("these texts allow no such question under this tokenizer; give another --text or --kind")
    if parsed.answers:
        if not form:
            print_answers(questions)
        rows = [row_of(number, each, None) for number, each in enumerate(questions, 1)]
    else:
        rows = list(ask_all(questions, aside=bool(form)))
        right = sum(each.correct for each in rows)
        left = sum(each.answer is None for each in rows)
        say(f"{right} of {len(questions)} right" + (f", {left} left out." if left else "."), error=bool(form))
    if form:
        say_export(quiz_export(tokenizer, parsed.seed, rows), form)
    return 0


def print_answers(questions: Sequence[Question]) -> None:
    """Prints questions, each with its right choice marked and its explanation."""
    for number, question in enumerate(questions, 1):
        print_question(number, question, aside=False, mark=question.right)
        say(f"   {plain(question.explanation)}")
        say()


def print_question(number: int, question: Question, *, aside: bool, mark: int | None = None) -> None:
    """Prints a question with its choices. mark: the choice to mark."""
    say(f"{number}. {plain(question.prompt)}", error=aside)
    for index, choice in enumerate(question.choices):
        say(f" {'*' if index == mark else ' '} {index + 1}) {shown(choice)}", error=aside)


def ask_all(questions: Sequence[Question], *, aside: bool) -> Iterator[Answered]:
    """Asks question after question and says whether each answer is right. It stops at the end of the input."""
    ended = False
    for number, question in enumerate(questions, 1):
        if ended:
            yield row_of(number, question, None)
            continue
        print_question(number, question, aside=aside)
        chosen, ended = read_choice(len(question.choices), aside=aside)
        yield row_of(number, question, chosen)
        if chosen is None:
            continue
        if chosen == question.right:
            say(f"Right. {plain(question.explanation)}", error=aside)
        else:
            right = shown(question.choices[question.right])
            why = plain(question.choices[chosen].why)
            say(f"Wrong{f': {why}' if why else '.'}", error=aside)
            say(f"Right is {right}. {plain(question.explanation)}", error=aside)
        say(error=aside)


def read_choice(count: int, *, aside: bool) -> tuple[int | None, bool]:
    """The index of a choice, None for a question left out; and whether the input has ended."""
    while True:
        prompt(f"1 to {count}, or nothing: ", error=aside)
        line = sys.stdin.buffer.readline()
        if not line:
            say(error=aside)
            return None, True
        typed = line.decode("ascii", "replace").strip()
        if not typed:
            return None, False
        if typed.isdecimal() and 1 <= int(typed[:4]) <= count:
            return int(typed[:4]) - 1, False
        say(f"Type a number from 1 to {count}.", error=aside)


def shown(choice: Choice) -> str:
    """A choice with the value beside it."""
    return f"{choice.shown} ({choice.note})" if choice.note else choice.shown


def row_of(number: int, question: Question, chosen: int | None) -> Answered:
    """A row of the result. chosen: the index of a choice."""
    taken = None if chosen is None else shown(question.choices[chosen])
    right = shown(question.choices[question.right])
    return Answered(
        number,
        question.kind,
        question.seed,
        question.text,
        plain(question.prompt),
        taken,
        right,
        chosen == question.right,
        tuple(map(shown, question.choices)),
    )
