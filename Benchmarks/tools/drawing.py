"""What drawing one clip costs, beside the players, and whether what is shown is what was meant."""
import concurrent.futures
import math
import re

from . import players
from .pictures import PictureArea, decibels
from .pseudo_terminal import run
from .screen import Screen

SIZES = ((80, 24), (120, 40), (200, 60))
FRAMES = 300
# chafa needs up to 80 ms a picture: a fifth of the clip says the same.
STILLS = 60
# Where a frame of ours ends: with a synchronised update, or with colours reset and the cursor at home.
SYNC_END, HOME_END = re.compile(rb"\x1b\[\?2026l"), re.compile(rb"\x1b\[m\x1b\[H")


class FrameCounter:
    """Counts frames by how they end, over pieces of output."""

    def __init__(self):
        self.tail = b""
        self.synchronised = self.homed = 0

    def take(self, data, _):
        text = self.tail + data
        for match in SYNC_END.finditer(text):
            self.synchronised += match.end() > len(self.tail)
        for match in HOME_END.finditer(text):
            self.homed += match.end() > len(self.tail)
        self.tail = text[-8:]

    @property
    def frames(self):
        return self.synchronised or self.homed


def cost_of_confab(columns, rows, colors):
    """(CPU ms a frame, bytes a frame, frames shown) of ten seconds of the call at its own pace."""
    counter = FrameCounter()
    outcome = checked(run(players.confab("call_360", colors=colors), columns, rows, arrived=counter.take))
    frames = max(1, counter.frames)
    return 1000 * outcome.cpu_s / frames, outcome.bytes / frames, counter.frames


def cost_of_graphics(kind, columns, rows):
    """The same of five seconds in the terminal's own pixels."""
    counter = FrameCounter()
    outcome = run(players.confab("call_360", more=["--glyphs", kind]), columns, rows, seconds=5, arrived=counter.take,
                  graphics=True)
    frames = max(1, counter.frames)
    return 1000 * outcome.cpu_s / frames, outcome.bytes / frames, counter.frames


def cost_of_peer(name, columns, rows, colors):
    """The same of a player; None where it is missing."""
    if not players.has(name):
        return None
    if name == "mpv":
        command, frames = players.mpv("call_360", colors), FRAMES
    elif name == "timg":
        command, frames = players.timg("call_360", columns, rows, colors), FRAMES
    else:
        command, frames = players.chafa(players.stills(STILLS), columns, rows, colors), STILLS
    outcome = checked(run(command, columns, rows))
    return 1000 * outcome.cpu_s / frames, outcome.bytes / frames, frames


def checked(outcome):
    if outcome.status:
        raise SystemExit(f"a program that was measured ended with status {outcome.status}")
    return outcome


class Recording:
    """The screens of a run, by the frame number that each shows."""

    def __init__(self, clip, columns, rows, seconds=None, more=()):
        self.pieces = []
        self.outcome = run(players.confab(clip, more=more), columns, rows, seconds=seconds,
                           arrived=lambda data, at: self.pieces.append((data, at)))
        self.columns, self.rows = columns, rows

    def screens(self):
        """Every frame as (columns, cells), in order."""
        found = []
        screen = Screen(self.columns, self.rows, lambda _: found.append((self.columns, screen.cells[:])))
        for data, at in self.pieces:
            screen.feed(data, at)
        return found


def fidelity(columns, rows, seconds=4):
    """PSNR in dB of what is shown with the usual tolerance against the same frames sent exactly; and how many frames
    were compared. The clip's own frame numbers pair them, and the marks themselves are left out."""
    with concurrent.futures.ThreadPoolExecutor() as pool:
        usual, exact = pool.map(
            lambda more: Recording("link_360", columns, rows, seconds, more), ([], ["--tolerance", "0"]))
    usual, exact = usual.screens(), exact.screens()
    area = PictureArea(exact)
    wanted = {}
    for _, cells in exact:
        wanted.setdefault(area.number(cells), cells)
    total = count = frames = 0
    # The first second, while the screen fills, is not how a call looks; a few frames a second say enough.
    for _, cells in usual[30::4]:
        number = area.number(cells)
        if number is None or number not in wanted:
            continue
        errors, channels = area.squared_error(cells, wanted[number])
        total += errors
        count += channels
        frames += 1
    return (decibels(total, count) if count else math.nan), frames


class WritingScreen(Screen):
    """Remembers which cells were written since it was told to forget."""

    def __init__(self, columns, rows):
        super().__init__(columns, rows)
        self.written = set()

    def print(self, text, at):
        start = self.row * self.columns + self.column
        super().print(text, at)
        self.written.update(range(start, start + len(text)))


def still(columns, rows):
    """(picture cells written, bytes of everything written, whether the picture is exact), from one second after the last
    change of the pictures on. The clock of the title goes on all the while."""
    # Two seconds move, the encoder settles for a few frames, five stand still.
    settled, until = 2.3, 6.5
    with concurrent.futures.ThreadPoolExecutor() as pool:
        usual, exact = pool.map(
            lambda more: Recording("still_360", columns, rows, until, more), ([], ["--tolerance", "0"]))
    late_from = usual.pieces[0][1] + settled + 1
    late_bytes = 0
    screens = []
    for recording in (usual, exact):
        screen = WritingScreen(columns, rows)
        for data, at in recording.pieces:
            # The program's farewell is not part of the picture.
            if at >= recording.outcome.started + until - 0.1:
                break
            screen.feed(data, at)
            if recording is usual and at < late_from:
                screen.written.clear()
            elif recording is usual:
                late_bytes += len(data)
        screens.append(screen)
    area = PictureArea([(columns, screens[1].cells)])
    late = sum(area.covers(index) for index in screens[0].written)
    errors, _ = area.squared_error(screens[0].cells, screens[1].cells)
    return late, late_bytes, errors == 0


def tiles(count, columns=200, rows=60):
    """Share of a core in % that so many clips of 320x180 at 30 frames a second take, decoding included."""
    outcome = checked(run(players.confab(*["call_180"] * count), columns, rows))
    return 100 * outcome.cpu_s / 10
