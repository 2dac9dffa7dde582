//! Drawing: reads the dashboard's state and nothing else, changes nothing, knows no time of its own.

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
use crate::layout::{self, LEAST};
use crate::text::{cut, width};
use crate::theme::{Theme, Tone};

/// Draws everything.
pub fn draw(frame: &mut Frame<'_>, app: &App) {
    let Some(areas) = app.areas() else { return too_small(frame, app) };
    let buf = frame.buffer_mut();
    header::draw(buf, app, areas.header);
    header::cards(buf, app, &areas);
    tabs::draw(buf, app, areas.tabs);
    list::filter_line(buf, app, areas.filter);
    if let Some(area) = areas.list {
        list::draw(buf, app, area);
    }
    if let Some(area) = areas.detail {
        detail::draw(buf, app, area);
    }
    footer::word(buf, app, areas.word);
    footer::keys(buf, app, areas.keys);
    let Some(open) = &app.open else { return };
    let body = Rect::new(0, areas.tabs.y, areas.header.width, areas.word.y - areas.tabs.y);
    let cursor = match &open.dialog {
        Dialog::Confirm(confirm) => confirm::draw(buf, app.options.theme, confirm, body),
        Dialog::Menu(menu) => dialogs::menu(buf, app.options.theme, menu, body),
        Dialog::Notice(notice) => dialogs::notice(buf, app.options.theme, notice, body),
        Dialog::Help(help) => dialogs::help(buf, app.options.theme, help, body),
        Dialog::Prompt(prompt) => prompt::draw(buf, app.options.theme, prompt, areas.filter),
        Dialog::SignIn(form) => dialogs::sign_in(buf, app.options.theme, form, body),
        Dialog::Identity(identity) => dialogs::identity(buf, app.options.theme, identity, body),
    };
    if let Some(cursor) = cursor {
        frame.set_cursor_position(cursor);
    }
}

fn too_small(frame: &mut Frame<'_>, app: &App) {
    let area = frame.area();
    let (wide, high) = LEAST;
    let texts = [
        "This terminal is too small.".to_owned(),
        format!("It is {} by {}; at least {wide} by {high} is needed.", area.width, area.height),
        "Make it larger, or press q to leave.".to_owned(),
    ];
    let lines: Vec<String> =
        texts.iter().flat_map(|text| crate::text::wrap(text, usize::from(area.width))).collect();
    let style = app.options.theme.style(Tone::Plain);
    for (y, line) in (area.y..area.bottom()).zip(lines) {
        frame.buffer_mut().set_stringn(area.x, y, line, usize::from(area.width), style);
    }
}

/// A piece of a line in a tone.
pub(crate) fn span(theme: Theme, tone: Tone, text: impl Into<String>) -> Span<'static> {
    Span::styled(text.into(), theme.style(tone))
}

/// Writes a line at the left of an area, and cuts it there.
pub(crate) fn left(buf: &mut Buffer, area: Rect, spans: Vec<Span<'static>>) {
    buf.set_line(area.x, area.y, &Line::from(spans), area.width);
}

/// Writes a line at the right of an area; columns that are left before it.
pub(crate) fn right(buf: &mut Buffer, area: Rect, spans: Vec<Span<'static>>) -> u16 {
    let line = Line::from(spans);
    let wide = u16::try_from(line.width()).unwrap_or(u16::MAX).min(area.width);
    let start = area.right() - wide;
    buf.set_line(start, area.y, &line, wide);
    area.width - wide
}

/// A box with a heading; what is inside it.
pub(crate) fn boxed(
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

/// A box over everything else, in the middle; what is inside it, with a free column at both sides.
pub(crate) fn floating(buf: &mut Buffer, theme: Theme, over: Rect, title: &str, size: (u16, u16)) -> Rect {
    let area = layout::middle(over, size.0.saturating_add(4), size.1.saturating_add(2));
    clear(buf, area);
    let title = cut(&theme.ours(title), usize::from(area.width.saturating_sub(4)), theme.glyphs().more);
    let inner = boxed(buf, theme, area, vec![span(theme, Tone::Strong, format!(" {title} "))], Tone::Focus);
    Rect::new(inner.x + 1, inner.y, inner.width.saturating_sub(2), inner.height)
}

/// Clears an area; a wide letter that reaches into it from the left goes whole, or it would cover the border.
fn clear(buf: &mut Buffer, area: Rect) {
    Clear.render(area, buf);
    let Some(before) = area.x.checked_sub(1) else { return };
    for y in area.y..area.bottom() {
        if let Some(cell) = buf.cell_mut((before, y)).filter(|cell| width(cell.symbol()) > 1) {
            cell.set_symbol(" ");
        }
    }
}

/// Columns of a line, as the screen counts them.
pub(crate) fn columns(text: &str) -> u16 {
    u16::try_from(width(text)).unwrap_or(u16::MAX)
}
