//! The list query in the OpenAPI document, with one column and one sort key as examples. The server adds the parameters of each
//! list.

use utoipa::openapi::RefOr;
use utoipa::openapi::path::{Parameter, ParameterBuilder, ParameterIn};
use utoipa::openapi::schema::{ObjectBuilder, Schema, SchemaType, Type};

/// The parameters of every list.
pub(super) fn parameters() -> Vec<Parameter> {
    let texts = [
        ("draw", "Number that the response echoes.", Type::Integer),
        ("start", "Number of rows to skip.", Type::Integer),
        ("length", "Number of rows to return: 30 by default, at most 1,000; -1 for 1,000.", Type::Integer),
        ("columns[0][data]", "Field of a column; indices 0 to 99.", Type::String),
        ("columns[0][name]", "Name of a column.", Type::String),
        ("columns[0][searchable]", "Whether the global search includes the column.", Type::Boolean),
        ("columns[0][orderable]", "Whether the rows can be sorted by the column.", Type::Boolean),
        ("columns[0][search][value]", "Filter: a text, from..to or a comma-separated list.", Type::String),
        ("order[0][column]", "Sort key: index of a column.", Type::Integer),
        ("order[0][dir]", "asc or desc.", Type::String),
        ("search[value]", "Global search text.", Type::String),
        ("search", "Short form of search[value].", Type::String),
        (
            "sort",
            "Comma-separated columns to sort by; a minus sorts in descending order: -cost,id. Mutually exclusive with order.",
            Type::String,
        ),
        (
            "page[size]",
            "Number of rows to return, from 1 to 1,000. Mutually exclusive with length.",
            Type::Integer,
        ),
        ("page[number]", "Page number, from 1. Mutually exclusive with start.", Type::Integer),
        ("ids_only", "1 for only ids, highest first, 10,000 a call.", Type::String),
        ("after", "With ids_only: return ids below this one.", Type::Integer),
        (
            "export_columns",
            "With an export (Accept: text/csv, or that of XLSX): comma-separated columns of the file.",
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
