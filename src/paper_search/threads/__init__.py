"""Threads of any graph: started, asked, answered, resumed, listed and deleted.

A graph brings its table of steps, its question and its result; what drives it is here.
"""
