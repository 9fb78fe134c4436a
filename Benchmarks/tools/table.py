"""The table: rows of figures with their goals, as Markdown."""
import operator

PEERS = ("mpv", "timg", "chafa")
HEADER = ("figure", "goal", "Confab", "", *PEERS)
NOT_MEASURED = "–"


class Goal:
    """A bound that a figure is to keep."""

    def __init__(self, sign, bound, unit=""):
        self.sign, self.bound, self.unit = sign, bound, unit
        self.holds = operator.le if sign == "≤" else operator.ge

    def __str__(self):
        return f"{self.sign} {self.bound:g}{self.unit}"

    def verdict(self, value):
        return "met" if self.holds(value, self.bound) else "not met"


class Table:
    def __init__(self):
        self.rows = []
        self.missed = []

    def add(self, figure, goals, values, text, peers=None):
        """A row. `goals` and `values` go together; `text` is how the values are shown. A value of None was not told."""
        if any(value is None for value in values):
            verdict = "not told"
        else:
            verdict = "met" if all(goal.verdict(value) == "met" for goal, value in zip(goals, values)) else "**not met**"
        if goals and verdict != "met":
            self.missed.append(figure)
        goal = ", ".join(map(str, goals)) or NOT_MEASURED
        peers = peers or {}
        row = (figure, goal, text, verdict if goals else NOT_MEASURED, *(peers.get(peer, NOT_MEASURED) for peer in PEERS))
        self.rows.append(row)
        print("  ".join(row), flush=True)

    def __str__(self):
        lines = [HEADER, ("---",) * len(HEADER), *self.rows]
        return "\n".join("| " + " | ".join(line) + " |" for line in lines)
