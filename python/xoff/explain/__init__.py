"""Explanations of a result: slow flows, pauses, drops, pathologies."""
