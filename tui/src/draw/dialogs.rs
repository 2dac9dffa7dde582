//! Menus, messages, the help and the sign-in form.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::text::{Line, Span};

use crate::dialog::form::{Field, SignInForm};
use crate::dialog::help::{Help, HelpLine};
use crate::dialog::identity::Identity;
use crate::dialog::menu::{Item, Menu};
use crate::dialog::notice::Notice;
use crate::draw::{columns, floating, prompt, span};
use crate::line;
use crate::text::{Align, clean, cut, fit, width, wrap};
use crate::theme::{Theme, Tone};

/// Columns inside menus and messages.
const WIDE: u16 = 64;

/// A menu.
pub(crate) fn menu(buf: &mut Buffer, theme: Theme, menu: &Menu, over: Rect) -> Option<Position> {
    let wide = WIDE.min(over.width.saturating_sub(4));
    let high = u16::try_from(menu.items.len()).unwrap_or(u16::MAX);
    let area = floating(buf, theme, over, &menu.title, (wide, high));
    let room = usize::from(area.height.max(1));
    let top = (menu.at + 1).saturating_sub(room);
    for (y, (at, item)) in (area.y..area.bottom()).zip(menu.items.iter().enumerate().skip(top)) {
        let line = Rect::new(area.x, y, area.width, 1);
        menu_item(buf, theme, item, at == menu.at, line);
    }
    None
}

fn menu_item(buf: &mut Buffer, theme: Theme, item: &Item, here: bool, area: Rect) {
    let glyphs = theme.glyphs();
    let sign = if here { glyphs.cursor } else { " " };
    let key = item.key.map_or_else(|| "  ".to_owned(), |key| format!("{key} "));
    let tick = item.ticked.map_or("", |on| if on { "[x] " } else { "[ ] " });
    let mut text = format!("{sign} {key}{tick}{}", item.label);
    if let Some(why) = &item.off {
        text = format!("{} {} {why}", fit(&text, 14, Align::Left, glyphs.more), glyphs.dash);
    }
    let tone = match (here, &item.off) {
        (true, _) => Tone::Selected,
        (false, Some(_)) => Tone::Dim,
        (false, None) => Tone::Plain,
    };
    let text = fit(&theme.ours(&clean(&text)), usize::from(area.width), Align::Left, glyphs.more);
    buf.set_stringn(area.x, area.y, text, usize::from(area.width), theme.style(tone));
}

/// A message.
pub(crate) fn notice(buf: &mut Buffer, theme: Theme, notice: &Notice, over: Rect) -> Option<Position> {
    let wide = WIDE.min(over.width.saturating_sub(4));
    let mut lines: Vec<String> = notice
        .text
        .iter()
        .flat_map(|paragraph| wrap(&theme.ours(&clean(paragraph)), usize::from(wide)))
        .collect();
    let keys = if notice.copy.is_some() { "esc closes · y copies" } else { "esc closes" };
    lines.push(String::new());
    let high = u16::try_from(lines.len() + 1).unwrap_or(u16::MAX);
    let area = floating(buf, theme, over, &notice.title, (wide, high));
    let room = usize::from(area.height.saturating_sub(1));
    let top = notice.top.min(lines.len().saturating_sub(room));
    for (y, line) in (area.y..area.bottom().saturating_sub(1)).zip(lines.iter().skip(top)) {
        buf.set_stringn(area.x, y, line, usize::from(area.width), theme.style(Tone::Plain));
    }
    let last = area.bottom().saturating_sub(1);
    buf.set_stringn(area.x, last, theme.ours(keys), usize::from(area.width), theme.style(Tone::Dim));
    None
}

/// The keys.
pub(crate) fn help(buf: &mut Buffer, theme: Theme, help: &Help, over: Rect) -> Option<Position> {
    let glyphs = theme.glyphs();
    let area = floating(buf, theme, over, "Keys", (over.width.min(104), over.height));
    buf.set_stringn(area.x, area.y, "Search: ", usize::from(area.width), theme.style(Tone::Key));
    let field = Rect::new(area.x + 8, area.y, area.width.saturating_sub(8), 1);
    let cursor = prompt::typed(buf, theme, &help.search, field, usize::MAX);
    let lines = help.lines(glyphs.dash);
    let body = area.y + 1..area.bottom();
    if lines.is_empty() {
        let text = "No key does that. Esc closes.";
        buf.set_stringn(area.x, area.y + 1, text, usize::from(area.width), theme.style(Tone::Dim));
    }
    for (y, line) in body.zip(lines.iter().skip(help.top)) {
        let line = match line {
            HelpLine::Title(title) => Line::from(span(theme, Tone::Strong, *title)),
            HelpLine::Keys(keys, text) => {
                let room = usize::from(area.width).saturating_sub(20);
                let text = cut(&theme.ours(text), room, glyphs.more);
                Line::from(vec![
                    span(theme, Tone::Key, fit(keys, 18, Align::Left, glyphs.more)),
                    Span::raw(format!("  {text}")),
                ])
            }
        };
        buf.set_line(area.x, y, &line, area.width);
    }
    Some(cursor)
}

/// The sign-in form.
pub(crate) fn sign_in(buf: &mut Buffer, theme: Theme, form: &SignInForm, over: Rect) -> Option<Position> {
    let glyphs = theme.glyphs();
    let wide = WIDE.min(over.width.saturating_sub(4));
    let state = match (&form.message, form.busy) {
        (_, true) => vec![theme.ours("Signing in …")],
        (Some(message), false) => wrap(&theme.ours(&clean(message)), usize::from(wide)),
        (None, false) => vec![],
    };
    let high = u16::try_from(form.fields.len() + state.len() + 1).unwrap_or(u16::MAX);
    let title = if form.profile.is_empty() {
        "Sign in".to_owned()
    } else {
        format!("Sign in to {}", clean(&form.profile))
    };
    let area = floating(buf, theme, over, &title, (wide, high));
    let mut cursor = None;
    for (y, (at, (field, line))) in (area.y..area.bottom()).zip(form.fields.iter().enumerate()) {
        let here = at == form.at && !form.busy;
        let tone = if here { Tone::Focus } else { Tone::Plain };
        let sign = if here { glyphs.cursor } else { " " };
        let label = format!("{sign} {:<10}", field.label());
        buf.set_stringn(area.x, y, &label, usize::from(area.width), theme.style(tone));
        let used = columns(&label);
        let room = Rect::new(area.x + used, y, area.width.saturating_sub(used), 1);
        let hidden = hidden(*field, line);
        let place = prompt::typed(buf, theme, hidden.as_ref().unwrap_or(line), room, usize::MAX);
        cursor = here.then_some(place).or(cursor);
    }
    let below = area.y + u16::try_from(form.fields.len()).unwrap_or(0) + 1;
    let tone = if form.busy { Tone::Dim } else { Tone::Bad };
    for (y, line) in (below..area.bottom()).zip(state) {
        buf.set_stringn(area.x, y, line, usize::from(area.width), theme.style(tone));
    }
    cursor
}

/// The question for the password before an action.
pub(crate) fn identity(buf: &mut Buffer, theme: Theme, identity: &Identity, over: Rect) -> Option<Position> {
    let wide = WIDE.min(over.width.saturating_sub(4));
    let text = wrap("Type your password. The confirmation counts for ten minutes.", usize::from(wide));
    let high = u16::try_from(text.len() + 2).unwrap_or(u16::MAX);
    let area = floating(buf, theme, over, "Confirm that it is you", (wide, high));
    for (y, line) in (area.y..area.bottom()).zip(&text) {
        buf.set_stringn(area.x, y, line, usize::from(area.width), theme.style(Tone::Plain));
    }
    let y = area.bottom().saturating_sub(1);
    let label = format!("{} Password  ", theme.glyphs().cursor);
    buf.set_stringn(area.x, y, &label, usize::from(area.width), theme.style(Tone::Focus));
    let used = columns(&label);
    let room = Rect::new(area.x + used, y, area.width.saturating_sub(used), 1);
    Some(prompt::typed(buf, theme, &stars(&identity.password), room, usize::MAX))
}

fn hidden(field: Field, line: &line::Line) -> Option<line::Line> {
    (field == Field::Password).then(|| stars(line))
}

/// A password shows as one star per character.
fn stars(line: &line::Line) -> line::Line {
    line::Line::of(&"*".repeat(width(&line.before()).max(line.text().chars().count())))
}
