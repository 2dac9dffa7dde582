//! The filters of a list as parameters of the OpenAPI document, from its declaration.

use panel_contract::endpoint::Op;
use serde_json::{Value, json};

use crate::table::{Column, Kind, Table};

impl Table {
    /// The list's own filters, then those by its columns. A filter that has the name of a column stands for it; the path
    /// of a list within a record stands for the list's own filters.
    #[must_use]
    pub fn parameters(&self, op: Op) -> Vec<Value> {
        let own: &[Column] = if op.path.contains('{') { &[] } else { self.plain() };
        let columns =
            self.columns().iter().filter(|column| !own.iter().any(|other| other.name == column.name));
        own.iter().chain(columns).filter_map(parameter).collect()
    }
}

fn parameter(column: &Column) -> Option<Value> {
    let text = match column.kind {
        Kind::Id | Kind::Number => "Whole numbers: 7 or 7,9 or 5..50.".to_owned(),
        Kind::Money => "Amounts: 7.50 or 7,9 or 5..50.".to_owned(),
        Kind::Percent => "Percents: 7.5 or 5..50.".to_owned(),
        Kind::Time => "A day, a UTC time, or from..to of both.".to_owned(),
        Kind::Text => "Part of the text.".to_owned(),
        Kind::Ref => "Ids, as 7 or 7,9 or 5..50, or part of a text of the record.".to_owned(),
        Kind::OneOf(words) => format!("One or more, by commas: {}.", words.join(", ")),
        Kind::SomeOf(words) => format!("Records that name any of these, by commas: {}.", words.join(", ")),
        Kind::Exact => "Whole words, by commas.".to_owned(),
        Kind::Choice(_) => "Words that there are, by commas, or a part of such words.".to_owned(),
        Kind::Flag | Kind::Unless | Kind::When => "1 or 0.".to_owned(),
        Kind::Shown => return None,
    };
    let text = match column.permission {
        Some(permission) => format!("{text} Needs the permission \"{permission}\"."),
        None => text,
    };
    Some(
        json!({ "name": column.name, "in": "query", "required": false, "description": text, "schema": { "type": "string" } }),
    )
}
