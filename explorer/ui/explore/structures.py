"""Other structures that can hold a trie, below the stage of a model that walks through one."""

from __future__ import annotations

import streamlit as st

from explorer.views.trie_structures import trie_structures


@st.fragment
def structures_expander() -> None:
    """Draws the comparison while its expander is open."""
    with st.expander(
        "How else a trie can be held", icon=":material/account_tree:", on_change="rerun", key="tries"
    ) as box:
        if not box.open:
            return
        found = trie_structures()
        st.table(list(found.rows))
        st.caption(
            "The longest match needs nothing but a trie; how it is kept is a question of memory and speed. All of "
            "these give the same tokens. Speed is relative to this engine, memory is what Python's allocator counts. "
            "pygtrie, marisa-trie and pyahocorasick are packages of PyPI. Measured by `python -m benchmarks.tries`:"
        )
        st.text(found.measured)
