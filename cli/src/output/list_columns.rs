//! Builds the table_columns of a table from the contract's declaration of a list: kind and header of each column.

use panel_contract::lists::{self, List};

use crate::output::column::{Column, DisplayKind};

/// The table_columns of a list. The table_columns that a table shows by default come first.
pub(crate) fn table_columns(list: &List) -> Vec<Column> {
    let to_column = |(declared, is_shown): (&lists::Column, bool)| {
        let kind = display_kind(declared.kind);
        let column =
            if is_shown { Column::new(declared.name, kind) } else { Column::hidden(declared.name, kind) };
        // A hidden column is printed only if `--table_columns` names it. Its header is that name.
        let label = Some(declared.label).filter(|label| is_shown && !label.is_empty());
        match declared.short_label.or(label) {
            Some(header) => column.with_title(header),
            None => column,
        }
    };
    list.all_terminal_columns().map(to_column).collect()
}

/// How a table displays each kind of column in the contract.
pub(crate) const fn display_kind(kind: lists::ColumnKind) -> DisplayKind {
    match kind {
        lists::ColumnKind::Id => DisplayKind::Id,
        lists::ColumnKind::Number
        | lists::ColumnKind::Money
        | lists::ColumnKind::Fraction
        | lists::ColumnKind::Percent => DisplayKind::Number,
        lists::ColumnKind::Time => DisplayKind::Time,
        lists::ColumnKind::Enum(_)
        | lists::ColumnKind::Flag
        | lists::ColumnKind::ExactText
        | lists::ColumnKind::OpenEnum => DisplayKind::Enum,
        lists::ColumnKind::Text
        | lists::ColumnKind::Record(_)
        | lists::ColumnKind::EnumList(_)
        | lists::ColumnKind::Countries
        | lists::ColumnKind::Json => DisplayKind::Text,
    }
}
