//! Draws the confirmation dialog.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::text::{Line, Span};

use crate::dialog::confirm::{ConfirmDialog, ConfirmField, Preview};
use crate::draw::{columns, draw_dialog_box, prompt, span};
use crate::model::run::Outcome;
use crate::text::{format_money, pluralize, wrap};
use crate::theme::{Theme, Tone};

/// Inner width of the dialog, in columns.
const WIDTH: u16 = 64;
/// Width of the labels, in columns.
const LABEL_WIDTH: usize = 14;

/// A line of the dialog.
enum DialogLine {
    Text(Tone, String),
    /// A field with its label and value.
    Field(ConfirmField, &'static str, Vec<Span<'static>>),
    Buttons,
}

/// Draws the dialog and returns the cursor position if a text field is focused.
pub(crate) fn draw(
    buf: &mut Buffer,
    theme: Theme,
    confirm: &ConfirmDialog,
    screen_area: Rect,
) -> Option<Position> {
    let width = WIDTH.min(screen_area.width.saturating_sub(4));
    let lines = dialog_lines(theme, confirm, usize::from(width));
    let height = u16::try_from(lines.len()).unwrap_or(u16::MAX);
    let area = draw_dialog_box(buf, theme, screen_area, &confirm.title(), (width, height));
    // If the dialog is too high, drop its first lines, never the buttons.
    let skip = lines.len().saturating_sub(usize::from(area.height));
    let mut cursor = None;
    for (y, content) in (area.y..area.bottom()).zip(lines.into_iter().skip(skip)) {
        let line = Rect::new(area.x, y, area.width, 1);
        cursor = draw_line(buf, theme, confirm, content, line).or(cursor);
    }
    cursor
}

fn dialog_lines(theme: Theme, confirm: &ConfirmDialog, width: usize) -> Vec<DialogLine> {
    let mut lines = Vec::new();
    let add_text = |lines: &mut Vec<DialogLine>, tone, text: &str| {
        lines.extend(
            wrap(&theme.ascii_fallback(text), width).into_iter().map(|line| DialogLine::Text(tone, line)),
        );
    };
    if let Some(summary) = &confirm.undo_summary {
        add_text(&mut lines, Tone::Plain, &format!("Last action: {summary}."));
    }
    let (tone, preview_lines) = preview_lines(confirm);
    for line in preview_lines {
        add_text(&mut lines, tone, &line);
    }
    lines.extend(field_lines(theme, confirm));
    let tone = if confirm.is_irreversible() { Tone::Error } else { Tone::Dim };
    if confirm.undo_summary.is_none() {
        add_text(&mut lines, tone, confirm.run.action.texts().effect);
    }
    if confirm.needs_typing() {
        lines.push(DialogLine::Field(
            ConfirmField::Confirmation,
            "",
            vec![Span::raw(confirmation_label(confirm))],
        ));
    }
    if let Some(error) = &confirm.error {
        add_text(&mut lines, Tone::Error, error);
    }
    lines.push(DialogLine::Text(Tone::Plain, String::new()));
    lines.push(DialogLine::Buttons);
    lines
}

fn confirmation_label(confirm: &ConfirmDialog) -> String {
    let required_text = confirm.required_text().unwrap_or_else(|| "the number".to_owned());
    format!("Type {required_text} to {}: ", confirm.run.action.texts().infinitive)
}

/// Describes the dry run.
fn preview_lines(confirm: &ConfirmDialog) -> (Tone, Vec<String>) {
    match &confirm.preview {
        Preview::Waiting => (Tone::Dim, vec!["Checking what this would change …".into()]),
        Preview::Failed(failure) => (Tone::Error, vec![failure.message.clone()]),
        Preview::Ready(outcome) => (Tone::Plain, outcome_lines(confirm, outcome)),
    }
}

fn outcome_lines(confirm: &ConfirmDialog, outcome: &Outcome) -> Vec<String> {
    let past_participle = confirm.run.action.texts().past_participle;
    let mut summary = format!("{} can be {past_participle}", outcome.changed.len());
    if !outcome.skipped.is_empty() {
        summary.push_str(&format!(" · {} skipped", outcome.skipped.len()));
    }
    if outcome.refunded.0 > 0 && confirm.run.cancel.is_none() {
        summary.push_str(&format!(" · {} refunded", format_money(outcome.refunded)));
    }
    if outcome.charged.0 > 0 {
        summary.push_str(&format!(" · {} charged, cannot be undone", format_money(outcome.charged)));
    }
    let mut lines = vec![summary];
    for (message, ids) in outcome.ids_by_reason().iter().take(2) {
        let records = match ids.as_slice() {
            [id] => id.to_string(),
            ids => pluralize(ids.len(), confirm.run.source.noun()),
        };
        lines.push(format!("  {records}: {message}"));
    }
    lines
}

fn field_lines(theme: Theme, confirm: &ConfirmDialog) -> Vec<DialogLine> {
    if let Some(input) = confirm.run.action_input() {
        return vec![DialogLine::Field(ConfirmField::Description, input.label, Vec::new())];
    }
    let Some(cancel) = &confirm.run.cancel else { return Vec::new() };
    let checkbox = |is_checked: bool| if is_checked { "[x]" } else { "[ ]" };
    let refund = match (&confirm.preview, cancel.return_money) {
        (Preview::Ready(outcome), true) => {
            let customers = pluralize(usize::try_from(outcome.customer_count).unwrap_or(0), "customer");
            format!("{} to {customers}", format_money(outcome.refunded))
        }
        (_, true) => theme.ascii_fallback("…"),
        (_, false) => "no refund".to_owned(),
    };
    let (open, close) = theme.glyphs().choice;
    let reason = confirm
        .reason_index
        .and_then(|index| confirm.reasons.get(index))
        .map_or("no reason", |(_, label)| label);
    let value = |text: String| vec![Span::raw(text)];
    let mut lines = Vec::new();
    for field in confirm.fields() {
        lines.push(match field {
            ConfirmField::Refund => DialogLine::Field(
                field,
                "Refund",
                value(format!("{} {refund}", checkbox(cancel.return_money))),
            ),
            ConfirmField::Amount => DialogLine::Field(field, "Amount", Vec::new()),
            ConfirmField::Reason => {
                DialogLine::Field(field, "Reason", value(format!("{open} {reason} {close}")))
            }
            ConfirmField::Description => DialogLine::Field(field, "Details", Vec::new()),
            ConfirmField::Email => DialogLine::Field(
                field,
                "Email",
                value(format!("{} notify the customer", checkbox(cancel.sends_email))),
            ),
            ConfirmField::Confirmation | ConfirmField::Abort | ConfirmField::Proceed => continue,
        });
    }
    lines
}

fn draw_line(
    buf: &mut Buffer,
    theme: Theme,
    confirm: &ConfirmDialog,
    content: DialogLine,
    area: Rect,
) -> Option<Position> {
    match content {
        DialogLine::Text(tone, text) => {
            buf.set_stringn(area.x, area.y, text, usize::from(area.width), theme.style(tone));
            None
        }
        DialogLine::Buttons => {
            draw_buttons(buf, theme, confirm, area);
            None
        }
        DialogLine::Field(field, label, value) => {
            draw_field(buf, theme, confirm, (field, label, value), area)
        }
    }
}

fn draw_field(
    buf: &mut Buffer,
    theme: Theme,
    confirm: &ConfirmDialog,
    (field, label, value): (ConfirmField, &'static str, Vec<Span<'static>>),
    area: Rect,
) -> Option<Position> {
    let is_focused = confirm.focus == field;
    let cursor_glyph = if is_focused { theme.glyphs().cursor } else { " " };
    let label = if label.is_empty() { String::new() } else { format!("{label:<LABEL_WIDTH$}") };
    let tone = if is_focused { Tone::Focus } else { Tone::Plain };
    let mut line = vec![span(theme, tone, format!("{cursor_glyph} {label}"))];
    line.extend(value.into_iter().map(|part| span(theme, tone, part.content.into_owned())));
    let label_width = u16::try_from(line.iter().map(Span::width).sum::<usize>()).unwrap_or(area.width);
    buf.set_line(area.x, area.y, &Line::from(line), area.width);
    let input = match field {
        ConfirmField::Amount => &confirm.amount,
        ConfirmField::Description => &confirm.description,
        ConfirmField::Confirmation => &confirm.confirmation,
        _ => return None,
    };
    let input_area = Rect::new(area.x + label_width, area.y, area.width.saturating_sub(label_width), 1);
    if input.is_empty() && !is_focused {
        let placeholder = confirm.run.action_input().map_or("_", |input| input.placeholder);
        let hint = if field == ConfirmField::Amount { "default amount" } else { placeholder };
        buf.set_stringn(
            input_area.x,
            input_area.y,
            hint,
            usize::from(input_area.width),
            theme.style(Tone::Dim),
        );
    }
    let cursor = prompt::draw_text_input(buf, theme, input, input_area, usize::MAX);
    is_focused.then_some(cursor)
}

fn draw_buttons(buf: &mut Buffer, theme: Theme, confirm: &ConfirmDialog, area: Rect) {
    let (abort_label, proceed_label) = confirm.buttons();
    let button = |field: ConfirmField, label: &str| {
        let is_focused = confirm.focus == field;
        let cursor_glyph = if is_focused { theme.glyphs().cursor } else { " " };
        let tone = if is_focused { Tone::Selected } else { Tone::Plain };
        span(theme, tone, format!("{cursor_glyph}[ {label} ]"))
    };
    let line = vec![
        button(ConfirmField::Abort, &abort_label),
        Span::raw("  "),
        button(ConfirmField::Proceed, &proceed_label),
    ];
    let width = line.iter().map(|part| columns(&part.content)).sum::<u16>();
    let x = area.right().saturating_sub(width).max(area.x);
    buf.set_line(x, area.y, &Line::from(line), area.width);
}
