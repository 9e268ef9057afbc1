"""Scripts: what a stepper plays, as data.

script         named tracks, the rows each step puts, and the kinds of step, which are written as a text
packing        a script as the browser gets it
in_language    a script in another language
model_script   what the scripts of all stages share
walk_track     the tracks that several share: the path through a tree of pieces, columns
window         the part of a long text that is drawn

Who writes them: `stages/`, and `views/steppers/` for trainings, templates and what has no stage.
"""
