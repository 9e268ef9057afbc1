"""What `app.py` serves: a session's script, response headers, fault reports, limits on uploads, files from memory.

The script has a folder of its own, because Streamlit would run the files of a `pages` folder beside it by itself.
"""
