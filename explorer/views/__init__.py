"""Pure drawing: a trace → what a page shows. No Streamlit here, and no state."""
