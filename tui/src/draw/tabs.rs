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
    LabelFormat { uses_short_name: false, has_count: true, gap: " " },
    LabelFormat { uses_short_name: true, has_count: true, gap: " " },
    LabelFormat { uses_short_name: true, has_count: true, gap: "" },
    LabelFormat { uses_short_name: true, has_count: false, gap: "" },
];

#[derive(Clone, Copy)]
struct LabelFormat {
    uses_short_name: bool,
    has_count: bool,
    /// The separator after the label.
    gap: &'static str,
}

/// Returns the labels of the tabs in the longest format that fits. If not even the shortest format fits, the labels are only
/// the keys.
pub(crate) fn tab_labels(app: &App) -> Vec<String> {
    let screen_width = usize::from(app.size.0);
    let fits = |labels: &Vec<String>| labels.iter().map(|label| width(label)).sum::<usize>() <= screen_width;
    let key_labels = || app.lists.iter().map(|list| format!(" {} ", list.tab.key)).collect();
    LABEL_FORMATS.iter().map(|format| format_labels(app, *format)).find(fits).unwrap_or_else(key_labels)
}

fn format_labels(app: &App, format: LabelFormat) -> Vec<String> {
    let label = |list: &crate::model::list::RecordList| {
        let value = match list.tab.counter {
            Some(counter) => app.counter(counter).value(),
            None => list.loaded_at.map(|_| list.total),
        };
        let value = value.filter(|_| format.has_count);
        let count = value.map_or_else(String::new, |value| format!(" {}", format_count(value)));
        let name = if format.uses_short_name { list.tab.short_name } else { list.tab.name };
        format!(" {} {name}{count}{}", list.tab.key, format.gap)
    };
    app.lists.iter().map(label).collect()
}

/// Draws the tabs and highlights the shown tab.
pub(crate) fn draw(buf: &mut Buffer, app: &App, area: Rect) {
    let theme = app.options.theme;
    let mut spans = Vec::new();
    for (index, label) in tab_labels(app).into_iter().enumerate() {
        let tone = if index == app.tab_index { Tone::Selected } else { Tone::Plain };
        spans.push(span(theme, tone, label));
        spans.push(Span::raw(""));
    }
    write_left(buf, area, spans);
}
