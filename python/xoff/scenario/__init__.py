"""Scenarios: everything that decides a run, checked before anything runs."""
