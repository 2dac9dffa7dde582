//! The query parameters of lists in the OpenAPI document, with one column and one sort key as examples. The server adds the
//! filters and columns of each list.

use utoipa::openapi::RefOr;
use utoipa::openapi::path::{Parameter, ParameterBuilder, ParameterIn};
use utoipa::openapi::schema::{ObjectBuilder, Schema, SchemaType, Type};

/// The query parameters that every list accepts.
pub(super) fn parameters() -> Vec<Parameter> {
    let parameters = [
        ("draw", "Number that the response echoes.", Type::Integer),
        ("start", "Number of rows to skip.", Type::Integer),
        ("length", "Number of rows to return: 30 by default, at most 1,000; -1 for 1,000.", Type::Integer),
        (
            "columns[0][data]",
            "Field of a column, such as user.email. The index of the column is from 0 to 99.",
            Type::String,
        ),
        (
            "columns[0][name]",
            "Name of a column; applies instead of data if both are columns of the list.",
            Type::String,
        ),
        ("columns[0][searchable]", "Whether the global search includes the column.", Type::Boolean),
        ("columns[0][orderable]", "Whether the rows can be sorted by the column.", Type::Boolean),
        ("columns[0][search][value]", "Filter: a string, from..to or a comma-separated list.", Type::String),
        ("order[0][column]", "Sort key: index of a column.", Type::Integer),
        ("order[0][dir]", "Direction of the sort key: asc or desc.", Type::String),
        (
            "search[value]",
            "Global search: a string that at least one searchable column must contain.",
            Type::String,
        ),
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
        ("ids_only", "1 returns only ids, in descending order, at most 10,000.", Type::String),
        ("after", "With ids_only: return only ids below this one.", Type::Integer),
        (
            "export_columns",
            "With an export (Accept: text/csv, or the media type of XLSX): comma-separated columns of the file; all columns by default.",
            Type::String,
        ),
    ];
    parameters.into_iter().map(|(name, description, kind)| query_parameter(name, description, kind)).collect()
}

fn query_parameter(name: &str, description: &str, kind: Type) -> Parameter {
    let schema: RefOr<Schema> = ObjectBuilder::new().schema_type(SchemaType::new(kind)).into();
    ParameterBuilder::new()
        .name(name)
        .parameter_in(ParameterIn::Query)
        .description(Some(description))
        .schema(Some(schema))
        .build()
}
