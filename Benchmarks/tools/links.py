"""How players do on a slow link: pictures that arrive a second, how far behind they are, and how fast keys answer."""
import random
import statistics

from . import players
from .pictures import PictureArea
from .pseudo_terminal import run
from .screen import Screen

COLUMNS, ROWS = 80, 24
RATE = 30
SECONDS = 9.5
# The first picture fills the screen and may be a second late; what a call is like comes after.
SETTLED = 1.0
# The title of the help.
HELP = " Keys "


class Watch:
    """Follows the far end's screen and notes when each numbered picture was whole."""

    def __init__(self):
        self.screen = Screen(COLUMNS, ROWS, self.frame_ended)
        self.ends = []

    def arrived(self, data, at):
        self.screen.feed(data, at)

    def frame_ended(self, at):
        self.ends.append((at, self.screen.cells[:]))

    def numbers(self):
        """(time, number) of each picture that was not there before."""
        if not self.ends:
            return []
        area = PictureArea([(COLUMNS, cells) for _, cells in self.ends])
        found, newest = [], -1
        for at, cells in self.ends:
            number = area.number(cells)
            # A picture whose marks are covered or half drawn tells nothing.
            if number is not None and newest < number < newest + 150:
                found.append((at, number))
                newest = number
        return found


def command_of(name):
    if name == "confab":
        return players.confab("link_360")
    if name == "mpv":
        return players.mpv("link_360", paced=True)
    return players.timg("link_360", COLUMNS, ROWS)


def start_up(name):
    """Seconds from the start of a program to when its first picture is due, found where nothing holds it up."""
    watch = Watch()
    outcome = run(command_of(name), COLUMNS, ROWS, seconds=3, arrived=watch.arrived)
    # The quickest picture is the one that waited for nothing.
    return min((at - outcome.started - number / RATE for at, number in watch.numbers()), default=0)


def on_link(name, rate, start, held=0, environment=None):
    """(pictures a second, median lag ms, worst lag ms) on a link of `rate` bytes a second; None where it is missing."""
    if name != "confab" and not players.has(name):
        return None
    watch = Watch()
    outcome = run(command_of(name), COLUMNS, ROWS, rate=rate, held=held, seconds=SECONDS, arrived=watch.arrived,
                  environment=environment)
    end = outcome.started + SECONDS
    pictures = watch.numbers()
    begin = pictures[0][0] + SETTLED if pictures else end
    seen = [(at, number) for at, number in pictures if begin <= at <= end]
    if not seen:
        return 0.0, None, None
    lags = [1000 * (at - outcome.started - start - number / RATE) for at, number in seen]
    return len(seen) / (end - begin), max(0, statistics.median(lags)), max(0, max(lags))


def keys(rate):
    """Milliseconds from a key to its answer on the far end's screen while the link is full: (median, worst)."""
    generator = random.Random(3)
    delays = []
    state = {"due": None, "pressed": None, "open": False}

    def arrived(data, at):
        screen.feed(data, at)
        if state["pressed"] and (HELP in screen.all_text) != state["open"]:
            delays.append(1000 * (at - state["pressed"]))
            state.update(open=not state["open"], pressed=None, due=at + generator.uniform(0.25, 0.5))

    def typed(now):
        if state["due"] is None:
            state["due"] = now + 2
        if state["pressed"] is None and now >= state["due"]:
            state["pressed"] = now
            return b"?"
        return None

    screen = Screen(COLUMNS, ROWS)
    run(command_of("confab"), COLUMNS, ROWS, rate=rate, seconds=8, arrived=arrived, keys=typed)
    return (statistics.median(delays), max(delays)) if delays else None
