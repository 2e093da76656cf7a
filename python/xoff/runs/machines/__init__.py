"""Machines that do runs: processes of this one, Slurm, Dask, or whatever an executor of the caller reaches."""
