//! The columns of a table from the list of the contract that it shows: a declaration of the contract says what a column holds and
//! which words are at its head.

use panel_contract::lists::{self, List};

use crate::output::column::{Column, Kind};

/// The columns of a list, those first that a table shows without being asked.
pub(crate) fn columns(list: &List) -> Vec<Column> {
    let column = |(declared, is_shown): (&lists::Column, bool)| {
        let kind = kind(declared.kind);
        let column =
            if is_shown { Column::new(declared.name, kind) } else { Column::more(declared.name, kind) };
        // On request a column is called as the caller named it.
        let label = Some(declared.label).filter(|label| is_shown && !label.is_empty());
        match declared.short.or(label) {
            Some(head) => column.titled(head),
            None => column,
        }
    };
    list.for_terminals().map(column).collect()
}

/// How a table draws what a column holds.
pub(crate) const fn kind(kind: lists::Kind) -> Kind {
    match kind {
        lists::Kind::Id => Kind::Id,
        lists::Kind::Number | lists::Kind::Money | lists::Kind::Fraction | lists::Kind::Percent => {
            Kind::Number
        }
        lists::Kind::Time => Kind::Time,
        lists::Kind::Word(_) | lists::Kind::Flag | lists::Kind::Exact | lists::Kind::Choice => Kind::Word,
        lists::Kind::Text
        | lists::Kind::Record(_)
        | lists::Kind::Words(_)
        | lists::Kind::Countries
        | lists::Kind::Json => Kind::Text,
    }
}
