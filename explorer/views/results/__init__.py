"""What a stage did to a text, in one or a few sentences, with counts over all of it: what the report says of each."""
