"""Results of a run: tables, a summary, and the folder that holds them."""
