//! The bottom: what was just done, how old the data is, and the keys that are valid now.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Span;

use crate::app::{App, Mood};
use crate::draw::{left, right, span};
use crate::hints::hints;
use crate::text::{clean, count, cut, width};
use crate::theme::Tone;

/// The word at the bottom, or how far the running action is.
pub(crate) fn word(buf: &mut Buffer, app: &App, area: Rect) {
    let theme = app.options.theme;
    let glyphs = theme.glyphs();
    let before = right(buf, area, age(app));
    let room = usize::from(before.saturating_sub(2));
    let area = Rect { width: before, ..area };
    if let Some(running) = &app.running {
        let number = |number: usize| count(i64::try_from(number).unwrap_or(i64::MAX));
        let doing = running.run.verb.words().doing;
        let text = format!(
            " {} {doing} {} of {} …",
            glyphs.retry,
            number(running.done),
            number(running.run.ids.len())
        );
        return left(buf, area, vec![span(theme, Tone::Warn, theme.ours(&text))]);
    }
    let Some(word) = &app.word else { return };
    let (tone, glyph) = match word.mood {
        Mood::Good => (Tone::Good, glyphs.good),
        Mood::Info => (Tone::Plain, glyphs.dot),
        Mood::Bad => (Tone::Bad, glyphs.bad),
    };
    let text = cut(&theme.ours(&clean(&word.text)), room.saturating_sub(3), glyphs.more);
    left(
        buf,
        area,
        vec![Span::raw(" "), span(theme, tone, glyph), span(theme, Tone::Plain, format!(" {text}"))],
    );
}

fn age(app: &App) -> Vec<Span<'static>> {
    let Some(loaded) = app.list().and_then(|list| list.loaded) else { return Vec::new() };
    let seconds = app.now.since(loaded).as_secs();
    let tone = if seconds > 60 { Tone::Warn } else { Tone::Dim };
    vec![span(app.options.theme, tone, format!(" data {seconds} s old "))]
}

/// As many of the valid keys as fit, the most important first.
pub(crate) fn keys(buf: &mut Buffer, app: &App, area: Rect) {
    let theme = app.options.theme;
    let (mut spans, mut used) = (vec![Span::raw(" ")], 1);
    for (key, word) in hints(app) {
        let wide = width(&key) + width(&word) + 3;
        if used + wide > usize::from(area.width) + 2 {
            break;
        }
        used += wide;
        spans.push(span(theme, Tone::Key, key));
        spans.push(Span::raw(format!(" {word}  ")));
    }
    left(buf, area, spans);
}
