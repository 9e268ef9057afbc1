"""The Learn page.

page     the list, the card beside its panel                  visit    where the reader is, and lessons of their own
panel    what a card shows: Explore, Train, Compare or Vocabulary
preview  the lesson in a file on this machine, followed as it is edited
paper    a lesson on paper
quiz     several questions in a row, and their result         own      a lesson file, dropped or in a link
"""
