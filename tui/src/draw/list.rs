//! The list: the filter and the marks above it, its rows, and the visible range below.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use crate::app::App;
use crate::draw::{columns, draw_box, span, write_left, write_right};
use crate::model::columns::{COLUMN_GAP, Cell, Column, ColumnPlacement, layout_columns};
use crate::model::list::{ListState, RecordList};
use crate::model::row::RecordRow;
use crate::session::Connection;
use crate::text::{fit_to_columns, format_age, format_count, format_money, truncate, wrap};
use crate::theme::{Theme, Tone};

/// Width of the cursor and the mark before the first column.
const CURSOR_AND_MARK_WIDTH: u16 = 4;

pub(crate) fn draw_filter_line(buf: &mut Buffer, app: &App, area: Rect) {
    let theme = app.options.theme;
    let Some(list) = app.list() else { return };
    let free_width = write_right(buf, area, marks_summary_spans(app, list));
    let tone = if list.is_filtered() { Tone::Strong } else { Tone::Dim };
    let filter_width = usize::from(free_width).saturating_sub(11);
    let filter_text = if list.filter_text.is_empty() { "none" } else { &list.filter_text };
    let text = truncate(filter_text, filter_width, theme.glyphs().ellipsis);
    write_left(
        buf,
        Rect { width: free_width, ..area },
        vec![span(theme, Tone::Dim, " filter: "), span(theme, tone, text)],
    );
}

fn marks_summary_spans(app: &App, list: &RecordList) -> Vec<Span<'static>> {
    let theme = app.options.theme;
    if list.marks.is_empty() {
        return Vec::new();
    }
    let summary = list.marks.summary();
    let mut text = format!("{} marked", format_count(i64::try_from(summary.count).unwrap_or(i64::MAX)));
    if summary.not_loaded_count == 0 {
        text.push_str(
            &summary.amount.map_or_else(String::new, |amount| format!(" · {}", format_money(amount))),
        );
    }
    if let Some(oldest) = summary.oldest_queued_at {
        text.push_str(&format!(" · oldest {}", format_age(oldest, app.now)));
    }
    let range = if list.range.is_some() { "range · " } else { "" };
    vec![span(theme, Tone::Key, theme.ascii_fallback(&format!("{range}{text} ")))]
}

pub(crate) fn draw(buf: &mut Buffer, app: &App, area: Rect) {
    let theme = app.options.theme;
    let border_tone = if app.pane.is_focused { Tone::Dim } else { Tone::Focus };
    let inner = draw_box(buf, theme, area, Vec::new(), border_tone);
    let Some(list) = app.list() else {
        return draw_message(
            buf,
            theme,
            inner,
            Tone::Warning,
            "Your account cannot see any queue: it needs the permission \"view orders\". Ask an administrator, \
             or switch to another server with :profile.",
        );
    };
    draw_bottom_border(buf, app, list, area);
    if let ListState::Failed(failure) = &list.state {
        let request = failure.request_id.as_ref().map_or_else(String::new, |id| format!(" (request {id})"));
        let text = format!("{}{request} · ctrl-r to retry", failure.message);
        if list.rows.is_empty() {
            return draw_message(buf, theme, inner, Tone::Error, &text);
        }
        draw_banner(buf, theme, area, &text);
    }
    if list.rows.is_empty() {
        let text = match &list.state {
            _ if app.is_signed_out() => "Sign in to see the queues.",
            ListState::Loading if matches!(app.connection, Connection::DatabaseDown(_)) => {
                "The server cannot reach its database. Retrying automatically."
            }
            ListState::Loading if app.connection.is_offline() => {
                "The server does not respond. Retrying automatically."
            }
            ListState::Loading => "Loading …",
            _ if list.pending.is_some_and(|(_, mode)| mode == crate::model::list::RefreshMode::Replace) => {
                "Loading …"
            }
            _ if list.is_filtered() => "Nothing matches this filter. Press Esc to reset it or / to edit it.",
            _ => list.tab.empty_text,
        };
        return draw_message(buf, theme, inner, Tone::Dim, text);
    }
    draw_rows(buf, app, list, inner);
}

fn draw_message(buf: &mut Buffer, theme: Theme, area: Rect, tone: Tone, text: &str) {
    let lines = wrap(&theme.ascii_fallback(text), usize::from(area.width.saturating_sub(4)));
    for (y, line) in (area.y + 1..area.bottom()).zip(lines) {
        buf.set_stringn(area.x + 2, y, line, usize::from(area.width.saturating_sub(2)), theme.style(tone));
    }
}

fn draw_banner(buf: &mut Buffer, theme: Theme, area: Rect, text: &str) {
    let text_width = usize::from(area.width.saturating_sub(6));
    let text = truncate(&theme.ascii_fallback(text), text_width, theme.glyphs().ellipsis);
    let line = Line::from(span(theme, Tone::Error, format!(" {} {text} ", theme.glyphs().error)));
    buf.set_line(area.x + 1, area.y, &line, area.width.saturating_sub(2));
}

/// Draws the visible range such as `1–12 of 47`, the page keys and the number of new records into the bottom border.
fn draw_bottom_border(buf: &mut Buffer, app: &App, list: &RecordList, area: Rect) {
    let theme = app.options.theme;
    let line = Rect::new(area.x + 1, area.bottom() - 1, area.width.saturating_sub(2), 1);
    if list.rows.is_empty() {
        return;
    }
    // The range contains only the visible rows, not the whole page.
    let last_visible = (list.scroll_offset + usize::from(area.height.saturating_sub(3))).min(list.rows.len());
    let row_number = |row: usize| format_count(list.offset + i64::try_from(row).unwrap_or(0));
    let range = theme.ascii_fallback(&format!(
        " {}–{} of {} ",
        row_number(list.scroll_offset + 1),
        row_number(last_visible),
        format_count(list.total)
    ));
    let (has_previous, has_next) = (list.has_previous_page(), list.has_next_page());
    let mut right_spans = vec![];
    let page_tone = |exists: bool| if exists { Tone::Key } else { Tone::Dim };
    if has_previous || has_next {
        right_spans.extend([
            span(theme, page_tone(has_previous), " [ prev "),
            span(theme, page_tone(has_next), " ] next "),
        ]);
    }
    if list.new_count > 0 {
        let new_count = format_count(i64::try_from(list.new_count).unwrap_or(i64::MAX));
        right_spans.push(span(
            theme,
            Tone::Warning,
            theme.ascii_fallback(&format!(" {new_count} new · ctrl-r ")),
        ));
    }
    let free_width = if right_spans.is_empty() { line.width } else { write_right(buf, line, right_spans) };
    write_left(buf, Rect { width: free_width, ..line }, vec![span(theme, Tone::Plain, range)]);
}

fn draw_rows(buf: &mut Buffer, app: &App, list: &RecordList, area: Rect) {
    let theme = app.options.theme;
    let all_columns = list.tab.source.columns();
    let placements =
        layout_columns(all_columns, &list.visible_columns, area.width.saturating_sub(CURSOR_AND_MARK_WIDTH));
    draw_heading(buf, theme, list, all_columns, &placements, area);
    let lines = area.y + 1..area.bottom();
    for (y, (index, row)) in lines.zip(list.rows.iter().enumerate().skip(list.scroll_offset)) {
        let line = Rect::new(area.x, y, area.width, 1);
        draw_row(buf, app, list, (all_columns, &placements), (index, row), line);
    }
}

fn draw_heading(
    buf: &mut Buffer,
    theme: Theme,
    list: &RecordList,
    all_columns: &[Column],
    placements: &[ColumnPlacement],
    area: Rect,
) {
    let glyphs = theme.glyphs();
    let mut x = area.x + CURSOR_AND_MARK_WIDTH;
    for placement in placements {
        let column = &all_columns[placement.index];
        let arrow = if list.sort.descending { glyphs.down } else { glyphs.up };
        // The arrow shows only a sort order that differs from the default of the tab.
        let has_arrow = column.sort_key == Some(list.sort.column) && list.sort != list.tab.default_sort;
        let title = if has_arrow { format!("{}{arrow}", column.title) } else { column.title.clone() };
        let text = fit_to_columns(&title, usize::from(placement.width), column.align, "");
        buf.set_stringn(x, area.y, text, usize::from(placement.width), theme.style(Tone::Strong));
        x += placement.width + COLUMN_GAP;
    }
}

fn draw_row(
    buf: &mut Buffer,
    app: &App,
    list: &RecordList,
    (all_columns, placements): (&[Column], &[ColumnPlacement]),
    (index, row): (usize, &RecordRow),
    line: Rect,
) {
    let theme = app.options.theme;
    let glyphs = theme.glyphs();
    let is_cursor = index == list.cursor;
    let is_marked = list.marks.contains(row.id);
    let is_stale = row.has_left_queue || matches!(list.state, ListState::Failed(_));
    let mark = match (row.has_left_queue, is_marked) {
        (true, _) => glyphs.left_queue,
        (false, true) => glyphs.mark,
        (false, false) => " ",
    };
    let mut text = format!("{} {mark} ", if is_cursor { glyphs.cursor } else { " " });
    for placement in placements {
        if columns(&text) > CURSOR_AND_MARK_WIDTH {
            text.push_str(&" ".repeat(usize::from(COLUMN_GAP)));
        }
        let cell = format_cell(&row.cells[placement.index], app);
        text.push_str(&fit_to_columns(
            &cell,
            usize::from(placement.width),
            all_columns[placement.index].align,
            glyphs.ellipsis,
        ));
    }
    let tone = match (is_cursor && !app.pane.is_focused, is_stale, is_marked || is_cursor) {
        (true, ..) => Tone::Selected,
        (_, true, _) => Tone::Dim,
        (_, _, true) => Tone::Strong,
        _ => Tone::Plain,
    };
    if tone == Tone::Selected {
        buf.set_style(line, theme.style(tone));
    }
    write_left(buf, line, vec![span(theme, tone, text)]);
}

fn format_cell(cell: &Cell, app: &App) -> String {
    match cell {
        Cell::Text(text) => text.clone(),
        Cell::Age(time) => format_age(*time, app.now),
        Cell::Number(number) => format_count(*number),
        Cell::Money(amount) => format_money(*amount),
    }
}
