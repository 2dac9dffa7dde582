//! The names of the queues, each with its key and its count.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Span;

use crate::app::App;
use crate::draw::{left, span};
use crate::text::{count, width};
use crate::theme::Tone;

/// How much a label says, from the most to the least.
const WORDINGS: [Wording; 4] = [
    Wording { short: false, number: true, gap: " " },
    Wording { short: true, number: true, gap: " " },
    Wording { short: true, number: true, gap: "" },
    Wording { short: true, number: false, gap: "" },
];

#[derive(Clone, Copy)]
struct Wording {
    /// The short names.
    short: bool,
    /// How many wait there.
    number: bool,
    /// What stands after it.
    gap: &'static str,
}

/// The labels as they stand on the screen, one after the other: as much as the width has room for. Where even the
/// shortest are too long, the keys alone tell them apart.
pub(crate) fn labels(app: &App) -> Vec<String> {
    let room = usize::from(app.size.0);
    let fits = |labels: &Vec<String>| labels.iter().map(|label| width(label)).sum::<usize>() <= room;
    let keys = || app.lists.iter().map(|list| format!(" {} ", list.tab.key)).collect();
    WORDINGS.iter().map(|wording| worded(app, *wording)).find(fits).unwrap_or_else(keys)
}

fn worded(app: &App, wording: Wording) -> Vec<String> {
    let label = |list: &crate::model::list::List| {
        let value = match list.tab.count {
            Some(counter) => app.count(counter).value(),
            None => list.loaded.map(|_| list.total),
        };
        let value = value.filter(|_| wording.number);
        let number = value.map_or_else(String::new, |value| format!(" {}", count(value)));
        let name = if wording.short { list.tab.short } else { list.tab.name };
        format!(" {} {name}{number}{}", list.tab.key, wording.gap)
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
