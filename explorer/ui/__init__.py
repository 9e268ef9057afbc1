"""The web app's front end; Streamlit is imported only here.

pages/        one script for each page; its file name is its URL path
explore/, compare/, corpus/, train/   the controls and the parts of each page
tokenizers/   choosing a tokenizer: bundled, on the server, uploaded
components/   the browser components, in JavaScript
serving/      what `app.py` serves: the session's script, headers, faults, upload limits, files from memory
session       the visitor's session, which answers the pages' questions (`explorer.answers`)
text_options                how a typed text is read, and which part of a long one is drawn
widget_overrides            values that Python sets for widgets
frame                       what a page and its fragments run in: it draws refusals
notices, progress, links    what every page shares
"""

from pathlib import Path
from typing import Final

UI: Final = Path(__file__).parent
"""This folder."""
SCRIPT: Final = UI / "serving" / "script.py"
"""The script that runs for every session."""
PAGES: Final = UI / "pages"
"""The folder of the pages' scripts."""
STYLES: Final = UI / "styles"
"""The folder of the styles: `pages.css` for all pages, the others for a part of one."""
