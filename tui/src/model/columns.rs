//! The columns of a list as data, and the selection of those that fit the width.

use panel_contract::amount::Money;
use panel_contract::moment::Time;

use crate::text::Align;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    pub title: String,
    /// The minimum width in columns.
    pub min_width: u16,
    /// The share of the spare width; 0 keeps the column at `min_width`.
    pub grow: u16,
    /// The alignment of its texts.
    pub align: Align,
    /// The priority on a narrow screen: 0 is dropped last.
    pub rank: u8,
    /// Whether the column is visible by default.
    pub shown_by_default: bool,
    /// The column that the server sorts by; `None` where it cannot sort.
    pub sort: Option<&'static str>,
}

/// The content of a cell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cell {
    /// A sanitized text.
    Text(String),
    /// A time, shown as an age.
    Age(Time),
    Number(i64),
    Money(Money),
}

/// A visible column with its width.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlacedColumn {
    pub index: usize,
    /// Width in screen columns.
    pub width: u16,
}

/// Blank columns between two columns.
pub const GAP: u16 = 2;

/// Returns the chosen columns that fit into `width`, each with its width, in their order.
#[must_use]
pub fn layout_columns(columns: &[Column], chosen: &[bool], width: u16) -> Vec<PlacedColumn> {
    let mut by_rank: Vec<usize> =
        (0..columns.len()).filter(|at| chosen.get(*at).copied().unwrap_or(false)).collect();
    by_rank.sort_by_key(|at| columns[*at].rank);
    let (mut used, mut selected) = (0_u16, Vec::new());
    for at in by_rank {
        let gap = if selected.is_empty() { 0 } else { GAP };
        let room = width.saturating_sub(used);
        let needed = columns[at].min_width.saturating_add(gap);
        if needed > room {
            if selected.is_empty() {
                selected.push(at);
                used = width;
            }
            continue;
        }
        used += needed;
        selected.push(at);
    }
    selected.sort_unstable();
    distribute(columns, &selected, width.saturating_sub(used), width)
}

fn distribute(columns: &[Column], selected: &[usize], spare: u16, max_width: u16) -> Vec<PlacedColumn> {
    let total: u16 = selected.iter().map(|at| columns[*at].grow).sum();
    let mut left = spare;
    let last = selected.iter().rposition(|at| columns[*at].grow > 0);
    let placed = |(nth, at): (usize, &usize)| {
        let grow = columns[*at].grow;
        let extra = match total {
            0 => 0,
            _ if Some(nth) == last => left,
            _ => (spare / total * grow).min(left),
        };
        left -= extra;
        PlacedColumn { index: *at, width: (columns[*at].min_width + extra).min(max_width) }
    };
    selected.iter().enumerate().map(placed).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::queue::Source;

    #[test]
    fn columns_never_exceed_the_width() {
        let columns = Source::Orders.columns();
        let all = vec![true; columns.len()];
        let default_columns: Vec<bool> = columns.iter().map(|column| column.shown_by_default).collect();
        for chosen in [&all, &default_columns] {
            for width in 1..220 {
                let placed = layout_columns(columns, chosen, width);
                let gaps = GAP * u16::try_from(placed.len() - 1).unwrap();
                let total_width = placed.iter().map(|placed| placed.width).sum::<u16>() + gaps;
                assert!(total_width <= width.max(columns[0].min_width), "{width}: {placed:?}");
                assert!(placed.iter().any(|placed| placed.index == 0), "the id always stays");
            }
        }
    }
}
