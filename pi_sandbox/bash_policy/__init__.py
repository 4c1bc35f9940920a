"""Restricted bash: whether a command of a background model only reads, and what then runs in its place."""
