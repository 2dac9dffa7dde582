//! Describes the filters of a list as parameters in the OpenAPI document.

use panel_contract::endpoint::Op;
use serde_json::{Value, json};

use crate::table::{Column, FilterKind, Table};

impl Table {
    /// Returns the list's own filters, then the filters by columns. An own filter replaces a column of the same name. A list
    /// within a record has its own filters in the path (`/users/{id}/orders`), so they are left out.
    #[must_use]
    pub fn parameters(&self, op: Op) -> Vec<Value> {
        let own_filters: &[Column] = if op.path.contains('{') { &[] } else { self.own_filters() };
        let columns =
            self.columns().iter().filter(|column| !own_filters.iter().any(|own| own.name == column.name));
        own_filters.iter().chain(columns).filter_map(describe_parameter).collect()
    }
}

fn describe_parameter(column: &Column) -> Option<Value> {
    let description = match column.kind {
        FilterKind::Id | FilterKind::Number => "Whole numbers: 7 or 7,9 or 5..50.".to_owned(),
        FilterKind::Money => "Amounts: 7.50 or 7,9 or 5..50.".to_owned(),
        FilterKind::Percent => "Percents: 7.5 or 5..50.".to_owned(),
        FilterKind::Time => "A day, a UTC time, or from..to of both.".to_owned(),
        FilterKind::Text => "Part of the text.".to_owned(),
        FilterKind::Reference => "Ids, as 7 or 7,9 or 5..50, or part of a text of the record.".to_owned(),
        FilterKind::OneOf(values) => format!("One or more values, separated by commas: {}.", values.join(", ")),
        FilterKind::SomeOf(values) => {
            format!("Records with at least one of these values, separated by commas: {}.", values.join(", "))
        }
        FilterKind::Exact => "Whole values, separated by commas.".to_owned(),
        FilterKind::Choice(_) => {
            "Values that the column has, separated by commas. Any other text finds the values that contain it."
                .to_owned()
        }
        FilterKind::Flag | FilterKind::IncludeFlag | FilterKind::ConditionFlag => "1 or 0.".to_owned(),
        FilterKind::DisplayOnly => return None,
    };
    let description = match column.permission {
        Some(permission) => format!("{description} Needs the permission \"{permission}\"."),
        None => description,
    };
    Some(
        json!({ "name": column.name, "in": "query", "required": false, "description": description, "schema": { "type": "string" } }),
    )
}
