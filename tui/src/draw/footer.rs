//! The footer: the status message, the age of the data, and the valid keys.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Span;

use crate::app::{App, Severity};
use crate::draw::{span, write_left, write_right};
use crate::hints::list_hints;
use crate::text::{format_count, sanitize, truncate, width};
use crate::theme::Tone;

/// Draws the status message, or the progress of the running action.
pub(crate) fn draw_status(buf: &mut Buffer, app: &App, area: Rect) {
    let theme = app.options.theme;
    let glyphs = theme.glyphs();
    let free_width = write_right(buf, area, data_age_spans(app));
    let text_width = usize::from(free_width.saturating_sub(2));
    let area = Rect { width: free_width, ..area };
    if let Some(active_run) = &app.active_run {
        let format_number = |number: usize| format_count(i64::try_from(number).unwrap_or(i64::MAX));
        let present_participle = active_run.run.action.texts().present_participle;
        let text = format!(
            " {} {present_participle} {} of {} …",
            glyphs.retry,
            format_number(active_run.processed_count),
            format_number(active_run.run.ids.len())
        );
        return write_left(buf, area, vec![span(theme, Tone::Warning, theme.ascii_fallback(&text))]);
    }
    let Some(status) = &app.status else { return };
    let (tone, glyph) = match status.severity {
        Severity::Success => (Tone::Success, glyphs.success),
        Severity::Info => (Tone::Plain, glyphs.dot),
        Severity::Error => (Tone::Error, glyphs.error),
    };
    let text = truncate(
        &theme.ascii_fallback(&sanitize(&status.text)),
        text_width.saturating_sub(3),
        glyphs.ellipsis,
    );
    write_left(
        buf,
        area,
        vec![Span::raw(" "), span(theme, tone, glyph), span(theme, Tone::Plain, format!(" {text}"))],
    );
}

fn data_age_spans(app: &App) -> Vec<Span<'static>> {
    let Some(loaded_at) = app.list().and_then(|list| list.loaded_at) else { return Vec::new() };
    let seconds = app.now.since(loaded_at).as_secs();
    let tone = if seconds > 60 { Tone::Warning } else { Tone::Dim };
    vec![span(app.options.theme, tone, format!(" data {seconds} s old "))]
}

/// Draws as many valid keys as fit, the most important first.
pub(crate) fn draw_keys(buf: &mut Buffer, app: &App, area: Rect) {
    let theme = app.options.theme;
    let (mut spans, mut used_width) = (vec![Span::raw(" ")], 1);
    for (key, hint) in list_hints(app) {
        let hint_width = width(&key) + width(&hint) + 3;
        if used_width + hint_width > usize::from(area.width) + 2 {
            break;
        }
        used_width += hint_width;
        spans.push(span(theme, Tone::Key, key));
        spans.push(Span::raw(format!(" {hint}  ")));
    }
    write_left(buf, area, spans);
}
