"""Plans run for real on this computer: a process for each stage, what each of them took, and what was predicted of it."""
