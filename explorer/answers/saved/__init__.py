"""What the app shows as saved pages (`explorer.saved`): one HTML file each.

explore     a text under one tokenizer
comparison  a text under several: their rows, and where they part
training    a vocabulary learned from a text
lesson      a lesson, a quiz
notebook    comparisons and trainings in notebooks
"""
