"""Scripts: what a stepper plays, as data.

script         named tracks, the rows each step puts, and the kinds of step, which are written as a text;
               and a script as the browser gets it: the part of a long text that is drawn, in its language, packed
model_script   what the scripts of all stages share: cells of a strip, a path through a tree of pieces, columns

Who writes them: `stages/`, and `views/steppers/` for trainings, templates and what has no stage.
"""
