//! The columns of a list as data, and the selection of the columns that fit the width.

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
    /// The priority on a narrow screen: the list drops the column with rank 0 last.
    pub rank: u8,
    /// Whether the column is visible by default.
    pub is_visible_by_default: bool,
    /// The API name to sort by; `None` if the server cannot sort by this column.
    pub sort_key: Option<&'static str>,
}

/// The content of a cell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cell {
    Text(String),
    /// A time, shown as an age.
    Age(Time),
    Number(i64),
    Money(Money),
}

/// A visible column with its width.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ColumnPlacement {
    pub index: usize,
    /// Width in screen columns.
    pub width: u16,
}

/// The number of blank screen columns between two columns.
pub const COLUMN_GAP: u16 = 2;

/// Returns the visible columns that fit into `width`, each with its width, in their order.
#[must_use]
pub fn layout_columns(columns: &[Column], visible: &[bool], width: u16) -> Vec<ColumnPlacement> {
    let mut by_rank: Vec<usize> =
        (0..columns.len()).filter(|index| visible.get(*index).copied().unwrap_or(false)).collect();
    by_rank.sort_by_key(|index| columns[*index].rank);
    let (mut used_width, mut selected) = (0_u16, Vec::new());
    for index in by_rank {
        let gap = if selected.is_empty() { 0 } else { COLUMN_GAP };
        let free_width = width.saturating_sub(used_width);
        let needed_width = columns[index].min_width.saturating_add(gap);
        if needed_width > free_width {
            if selected.is_empty() {
                selected.push(index);
                used_width = width;
            }
            continue;
        }
        used_width += needed_width;
        selected.push(index);
    }
    selected.sort_unstable();
    distribute_width(columns, &selected, width.saturating_sub(used_width), width)
}

/// Distributes the spare width over the columns that may grow.
fn distribute_width(
    columns: &[Column],
    selected: &[usize],
    spare_width: u16,
    max_width: u16,
) -> Vec<ColumnPlacement> {
    let total_grow: u16 = selected.iter().map(|index| columns[*index].grow).sum();
    let mut remaining_width = spare_width;
    let last_growing = selected.iter().rposition(|index| columns[*index].grow > 0);
    let place = |(position, index): (usize, &usize)| {
        let column = &columns[*index];
        let extra_width = match total_grow {
            0 => 0,
            _ if Some(position) == last_growing => remaining_width,
            _ => (spare_width / total_grow * column.grow).min(remaining_width),
        };
        remaining_width -= extra_width;
        ColumnPlacement { index: *index, width: (column.min_width + extra_width).min(max_width) }
    };
    selected.iter().enumerate().map(place).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::queue::Source;

    #[test]
    fn columns_never_exceed_the_width() {
        let columns = Source::Orders.columns();
        let all = vec![true; columns.len()];
        let default_columns: Vec<bool> = columns.iter().map(|column| column.is_visible_by_default).collect();
        for visible_columns in [&all, &default_columns] {
            for width in 1..220 {
                let placements = layout_columns(columns, visible_columns, width);
                let gaps = COLUMN_GAP * u16::try_from(placements.len() - 1).unwrap();
                let total_width = placements.iter().map(|placement| placement.width).sum::<u16>() + gaps;
                assert!(total_width <= width.max(columns[0].min_width), "{width}: {placements:?}");
                assert!(
                    placements.iter().any(|placement| placement.index == 0),
                    "the id column must always be visible"
                );
            }
        }
    }
}
