#include "cli/top/top_screen.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/interrupt.h"

/* Behind the others: it defines many short names. */
#define NCURSES_NOMACROS 1
#include <curses.h>
#include <term.h>
#undef columns
#undef lines

enum { ESC_MS = 25 };

static struct {
    bool is_on, has_color;
} screen;

static volatile sig_atomic_t is_hung_up;

static void on_hangup(int number)
{
    (void)number;
    is_hung_up = 1;
}

/* The shell goes on with it, however we end. */
static void put_terminal_back(void)
{
    if (screen.is_on) endwin();
}

static void on_fault(int number)
{
    put_terminal_back();
    signal(number, SIG_DFL);
    raise(number);
}

/* ---- beginning and end ----------------------------------------------------------------------- */

static bool check_term(struct fl_err *err)
{
    const char *term = getenv("TERM");
    int status = 0;

    if (!term || !*term) {
        return fl_fail(err, FL_INVALID,
                       "TERM is not set, so this terminal's codes are not known: set it, as in "
                       "TERM=xterm; 'fairlead ps' and 'fairlead top --once' need none");
    }
    if (setupterm(NULL, STDOUT_FILENO, &status) != OK) {
        return fl_fail(err, FL_INVALID,
                       "TERM=%s: %s; install the package ncurses-base or ncurses-term, or set "
                       "another, as in TERM=xterm; 'fairlead ps' and 'fairlead top --once' need "
                       "none",
                       term,
                       status < 0 ? "no terminfo is on this machine"
                                  : "terminfo does not know it, or only as a kind of terminal");
    }
    if (!cursor_address || !clear_screen) {
        return fl_fail(err, FL_INVALID,
                       "TERM=%s: this terminal cannot be written at any place, which a full screen "
                       "needs; 'fairlead ps' and 'fairlead top --once' print instead",
                       term);
    }
    del_curterm(cur_term);
    return true;
}

static void make_colors(bool is_wanted)
{
    static const short colors[][3] = {
        {TOP_GOOD, COLOR_GREEN, -1},          {TOP_BAD, COLOR_RED, -1},
        {TOP_BUSY, COLOR_CYAN, -1},           {TOP_WARN, COLOR_YELLOW, -1},
        {TOP_HEAD, COLOR_BLACK, COLOR_GREEN}, {TOP_SELECTED, COLOR_BLACK, COLOR_CYAN},
        {TOP_TAGGED, COLOR_YELLOW, -1},       {TOP_BAR, COLOR_BLACK, COLOR_CYAN},
    };

    screen.has_color = is_wanted && has_colors() && start_color() == OK;
    if (!screen.has_color) return;
    if (use_default_colors() != OK) assume_default_colors(COLOR_WHITE, COLOR_BLACK);
    for (size_t i = 0; i < sizeof colors / sizeof *colors; i++) {
        init_pair(colors[i][0], colors[i][1], colors[i][2]);
    }
}

static void catch_signals(void)
{
    static const int faults[] = {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGQUIT};
    struct sigaction action = {.sa_handler = on_hangup};

    sigaction(SIGHUP, &action, NULL);
    cli_at_last_interrupt(put_terminal_back);
    action.sa_handler = on_fault;
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        sigaction(faults[i], &action, NULL);
    }
}

bool top_screen_begin(bool wants_color, struct fl_err *err)
{
    if (!check_term(err)) return false;
    if (!newterm(NULL, stdout, stdin)) {
        return fl_fail(err, FL_INVALID,
                       "TERM=%s: ncurses cannot use it; 'fairlead ps' and 'fairlead top --once' "
                       "print instead",
                       getenv("TERM"));
    }
    screen.is_on = true;
    catch_signals();
    set_escdelay(ESC_MS);
    cbreak();
    noecho();
    nonl();
    keypad(stdscr, TRUE);
    nodelay(stdscr, TRUE);
    curs_set(0);
    make_colors(wants_color);
    return true;
}

void top_screen_end(void)
{
    if (!screen.is_on) return;
    endwin();
    screen.is_on = false;
}

bool top_screen_is_gone(void)
{
    struct pollfd in = {.fd = STDIN_FILENO};

    return is_hung_up || (poll(&in, 1, 0) > 0 && (in.revents & (POLLHUP | POLLERR | POLLNVAL)));
}

/* ---- frames ---------------------------------------------------------------------------------- */

void top_screen_size(size_t *ret_rows, size_t *ret_columns)
{
    struct winsize size = {0};

    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row && size.ws_col &&
        is_term_resized(size.ws_row, size.ws_col)) {
        resizeterm(size.ws_row, size.ws_col);
    }
    *ret_rows = (size_t)getmaxy(stdscr);
    *ret_columns = (size_t)getmaxx(stdscr);
}

static attr_t attributes_of(enum top_style style)
{
    switch (style) {
    case TOP_BOLD:
        return A_BOLD;
    case TOP_DIM:
        return A_DIM;
    case TOP_BAD:
    case TOP_WARN:
    case TOP_TAGGED:
        return A_BOLD;
    case TOP_HEAD:
    case TOP_SELECTED:
    case TOP_BAR:
        return screen.has_color ? A_NORMAL : A_REVERSE;
    default:
        return A_NORMAL;
    }
}

static short pair_of(enum top_style style)
{
    return screen.has_color && style >= TOP_GOOD ? (short)style : 0;
}

static void put_cell(int row, int column, const struct top_cell *cell)
{
    wchar_t text[] = {(wchar_t)cell->c, (wchar_t)cell->mark, 0};
    cchar_t shown;
    int code = setcchar(&shown, text, attributes_of(cell->style), pair_of(cell->style), NULL);

    if (code == OK) mvadd_wch(row, column, &shown);
}

void top_screen_show(const struct top_cells *cells)
{
    erase();
    for (size_t i = 0; i < cells->rows * cells->columns; i++) {
        if (cells->at[i].is_tail) continue;
        put_cell((int)(i / cells->columns), (int)(i % cells->columns), &cells->at[i]);
    }
    refresh();
}

void top_screen_redraw(void)
{
    clearok(curscr, TRUE);
}

/* ---- keys ------------------------------------------------------------------------------------ */

static uint32_t special(wint_t code)
{
    static const struct {
        wint_t code;
        uint32_t key;
    } keys[] = {
        {KEY_UP, TOP_KEY_UP},         {KEY_DOWN, TOP_KEY_DOWN},
        {KEY_LEFT, TOP_KEY_LEFT},     {KEY_RIGHT, TOP_KEY_RIGHT},
        {KEY_PPAGE, TOP_KEY_PAGE_UP}, {KEY_NPAGE, TOP_KEY_PAGE_DOWN},
        {KEY_HOME, TOP_KEY_HOME},     {KEY_END, TOP_KEY_END},
        {KEY_BTAB, TOP_KEY_BACK_TAB}, {KEY_BACKSPACE, TOP_KEY_BACKSPACE},
        {KEY_ENTER, TOP_KEY_ENTER},   {KEY_RESIZE, TOP_KEY_RESIZE},
    };

    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (keys[i].code == code) return keys[i].key;
    }
    if (code >= KEY_F(1) && code <= KEY_F(10)) return TOP_KEY_F1 + (code - KEY_F(1));
    return TOP_KEY_NONE;
}

uint32_t top_screen_key(void)
{
    wint_t c;

    while (true) {
        int kind = get_wch(&c);
        uint32_t key = kind == KEY_CODE_YES ? special(c) : (uint32_t)c;

        if (kind == ERR) return TOP_KEY_NONE;
        if (key != TOP_KEY_NONE) return key;
    }
}

/* ---- another program ------------------------------------------------------------------------- */

static bool start(const char *const *words, pid_t *ret_pid)
{
    posix_spawnattr_t attributes;
    sigset_t defaults;
    bool is_started;

    sigemptyset(&defaults);
    sigaddset(&defaults, SIGINT);
    sigaddset(&defaults, SIGQUIT);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    is_started =
        posix_spawnp(ret_pid, words[0], NULL, &attributes, (char *const *)words, environ) == 0;
    posix_spawnattr_destroy(&attributes);
    return is_started;
}

static void await(pid_t pid)
{
    int status;

    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
        if (cli_is_interrupted() || is_hung_up) kill(pid, SIGTERM);
    }
}

static void await_enter(const char *prompt)
{
    char c = 0;

    fputs(prompt, stdout);
    fflush(stdout);
    while (c != '\n' && !cli_is_interrupted() && read(STDIN_FILENO, &c, 1) > 0) {
        continue;
    }
}

bool top_screen_run(const char *const *words, const char *prompt)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN}, stop = {.sa_handler = SIG_DFL};
    struct sigaction was_int, was_quit, was_stop;
    bool is_started;
    pid_t pid;

    def_prog_mode();
    endwin();
    sigaction(SIGINT, &ignore, &was_int); /* Ctrl-C is the program's */
    sigaction(SIGQUIT, &ignore, &was_quit);
    sigaction(SIGTSTP, &stop, &was_stop); /* Ctrl-Z stops both, and the shell goes on */
    is_started = start(words, &pid);
    if (is_started) {
        await(pid);
        await_enter(prompt);
    }
    sigaction(SIGINT, &was_int, NULL);
    sigaction(SIGQUIT, &was_quit, NULL);
    sigaction(SIGTSTP, &was_stop, NULL);
    reset_prog_mode();
    top_screen_redraw();
    return is_started;
}
