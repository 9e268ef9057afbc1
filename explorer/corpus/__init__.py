"""Measures tokenizers on a corpus of any size: in bounded memory, on one machine or many, resumable after interrupts.

From the files to the result, module by module:

    sources    paths → files, with their format and compression → tasks of similar size; a file → bytes → lines
    parquet, documents            a range of a file → records → documents
    counter    tokenizers; documents → counts that add up
    run        what a job does with each task; all tasks, in this process or by workers; finished parts on disk
    record     counts → measures → JSON, CSV, Parquet
    document_rows, measures       numbers of each document → the measures for a paper, with intervals → its tables
    result     reads that JSON from a file of any origin
    ids_file, joining             ids on disk, for numpy.memmap
    atomic     files that are complete or absent

Needs numpy and, for Parquet, pyarrow, which Streamlit brings; for .zst files and workers `requirements-corpus.txt`.
"""
