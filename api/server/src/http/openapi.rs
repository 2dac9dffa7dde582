//! The OpenAPI 3.1 document, made from the endpoint table: every answer described, every schema named once.

use std::collections::BTreeMap;

use panel_contract::endpoint::{Confirmed, Endpoint, Kind, Op, Query, Who, Wire};
use panel_contract::error::Problem;
use panel_contract::lists;
use panel_kernel::request_meta::FileKind;
use serde_json::{Map, Value, json};
use utoipa::ToSchema;
use utoipa::openapi::path::Parameter;
use utoipa::openapi::{RefOr, Schema};

use crate::http::inlined_ids;
use panel_platform::table::Table;

/// An endpoint as the document describes it, without its types: code that is generic over endpoints is compiled once for
/// each of them.
struct Operation {
    op: Op,
    query: Vec<Parameter>,
    /// Whether the list can be exported.
    is_table: bool,
    body: (Kind, TypeSchema),
    answer: (Kind, TypeSchema),
}

impl Operation {
    fn of<E: Endpoint>() -> Self {
        Self {
            op: E::OP,
            query: E::Query::parameters(),
            is_table: is_table::<E>(),
            body: (E::Body::KIND, TypeSchema::of::<E::Body>()),
            answer: (E::Answer::KIND, TypeSchema::of::<E::Answer>()),
        }
    }
}

/// How to get the schema of a type and of the types it refers to.
struct TypeSchema {
    /// With its path and type arguments.
    name: &'static str,
    schema: fn() -> RefOr<Schema>,
    referenced: fn(&mut Vec<(String, RefOr<Schema>)>),
}

impl TypeSchema {
    fn of<T: ToSchema>() -> Self {
        Self { name: std::any::type_name::<T>(), schema: T::schema, referenced: T::schemas }
    }
}

/// The endpoints that the document describes. Their schemas take a while to make, so that is left until the document is asked
/// for.
#[derive(Default)]
pub struct Doc {
    operations: Vec<fn() -> Operation>,
    /// The lists, by the ids of their operations.
    tables: BTreeMap<&'static str, &'static Table>,
}

/// A document in the making.
#[derive(Default)]
struct DocumentDraft {
    paths: BTreeMap<&'static str, Map<String, Value>>,
    schemas: BTreeMap<String, Value>,
}

impl Doc {
    /// Adds the operation of endpoint `E`.
    pub fn add<E: Endpoint>(&mut self) {
        self.operations.push(Operation::of::<E>);
    }

    /// Says which list the operation `id` reads.
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

/// What the caller confirms, as a sentence.
const fn asked(confirmed: Confirmed) -> &'static str {
    match confirmed {
        Confirmed::Never => "",
        Confirmed::Always => {
            " The caller must have confirmed within ten minutes who they are (`POST /api/v1/profile/confirm`)."
        }
        Confirmed::Partly => {
            " By what is sent, the caller must have confirmed within ten minutes who they are (`POST /api/v1/profile/confirm`)."
        }
        Confirmed::Exports => {
            " For a file, the caller must have confirmed within ten minutes who they are (`POST /api/v1/profile/confirm`)."
        }
    }
}

impl DocumentDraft {
    /// Adds an operation; one that reads a list has its declaration and its filters as well.
    fn add(&mut self, described: &Operation, table: Option<&Table>) {
        let mut operation = Map::new();
        let op = described.op;
        operation.insert("operationId".into(), op.id.into());
        operation.insert("tags".into(), json!([op.area]));
        operation.insert("summary".into(), op.summary.trim().into());
        operation.insert(
            "description".into(),
            format!("Who may call it: {}.{}", op.who, asked(op.confirmed)).into(),
        );
        let security = if op.who == Who::Public { json!([]) } else { json!([{ "bearer": [] }]) };
        operation.insert("security".into(), security);
        let mut parameters: Vec<Value> = path_parameters(op.path);
        parameters
            .extend(described.query.iter().filter_map(|parameter| serde_json::to_value(parameter).ok()));
        parameters.extend(table.map(|table| table.parameters(op)).unwrap_or_default());
        if op.writes() {
            parameters.push(json!({ "$ref": "#/components/parameters/IdempotencyKey" }));
        }
        parameters.iter_mut().for_each(inlined_ids::inline);
        operation.insert("parameters".into(), parameters.into());
        let (kind, body) = &described.body;
        if matches!(kind, Kind::Json | Kind::Fields | Kind::Upload) {
            let schema = self.reference(body);
            // The forms have bracketed names: `translations[en][name]`, `order_ids[]`.
            let kinds = ["application/json", "application/x-www-form-urlencoded", "multipart/form-data"];
            let content: Map<String, Value> =
                kinds.into_iter().map(|kind| (kind.to_owned(), json!({ "schema": schema }))).collect();
            operation.insert("requestBody".into(), json!({ "required": true, "content": content }));
        }
        operation.insert("responses".into(), self.responses(described));
        if let Some(table) = table {
            operation.insert("x-list".into(), lists::extension::of(table.list));
        }
        self.paths.entry(op.path).or_default().insert(op.method.to_ascii_lowercase(), operation.into());
    }

    fn responses(&mut self, described: &Operation) -> Value {
        let problem = self.reference(&TypeSchema::of::<Problem>());
        let failure = |text: &str| json!({ "description": text, "content": { "application/json": { "schema": problem } } });
        let mut responses = Map::new();
        let (kind, answer) = &described.answer;
        match kind {
            Kind::None => responses.insert("204".into(), json!({ "description": "Done." })),
            Kind::Text => responses.insert("200".into(), json!({ "description": "The text.", "content": { "text/plain": { "schema": { "type": "string" } } } })),
            Kind::File => responses.insert("200".into(), json!({ "description": "The file.", "content": { "image/*": { "schema": { "type": "string", "format": "binary" } } } })),
            Kind::Json | Kind::Upload | Kind::Fields => {
                let schema = self.reference(answer);
                let mut content = json!({ "application/json": { "schema": schema } });
                if described.is_table {
                    content[FileKind::Csv.media_type()] = json!({ "schema": { "type": "string" } });
                    content[FileKind::Xlsx.media_type()] = json!({ "schema": { "type": "string", "format": "binary" } });
                }
                responses.insert("200".into(), json!({ "description": "The answer.", "content": content }))
            }
        };
        for (status, text) in failures(&described.op) {
            responses.insert((*status).into(), failure(text));
        }
        responses.into()
    }

    /// A `$ref` to the type's schema, which is added with all that it refers to.
    fn reference(&mut self, of: &TypeSchema) -> Value {
        let parts = type_parts(of.name);
        let mut more = Vec::new();
        (of.referenced)(&mut more);
        for (name, schema) in more {
            self.put(&name, json!(schema));
        }
        let schema = self.named(&parts, json!((of.schema)()));
        let name = parts.join("_");
        self.put(&name, schema);
        reference_to(&name)
    }

    /// Adds a schema. Two types of one name would be one in the document: that is a mistake of the contract.
    fn put(&mut self, name: &str, mut schema: Value) {
        if inlined_ids::is_id(name) {
            return;
        }
        let name = inlined_ids::plain(name);
        inlined_ids::inline(&mut schema);
        match self.schemas.get(name) {
            Some(known) => assert_eq!(*known, schema, "two types of the contract are called {name}"),
            None => drop(self.schemas.insert(name.to_owned(), schema)),
        }
    }

    /// A generic type's schema holds its argument's; that becomes a component with a name of its own.
    fn named(&mut self, parts: &[&str], mut schema: Value) -> Value {
        let [outer, rest @ ..] = parts else { return schema };
        let place = match (*outer, rest) {
            (_, []) => return schema,
            ("Page", _) => "/properties/data/items",
            ("Vec", _) => "/items",
            _ => "/properties/data",
        };
        if let Some(inner) = schema.pointer_mut(place) {
            let argument = self.named(rest, inner.take());
            *inner = match rest {
                [name] if argument["type"] == "object" || argument["allOf"].is_array() => {
                    self.put(name, argument);
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
                    "description": "The same key with the same request is done once; later calls get the first answer."
                } },
                "securitySchemes": { "bearer": { "type": "http", "scheme": "bearer" } }
            }
        })
    }
}

/// The names in a type, outermost first: `Data<Vec<User>>` is `Data`, `Vec`, `User`. Kinds of ids are left out: their schemas are
/// equal.
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

fn failures(op: &Op) -> &'static [(&'static str, &'static str)] {
    match (op.who, op.writes()) {
        (Who::Public, false) => &[("default", "Anything else: what is wrong and what to do.")],
        (Who::Public, true) => &[
            ("422", "The input is wrong in the fields named."),
            ("429", "Too often; see Retry-After."),
            ("default", "Anything else."),
        ],
        (_, false) => &[
            ("401", "Who are you?"),
            ("403", "You may not."),
            ("404", "No such record."),
            ("422", "The query is wrong in the fields named."),
            ("default", "Anything else."),
        ],
        (_, true) => &[
            ("401", "Who are you?"),
            ("403", "You may not."),
            ("404", "No such record."),
            ("409", "The world has moved on."),
            ("422", "The input is wrong in the fields named."),
            ("default", "Anything else."),
        ],
    }
}
