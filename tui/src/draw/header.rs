//! The top: panel and connection, and the four counters with their last hour.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Span;

use crate::app::App;
use crate::draw::{boxed, columns, left, right, span};
use crate::layout::{self, Areas};
use crate::model::series::Count;
use crate::session::Connection;
use crate::text::{clean, clock, count, cut, width};
use crate::theme::Tone;

/// Panel, connection and person.
pub(crate) fn draw(buf: &mut Buffer, app: &App, area: Rect) {
    let theme = app.options.theme;
    let more = theme.glyphs().more;
    let who = app.who.as_ref();
    let mut spans = vec![span(theme, Tone::Strong, "panel-tui")];
    if let Some(who) = who {
        spans.push(Span::raw(format!("  {}", cut(&clean(&who.profile), 20, more))));
    }
    spans.push(Span::raw("  "));
    spans.extend(connection(app));
    if app.options.readonly || who.is_some_and(|who| who.readonly) {
        spans.push(span(theme, Tone::Warn, "  read only"));
    }
    let used = spans.iter().map(Span::width).sum::<usize>();
    let room = usize::from(area.width).saturating_sub(used + 2);
    let email = who.map(|who| clean(&who.email)).unwrap_or_default();
    let mut end = Vec::new();
    if room >= width(&email) + 19 {
        end.push(Span::raw(format!("{email}   ")));
    }
    end.extend([
        span(theme, Tone::Key, "?"),
        Span::raw(" keys  "),
        span(theme, Tone::Key, "q"),
        Span::raw(" quit"),
    ]);
    let before = right(buf, area, end);
    left(buf, Rect { width: before, ..area }, spans);
}

/// Always a glyph and a word.
fn connection(app: &App) -> Vec<Span<'static>> {
    let theme = app.options.theme;
    let glyphs = theme.glyphs();
    let wait = |at: panel_contract::moment::Time| format!("retry in {} s", at.since(app.now).as_secs());
    if app.is_signed_out() {
        return vec![span(theme, Tone::Warn, glyphs.offline), Span::raw(" not signed in")];
    }
    let (tone, glyph, text) = match app.connection {
        Connection::Connecting => (Tone::Warn, glyphs.retry, "connecting".to_owned()),
        Connection::Live => (Tone::Good, glyphs.live, format!("live {}", clock(app.now))),
        Connection::Retry(at) => (Tone::Warn, glyphs.retry, wait(at)),
        Connection::Offline(at) => (Tone::Bad, glyphs.offline, format!("offline, read only, {}", wait(at))),
        Connection::DatabaseAway(at) => {
            (Tone::Bad, glyphs.offline, format!("database away, read only, {}", wait(at)))
        }
    };
    vec![span(theme, tone, glyph), Span::raw(format!(" {text}"))]
}

/// The four counters: boxes with sparklines, or one line where it is low.
pub(crate) fn cards(buf: &mut Buffer, app: &App, areas: &Areas) {
    for (count, area) in Count::ALL.into_iter().zip(layout::cards(areas)) {
        if area.height == 1 {
            small(buf, app, count, area);
        } else {
            card(buf, app, count, area);
        }
    }
}

fn small(buf: &mut Buffer, app: &App, which: Count, area: Rect) {
    let theme = app.options.theme;
    let (value, tone, delta) = figures(app, which);
    let room = usize::from(area.width).saturating_sub(1);
    let title = cut(which.title(), room.saturating_sub(width(&value) + 1), "");
    let mut spans = vec![Span::raw(format!("{title} ")), span(theme, Tone::Strong, value.clone())];
    if width(&title) + width(&value) + width(&delta) + 2 <= room {
        spans.push(span(theme, tone, format!(" {delta}")));
    }
    left(buf, area, spans);
}

fn card(buf: &mut Buffer, app: &App, which: Count, area: Rect) {
    let theme = app.options.theme;
    let here = app.list().is_some_and(|list| list.tab.count == Some(which));
    let title =
        vec![span(theme, if here { Tone::Strong } else { Tone::Plain }, format!(" {} ", which.title()))];
    let inner = boxed(buf, theme, area, title, if here { Tone::Focus } else { Tone::Dim });
    let (value, tone, delta) = figures(app, which);
    let room = usize::from(inner.width);
    let long = match app.count(which).minutes(app.now) {
        0 => delta.clone(),
        minutes => format!("{delta} in {minutes}m"),
    };
    let delta =
        [long, delta].into_iter().find(|delta| width(&value) + width(delta) + 3 <= room).unwrap_or_default();
    let spans = vec![span(theme, Tone::Strong, format!(" {value}  ")), span(theme, tone, delta)];
    left(buf, inner, spans);
    let bars: String = app
        .count(which)
        .bars(app.now, room.saturating_sub(2))
        .into_iter()
        .map(|bar| bar.map_or(" ", |bar| theme.glyphs().bars[bar.min(7)]))
        .collect();
    if inner.height > 1 {
        buf.set_stringn(inner.x + 1, inner.y + 1, &bars, usize::from(columns(&bars)), theme.style(Tone::Key));
    }
}

/// The value, and which way it went in ten minutes: sign, number and word.
fn figures(app: &App, which: Count) -> (String, Tone, String) {
    let glyphs = app.options.theme.glyphs();
    let series = app.count(which);
    let Some(value) = series.value() else {
        return ("–".replace('–', glyphs.dash), Tone::Dim, String::new());
    };
    let delta = series.delta(app.now);
    let size = count(delta.saturating_abs());
    let (tone, delta) = match delta {
        0 => (Tone::Dim, "= same".to_owned()),
        1.. => (Tone::Warn, format!("{}{size} up", glyphs.up)),
        _ => (Tone::Good, format!("{}{size} down", glyphs.down)),
    };
    (count(value), tone, delta)
}
