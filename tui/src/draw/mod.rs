//! Draws the state of the dashboard. It must not change the state or read a clock.

pub mod confirm;
pub mod detail;
pub mod dialogs;
pub mod footer;
pub mod header;
pub mod list;
pub mod prompt;
pub mod tabs;

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Clear, Widget as _};

use crate::app::App;
use crate::dialog::Dialog;
use crate::layout::{self, MIN_SIZE};
use crate::text::{truncate, width};
use crate::theme::{Theme, Tone};

pub fn draw(frame: &mut Frame<'_>, app: &App) {
    let Some(areas) = app.areas() else { return draw_too_small(frame, app) };
    let buf = frame.buffer_mut();
    header::draw(buf, app, areas.header);
    header::draw_cards(buf, app, &areas);
    tabs::draw(buf, app, areas.tabs);
    list::draw_filter_line(buf, app, areas.filter);
    if let Some(area) = areas.list {
        list::draw(buf, app, area);
    }
    if let Some(area) = areas.detail {
        detail::draw(buf, app, area);
    }
    footer::draw_status(buf, app, areas.status);
    footer::draw_keys(buf, app, areas.keys);
    let Some(overlay) = &app.overlay else { return };
    let body = Rect::new(0, areas.tabs.y, areas.header.width, areas.status.y - areas.tabs.y);
    let cursor = match &overlay.dialog {
        Dialog::Confirm(confirm) => confirm::draw(buf, app.options.theme, confirm, body),
        Dialog::Menu(menu) => dialogs::draw_menu(buf, app.options.theme, menu, body),
        Dialog::Notice(notice) => dialogs::draw_notice(buf, app.options.theme, notice, body),
        Dialog::Help(help) => dialogs::draw_help(buf, app.options.theme, help, body),
        Dialog::Prompt(prompt) => prompt::draw(buf, app.options.theme, prompt, areas.filter),
        Dialog::SignIn(form) => dialogs::draw_sign_in(buf, app.options.theme, form, body),
        Dialog::Identity(identity) => dialogs::draw_identity(buf, app.options.theme, identity, body),
    };
    if let Some(cursor) = cursor {
        frame.set_cursor_position(cursor);
    }
}

fn draw_too_small(frame: &mut Frame<'_>, app: &App) {
    let area = frame.area();
    let (min_width, min_height) = MIN_SIZE;
    let texts = [
        "This terminal is too small.".to_owned(),
        format!("It is {}x{}; the minimum is {min_width}x{min_height}.", area.width, area.height),
        "Enlarge it, or press q to quit.".to_owned(),
    ];
    let lines: Vec<String> =
        texts.iter().flat_map(|text| crate::text::wrap(text, usize::from(area.width))).collect();
    let style = app.options.theme.style(Tone::Plain);
    for (y, line) in (area.y..area.bottom()).zip(lines) {
        frame.buffer_mut().set_stringn(area.x, y, line, usize::from(area.width), style);
    }
}

pub(crate) fn span(theme: Theme, tone: Tone, text: impl Into<String>) -> Span<'static> {
    Span::styled(text.into(), theme.style(tone))
}

/// Writes a line at the left of an area and truncates it to the area.
pub(crate) fn write_left(buf: &mut Buffer, area: Rect, spans: Vec<Span<'static>>) {
    buf.set_line(area.x, area.y, &Line::from(spans), area.width);
}

/// Writes a line at the right of an area and returns the number of free columns before it.
pub(crate) fn write_right(buf: &mut Buffer, area: Rect, spans: Vec<Span<'static>>) -> u16 {
    let line = Line::from(spans);
    let line_width = u16::try_from(line.width()).unwrap_or(u16::MAX).min(area.width);
    let start = area.right() - line_width;
    buf.set_line(start, area.y, &line, line_width);
    area.width - line_width
}

/// Draws a box with a heading and returns its inner area.
pub(crate) fn draw_box(
    buf: &mut Buffer,
    theme: Theme,
    area: Rect,
    title: Vec<Span<'static>>,
    tone: Tone,
) -> Rect {
    let block = Block::bordered()
        .border_set(theme.border())
        .border_style(theme.style(tone))
        .title_top(Line::from(title));
    let inner = block.inner(area);
    block.render(area, buf);
    inner
}

/// Draws a centered box over the screen and returns its inner area, with a free column at both sides.
pub(crate) fn draw_dialog_box(
    buf: &mut Buffer,
    theme: Theme,
    screen_area: Rect,
    title: &str,
    size: (u16, u16),
) -> Rect {
    let area = layout::center_rect(screen_area, size.0.saturating_add(4), size.1.saturating_add(2));
    clear(buf, area);
    let title = truncate(
        &theme.ascii_fallback(title),
        usize::from(area.width.saturating_sub(4)),
        theme.glyphs().ellipsis,
    );
    let inner =
        draw_box(buf, theme, area, vec![span(theme, Tone::Strong, format!(" {title} "))], Tone::Focus);
    Rect::new(inner.x + 1, inner.y, inner.width.saturating_sub(2), inner.height)
}

/// Clears an area. Also removes a wide character that reaches into it from the left, because it would cover the border.
fn clear(buf: &mut Buffer, area: Rect) {
    Clear.render(area, buf);
    let Some(left_x) = area.x.checked_sub(1) else { return };
    for y in area.y..area.bottom() {
        if let Some(cell) = buf.cell_mut((left_x, y)).filter(|cell| width(cell.symbol()) > 1) {
            cell.set_symbol(" ");
        }
    }
}

/// The width of a line in columns.
pub(crate) fn columns(text: &str) -> u16 {
    u16::try_from(width(text)).unwrap_or(u16::MAX)
}
