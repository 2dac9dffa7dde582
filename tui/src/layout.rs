//! Where everything stands, from the size alone: drawing and the mouse read the same answer.

use ratatui::layout::{Constraint, Layout, Rect};

/// Smallest terminal.
pub const LEAST: (u16, u16) = (60, 15);
/// From this width on, the record stands beside the list.
pub const SPLIT: u16 = 120;
/// From this height on, the counters have boxes and sparklines.
const CARDS: u16 = 20;

/// The areas of the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Areas {
    /// Who, where, and how the connection is.
    pub header: Rect,
    /// The counters.
    pub cards: Rect,
    /// The names of the queues.
    pub tabs: Rect,
    /// The filter, and what is marked.
    pub filter: Rect,
    /// The list; none while the record takes its place.
    pub list: Option<Rect>,
    /// The record in full.
    pub detail: Option<Rect>,
    /// The word at the bottom.
    pub word: Rect,
    /// The keys.
    pub keys: Rect,
    /// Rows of the list that fit.
    pub rows: u16,
    /// List and record stand side by side.
    pub split: bool,
}

impl Areas {
    /// The line of the first row.
    #[must_use]
    pub fn first_row(&self) -> Option<u16> {
        self.list.map(|list| list.y + 2)
    }
}

/// The areas for a terminal of this size; none when it is too small.
#[must_use]
pub fn areas((width, height): (u16, u16), in_detail: bool) -> Option<Areas> {
    if width < LEAST.0 || height < LEAST.1 {
        return None;
    }
    let cards = if height < CARDS { 1 } else { 4 };
    let lines = [1, cards, 1, 1].map(Constraint::Length);
    let rows = Layout::vertical(lines.into_iter().chain([
        Constraint::Min(4),
        Constraint::Length(1),
        Constraint::Length(1),
    ]));
    let [header, cards, tabs, filter, body, word, keys] = rows.areas(Rect::new(0, 0, width, height));
    let split = width >= SPLIT;
    let (list, detail) = match (split, in_detail) {
        (true, _) => {
            let [list, detail] =
                Layout::horizontal([Constraint::Percentage(60), Constraint::Min(20)]).areas(body);
            (Some(list), Some(detail))
        }
        (false, true) => (None, Some(body)),
        (false, false) => (Some(body), None),
    };
    Some(Areas {
        header,
        cards,
        tabs,
        filter,
        list,
        detail,
        word,
        keys,
        rows: body.height.saturating_sub(3),
        split,
    })
}

/// The four counters.
#[must_use]
pub fn cards(areas: &Areas) -> [Rect; 4] {
    Layout::horizontal([Constraint::Ratio(1, 4); 4]).areas(areas.cards)
}

/// A box of this size in the middle of `area`, and never larger than it.
#[must_use]
pub fn middle(area: Rect, width: u16, height: u16) -> Rect {
    let (width, height) = (width.min(area.width), height.min(area.height));
    Rect::new(area.x + (area.width - width) / 2, area.y + (area.height - height) / 2, width, height)
}
