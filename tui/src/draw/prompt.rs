//! The filter and command prompts, in the filter's line, with what is wrong below it.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Clear, Widget as _};

use crate::dialog::prompt::{Kind, Prompt};
use crate::draw::{columns, span};
use crate::line;
use crate::text::{cut, width};
use crate::theme::{Theme, Tone};

/// Draws the prompt; where the terminal's cursor stands.
pub(crate) fn draw(buf: &mut Buffer, theme: Theme, prompt: &Prompt, area: Rect) -> Option<Position> {
    Clear.render(area, buf);
    let sign = match prompt.kind {
        Kind::Filter(_) => " filter: ",
        Kind::Command => " :",
    };
    let room = area.width.saturating_sub(columns(sign) + 1);
    let field = Rect::new(area.x + columns(sign), area.y, room, 1);
    buf.set_stringn(area.x, area.y, sign, usize::from(area.width), theme.style(Tone::Key));
    let wrong = prompt.wrong.as_ref().map_or(usize::MAX, |wrong| wrong.at);
    let cursor = typed(buf, theme, &prompt.line, field, wrong);
    if let Some(wrong) = &prompt.wrong {
        let below = Rect { y: area.y + 1, ..area };
        Clear.render(below, buf);
        let text =
            cut(&theme.ours(&wrong.message), usize::from(area.width.saturating_sub(4)), theme.glyphs().more);
        let line =
            Line::from(vec![span(theme, Tone::Bad, format!(" {} ", theme.glyphs().bad)), Span::raw(text)]);
        buf.set_line(below.x, below.y, &line, below.width);
    }
    Some(cursor)
}

/// Draws a line being edited so that its cursor is in view; letters from `wrong` on are set off.
pub(crate) fn typed(buf: &mut Buffer, theme: Theme, line: &line::Line, area: Rect, wrong: usize) -> Position {
    let (text, before) = (line.text(), line.before());
    let room = usize::from(area.width.max(1)) - 1;
    let mut from = 0;
    while width(before.chars().skip(from).collect::<String>().as_str()) > room {
        from += 1;
    }
    let good: String = text.chars().take(wrong).skip(from).collect();
    let bad: String = text.chars().skip(wrong.max(from)).collect();
    let shown = Line::from(vec![span(theme, Tone::Plain, good), span(theme, Tone::Bad, bad)]);
    buf.set_line(area.x, area.y, &shown, area.width);
    let at = columns(before.chars().skip(from).collect::<String>().as_str());
    Position::new(area.x + at.min(area.width.saturating_sub(1)), area.y)
}
