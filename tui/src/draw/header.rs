//! The header: the profile, the connection, and the four counters with their last hour.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Span;

use crate::app::App;
use crate::draw::{columns, draw_box, span, write_left, write_right};
use crate::layout::{self, Areas};
use crate::model::counters::Counter;
use crate::session::Connection;
use crate::text::{format_clock, format_count, sanitize, truncate, width};
use crate::theme::Tone;

pub(crate) fn draw(buf: &mut Buffer, app: &App, area: Rect) {
    let theme = app.options.theme;
    let ellipsis = theme.glyphs().ellipsis;
    let session = app.session.as_ref();
    let mut spans = vec![span(theme, Tone::Strong, "panel-tui")];
    if let Some(session) = session {
        spans.push(Span::raw(format!("  {}", truncate(&sanitize(&session.profile), 20, ellipsis))));
    }
    spans.push(Span::raw("  "));
    spans.extend(connection_spans(app));
    if app.options.readonly || session.is_some_and(|session| session.readonly) {
        spans.push(span(theme, Tone::Warning, "  read only"));
    }
    let used_width = spans.iter().map(Span::width).sum::<usize>();
    let free_width = usize::from(area.width).saturating_sub(used_width + 2);
    let email = session.map(|session| sanitize(&session.email)).unwrap_or_default();
    let mut right_spans = Vec::new();
    if free_width >= width(&email) + 19 {
        right_spans.push(Span::raw(format!("{email}   ")));
    }
    right_spans.extend([
        span(theme, Tone::Key, "?"),
        Span::raw(" keys  "),
        span(theme, Tone::Key, "q"),
        Span::raw(" quit"),
    ]);
    let left_width = write_right(buf, area, right_spans);
    write_left(buf, Rect { width: left_width, ..area }, spans);
}

/// The connection state, always as a glyph and a word.
fn connection_spans(app: &App) -> Vec<Span<'static>> {
    let theme = app.options.theme;
    let glyphs = theme.glyphs();
    let retry_text =
        |time: panel_contract::moment::Time| format!("retry in {} s", time.since(app.now).as_secs());
    if app.is_signed_out() {
        return vec![span(theme, Tone::Warning, glyphs.offline), Span::raw(" not signed in")];
    }
    let (tone, glyph, text) = match app.connection {
        Connection::Connecting => (Tone::Warning, glyphs.retry, "connecting".to_owned()),
        Connection::Live => (Tone::Success, glyphs.live, format!("live {}", format_clock(app.now))),
        Connection::Retry(time) => (Tone::Warning, glyphs.retry, retry_text(time)),
        Connection::Offline(time) => {
            (Tone::Error, glyphs.offline, format!("offline, read only, {}", retry_text(time)))
        }
        Connection::DatabaseDown(time) => {
            (Tone::Error, glyphs.offline, format!("database down, read only, {}", retry_text(time)))
        }
    };
    vec![span(theme, tone, glyph), Span::raw(format!(" {text}"))]
}

/// Draws the four counters: boxes with sparklines, or one line on a low screen.
pub(crate) fn draw_cards(buf: &mut Buffer, app: &App, areas: &Areas) {
    for (counter, area) in Counter::ALL.into_iter().zip(layout::card_areas(areas)) {
        if area.height == 1 {
            draw_compact_card(buf, app, counter, area);
        } else {
            draw_card(buf, app, counter, area);
        }
    }
}

fn draw_compact_card(buf: &mut Buffer, app: &App, counter: Counter, area: Rect) {
    let theme = app.options.theme;
    let (value, tone, delta) = format_counter(app, counter);
    let text_width = usize::from(area.width).saturating_sub(1);
    let title = truncate(counter.title(), text_width.saturating_sub(width(&value) + 1), "");
    let mut spans = vec![Span::raw(format!("{title} ")), span(theme, Tone::Strong, value.clone())];
    if width(&title) + width(&value) + width(&delta) + 2 <= text_width {
        spans.push(span(theme, tone, format!(" {delta}")));
    }
    write_left(buf, area, spans);
}

fn draw_card(buf: &mut Buffer, app: &App, counter: Counter, area: Rect) {
    let theme = app.options.theme;
    let is_shown = app.list().is_some_and(|list| list.tab.counter == Some(counter));
    let title = vec![span(
        theme,
        if is_shown { Tone::Strong } else { Tone::Plain },
        format!(" {} ", counter.title()),
    )];
    let inner = draw_box(buf, theme, area, title, if is_shown { Tone::Focus } else { Tone::Dim });
    let (value, tone, delta) = format_counter(app, counter);
    let text_width = usize::from(inner.width);
    let long_delta = match app.counter(counter).delta_minutes(app.now) {
        0 => delta.clone(),
        minutes => format!("{delta} in {minutes}m"),
    };
    let delta = [long_delta, delta]
        .into_iter()
        .find(|delta| width(&value) + width(delta) + 3 <= text_width)
        .unwrap_or_default();
    let spans = vec![span(theme, Tone::Strong, format!(" {value}  ")), span(theme, tone, delta)];
    write_left(buf, inner, spans);
    let bars: String = app
        .counter(counter)
        .bars(app.now, text_width.saturating_sub(2))
        .into_iter()
        .map(|bar| bar.map_or(" ", |bar| theme.glyphs().bars[bar.min(7)]))
        .collect();
    if inner.height > 1 {
        buf.set_stringn(inner.x + 1, inner.y + 1, &bars, usize::from(columns(&bars)), theme.style(Tone::Key));
    }
}

/// Returns the value, and its change in ten minutes as arrow, number and word, with the tone of the change.
fn format_counter(app: &App, counter: Counter) -> (String, Tone, String) {
    let glyphs = app.options.theme.glyphs();
    let history = app.counter(counter);
    let Some(value) = history.value() else {
        return ("–".replace('–', glyphs.dash), Tone::Dim, String::new());
    };
    let delta = history.delta(app.now);
    let change = format_count(delta.saturating_abs());
    let (tone, delta) = match delta {
        0 => (Tone::Dim, "= same".to_owned()),
        1.. => (Tone::Warning, format!("{}{change} up", glyphs.up)),
        _ => (Tone::Success, format!("{}{change} down", glyphs.down)),
    };
    (format_count(value), tone, delta)
}
