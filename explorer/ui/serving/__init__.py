"""What `app.py` serves: the script of a session, the headers of every answer, what is said of a fault.

The script lies in a folder of its own: beside a folder called `pages` Streamlit would run its files by themselves.
"""
