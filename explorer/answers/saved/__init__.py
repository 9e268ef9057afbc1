"""What the app shows as saved pages (`explorer.saved`): one HTML file each.

explore     a text under one tokenizer
"""
