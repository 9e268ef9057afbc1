"""Learn: lessons whose cards drive the real panels, and questions that the engine grades."""

from explorer.ui.frame import begin_page
from explorer.ui.learn.page import follow
from explorer.ui.learn.visit import preview_path, visit, watch

begin_page("Learn", "learn")
follow()
path = preview_path()
if path is not None:
    watch(path, visit().preview.stamp)
