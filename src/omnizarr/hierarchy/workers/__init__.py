"""Who does the work of a copy or a check: threads of this process, other processes, other machines."""
