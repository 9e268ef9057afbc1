"""Lessons: cards with a few words, each beside what the engine does at one step. They are data, one TOML file each.

lesson     Lesson, Card and the four panels       library    the lessons in files/, in order
reading    TOML → Lesson, or an error that says where       checked    tables with checked keys
markup     **bold** and `tokens` in words         links      a lesson compressed in a URL
"""

from explorer.learning.lessons.lesson import Card, Lesson
from explorer.learning.lessons.library import library
from explorer.learning.lessons.reading import read_lesson

__all__ = ["Card", "Lesson", "library", "read_lesson"]
