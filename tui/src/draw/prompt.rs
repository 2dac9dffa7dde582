//! The filter prompt and the command prompt, in the line of the filter, with the error below.

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
    let label = match prompt.kind {
        PromptKind::Filter(_) => " filter: ",
        PromptKind::Command => " :",
    };
    let input_width = area.width.saturating_sub(columns(label) + 1);
    let input_area = Rect::new(area.x + columns(label), area.y, input_width, 1);
    buf.set_stringn(area.x, area.y, label, usize::from(area.width), theme.style(Tone::Key));
    let error_position = prompt.error.as_ref().map_or(usize::MAX, |error| error.position);
    let cursor = draw_text_input(buf, theme, &prompt.input, input_area, error_position);
    if let Some(error) = &prompt.error {
        let error_area = Rect { y: area.y + 1, ..area };
        Clear.render(error_area, buf);
        let text = truncate(
            &theme.ascii_fallback(&error.message),
            usize::from(area.width.saturating_sub(4)),
            theme.glyphs().ellipsis,
        );
        let line = Line::from(vec![
            span(theme, Tone::Error, format!(" {} ", theme.glyphs().error)),
            Span::raw(text),
        ]);
        buf.set_line(error_area.x, error_area.y, &line, error_area.width);
    }
    Some(cursor)
}

/// Draws a text input, scrolled to its cursor. Highlights the characters from `error_position` on.
pub(crate) fn draw_text_input(
    buf: &mut Buffer,
    theme: Theme,
    input: &TextInput,
    area: Rect,
    error_position: usize,
) -> Position {
    let (text, before_cursor) = (input.text(), input.text_before_cursor());
    let max_width = usize::from(area.width.max(1)) - 1;
    let mut scroll_offset = 0;
    while width(before_cursor.chars().skip(scroll_offset).collect::<String>().as_str()) > max_width {
        scroll_offset += 1;
    }
    let valid: String = text.chars().take(error_position).skip(scroll_offset).collect();
    let invalid: String = text.chars().skip(error_position.max(scroll_offset)).collect();
    let line = Line::from(vec![span(theme, Tone::Plain, valid), span(theme, Tone::Error, invalid)]);
    buf.set_line(area.x, area.y, &line, area.width);
    let cursor_column = columns(before_cursor.chars().skip(scroll_offset).collect::<String>().as_str());
    Position::new(area.x + cursor_column.min(area.width.saturating_sub(1)), area.y)
}
