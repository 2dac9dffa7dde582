//! Columns of a list, as data, and which of them fit.

use panel_contract::amount::Money;
use panel_contract::moment::Time;

use crate::text::Align;

/// A column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// Its heading.
    pub title: String,
    /// Columns of the screen it wants at least.
    pub least: u16,
    /// Its share of what is left over; 0 keeps it at `least`.
    pub grow: u16,
    /// Where its texts stand.
    pub align: Align,
    /// Who stays when it gets narrow: 0 stays longest.
    pub rank: u8,
    /// Whether it shows before anybody chose.
    pub shown: bool,
    /// What the server sorts by; none where it cannot.
    pub sort: Option<&'static str>,
}

/// What stands in a cell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cell {
    /// A text, already cleaned.
    Text(String),
    /// How long ago; it grows by itself.
    Age(Time),
    /// A whole number.
    Number(i64),
    /// Money.
    Money(Money),
}

/// A column with its place on the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Placed {
    /// Index into the source's columns.
    pub index: usize,
    /// Width in columns of the screen.
    pub width: u16,
}

/// Blank columns between two.
pub const GAP: u16 = 2;

/// Which of the chosen columns fit into `width`, each with its width, in their own order.
#[must_use]
pub fn place(columns: &[Column], chosen: &[bool], width: u16) -> Vec<Placed> {
    let mut by_rank: Vec<usize> =
        (0..columns.len()).filter(|at| chosen.get(*at).copied().unwrap_or(false)).collect();
    by_rank.sort_by_key(|at| columns[*at].rank);
    let (mut taken, mut kept) = (0_u16, Vec::new());
    for at in by_rank {
        let gap = if kept.is_empty() { 0 } else { GAP };
        let room = width.saturating_sub(taken);
        let wants = columns[at].least.saturating_add(gap);
        if wants > room {
            if kept.is_empty() {
                kept.push(at);
                taken = width;
            }
            continue;
        }
        taken += wants;
        kept.push(at);
    }
    kept.sort_unstable();
    share(columns, &kept, width.saturating_sub(taken), width)
}

fn share(columns: &[Column], kept: &[usize], spare: u16, most: u16) -> Vec<Placed> {
    let total: u16 = kept.iter().map(|at| columns[*at].grow).sum();
    let mut left = spare;
    let last = kept.iter().rposition(|at| columns[*at].grow > 0);
    let place = |(nth, at): (usize, &usize)| {
        let grow = columns[*at].grow;
        let extra = match total {
            0 => 0,
            _ if Some(nth) == last => left,
            _ => (spare / total * grow).min(left),
        };
        left -= extra;
        Placed { index: *at, width: (columns[*at].least + extra).min(most) }
    };
    kept.iter().enumerate().map(place).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::queue::Source;

    #[test]
    fn what_fits_fills_the_width_and_never_overflows() {
        let columns = Source::Orders.columns();
        let all = vec![true; columns.len()];
        let usual: Vec<bool> = columns.iter().map(|column| column.shown).collect();
        for chosen in [&all, &usual] {
            for width in 1..220 {
                let placed = place(columns, chosen, width);
                let gaps = GAP * u16::try_from(placed.len() - 1).unwrap();
                let used = placed.iter().map(|place| place.width).sum::<u16>() + gaps;
                assert!(used <= width.max(columns[0].least), "{width}: {placed:?}");
                assert!(placed.iter().any(|place| place.index == 0), "the id always stays");
            }
        }
    }
}
