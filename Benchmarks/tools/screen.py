"""A small terminal: executes the control sequences of full-screen programs on a grid of cells."""
import re

TOKEN = re.compile(
    rb"\x1b\[(?P<parameters>[0-9;:?>=]*)(?P<final>[ !$]?[@-~])"
    rb"|(?P<text>[\x20-\x7e]+|(?:[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3})+)"
    rb"|(?P<string>\x1b[P\]_X^].*?(?:\x1b\\|\x07))"
    rb"|\x1b[()][0-9A-Za-z]|\x1b(?P<escape>[^\[P\]_X^()])|(?P<control>[\x00-\x1a\x1c-\x1f\x7f])", re.S)
LONGEST_TOKEN = 1 << 20
BLANK = (" ", None, None)


def palette():
    """The 256 colours as 0xRRGGBB; the first sixteen as xterm has them."""
    first = (0x000000, 0xCD0000, 0x00CD00, 0xCDCD00, 0x0000EE, 0xCD00CD, 0x00CDCD, 0xE5E5E5,
             0x7F7F7F, 0xFF0000, 0x00FF00, 0xFFFF00, 0x5C5CFF, 0xFF00FF, 0x00FFFF, 0xFFFFFF)
    levels = (0, 95, 135, 175, 215, 255)
    cube = [red << 16 | green << 8 | blue for red in levels for green in levels for blue in levels]
    return (*first, *cube, *((8 + 10 * step) * 0x010101 for step in range(24)))


PALETTE = palette()


class Screen:
    """Cells are (glyph, foreground, background); a colour is 0xRRGGBB, or None for the terminal's own.

    frame_ended is called with the time of the latest printed text whenever the cursor goes up again: full-screen
    players draw from the top, so a frame is then whole.
    """

    def __init__(self, columns, rows, frame_ended=None):
        self.columns, self.rows = columns, rows
        self.cells = [BLANK] * (columns * rows)
        self.row = self.column = 0
        self.foreground = self.background = None
        self.frame_ended = frame_ended
        self.printed_at = None
        self.last = BLANK
        self.pending = b""

    def feed(self, data, at=0.0):
        data = self.pending + data if self.pending else data
        position = 0
        while position < len(data):
            match = TOKEN.match(data, position)
            if match is None:
                if len(data) - position < LONGEST_TOKEN and data[position] >= 0x1B:
                    break
                position += 1
                continue
            # Text that reaches the end may go on within a character, which the pattern leaves over by itself.
            position = match.end()
            kind = match.lastgroup
            if kind == "text":
                self.print(match[kind].decode(), at)
            elif kind == "final":
                self.control(match["parameters"], match["final"])
            elif kind == "control":
                self.move_by_control(match[kind][0])
        self.pending = data[position:]

    def text(self, row):
        return "".join(cell[0] for cell in self.cells[row * self.columns:(row + 1) * self.columns])

    @property
    def all_text(self):
        return "\n".join(self.text(row) for row in range(self.rows))

    def print(self, text, at):
        self.printed_at = at
        style = (self.foreground, self.background)
        for glyph in text:
            if self.column >= self.columns:
                self.column = 0
                self.row = min(self.row + 1, self.rows - 1)
            self.last = (glyph, *style)
            self.cells[self.row * self.columns + self.column] = self.last
            self.column += 1

    def go(self, column, row):
        row = min(max(row, 0), self.rows - 1)
        if row < self.row and self.printed_at is not None:
            at, self.printed_at = self.printed_at, None
            if self.frame_ended:
                self.frame_ended(at)
        self.row = row
        self.column = min(max(column, 0), self.columns - 1)

    def move_by_control(self, byte):
        if byte == 0x0A:
            self.go(self.column, self.row + 1)
        elif byte == 0x0D:
            self.go(0, self.row)
        elif byte == 0x08:
            self.go(self.column - 1, self.row)

    def control(self, parameters, final):
        if final == b"m":
            self.select(parameters)
        elif parameters[:1] in (b"?", b">", b"="):
            if final == b"h" and parameters == b"?1049":
                self.cells = [BLANK] * len(self.cells)
        else:
            self.act([int(value) if value else None for value in parameters.split(b";")], final)

    def act(self, values, final):
        count = values[0] or 1
        if final in (b"H", b"f"):
            self.go((values[1] or 1) - 1 if len(values) > 1 else 0, count - 1)
        elif final == b"A":
            self.go(self.column, self.row - count)
        elif final == b"B":
            self.go(self.column, self.row + count)
        elif final == b"C":
            self.go(self.column + count, self.row)
        elif final == b"D":
            self.go(self.column - count, self.row)
        elif final == b"G":
            self.go(count - 1, self.row)
        elif final == b"d":
            self.go(self.column, count - 1)
        elif final == b"b":
            self.print(self.last[0] * count, self.printed_at)
        elif final == b"X":
            self.blank(self.row, self.column, min(self.column + count, self.columns))
        elif final == b"K":
            start = self.column if (values[0] or 0) == 0 else 0
            self.blank(self.row, start, self.column + 1 if values[0] == 1 else self.columns)
        elif final == b"J":
            if (values[0] or 0) == 0:
                self.blank(self.row, self.column, self.columns)
            for row in range(self.rows):
                if values[0] in (2, 3) or row > self.row and not values[0]:
                    self.blank(row, 0, self.columns)

    def blank(self, row, start, end):
        self.cells[row * self.columns + start:row * self.columns + end] = [(" ", None, self.background)] * (end - start)

    def select(self, parameters):
        values = [int(value) if value else 0 for value in parameters.replace(b":", b";").split(b";")]
        index = 0
        while index < len(values):
            value = values[index]
            if value in (38, 48):
                if values[index + 1:index + 2] == [2]:
                    red, green, blue = values[index + 2:index + 5]
                    color = red << 16 | green << 8 | blue
                    index += 4
                else:
                    color = PALETTE[values[index + 2]]
                    index += 2
                if value == 38:
                    self.foreground = color
                else:
                    self.background = color
            elif value == 0:
                self.foreground = self.background = None
            elif 30 <= value <= 37:
                self.foreground = PALETTE[value - 30]
            elif 40 <= value <= 47:
                self.background = PALETTE[value - 40]
            elif 90 <= value <= 97:
                self.foreground = PALETTE[value - 82]
            elif 100 <= value <= 107:
                self.background = PALETTE[value - 92]
            elif value == 39:
                self.foreground = None
            elif value == 49:
                self.background = None
            index += 1


def pixels(cell):
    """The upper and lower colour of a cell that shows two pixels; None for one that shows anything else."""
    glyph, foreground, background = cell
    if glyph == " ":
        return (background, background)
    if glyph == "█":
        return (foreground, foreground)
    if glyph == "▀":
        return (foreground, background)
    if glyph == "▄":
        return (background, foreground)
    return None
