"""What a person sees: Streamlit, and only here."""
