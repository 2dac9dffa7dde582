//! Builds the columns of a table from the contract's declaration of a list: kind and header of each column.

use panel_contract::lists::{self, List};

use crate::output::column::{Column, Kind};

/// The columns of a list, those first that a table shows by default.
pub(crate) fn columns(list: &List) -> Vec<Column> {
    let column = |(declared, is_shown): (&lists::Column, bool)| {
        let kind = kind(declared.kind);
        let column =
            if is_shown { Column::new(declared.name, kind) } else { Column::extra(declared.name, kind) };
        // With `--columns` the header is the name that the user typed.
        let label = Some(declared.label).filter(|label| is_shown && !label.is_empty());
        match declared.short.or(label) {
            Some(header) => column.titled(header),
            None => column,
        }
    };
    list.for_terminals().map(column).collect()
}

/// The display kind of a declared kind.
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
