#pragma once
#define NCURSES_WIDECHAR 1
#include <ncurses.h>
#include <term.h>

// Swift 6 refuses C globals and cannot read casting macros.
static inline WINDOW *confab_stdscr(void) { return stdscr; }
static inline WINDOW *confab_curscr(void) { return curscr; }
static inline attr_t confab_attribute_bold(void) { return A_BOLD; }
static inline attr_t confab_attribute_dim(void) { return A_DIM; }
static inline attr_t confab_attribute_underline(void) { return A_UNDERLINE; }
static inline attr_t confab_attribute_reverse(void) { return A_REVERSE; }
static inline int confab_mouse_event(int *column, int *row, unsigned *state) {
  MEVENT event;
  if (getmouse(&event) != OK) return 0;
  *column = event.x;
  *row = event.y;
  *state = (unsigned)event.bstate;
  return 1;
}
// 1 to 5 for the button that went down, 0 for anything else.
static inline int confab_mouse_button(unsigned state) {
  if (state & BUTTON1_PRESSED) return 1;
  if (state & BUTTON2_PRESSED) return 2;
  if (state & BUTTON3_PRESSED) return 3;
  if (state & BUTTON4_PRESSED) return 4;
  if (state & BUTTON5_PRESSED) return 5;
  return 0;
}
static inline void confab_select_mouse(void) {
  mousemask(BUTTON1_PRESSED | BUTTON2_PRESSED | BUTTON3_PRESSED | BUTTON4_PRESSED | BUTTON5_PRESSED, NULL);
}
static inline int confab_set_cell(cchar_t *cell, const wchar_t *text, attr_t attributes, int pair) {
  return setcchar(cell, text, attributes, 0, &pair);
}
