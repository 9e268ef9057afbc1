"""Drawing: a trace → what a page shows, as plain data. No Streamlit here, and no state."""
