"""Measures what a model makes of a document: cases, trials that send nothing, and whether a change helped."""
