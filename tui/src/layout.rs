//! The layout of the screen. It depends only on the size, so that drawing and mouse clicks use the same areas.

use ratatui::layout::{Constraint, Layout, Rect};

/// The minimum size: columns and lines.
pub const MIN_SIZE: (u16, u16) = (60, 15);
/// From this width on, the screen shows the record beside the list.
pub const SPLIT_WIDTH: u16 = 120;
/// From this height on, the screen shows the counters as boxes with sparklines.
const CARDS_HEIGHT: u16 = 20;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Areas {
    /// The profile, the connection and the email address.
    pub header: Rect,
    pub cards: Rect,
    pub tabs: Rect,
    pub filter: Rect,
    /// The list; `None` while the record is shown instead of it.
    pub list: Option<Rect>,
    pub detail: Option<Rect>,
    pub status: Rect,
    pub keys: Rect,
    /// The number of visible list rows.
    pub visible_rows: u16,
    /// Whether list and record are side by side.
    pub is_split: bool,
}

impl Areas {
    /// The screen line of the first row.
    #[must_use]
    pub fn first_row(&self) -> Option<u16> {
        self.list.map(|list| list.y + 2)
    }
}

/// Computes the areas for a terminal of this size (columns, lines). `None` if it is too small.
#[must_use]
pub fn compute_areas((width, height): (u16, u16), shows_detail: bool) -> Option<Areas> {
    if width < MIN_SIZE.0 || height < MIN_SIZE.1 {
        return None;
    }
    let cards_height = if height < CARDS_HEIGHT { 1 } else { 4 };
    let top_heights = [1, cards_height, 1, 1].map(Constraint::Length);
    let layout = Layout::vertical(top_heights.into_iter().chain([
        Constraint::Min(4),
        Constraint::Length(1),
        Constraint::Length(1),
    ]));
    let [header, cards, tabs, filter, body, status, keys] = layout.areas(Rect::new(0, 0, width, height));
    let is_split = width >= SPLIT_WIDTH;
    let (list, detail) = match (is_split, shows_detail) {
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
        status,
        keys,
        visible_rows: body.height.saturating_sub(3),
        is_split,
    })
}

#[must_use]
pub fn card_areas(areas: &Areas) -> [Rect; 4] {
    Layout::horizontal([Constraint::Ratio(1, 4); 4]).areas(areas.cards)
}

/// A centered box of this size, at most as large as `area`.
#[must_use]
pub fn center_rect(area: Rect, width: u16, height: u16) -> Rect {
    let (width, height) = (width.min(area.width), height.min(area.height));
    Rect::new(area.x + (area.width - width) / 2, area.y + (area.height - height) / 2, width, height)
}
