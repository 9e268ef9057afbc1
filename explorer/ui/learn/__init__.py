"""The Learn page.

page     the list, the card beside its panel of Explore, Train, Compare or Vocabulary, the same on paper, a lesson of
         one's own, a quiz and its result
visit    where the reader is, and the lesson in a file on this machine, followed as it is edited
"""
