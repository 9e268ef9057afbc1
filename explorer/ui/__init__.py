"""What a person sees: Streamlit, and only here.

`SCRIPT` is what runs for every session. `PAGES` is the folder of the pages' scripts: a page's file name is its path in
the address.
"""

from pathlib import Path
from typing import Final

SCRIPT: Final = Path(__file__).parent / "serving" / "script.py"
PAGES: Final = Path(__file__).parent / "pages"
