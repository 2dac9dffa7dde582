//! The list: filter and marks above it, its rows, and where in the whole it stands.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use crate::app::App;
use crate::draw::{boxed, columns, left, right, span};
use crate::model::columns::{Cell, Column, GAP, Placed, place};
use crate::model::list::{List, State};
use crate::model::row::Row;
use crate::session::Connection;
use crate::text::{age, count, cut, fit, money, wrap};
use crate::theme::{Theme, Tone};

/// Before the first column: cursor and mark.
const SIGNS: u16 = 4;

/// The filter and what is marked.
pub(crate) fn filter_line(buf: &mut Buffer, app: &App, area: Rect) {
    let theme = app.options.theme;
    let Some(list) = app.list() else { return };
    let before = right(buf, area, marked(app, list));
    let tone = if list.is_filtered() { Tone::Strong } else { Tone::Dim };
    let room = usize::from(before).saturating_sub(11);
    let shown = if list.typed.is_empty() { "none" } else { &list.typed };
    let text = cut(shown, room, theme.glyphs().more);
    left(
        buf,
        Rect { width: before, ..area },
        vec![span(theme, Tone::Dim, " filter: "), span(theme, tone, text)],
    );
}

fn marked(app: &App, list: &List) -> Vec<Span<'static>> {
    let theme = app.options.theme;
    if list.marks.is_empty() {
        return Vec::new();
    }
    let sum = list.marks.sum();
    let mut text = format!("{} marked", count(i64::try_from(sum.count).unwrap_or(i64::MAX)));
    if sum.unknown == 0 {
        text.push_str(&sum.amount.map_or_else(String::new, |amount| format!(" · {}", money(amount))));
    }
    if let Some(oldest) = sum.oldest {
        text.push_str(&format!(" · oldest {}", age(oldest, app.now)));
    }
    let range = if list.range.is_some() { "range · " } else { "" };
    vec![span(theme, Tone::Key, theme.ours(&format!("{range}{text} ")))]
}

/// The list itself.
pub(crate) fn draw(buf: &mut Buffer, app: &App, area: Rect) {
    let theme = app.options.theme;
    let focus = if app.pane.focused { Tone::Dim } else { Tone::Focus };
    let inner = boxed(buf, theme, area, Vec::new(), focus);
    let Some(list) = app.list() else {
        return message(
            buf,
            theme,
            inner,
            Tone::Warn,
            "Your account may see none of the queues: it lacks \"view orders\". Ask whoever manages your staff, or sign in to another panel with :profile.",
        );
    };
    bottom(buf, app, list, area);
    if let State::Failed(trouble) = &list.state {
        let request = trouble.request_id.as_ref().map_or_else(String::new, |id| format!(" (request {id})"));
        let text = format!("{}{request} · ctrl-r tries again", trouble.message);
        if list.rows.is_empty() {
            return message(buf, theme, inner, Tone::Bad, &text);
        }
        banner(buf, theme, area, &text);
    }
    if list.rows.is_empty() {
        let text = match &list.state {
            _ if app.is_signed_out() => "Sign in to see the queues.",
            State::Loading if matches!(app.connection, Connection::DatabaseAway(_)) => {
                "The panel cannot reach its database. It is asked again by itself."
            }
            State::Loading if app.connection.is_offline() => {
                "The panel does not answer. It is asked again by itself."
            }
            State::Loading => "Loading …",
            _ if list.waiting.is_some_and(|(_, put)| put == crate::model::list::Put::Whole) => "Loading …",
            _ if list.is_filtered() => {
                "Nothing matches this filter. Esc shows the whole queue, / changes the filter."
            }
            _ => list.tab.empty,
        };
        return message(buf, theme, inner, Tone::Dim, text);
    }
    rows(buf, app, list, inner);
}

fn message(buf: &mut Buffer, theme: Theme, area: Rect, tone: Tone, text: &str) {
    let lines = wrap(&theme.ours(text), usize::from(area.width.saturating_sub(4)));
    for (y, line) in (area.y + 1..area.bottom()).zip(lines) {
        buf.set_stringn(area.x + 2, y, line, usize::from(area.width.saturating_sub(2)), theme.style(tone));
    }
}

fn banner(buf: &mut Buffer, theme: Theme, area: Rect, text: &str) {
    let room = usize::from(area.width.saturating_sub(6));
    let text = cut(&theme.ours(text), room, theme.glyphs().more);
    let line = Line::from(span(theme, Tone::Bad, format!(" {} {text} ", theme.glyphs().bad)));
    buf.set_line(area.x + 1, area.y, &line, area.width.saturating_sub(2));
}

/// `1–12 of 47`, the pages, and what is new.
fn bottom(buf: &mut Buffer, app: &App, list: &List, area: Rect) {
    let theme = app.options.theme;
    let line = Rect::new(area.x + 1, area.bottom() - 1, area.width.saturating_sub(2), 1);
    if list.rows.is_empty() {
        return;
    }
    // What is on the screen, not what is on the page: the rest is reached by going down.
    let seen = (list.top + usize::from(area.height.saturating_sub(3))).min(list.rows.len());
    let place = |row: usize| count(list.start + i64::try_from(row).unwrap_or(0));
    let range = theme.ours(&format!(" {}–{} of {} ", place(list.top + 1), place(seen), count(list.total)));
    let (before, after) = list.pages();
    let mut end = vec![];
    let page = |on: bool| if on { Tone::Key } else { Tone::Dim };
    if before || after {
        end.extend([span(theme, page(before), " [ prev "), span(theme, page(after), " ] next ")]);
    }
    if list.fresh > 0 {
        let fresh = count(i64::try_from(list.fresh).unwrap_or(i64::MAX));
        end.push(span(theme, Tone::Warn, theme.ours(&format!(" {fresh} new · ctrl-r "))));
    }
    let room = if end.is_empty() { line.width } else { right(buf, line, end) };
    left(buf, Rect { width: room, ..line }, vec![span(theme, Tone::Plain, range)]);
}

fn rows(buf: &mut Buffer, app: &App, list: &List, area: Rect) {
    let theme = app.options.theme;
    let all = list.tab.source.columns();
    let placed = place(all, &list.shown, area.width.saturating_sub(SIGNS));
    heading(buf, theme, list, all, &placed, area);
    let lines = area.y + 1..area.bottom();
    for (y, (at, row)) in lines.zip(list.rows.iter().enumerate().skip(list.top)) {
        let line = Rect::new(area.x, y, area.width, 1);
        one(buf, app, list, (all, &placed), (at, row), line);
    }
}

fn heading(buf: &mut Buffer, theme: Theme, list: &List, all: &[Column], placed: &[Placed], area: Rect) {
    let glyphs = theme.glyphs();
    let mut x = area.x + SIGNS;
    for place in placed {
        let column = &all[place.index];
        let arrow = if list.sort.1 { glyphs.down } else { glyphs.up };
        // The queues' own order needs no sign; another one does.
        let sorted = column.sort == Some(list.sort.0) && list.sort != list.tab.sort;
        let title = if sorted { format!("{}{arrow}", column.title) } else { column.title.clone() };
        let text = fit(&title, usize::from(place.width), column.align, "");
        buf.set_stringn(x, area.y, text, usize::from(place.width), theme.style(Tone::Strong));
        x += place.width + GAP;
    }
}

fn one(
    buf: &mut Buffer,
    app: &App,
    list: &List,
    (all, placed): (&[Column], &[Placed]),
    (at, row): (usize, &Row),
    line: Rect,
) {
    let theme = app.options.theme;
    let glyphs = theme.glyphs();
    let here = at == list.cursor;
    let marked = list.marks.has(row.id);
    let stale = row.left || matches!(list.state, State::Failed(_));
    let mark = match (row.left, marked) {
        (true, _) => glyphs.left,
        (false, true) => glyphs.mark,
        (false, false) => " ",
    };
    let signs = format!("{} {mark} ", if here { glyphs.cursor } else { " " });
    let mut text = signs;
    for place in placed {
        if columns(&text) > SIGNS {
            text.push_str(&" ".repeat(usize::from(GAP)));
        }
        let cell = shown(&row.cells[place.index], app);
        text.push_str(&fit(&cell, usize::from(place.width), all[place.index].align, glyphs.more));
    }
    let tone = match (here && !app.pane.focused, stale, marked || here) {
        (true, ..) => Tone::Selected,
        (_, true, _) => Tone::Dim,
        (_, _, true) => Tone::Strong,
        _ => Tone::Plain,
    };
    if tone == Tone::Selected {
        buf.set_style(line, theme.style(tone));
    }
    left(buf, line, vec![span(theme, tone, text)]);
}

fn shown(cell: &Cell, app: &App) -> String {
    match cell {
        Cell::Text(text) => text.clone(),
        Cell::Age(since) => age(*since, app.now),
        Cell::Number(number) => count(*number),
        Cell::Money(amount) => money(*amount),
    }
}
