//! Menus, messages, the help and the sign-in form.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::text::{Line, Span};

use crate::dialog::form::{SignInField, SignInForm};
use crate::dialog::help::{Help, HelpLine};
use crate::dialog::identity::Identity;
use crate::dialog::menu::{Menu, MenuItem};
use crate::dialog::notice::Notice;
use crate::draw::{columns, draw_dialog_box, prompt, span};
use crate::text::{Align, fit, sanitize, truncate, width, wrap};
use crate::text_input::TextInput;
use crate::theme::{Theme, Tone};

/// Inner width of menus and messages, in columns.
const WIDE: u16 = 64;

pub(crate) fn menu(buf: &mut Buffer, theme: Theme, menu: &Menu, over: Rect) -> Option<Position> {
    let wide = WIDE.min(over.width.saturating_sub(4));
    let high = u16::try_from(menu.items.len()).unwrap_or(u16::MAX);
    let area = draw_dialog_box(buf, theme, over, &menu.title, (wide, high));
    let room = usize::from(area.height.max(1));
    let top = (menu.focus + 1).saturating_sub(room);
    for (y, (at, item)) in (area.y..area.bottom()).zip(menu.items.iter().enumerate().skip(top)) {
        let line = Rect::new(area.x, y, area.width, 1);
        menu_item(buf, theme, item, at == menu.focus, line);
    }
    None
}

fn menu_item(buf: &mut Buffer, theme: Theme, item: &MenuItem, is_focused: bool, area: Rect) {
    let glyphs = theme.glyphs();
    let sign = if is_focused { glyphs.cursor } else { " " };
    let key = item.key.map_or_else(|| "  ".to_owned(), |key| format!("{key} "));
    let checkbox = item.checked.map_or("", |on| if on { "[x] " } else { "[ ] " });
    let mut text = format!("{sign} {key}{checkbox}{}", item.label);
    if let Some(why) = &item.disabled_reason {
        text = format!("{} {} {why}", fit(&text, 14, Align::Left, glyphs.ellipsis), glyphs.dash);
    }
    let tone = match (is_focused, &item.disabled_reason) {
        (true, _) => Tone::Selected,
        (false, Some(_)) => Tone::Dim,
        (false, None) => Tone::Plain,
    };
    let text =
        fit(&theme.ascii_fallback(&sanitize(&text)), usize::from(area.width), Align::Left, glyphs.ellipsis);
    buf.set_stringn(area.x, area.y, text, usize::from(area.width), theme.style(tone));
}

pub(crate) fn notice(buf: &mut Buffer, theme: Theme, notice: &Notice, over: Rect) -> Option<Position> {
    let wide = WIDE.min(over.width.saturating_sub(4));
    let mut lines: Vec<String> = notice
        .text
        .iter()
        .flat_map(|paragraph| wrap(&theme.ascii_fallback(&sanitize(paragraph)), usize::from(wide)))
        .collect();
    let keys = if notice.copy.is_some() { "esc close · y copy" } else { "esc close" };
    lines.push(String::new());
    let high = u16::try_from(lines.len() + 1).unwrap_or(u16::MAX);
    let area = draw_dialog_box(buf, theme, over, &notice.title, (wide, high));
    let room = usize::from(area.height.saturating_sub(1));
    let top = notice.top.min(lines.len().saturating_sub(room));
    for (y, line) in (area.y..area.bottom().saturating_sub(1)).zip(lines.iter().skip(top)) {
        buf.set_stringn(area.x, y, line, usize::from(area.width), theme.style(Tone::Plain));
    }
    let last = area.bottom().saturating_sub(1);
    buf.set_stringn(
        area.x,
        last,
        theme.ascii_fallback(keys),
        usize::from(area.width),
        theme.style(Tone::Dim),
    );
    None
}

pub(crate) fn help(buf: &mut Buffer, theme: Theme, help: &Help, over: Rect) -> Option<Position> {
    let glyphs = theme.glyphs();
    let area = draw_dialog_box(buf, theme, over, "Keys", (over.width.min(104), over.height));
    buf.set_stringn(area.x, area.y, "Search: ", usize::from(area.width), theme.style(Tone::Key));
    let field = Rect::new(area.x + 8, area.y, area.width.saturating_sub(8), 1);
    let cursor = prompt::draw_text_input(buf, theme, &help.search, field, usize::MAX);
    let lines = help.lines(glyphs.dash);
    let body = area.y + 1..area.bottom();
    if lines.is_empty() {
        let text = "No matching keys. Press Esc to close.";
        buf.set_stringn(area.x, area.y + 1, text, usize::from(area.width), theme.style(Tone::Dim));
    }
    for (y, line) in body.zip(lines.iter().skip(help.top)) {
        let line = match line {
            HelpLine::Title(title) => Line::from(span(theme, Tone::Strong, *title)),
            HelpLine::Keys(keys, text) => {
                let room = usize::from(area.width).saturating_sub(20);
                let text = truncate(&theme.ascii_fallback(text), room, glyphs.ellipsis);
                Line::from(vec![
                    span(theme, Tone::Key, fit(keys, 18, Align::Left, glyphs.ellipsis)),
                    Span::raw(format!("  {text}")),
                ])
            }
        };
        buf.set_line(area.x, y, &line, area.width);
    }
    Some(cursor)
}

pub(crate) fn sign_in(buf: &mut Buffer, theme: Theme, form: &SignInForm, over: Rect) -> Option<Position> {
    let glyphs = theme.glyphs();
    let wide = WIDE.min(over.width.saturating_sub(4));
    let messages = match (&form.message, form.is_submitting) {
        (_, true) => vec![theme.ascii_fallback("Signing in …")],
        (Some(message), false) => wrap(&theme.ascii_fallback(&sanitize(message)), usize::from(wide)),
        (None, false) => vec![],
    };
    let high = u16::try_from(form.fields.len() + messages.len() + 1).unwrap_or(u16::MAX);
    let title = if form.profile.is_empty() {
        "Sign in".to_owned()
    } else {
        format!("Sign in to {}", sanitize(&form.profile))
    };
    let area = draw_dialog_box(buf, theme, over, &title, (wide, high));
    let mut cursor = None;
    for (y, (at, (field, line))) in (area.y..area.bottom()).zip(form.fields.iter().enumerate()) {
        let is_focused = at == form.focus && !form.is_submitting;
        let tone = if is_focused { Tone::Focus } else { Tone::Plain };
        let sign = if is_focused { glyphs.cursor } else { " " };
        let label = format!("{sign} {:<10}", field.label());
        buf.set_stringn(area.x, y, &label, usize::from(area.width), theme.style(tone));
        let used = columns(&label);
        let room = Rect::new(area.x + used, y, area.width.saturating_sub(used), 1);
        let hidden = hidden(*field, line);
        let position = prompt::draw_text_input(buf, theme, hidden.as_ref().unwrap_or(line), room, usize::MAX);
        cursor = is_focused.then_some(position).or(cursor);
    }
    let below = area.y + u16::try_from(form.fields.len()).unwrap_or(0) + 1;
    let tone = if form.is_submitting { Tone::Dim } else { Tone::Error };
    for (y, line) in (below..area.bottom()).zip(messages) {
        buf.set_stringn(area.x, y, line, usize::from(area.width), theme.style(tone));
    }
    cursor
}

/// The dialog that asks for the password before an action.
pub(crate) fn identity(buf: &mut Buffer, theme: Theme, identity: &Identity, over: Rect) -> Option<Position> {
    let wide = WIDE.min(over.width.saturating_sub(4));
    let text =
        wrap("Enter your password to continue. It is asked again after ten minutes.", usize::from(wide));
    let high = u16::try_from(text.len() + 2).unwrap_or(u16::MAX);
    let area = draw_dialog_box(buf, theme, over, "Confirm your identity", (wide, high));
    for (y, line) in (area.y..area.bottom()).zip(&text) {
        buf.set_stringn(area.x, y, line, usize::from(area.width), theme.style(Tone::Plain));
    }
    let y = area.bottom().saturating_sub(1);
    let label = format!("{} Password  ", theme.glyphs().cursor);
    buf.set_stringn(area.x, y, &label, usize::from(area.width), theme.style(Tone::Focus));
    let used = columns(&label);
    let room = Rect::new(area.x + used, y, area.width.saturating_sub(used), 1);
    Some(prompt::draw_text_input(buf, theme, &stars(&identity.password), room, usize::MAX))
}

fn hidden(field: SignInField, line: &TextInput) -> Option<TextInput> {
    (field == SignInField::Password).then(|| stars(line))
}

/// Replaces each character of a password by a star.
fn stars(line: &TextInput) -> TextInput {
    TextInput::with_text(&"*".repeat(width(&line.text_before_cursor()).max(line.text().chars().count())))
}
