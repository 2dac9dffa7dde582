//! Builds the OpenAPI 3.1 document from the endpoint table. The document contains each schema once.

use std::collections::BTreeMap;

use panel_contract::endpoint::{AccessRule, ApiBody, BodyKind, ConfirmationRule, Endpoint, Op, Query};
use panel_contract::error::ErrorBody;
use panel_contract::lists;
use panel_kernel::request_meta::FileKind;
use serde_json::{Map, Value, json};
use utoipa::ToSchema;
use utoipa::openapi::path::Parameter;
use utoipa::openapi::{RefOr, Schema};

use crate::http::inlined_ids;
use panel_platform::table::Table;

/// An endpoint without its types, as the document describes it. Code that is generic over endpoints would be compiled for each
/// endpoint.
struct Operation {
    op: Op,
    query_parameters: Vec<Parameter>,
    /// Whether the list can be exported.
    is_table: bool,
    body: (BodyKind, TypeSchema),
    response: (BodyKind, TypeSchema),
}

impl Operation {
    fn from_endpoint<E: Endpoint>() -> Self {
        Self {
            op: E::OP,
            query_parameters: E::Query::parameters(),
            is_table: is_table::<E>(),
            body: (E::Body::KIND, TypeSchema::from_type::<E::Body>()),
            response: (E::Response::KIND, TypeSchema::from_type::<E::Response>()),
        }
    }
}

/// Functions that return the schema of a type, and the schemas of the types that it refers to.
struct TypeSchema {
    /// Full Rust name of the type, with its path and type arguments.
    type_name: &'static str,
    schema: fn() -> RefOr<Schema>,
    add_referenced: fn(&mut Vec<(String, RefOr<Schema>)>),
}

impl TypeSchema {
    fn from_type<T: ToSchema>() -> Self {
        Self { type_name: std::any::type_name::<T>(), schema: T::schema, add_referenced: T::schemas }
    }
}

/// The endpoints of the document. Building their schemas takes a while, so this happens when a client requests the document.
#[derive(Default)]
pub struct OpenApiDocument {
    operations: Vec<fn() -> Operation>,
    /// The lists, by operation id.
    tables: BTreeMap<&'static str, &'static Table>,
}

/// A document under construction.
#[derive(Default)]
struct DocumentDraft {
    paths: BTreeMap<&'static str, Map<String, Value>>,
    schemas: BTreeMap<String, Value>,
}

impl OpenApiDocument {
    pub fn add<E: Endpoint>(&mut self) {
        self.operations.push(Operation::from_endpoint::<E>);
    }

    /// Sets the list that an operation reads.
    pub fn set_list(&mut self, operation_id: &'static str, table: &'static Table) {
        self.tables.insert(operation_id, table);
    }

    /// All lists that operations read.
    pub fn tables(&self) -> impl Iterator<Item = &'static Table> {
        self.tables.values().copied()
    }

    /// The document as JSON.
    #[must_use]
    pub fn build(&self) -> Value {
        let mut document = DocumentDraft::default();
        for operation in &self.operations {
            let operation = operation();
            document.add_operation(&operation, self.tables.get(operation.op.id).copied());
        }
        document.finish()
    }
}

/// A sentence about the confirmation that an operation needs; empty if the operation needs no confirmation.
const fn confirmation_sentence(rule: ConfirmationRule) -> &'static str {
    match rule {
        ConfirmationRule::Never => "",
        ConfirmationRule::Always => {
            " The user must have confirmed their identity within the last ten minutes (`POST /api/v1/profile/confirm`)."
        }
        ConfirmationRule::DependsOnRequest => {
            " Depending on the body, the user must have confirmed their identity within the last ten minutes (`POST /api/v1/profile/confirm`)."
        }
        ConfirmationRule::OnlyExports => {
            " For an export, the user must have confirmed their identity within the last ten minutes (`POST /api/v1/profile/confirm`)."
        }
    }
}

impl DocumentDraft {
    /// Adds an operation. For an operation that reads a list, also adds the list's declaration and filters.
    fn add_operation(&mut self, endpoint: &Operation, table: Option<&Table>) {
        let mut operation = Map::new();
        let op = endpoint.op;
        operation.insert("operationId".into(), op.id.into());
        operation.insert("tags".into(), json!([op.area]));
        operation.insert("summary".into(), op.summary.trim().into());
        operation.insert(
            "description".into(),
            format!("Required access: {}.{}", op.access_rule, confirmation_sentence(op.confirmation)).into(),
        );
        let security =
            if op.access_rule == AccessRule::Public { json!([]) } else { json!([{ "bearer": [] }]) };
        operation.insert("security".into(), security);
        let mut parameters: Vec<Value> = path_parameters(op.path);
        parameters.extend(
            endpoint.query_parameters.iter().filter_map(|parameter| serde_json::to_value(parameter).ok()),
        );
        parameters.extend(table.map(|table| table.parameters(op)).unwrap_or_default());
        if op.is_write() {
            parameters.push(json!({ "$ref": "#/components/parameters/IdempotencyKey" }));
        }
        parameters.iter_mut().for_each(inlined_ids::inline_id_references);
        operation.insert("parameters".into(), parameters.into());
        let (kind, body) = &endpoint.body;
        if matches!(kind, BodyKind::Json | BodyKind::Fields | BodyKind::Upload) {
            let schema = self.add_and_reference(body);
            // Field names of forms have brackets: `translations[en][name]`, `order_ids[]`.
            let media_types =
                ["application/json", "application/x-www-form-urlencoded", "multipart/form-data"];
            let content: Map<String, Value> = media_types
                .into_iter()
                .map(|media_type| (media_type.to_owned(), json!({ "schema": schema })))
                .collect();
            operation.insert("requestBody".into(), json!({ "required": true, "content": content }));
        }
        operation.insert("responses".into(), self.responses(endpoint));
        if let Some(table) = table {
            operation.insert("x-list".into(), lists::extension::list_to_json(table.list));
        }
        self.paths.entry(op.path).or_default().insert(op.method.to_ascii_lowercase(), operation.into());
    }

    fn responses(&mut self, endpoint: &Operation) -> Value {
        let error_schema = self.add_and_reference(&TypeSchema::from_type::<ErrorBody>());
        let error_response = |text: &str| json!({ "description": text, "content": { "application/json": { "schema": error_schema } } });
        let mut responses = Map::new();
        let (kind, response) = &endpoint.response;
        match kind {
            BodyKind::None => responses.insert("204".into(), json!({ "description": "The request succeeded." })),
            BodyKind::Text => responses.insert("200".into(), json!({ "description": "The text.", "content": { "text/plain": { "schema": { "type": "string" } } } })),
            BodyKind::File => responses.insert("200".into(), json!({ "description": "The file.", "content": { "image/*": { "schema": { "type": "string", "format": "binary" } } } })),
            BodyKind::Json | BodyKind::Upload | BodyKind::Fields => {
                let schema = self.add_and_reference(response);
                let mut content = json!({ "application/json": { "schema": schema } });
                if endpoint.is_table {
                    content[FileKind::Csv.media_type()] = json!({ "schema": { "type": "string" } });
                    content[FileKind::Xlsx.media_type()] = json!({ "schema": { "type": "string", "format": "binary" } });
                }
                responses.insert("200".into(), json!({ "description": "The response.", "content": content }))
            }
        };
        for (status, text) in error_responses(&endpoint.op) {
            responses.insert((*status).into(), error_response(text));
        }
        responses.into()
    }

    /// Adds a type's schema and all schemas that it refers to. Returns a `$ref` to the schema.
    fn add_and_reference(&mut self, type_schema: &TypeSchema) -> Value {
        let parts = type_name_parts(type_schema.type_name);
        let mut referenced_schemas = Vec::new();
        (type_schema.add_referenced)(&mut referenced_schemas);
        for (name, schema) in referenced_schemas {
            self.insert_schema(&name, json!(schema));
        }
        let schema = self.extract_argument(&parts, json!((type_schema.schema)()));
        let name = parts.join("_");
        self.insert_schema(&name, schema);
        reference_to(&name)
    }

    /// Adds a schema. Panics if the contract has two different types with this name, because they would share one schema.
    fn insert_schema(&mut self, name: &str, mut schema: Value) {
        if inlined_ids::is_id_schema(name) {
            return;
        }
        let name = inlined_ids::without_id_suffix(name);
        inlined_ids::inline_id_references(&mut schema);
        match self.schemas.get(name) {
            Some(existing) => assert_eq!(*existing, schema, "two types of the contract are named {name}"),
            None => drop(self.schemas.insert(name.to_owned(), schema)),
        }
    }

    /// Replaces the schema of a type argument inside of a generic type's schema by a reference, and adds it as a separate schema.
    fn extract_argument(&mut self, parts: &[&str], mut schema: Value) -> Value {
        let [outer_type, arguments @ ..] = parts else { return schema };
        let pointer = match (*outer_type, arguments) {
            (_, []) => return schema,
            ("Page", _) => "/properties/data/items",
            ("Vec", _) => "/items",
            _ => "/properties/data",
        };
        if let Some(inner) = schema.pointer_mut(pointer) {
            let argument = self.extract_argument(arguments, inner.take());
            *inner = match arguments {
                [name] if argument["type"] == "object" || argument["allOf"].is_array() => {
                    self.insert_schema(name, argument);
                    reference_to(name)
                }
                _ => argument,
            };
        }
        schema
    }

    fn finish(self) -> Value {
        json!({
            "openapi": "3.1.0",
            "info": {
                "title": "Panel",
                "version": env!("CARGO_PKG_VERSION"),
                "description": "The back office of a social-media services reseller panel. Money values are decimal strings, times are UTC, and lists use the DataTables server-side protocol.",
                "license": { "name": "Apache-2.0 OR MIT", "identifier": "Apache-2.0 OR MIT" }
            },
            "servers": [{ "url": "/" }],
            "paths": self.paths,
            "components": {
                "schemas": self.schemas,
                "parameters": { "IdempotencyKey": {
                    "name": "Idempotency-Key", "in": "header", "required": false, "schema": { "type": "string", "maxLength": 255 },
                    "description": "The server executes requests with the same key only once. A repeated request gets the response of the first request."
                } },
                "securitySchemes": { "bearer": { "type": "http", "scheme": "bearer" } }
            }
        })
    }
}

/// The type names in a Rust type, outermost first: `Data<Vec<User>>` gives `Data`, `Vec`, `User`. Omits id types, because their
/// schemas are equal.
fn type_name_parts(type_name: &'static str) -> Vec<&'static str> {
    let parts = type_name.split(['<', '>', ',']).filter(|part| {
        let part = part.trim();
        !part.is_empty() && !part.starts_with("panel_contract::ids::")
    });
    parts.map(|part| part.rsplit("::").next().unwrap_or(part).trim()).collect()
}

fn reference_to(name: &str) -> Value {
    json!({ "$ref": format!("#/components/schemas/{name}") })
}

fn is_table<E: Endpoint>() -> bool {
    std::any::type_name::<E::Query>().ends_with("::TableQuery")
}

fn path_parameters(path: &str) -> Vec<Value> {
    path.split('/')
        .filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'))
        .map(|name| json!({ "name": name, "in": "path", "required": true, "schema": { "type": "integer", "format": "int64", "minimum": 1 } }))
        .collect()
}

fn error_responses(op: &Op) -> &'static [(&'static str, &'static str)] {
    match (op.access_rule, op.is_write()) {
        (AccessRule::Public, false) => {
            &[("default", "Any other error. The message explains the problem and what to do.")]
        }
        (AccessRule::Public, true) => &[
            ("422", "Fields are invalid; `errors` names them."),
            ("429", "Too many requests; wait for `Retry-After` seconds."),
            ("default", "Any other error."),
        ],
        (_, false) => &[
            ("401", "The token is missing, expired or invalid."),
            ("403", "The user does not have the permission."),
            ("404", "The record does not exist."),
            ("422", "Query parameters are invalid; `errors` names them."),
            ("default", "Any other error."),
        ],
        (_, true) => &[
            ("401", "The token is missing, expired or invalid."),
            ("403", "The user does not have the permission."),
            ("404", "The record does not exist."),
            ("409", "The record's current state does not allow the request."),
            ("422", "Fields are invalid; `errors` names them."),
            ("default", "Any other error."),
        ],
    }
}
