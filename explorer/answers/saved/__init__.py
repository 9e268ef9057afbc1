"""What the app shows as saved pages (`explorer.saved`): one HTML file each.

explore     a text under one tokenizer
lesson      a lesson with its questions, or a quiz
"""
