"""Search for the values of some keys with which a measure is best."""
