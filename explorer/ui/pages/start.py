"""Start: what brought you here? Tasks with pictures, each a link that shows its answer, and texts to try."""

from explorer.ui.frame import begin_page
from explorer.ui.gallery import gallery

begin_page("What brought you here?", "start")
gallery()
