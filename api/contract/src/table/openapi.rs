//! The table query in the OpenAPI document: one column and one sort key stand for all. What each list has of its own
//! the server adds.

use utoipa::openapi::RefOr;
use utoipa::openapi::path::{Parameter, ParameterBuilder, ParameterIn};
use utoipa::openapi::schema::{ObjectBuilder, Schema, SchemaType, Type};

/// The parameters of every list.
pub(super) fn parameters() -> Vec<Parameter> {
    let texts = [
        ("draw", "Comes back in the answer.", Type::Integer),
        ("start", "Rows to skip.", Type::Integer),
        ("length", "Rows to answer: 30 by default, at most 1,000; -1 for 1,000.", Type::Integer),
        ("columns[0][data]", "A column's field; 0 to 99 columns.", Type::String),
        ("columns[0][name]", "A column's name.", Type::String),
        ("columns[0][searchable]", "Whether the common search looks at it.", Type::Boolean),
        ("columns[0][orderable]", "Whether it may be sorted by.", Type::Boolean),
        ("columns[0][search][value]", "Text, from..to, or a comma list.", Type::String),
        ("order[0][column]", "A sort key: index of a column.", Type::Integer),
        ("order[0][dir]", "asc or desc.", Type::String),
        ("search[value]", "The common search.", Type::String),
        ("search", "The same, in short.", Type::String),
        (
            "sort",
            "Columns to sort by, by commas, with a minus for the largest first: -cost,id. Not beside order.",
            Type::String,
        ),
        ("page[size]", "Rows to answer, from 1 to 1,000. Not beside length.", Type::Integer),
        ("page[number]", "The page, from 1. Not beside start.", Type::Integer),
        ("ids_only", "1 for only ids, highest first, 10,000 a call.", Type::String),
        ("after", "With ids_only: ids below this one.", Type::Integer),
        (
            "export_columns",
            "With an export (Accept: text/csv, or that of XLSX): its columns, by commas.",
            Type::String,
        ),
    ];
    texts.into_iter().map(|(name, text, kind)| parameter(name, text, kind)).collect()
}

fn parameter(name: &str, text: &str, kind: Type) -> Parameter {
    let schema: RefOr<Schema> = ObjectBuilder::new().schema_type(SchemaType::new(kind)).into();
    ParameterBuilder::new()
        .name(name)
        .parameter_in(ParameterIn::Query)
        .description(Some(text))
        .schema(Some(schema))
        .build()
}
