"""The Prompt page: what is asked, the page below the bar, and what Streamlit draws of a view.

controls   the bar, and what is asked, at first from the URL
page       the cards and the stage
template   the stepper of the view Template
"""
