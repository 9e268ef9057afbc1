"""Lessons: cards with a few words, each beside what the engine does at one step. They are data, one TOML file each.

reading    Lesson, Card and the panels; **bold** and `tokens` in words; TOML → Lesson, or an error that says where; the
           lessons in files/, in order and in each language; a lesson in a URL
lines      the line of a key in a file, for messages
"""

from explorer.learning.lessons.reading import Card, Lesson, library, read_lesson

__all__ = ["Card", "Lesson", "library", "read_lesson"]
