//! Menus, messages, the help and the sign-in form.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::text::{Line, Span};

use crate::dialog::form::{SignInField, SignInForm};
use crate::dialog::help::{Help, HelpLine};
use crate::dialog::identity::IdentityDialog;
use crate::dialog::menu::{Menu, MenuItem};
use crate::dialog::notice::Notice;
use crate::draw::{columns, draw_dialog_box, prompt, span};
use crate::text::{Align, fit_to_columns, sanitize, truncate, width, wrap};
use crate::text_input::TextInput;
use crate::theme::{Theme, Tone};

/// Inner width of menus and messages, in columns.
const DIALOG_WIDTH: u16 = 64;

pub(crate) fn draw_menu(buf: &mut Buffer, theme: Theme, menu: &Menu, screen_area: Rect) -> Option<Position> {
    let width = DIALOG_WIDTH.min(screen_area.width.saturating_sub(4));
    let height = u16::try_from(menu.items.len()).unwrap_or(u16::MAX);
    let area = draw_dialog_box(buf, theme, screen_area, &menu.title, (width, height));
    let visible_items = usize::from(area.height.max(1));
    let first_visible = (menu.focus + 1).saturating_sub(visible_items);
    for (y, (index, item)) in (area.y..area.bottom()).zip(menu.items.iter().enumerate().skip(first_visible)) {
        let line = Rect::new(area.x, y, area.width, 1);
        draw_menu_item(buf, theme, item, index == menu.focus, line);
    }
    None
}

fn draw_menu_item(buf: &mut Buffer, theme: Theme, item: &MenuItem, is_focused: bool, area: Rect) {
    let glyphs = theme.glyphs();
    let cursor_glyph = if is_focused { glyphs.cursor } else { " " };
    let key = item.key.map_or_else(|| "  ".to_owned(), |key| format!("{key} "));
    let checkbox = item.is_checked.map_or("", |is_checked| if is_checked { "[x] " } else { "[ ] " });
    let mut text = format!("{cursor_glyph} {key}{checkbox}{}", item.label);
    if let Some(reason) = &item.disabled_reason {
        text =
            format!("{} {} {reason}", fit_to_columns(&text, 14, Align::Left, glyphs.ellipsis), glyphs.dash);
    }
    let tone = match (is_focused, &item.disabled_reason) {
        (true, _) => Tone::Selected,
        (false, Some(_)) => Tone::Dim,
        (false, None) => Tone::Plain,
    };
    let text = fit_to_columns(
        &theme.ascii_fallback(&sanitize(&text)),
        usize::from(area.width),
        Align::Left,
        glyphs.ellipsis,
    );
    buf.set_stringn(area.x, area.y, text, usize::from(area.width), theme.style(tone));
}

pub(crate) fn draw_notice(
    buf: &mut Buffer,
    theme: Theme,
    notice: &Notice,
    screen_area: Rect,
) -> Option<Position> {
    let width = DIALOG_WIDTH.min(screen_area.width.saturating_sub(4));
    let mut lines: Vec<String> = notice
        .text
        .iter()
        .flat_map(|paragraph| wrap(&theme.ascii_fallback(&sanitize(paragraph)), usize::from(width)))
        .collect();
    let keys = if notice.copied_text.is_some() { "esc close · y copy" } else { "esc close" };
    lines.push(String::new());
    let height = u16::try_from(lines.len() + 1).unwrap_or(u16::MAX);
    let area = draw_dialog_box(buf, theme, screen_area, &notice.title, (width, height));
    let visible_lines = usize::from(area.height.saturating_sub(1));
    let first_visible = notice.scroll_offset.min(lines.len().saturating_sub(visible_lines));
    for (y, line) in (area.y..area.bottom().saturating_sub(1)).zip(lines.iter().skip(first_visible)) {
        buf.set_stringn(area.x, y, line, usize::from(area.width), theme.style(Tone::Plain));
    }
    let last_line = area.bottom().saturating_sub(1);
    buf.set_stringn(
        area.x,
        last_line,
        theme.ascii_fallback(keys),
        usize::from(area.width),
        theme.style(Tone::Dim),
    );
    None
}

pub(crate) fn draw_help(buf: &mut Buffer, theme: Theme, help: &Help, screen_area: Rect) -> Option<Position> {
    let glyphs = theme.glyphs();
    let area =
        draw_dialog_box(buf, theme, screen_area, "Keys", (screen_area.width.min(104), screen_area.height));
    buf.set_stringn(area.x, area.y, "Search: ", usize::from(area.width), theme.style(Tone::Key));
    let field = Rect::new(area.x + 8, area.y, area.width.saturating_sub(8), 1);
    let cursor = prompt::draw_text_input(buf, theme, &help.search, field, usize::MAX);
    let lines = help.lines(glyphs.dash);
    let body = area.y + 1..area.bottom();
    if lines.is_empty() {
        let text = "No matching keys. Press Esc to close.";
        buf.set_stringn(area.x, area.y + 1, text, usize::from(area.width), theme.style(Tone::Dim));
    }
    for (y, line) in body.zip(lines.iter().skip(help.scroll_offset)) {
        let line = match line {
            HelpLine::Title(title) => Line::from(span(theme, Tone::Strong, *title)),
            HelpLine::Keys(keys, text) => {
                let text_width = usize::from(area.width).saturating_sub(20);
                let text = truncate(&theme.ascii_fallback(text), text_width, glyphs.ellipsis);
                Line::from(vec![
                    span(theme, Tone::Key, fit_to_columns(keys, 18, Align::Left, glyphs.ellipsis)),
                    Span::raw(format!("  {text}")),
                ])
            }
        };
        buf.set_line(area.x, y, &line, area.width);
    }
    Some(cursor)
}

pub(crate) fn draw_sign_in(
    buf: &mut Buffer,
    theme: Theme,
    form: &SignInForm,
    screen_area: Rect,
) -> Option<Position> {
    let glyphs = theme.glyphs();
    let width = DIALOG_WIDTH.min(screen_area.width.saturating_sub(4));
    let messages = match (&form.message, form.is_submitting) {
        (_, true) => vec![theme.ascii_fallback("Signing in …")],
        (Some(message), false) => wrap(&theme.ascii_fallback(&sanitize(message)), usize::from(width)),
        (None, false) => vec![],
    };
    let height = u16::try_from(form.fields.len() + messages.len() + 1).unwrap_or(u16::MAX);
    let title = if form.profile.is_empty() {
        "Sign in".to_owned()
    } else {
        format!("Sign in to {}", sanitize(&form.profile))
    };
    let area = draw_dialog_box(buf, theme, screen_area, &title, (width, height));
    let mut cursor = None;
    for (y, (index, (field, input))) in (area.y..area.bottom()).zip(form.fields.iter().enumerate()) {
        let is_focused = index == form.focus && !form.is_submitting;
        let tone = if is_focused { Tone::Focus } else { Tone::Plain };
        let cursor_glyph = if is_focused { glyphs.cursor } else { " " };
        let label = format!("{cursor_glyph} {:<10}", field.label());
        buf.set_stringn(area.x, y, &label, usize::from(area.width), theme.style(tone));
        let label_width = columns(&label);
        let input_area = Rect::new(area.x + label_width, y, area.width.saturating_sub(label_width), 1);
        let masked_input = (*field == SignInField::Password).then(|| mask_input(input));
        let drawn_input = masked_input.as_ref().unwrap_or(input);
        let position = prompt::draw_text_input(buf, theme, drawn_input, input_area, usize::MAX);
        cursor = is_focused.then_some(position).or(cursor);
    }
    let message_y = area.y + u16::try_from(form.fields.len()).unwrap_or(0) + 1;
    let tone = if form.is_submitting { Tone::Dim } else { Tone::Error };
    for (y, line) in (message_y..area.bottom()).zip(messages) {
        buf.set_stringn(area.x, y, line, usize::from(area.width), theme.style(tone));
    }
    cursor
}

/// Draws the dialog that asks for the password before an action.
pub(crate) fn draw_identity(
    buf: &mut Buffer,
    theme: Theme,
    identity: &IdentityDialog,
    screen_area: Rect,
) -> Option<Position> {
    let width = DIALOG_WIDTH.min(screen_area.width.saturating_sub(4));
    let text =
        wrap("Enter your password to continue. The server asks again after ten minutes.", usize::from(width));
    let height = u16::try_from(text.len() + 2).unwrap_or(u16::MAX);
    let area = draw_dialog_box(buf, theme, screen_area, "Confirm your identity", (width, height));
    for (y, line) in (area.y..area.bottom()).zip(&text) {
        buf.set_stringn(area.x, y, line, usize::from(area.width), theme.style(Tone::Plain));
    }
    let y = area.bottom().saturating_sub(1);
    let label = format!("{} Password  ", theme.glyphs().cursor);
    buf.set_stringn(area.x, y, &label, usize::from(area.width), theme.style(Tone::Focus));
    let label_width = columns(&label);
    let input_area = Rect::new(area.x + label_width, y, area.width.saturating_sub(label_width), 1);
    Some(prompt::draw_text_input(buf, theme, &mask_input(&identity.password), input_area, usize::MAX))
}

/// Replaces each character of a password by a star.
fn mask_input(input: &TextInput) -> TextInput {
    TextInput::with_text(&"*".repeat(width(&input.text_before_cursor()).max(input.text().chars().count())))
}
