"""The panel of a plan's run: the measured schedule under the predicted one, and what each stage took beside what was predicted."""
