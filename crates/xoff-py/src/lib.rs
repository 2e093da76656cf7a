//! The Python module of xoff: converts, releases the GIL, returns columns; no logic.
