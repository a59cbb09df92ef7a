"""The engine that starts, answers, resumes, lists and deletes threads of any graph.

A graph brings its table of steps, its question and its result.
"""
