//! The filter and command prompts, in the line of the filter, with the error below.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Clear, Widget as _};

use crate::dialog::prompt::{Prompt, PromptKind};
use crate::draw::{columns, span};
use crate::text::{truncate, width};
use crate::text_input::TextInput;
use crate::theme::{Theme, Tone};

/// Draws the prompt and returns the cursor position.
pub(crate) fn draw(buf: &mut Buffer, theme: Theme, prompt: &Prompt, area: Rect) -> Option<Position> {
    Clear.render(area, buf);
    let sign = match prompt.kind {
        PromptKind::Filter(_) => " filter: ",
        PromptKind::Command => " :",
    };
    let room = area.width.saturating_sub(columns(sign) + 1);
    let field = Rect::new(area.x + columns(sign), area.y, room, 1);
    buf.set_stringn(area.x, area.y, sign, usize::from(area.width), theme.style(Tone::Key));
    let error_at = prompt.error.as_ref().map_or(usize::MAX, |error| error.at);
    let cursor = draw_text_input(buf, theme, &prompt.line, field, error_at);
    if let Some(error) = &prompt.error {
        let below = Rect { y: area.y + 1, ..area };
        Clear.render(below, buf);
        let text = truncate(
            &theme.ascii_fallback(&error.message),
            usize::from(area.width.saturating_sub(4)),
            theme.glyphs().ellipsis,
        );
        let line = Line::from(vec![
            span(theme, Tone::Error, format!(" {} ", theme.glyphs().error)),
            Span::raw(text),
        ]);
        buf.set_line(below.x, below.y, &line, below.width);
    }
    Some(cursor)
}

/// Draws a text field, scrolled to its cursor; characters from `error_at` on are highlighted.
pub(crate) fn draw_text_input(
    buf: &mut Buffer,
    theme: Theme,
    line: &TextInput,
    area: Rect,
    error_at: usize,
) -> Position {
    let (text, before) = (line.text(), line.text_before_cursor());
    let room = usize::from(area.width.max(1)) - 1;
    let mut from = 0;
    while width(before.chars().skip(from).collect::<String>().as_str()) > room {
        from += 1;
    }
    let good: String = text.chars().take(error_at).skip(from).collect();
    let bad: String = text.chars().skip(error_at.max(from)).collect();
    let shown = Line::from(vec![span(theme, Tone::Plain, good), span(theme, Tone::Error, bad)]);
    buf.set_line(area.x, area.y, &shown, area.width);
    let at = columns(before.chars().skip(from).collect::<String>().as_str());
    Position::new(area.x + at.min(area.width.saturating_sub(1)), area.y)
}
