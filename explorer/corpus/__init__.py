"""Tokenizers over a corpus of any size: in bounded memory, on one machine or many, interrupted and gone on with.

From the files to the result, module by module:

    sources    paths → files, with what they hold and how they are packed
    tasks      files → tasks of about one size, cut where it can be done
    streams, reading, parquet, documents   a piece of a file → bytes → lines and records → documents
    models, meter, tally          tokenizers; documents → counts; counts that add up
    work       one task, done anywhere: its tally, its ids
    run, over_dask, parts         all tasks: here or by workers; what is finished, kept on the disk
    measures, record, table       counts → measures → JSON, CSV, Parquet
    result     that JSON, read again from a file of any origin
    ids_file, joining             ids on the disk, for numpy.memmap
    atomic     files that are there whole or not at all

Needs numpy and, for Parquet, pyarrow, which Streamlit brings; for .zst files and workers `requirements-corpus.txt`.
"""
