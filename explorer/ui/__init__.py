"""The web app's front end; Streamlit is imported only here.

pages/           one script for each page; its file name is its URL path
compare/, learn/, vocabulary/, explore, corpus, train, prompt   the controls and the parts of each page
tokenizers/      choosing a tokenizer: bundled, on the server, uploaded
components/      the browser components, in JavaScript, and what is told to them
serving/         what `app.py` serves: the session's script, the first HTML, headers, limits, files from memory
styles/          style sheets: of all pages, and of a part of one
gallery          "What brought you here?", and the button that leads there
palette          the head of every page: its chip, and what the palette (Ctrl K) answers
frame            what every page has: the session, title, bar, rows, errors and notices, progress
parameters       choices in the URL and what Python sets in widgets: the visitor's own text and tokenizer, which go
                 along to every page, how a typed text is read, and which part of a long one is drawn
language         the visitor's language, and the words of the pages in it
"""

from pathlib import Path

UI = Path(__file__).parent
"""This folder."""
SCRIPT = UI / "serving" / "script.py"
"""The script that runs for every session."""
PAGES = UI / "pages"
"""The folder of the pages' scripts."""
STYLES = UI / "styles"
"""The folder of the styles: `pages.css` for all pages, the others for a part of one."""
