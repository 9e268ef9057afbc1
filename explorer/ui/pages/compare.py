"""Compare: how do these tokenizers split the same text, and where do they first differ?"""

from explorer.answers.explore import Request, doubled, facts_of
from explorer.facts import listed
from explorer.ui.compare.tabs import TABS, choose, draw_chips, draw_read, draw_tab
from explorer.ui.frame import begin_page, both_ends, choose_tab, progress_line, show_notice, show_warnings
from explorer.ui.language import words
from explorer.ui.parameters import apply_overrides, is_overridden

begin_page("Compare tokenizers", "compare")
head = choose()
apply_overrides("view")
with head.asked:
    shown = {name: each.shown or name for name, each in TABS.items()}
    tab = choose_tab("Question", shown, key="view", default=None if is_overridden("view") else "")
    report = progress_line()
request = head.request
if request is not None:
    with head.chips:
        draw_chips(request, TABS[tab].chosen)
    specs = tuple(request.specs.values())
    with head.bar:
        show_warnings(f"{spec.title}: {each}" for spec in specs for each in facts_of(spec.without_pattern).warnings)
        draw_read(tab)
    twice: dict[str, list[str]] = {}
    for spec in specs:
        for each in doubled(Request(spec, both_ends(request.text), request.options)):
            twice.setdefault(words(each), []).append(spec.title)
    for said, titles in twice.items():
        show_notice(f"{listed(titles)}: {said}")
    draw_tab(tab, request, report)
