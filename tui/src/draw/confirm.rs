//! The dialog before something is done.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::text::{Line, Span};

use crate::dialog::confirm::{Confirm, Field, Preview};
use crate::draw::{columns, floating, prompt, span};
use crate::model::run::Outcome;
use crate::text::{money, wrap};
use crate::theme::{Theme, Tone};

/// Columns inside.
const WIDE: u16 = 64;
/// Columns of the labels.
const LABEL: usize = 14;

/// What a line of the dialog is.
enum Part {
    /// Some text.
    Text(Tone, String),
    /// A field with its label and its value.
    Field(Field, &'static str, Vec<Span<'static>>),
    /// The buttons.
    Buttons,
}

/// Draws the dialog; where the terminal's cursor stands, if text is typed.
pub(crate) fn draw(buf: &mut Buffer, theme: Theme, confirm: &Confirm, over: Rect) -> Option<Position> {
    let wide = WIDE.min(over.width.saturating_sub(4));
    let parts = parts(theme, confirm, usize::from(wide));
    let high = u16::try_from(parts.len()).unwrap_or(u16::MAX);
    let area = floating(buf, theme, over, &confirm.title(), (wide, high));
    // What does not fit is cut above the fields, never the buttons.
    let skip = parts.len().saturating_sub(usize::from(area.height));
    let mut cursor = None;
    for (y, part) in (area.y..area.bottom()).zip(parts.into_iter().skip(skip)) {
        let line = Rect::new(area.x, y, area.width, 1);
        cursor = one(buf, theme, confirm, part, line).or(cursor);
    }
    cursor
}

fn parts(theme: Theme, confirm: &Confirm, wide: usize) -> Vec<Part> {
    let mut parts = Vec::new();
    let text = |parts: &mut Vec<Part>, tone, text: &str| {
        parts.extend(wrap(&theme.ours(text), wide).into_iter().map(|line| Part::Text(tone, line)));
    };
    if let Some(taken) = &confirm.taking_back {
        text(&mut parts, Tone::Plain, &format!("Takes back: {taken}."));
    }
    let (tone, preview) = preview(confirm);
    for line in preview {
        text(&mut parts, tone, &line);
    }
    parts.extend(fields(theme, confirm));
    let tone = if confirm.is_final() { Tone::Bad } else { Tone::Dim };
    if confirm.taking_back.is_none() {
        text(&mut parts, tone, confirm.run.verb.words().effect);
    }
    if confirm.wants_typing() {
        parts.push(Part::Field(Field::Typed, "", vec![Span::raw(typed_label(confirm))]));
    }
    if let Some(complaint) = &confirm.complaint {
        text(&mut parts, Tone::Bad, complaint);
    }
    parts.push(Part::Text(Tone::Plain, String::new()));
    parts.push(Part::Buttons);
    parts
}

fn typed_label(confirm: &Confirm) -> String {
    let wanted = confirm.wanted().unwrap_or_else(|| "the count".to_owned());
    format!("Type {wanted} to {}: ", confirm.run.verb.words().verb)
}

/// The server's dry run in words.
fn preview(confirm: &Confirm) -> (Tone, Vec<String>) {
    match &confirm.preview {
        Preview::Waiting => (Tone::Dim, vec!["Asking the panel what this would do …".into()]),
        Preview::Failed(trouble) => (Tone::Bad, vec![trouble.message.clone()]),
        Preview::Ready(outcome) => (Tone::Plain, ready(confirm, outcome)),
    }
}

fn ready(confirm: &Confirm, outcome: &Outcome) -> Vec<String> {
    let done = confirm.run.verb.words().done;
    let mut first = format!("{} can be {done}", outcome.moved.len());
    if !outcome.skipped.is_empty() {
        first.push_str(&format!(" · {} skipped", outcome.skipped.len()));
    }
    if outcome.returned.0 > 0 && confirm.run.cancel.is_none() {
        first.push_str(&format!(" · {} goes back", money(outcome.returned)));
    }
    if outcome.charged.0 > 0 {
        first.push_str(&format!(" · {} is charged, which is final", money(outcome.charged)));
    }
    let mut lines = vec![first];
    for (message, ids) in outcome.reasons().iter().take(2) {
        let whose = match ids.as_slice() {
            [id] => id.to_string(),
            ids => format!("{} of them", ids.len()),
        };
        lines.push(format!("  {whose}: {message}"));
    }
    lines
}

fn fields(theme: Theme, confirm: &Confirm) -> Vec<Part> {
    if let Some(asked) = confirm.run.asks() {
        return vec![Part::Field(Field::Description, asked.label, Vec::new())];
    }
    let Some(cancel) = &confirm.run.cancel else { return Vec::new() };
    let tick = |on: bool| if on { "[x]" } else { "[ ]" };
    let back = match (&confirm.preview, cancel.return_money) {
        (Preview::Ready(outcome), true) => {
            let whom = if outcome.users == 1 {
                "1 customer".to_owned()
            } else {
                format!("{} customers", outcome.users)
            };
            format!("{} goes back to {whom}", money(outcome.returned))
        }
        (_, true) => theme.ours("…"),
        (_, false) => "no money goes back".to_owned(),
    };
    let (open, close) = theme.glyphs().choice;
    let reason =
        confirm.reason.and_then(|at| confirm.reasons.get(at)).map_or("none given", |(_, label)| label);
    let value = |text: String| vec![Span::raw(text)];
    let mut parts = Vec::new();
    for field in confirm.fields() {
        parts.push(match field {
            Field::ReturnMoney => {
                Part::Field(field, "Return money", value(format!("{} {back}", tick(cancel.return_money))))
            }
            Field::Amount => Part::Field(field, "Amount", Vec::new()),
            Field::Reason => Part::Field(field, "Reason", value(format!("{open} {reason} {close}"))),
            Field::Description => Part::Field(field, "In words", Vec::new()),
            Field::Email => {
                Part::Field(field, "E-mail", value(format!("{} tell the customer", tick(cancel.email))))
            }
            Field::Typed | Field::Keep | Field::Go => continue,
        });
    }
    parts
}

fn one(buf: &mut Buffer, theme: Theme, confirm: &Confirm, part: Part, area: Rect) -> Option<Position> {
    match part {
        Part::Text(tone, text) => {
            buf.set_stringn(area.x, area.y, text, usize::from(area.width), theme.style(tone));
            None
        }
        Part::Buttons => {
            buttons(buf, theme, confirm, area);
            None
        }
        Part::Field(field, label, value) => field_line(buf, theme, confirm, (field, label, value), area),
    }
}

fn field_line(
    buf: &mut Buffer,
    theme: Theme,
    confirm: &Confirm,
    (field, label, value): (Field, &'static str, Vec<Span<'static>>),
    area: Rect,
) -> Option<Position> {
    let here = confirm.focus == field;
    let sign = if here { theme.glyphs().cursor } else { " " };
    let label = if label.is_empty() { String::new() } else { format!("{label:<LABEL$}") };
    let tone = if here { Tone::Focus } else { Tone::Plain };
    let mut line = vec![span(theme, tone, format!("{sign} {label}"))];
    line.extend(value.into_iter().map(|part| span(theme, tone, part.content.into_owned())));
    let used = u16::try_from(line.iter().map(Span::width).sum::<usize>()).unwrap_or(area.width);
    buf.set_line(area.x, area.y, &Line::from(line), area.width);
    let text = match field {
        Field::Amount => &confirm.amount,
        Field::Description => &confirm.description,
        Field::Typed => &confirm.typed,
        _ => return None,
    };
    let room = Rect::new(area.x + used, area.y, area.width.saturating_sub(used), 1);
    if text.is_empty() && !here {
        let asked = confirm.run.asks().map_or("_", |asked| asked.empty);
        let hint = if field == Field::Amount { "the default" } else { asked };
        buf.set_stringn(room.x, room.y, hint, usize::from(room.width), theme.style(Tone::Dim));
    }
    let cursor = prompt::typed(buf, theme, text, room, usize::MAX);
    here.then_some(cursor)
}

fn buttons(buf: &mut Buffer, theme: Theme, confirm: &Confirm, area: Rect) {
    let (keep, go) = confirm.buttons();
    let button = |field: Field, word: &str| {
        let here = confirm.focus == field;
        let sign = if here { theme.glyphs().cursor } else { " " };
        let tone = if here { Tone::Selected } else { Tone::Plain };
        span(theme, tone, format!("{sign}[ {word} ]"))
    };
    let line = vec![button(Field::Keep, &keep), Span::raw("  "), button(Field::Go, &go)];
    let wide = line.iter().map(|part| columns(&part.content)).sum::<u16>();
    let x = area.right().saturating_sub(wide).max(area.x);
    buf.set_line(x, area.y, &Line::from(line), area.width);
}
