"""Finds the picture on a screen, reads the frame number in it, and compares pictures."""
import math

from .screen import pixels

BITS = 10
# Of a picture's height, the part that the marks take (32 of 360 lines; see Benchmarks/clips), and its middle.
MARK_TOP, MARK_MIDDLE = 328 / 360, 344 / 360


class PictureArea:
    """The rectangle of cells that shows a picture, found as the one that half blocks filled on the screens seen."""

    def __init__(self, screens):
        columns = screens[0][0]
        left, right, top, bottom = columns, -1, 1 << 30, -1
        for _, cells in screens:
            for index, cell in enumerate(cells):
                if cell[0] in "▀▄":
                    row, column = divmod(index, columns)
                    left, right = min(left, column), max(right, column)
                    top, bottom = min(top, row), max(bottom, row)
        self.columns, self.left, self.width = columns, left, right - left + 1
        self.top, self.height = top, bottom - top + 1

    def covers(self, index):
        row, column = divmod(index, self.columns)
        return self.left <= column < self.left + self.width and self.top <= row < self.top + self.height

    def pixel(self, cells, x, y):
        """Of the area's own pixels, `width` x 2·`height`; None where something else is shown."""
        pair = pixels(cells[(self.top + y // 2) * self.columns + self.left + x])
        return pair and pair[y % 2]

    def number(self, cells):
        """The frame number in the marks; None if they are covered."""
        y = int(self.height * 2 * MARK_MIDDLE)
        number = previous = 0
        for bit in reversed(range(BITS)):
            color = self.pixel(cells, int(self.width * (bit + 0.5) / BITS), y)
            if color is None:
                return None
            # Gray code: each bit says whether the number's own bit differs from the one above.
            previous ^= (color >> 16 & 255) + (color >> 8 & 255) + (color & 255) > 384
            number |= previous << bit
        return number

    def squared_error(self, cells, exact):
        """Sum over the channels of the pixels above the marks, and how many channels those are."""
        total = count = 0
        for row in range(self.top, self.top + int(self.height * MARK_TOP)):
            start = row * self.columns + self.left
            for index in range(start, start + self.width):
                shown, wanted = cells[index], exact[index]
                pair, wanted_pair = pixels(shown), pixels(wanted)
                if pair is None or wanted_pair is None:
                    continue
                count += 6
                if pair == wanted_pair:
                    continue
                for color, wanted_color in zip(pair, wanted_pair):
                    difference = (color or 0), (wanted_color or 0)
                    for shift in (16, 8, 0):
                        total += ((difference[0] >> shift & 255) - (difference[1] >> shift & 255)) ** 2
        return total, count


def decibels(total, count):
    """Peak signal to noise ratio of 8-bit channels; infinite when nothing differs."""
    return math.inf if total == 0 else 10 * math.log10(255 * 255 * count / total)
