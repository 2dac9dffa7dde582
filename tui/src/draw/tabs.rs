//! The tab bar: the name of each queue with its key and count.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Span;

use crate::app::App;
use crate::draw::{span, write_left};
use crate::text::{format_count, width};
use crate::theme::Tone;

/// The formats of a label, from the longest to the shortest.
const LABEL_FORMATS: [LabelFormat; 4] = [
    LabelFormat { short: false, has_count: true, gap: " " },
    LabelFormat { short: true, has_count: true, gap: " " },
    LabelFormat { short: true, has_count: true, gap: "" },
    LabelFormat { short: true, has_count: false, gap: "" },
];

#[derive(Clone, Copy)]
struct LabelFormat {
    /// Whether to use the short names.
    short: bool,
    /// Whether to show the count.
    has_count: bool,
    /// The separator after the label.
    gap: &'static str,
}

/// The labels of the tabs in the longest format that fits. Where even the shortest does not fit, the labels are the
/// keys alone.
pub(crate) fn labels(app: &App) -> Vec<String> {
    let room = usize::from(app.size.0);
    let fits = |labels: &Vec<String>| labels.iter().map(|label| width(label)).sum::<usize>() <= room;
    let keys = || app.lists.iter().map(|list| format!(" {} ", list.tab.key)).collect();
    LABEL_FORMATS.iter().map(|format| format_labels(app, *format)).find(fits).unwrap_or_else(keys)
}

fn format_labels(app: &App, format: LabelFormat) -> Vec<String> {
    let label = |list: &crate::model::list::List| {
        let value = match list.tab.counter {
            Some(counter) => app.counter(counter).value(),
            None => list.loaded_at.map(|_| list.total),
        };
        let value = value.filter(|_| format.has_count);
        let count = value.map_or_else(String::new, |value| format!(" {}", format_count(value)));
        let name = if format.short { list.tab.short_name } else { list.tab.name };
        format!(" {} {name}{count}{}", list.tab.key, format.gap)
    };
    app.lists.iter().map(label).collect()
}

/// Draws the tabs; the shown one is highlighted.
pub(crate) fn draw(buf: &mut Buffer, app: &App, area: Rect) {
    let theme = app.options.theme;
    let mut spans = Vec::new();
    for (at, label) in labels(app).into_iter().enumerate() {
        let tone = if at == app.tab { Tone::Selected } else { Tone::Plain };
        spans.push(span(theme, tone, label));
        spans.push(Span::raw(""));
    }
    write_left(buf, area, spans);
}
