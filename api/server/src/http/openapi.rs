//! Builds the OpenAPI 3.1 document from the endpoint table: it describes every response and names every schema once.

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

/// An endpoint as the document describes it, without its types: code that is generic over endpoints would be compiled once for
/// each of them.
struct Operation {
    op: Op,
    query: Vec<Parameter>,
    /// Whether the list can be exported.
    is_table: bool,
    body: (BodyKind, TypeSchema),
    response: (BodyKind, TypeSchema),
}

impl Operation {
    fn of<E: Endpoint>() -> Self {
        Self {
            op: E::OP,
            query: E::Query::parameters(),
            is_table: is_table::<E>(),
            body: (E::Body::KIND, TypeSchema::of::<E::Body>()),
            response: (E::Response::KIND, TypeSchema::of::<E::Response>()),
        }
    }
}

/// Functions that return the schema of a type and the schemas of the types it refers to.
struct TypeSchema {
    /// The full name of the type with its path and type arguments.
    name: &'static str,
    schema: fn() -> RefOr<Schema>,
    referenced: fn(&mut Vec<(String, RefOr<Schema>)>),
}

impl TypeSchema {
    fn of<T: ToSchema>() -> Self {
        Self { name: std::any::type_name::<T>(), schema: T::schema, referenced: T::schemas }
    }
}

/// The endpoints of the document. Their schemas take a while to build, so they are built when a client requests the document.
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
        self.operations.push(Operation::of::<E>);
    }

    /// Declares the list that the operation `id` reads.
    pub fn describe(&mut self, id: &'static str, table: &'static Table) {
        self.tables.insert(id, table);
    }

    /// Every list that an operation reads.
    pub fn tables(&self) -> impl Iterator<Item = &'static Table> {
        self.tables.values().copied()
    }

    /// The document as JSON.
    #[must_use]
    pub fn build(&self) -> Value {
        let mut document = DocumentDraft::default();
        for operation in &self.operations {
            let operation = operation();
            document.add(&operation, self.tables.get(operation.op.id).copied());
        }
        document.finish()
    }
}

/// The sentence about the confirmation that an operation needs; empty if it needs none.
const fn confirmation_sentence(rule: ConfirmationRule) -> &'static str {
    match rule {
        ConfirmationRule::Never => "",
        ConfirmationRule::Always => {
            " The caller must have confirmed their identity within the last ten minutes (`POST /api/v1/profile/confirm`)."
        }
        ConfirmationRule::DependsOnRequest => {
            " Depending on the body, the caller must have confirmed their identity within the last ten minutes (`POST /api/v1/profile/confirm`)."
        }
        ConfirmationRule::OnlyExports => {
            " For an export, the caller must have confirmed their identity within the last ten minutes (`POST /api/v1/profile/confirm`)."
        }
    }
}

impl DocumentDraft {
    /// Adds an operation. An operation that reads a list gets the list's declaration and filters as well.
    fn add(&mut self, endpoint: &Operation, table: Option<&Table>) {
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
        parameters.extend(endpoint.query.iter().filter_map(|parameter| serde_json::to_value(parameter).ok()));
        parameters.extend(table.map(|table| table.parameters(op)).unwrap_or_default());
        if op.is_write() {
            parameters.push(json!({ "$ref": "#/components/parameters/IdempotencyKey" }));
        }
        parameters.iter_mut().for_each(inlined_ids::inline_id_references);
        operation.insert("parameters".into(), parameters.into());
        let (kind, body) = &endpoint.body;
        if matches!(kind, BodyKind::Json | BodyKind::Fields | BodyKind::Upload) {
            let schema = self.reference(body);
            // Forms have bracketed names: `translations[en][name]`, `order_ids[]`.
            let media_types =
                ["application/json", "application/x-www-form-urlencoded", "multipart/form-data"];
            let content: Map<String, Value> =
                media_types.into_iter().map(|kind| (kind.to_owned(), json!({ "schema": schema }))).collect();
            operation.insert("requestBody".into(), json!({ "required": true, "content": content }));
        }
        operation.insert("responses".into(), self.responses(endpoint));
        if let Some(table) = table {
            operation.insert("x-list".into(), lists::extension::list_to_json(table.list));
        }
        self.paths.entry(op.path).or_default().insert(op.method.to_ascii_lowercase(), operation.into());
    }

    fn responses(&mut self, endpoint: &Operation) -> Value {
        let error_schema = self.reference(&TypeSchema::of::<ErrorBody>());
        let error_response = |text: &str| json!({ "description": text, "content": { "application/json": { "schema": error_schema } } });
        let mut responses = Map::new();
        let (kind, response) = &endpoint.response;
        match kind {
            BodyKind::None => responses.insert("204".into(), json!({ "description": "The request succeeded." })),
            BodyKind::Text => responses.insert("200".into(), json!({ "description": "The text.", "content": { "text/plain": { "schema": { "type": "string" } } } })),
            BodyKind::File => responses.insert("200".into(), json!({ "description": "The file.", "content": { "image/*": { "schema": { "type": "string", "format": "binary" } } } })),
            BodyKind::Json | BodyKind::Upload | BodyKind::Fields => {
                let schema = self.reference(response);
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

    /// A `$ref` to the type's schema. Adds the schema and all schemas that it refers to.
    fn reference(&mut self, type_schema: &TypeSchema) -> Value {
        let parts = type_parts(type_schema.name);
        let mut referenced = Vec::new();
        (type_schema.referenced)(&mut referenced);
        for (name, schema) in referenced {
            self.insert_schema(&name, json!(schema));
        }
        let schema = self.extract_argument(&parts, json!((type_schema.schema)()));
        let name = parts.join("_");
        self.insert_schema(&name, schema);
        reference_to(&name)
    }

    /// Adds a schema. Two types with the same name would share one schema, so the contract must not have them.
    fn insert_schema(&mut self, name: &str, mut schema: Value) {
        if inlined_ids::is_id(name) {
            return;
        }
        let name = inlined_ids::without_id_suffix(name);
        inlined_ids::inline_id_references(&mut schema);
        match self.schemas.get(name) {
            Some(existing) => assert_eq!(*existing, schema, "two types of the contract are named {name}"),
            None => drop(self.schemas.insert(name.to_owned(), schema)),
        }
    }

    /// A generic type's schema contains its argument's schema, which becomes a component of its own.
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
                "description": "The back office of a social-media services reseller panel. Money is a decimal string, times are UTC, lists speak the DataTables server-side protocol.",
                "license": { "name": "Apache-2.0 OR MIT", "identifier": "Apache-2.0 OR MIT" }
            },
            "servers": [{ "url": "/" }],
            "paths": self.paths,
            "components": {
                "schemas": self.schemas,
                "parameters": { "IdempotencyKey": {
                    "name": "Idempotency-Key", "in": "header", "required": false, "schema": { "type": "string", "maxLength": 255 },
                    "description": "The server executes a request with the same key once; a repeated request gets the first response."
                } },
                "securitySchemes": { "bearer": { "type": "http", "scheme": "bearer" } }
            }
        })
    }
}

/// The names in a type, outermost first: `Data<Vec<User>>` gives `Data`, `Vec`, `User`. Types of ids are left out, because their
/// schemas are equal.
fn type_parts(name: &'static str) -> Vec<&'static str> {
    let parts = name.split(['<', '>', ',']).filter(|part| {
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
        (AccessRule::Public, false) => &[("default", "Any other error: what is wrong and what to do.")],
        (AccessRule::Public, true) => &[
            ("422", "Fields are invalid; `errors` names them."),
            ("429", "Too many requests; wait for `Retry-After` seconds."),
            ("default", "Any other error."),
        ],
        (_, false) => &[
            ("401", "The token is missing, expired or invalid."),
            ("403", "The caller lacks the permission."),
            ("404", "The record does not exist."),
            ("422", "Query parameters are invalid; `errors` names them."),
            ("default", "Any other error."),
        ],
        (_, true) => &[
            ("401", "The token is missing, expired or invalid."),
            ("403", "The caller lacks the permission."),
            ("404", "The record does not exist."),
            ("409", "The record's current state does not allow the request."),
            ("422", "Fields are invalid; `errors` names them."),
            ("default", "Any other error."),
        ],
    }
}
