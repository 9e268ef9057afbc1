"""What a person sees: Streamlit, and only here.

`PAGES` is the folder of the pages' scripts: a page's file name is its path in the address.
"""

from pathlib import Path
from typing import Final

PAGES: Final = Path(__file__).parent / "pages"
