"""Published figures run again: what was published, what is measured, and a verdict on each claim."""
