//! The names of the queues, each with its key and its count.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Span;

use crate::app::App;
use crate::draw::{left, span};
use crate::text::count;
use crate::theme::Tone;

/// The labels as they stand on the screen, one after the other.
pub(crate) fn labels(app: &App) -> Vec<String> {
    let label = |list: &crate::model::list::List| {
        let value = match list.tab.count {
            Some(counter) => app.count(counter).value(),
            None => list.loaded.map(|_| list.total),
        };
        let number = value.map_or_else(String::new, |value| format!(" {}", count(value)));
        format!(" {} {}{number} ", list.tab.key, list.tab.name)
    };
    app.lists.iter().map(label).collect()
}

/// Draws them; the one shown is set off.
pub(crate) fn draw(buf: &mut Buffer, app: &App, area: Rect) {
    let theme = app.options.theme;
    let mut spans = Vec::new();
    for (at, label) in labels(app).into_iter().enumerate() {
        let tone = if at == app.tab { Tone::Selected } else { Tone::Plain };
        spans.push(span(theme, tone, label));
        spans.push(Span::raw(""));
    }
    left(buf, area, spans);
}
