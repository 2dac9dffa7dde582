//! The record pane: sections of labelled texts, wrapped and scrolled.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use crate::app::App;
use crate::draw::{draw_box, span};
use crate::model::detail::{Detail, Entry};
use crate::text::{Align, capitalize, fit_to_columns, wrap};
use crate::theme::{Theme, Tone};

/// Width of the labels, in columns.
const LABEL_WIDTH: usize = 13;

/// Draws the record, or its error or load state.
pub(crate) fn draw(buf: &mut Buffer, app: &App, area: Rect) {
    let theme = app.options.theme;
    let pane = &app.pane;
    let title = pane
        .id
        .zip(app.list())
        .map_or_else(String::new, |(id, list)| format!(" {} {id} ", capitalize(list.tab.source.noun())));
    let title = pane.detail.as_ref().map_or(title, |detail| format!(" {} ", detail.title));
    let tone = if pane.is_focused { Tone::Focus } else { Tone::Dim };
    let inner = draw_box(buf, theme, area, vec![span(theme, Tone::Strong, title)], tone);
    let inner = Rect::new(inner.x + 1, inner.y, inner.width.saturating_sub(2), inner.height);
    let width = usize::from(inner.width);
    let mut lines = match (&pane.failure, &pane.detail, pane.id) {
        (Some(failure), _, _) => {
            let request =
                failure.request_id.as_ref().map_or_else(String::new, |id| format!(" (request {id})"));
            plain_lines(theme, Tone::Error, &format!("{}{request}", failure.message), width)
        }
        (None, None, Some(_)) => plain_lines(theme, Tone::Dim, &theme.ascii_fallback("Loading …"), width),
        (None, None, None) => plain_lines(theme, Tone::Dim, "The selected record appears here.", width),
        (None, Some(_), _) => Vec::new(),
    };
    if let Some(detail) = &pane.detail {
        lines.extend(detail_lines(detail, width, theme));
    }
    for (y, line) in (inner.y..inner.bottom()).zip(lines.iter().skip(pane.scroll_offset)) {
        buf.set_line(inner.x, y, line, inner.width);
    }
}

fn plain_lines(theme: Theme, tone: Tone, text: &str, width: usize) -> Vec<Line<'static>> {
    wrap(text, width).into_iter().map(|line| Line::from(span(theme, tone, line))).collect()
}

/// Returns the lines of a record, wrapped to `width`.
pub(crate) fn detail_lines(detail: &Detail, width: usize, theme: Theme) -> Vec<Line<'static>> {
    let mut lines = Vec::new();
    for section in &detail.sections {
        if !section.title.is_empty() {
            lines.push(Line::default());
            lines.push(Line::from(span(theme, Tone::Strong, section.title)));
        }
        for entry in &section.entries {
            add_entry_lines(&mut lines, entry, width, theme);
        }
    }
    lines
}

fn add_entry_lines(lines: &mut Vec<Line<'static>>, entry: &Entry, width: usize, theme: Theme) {
    let indent = if entry.label.is_empty() { 2 } else { LABEL_WIDTH };
    let texts = wrap(&theme.ascii_fallback(&entry.text), width.saturating_sub(indent));
    for (index, text) in texts.into_iter().enumerate() {
        let label = if index == 0 { entry.label.as_str() } else { "" };
        let label = fit_to_columns(label, indent.saturating_sub(1), Align::Left, theme.glyphs().ellipsis);
        lines.push(Line::from(vec![
            span(theme, Tone::Dim, label),
            Span::raw(" "),
            span(theme, entry.tone, text),
        ]));
    }
}
