"""Learn: lessons whose cards drive the real panels, and questions that the engine grades."""

from explorer.ui.bar import begin_page
from explorer.ui.learn.page import follow

begin_page("Learn", "learn")
follow()
