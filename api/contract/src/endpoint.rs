//! The definition of an endpoint, and the macro that declares the endpoints of an area, one per row.
//!
//! The client's method, the server's route and permission check, the OpenAPI operation and the tests over all endpoints
//! are derived from such a row.

use serde::Serialize;
use serde::de::DeserializeOwned;
use utoipa::ToSchema;
use utoipa::openapi::path::Parameter;

use crate::fields::FieldErrors;
use crate::ids::{self, Id};
use crate::permission::Permission;

/// Callers that may use an endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AccessRule {
    /// All callers, without authentication.
    Public,
    /// Any signed-in staff member.
    Bearer,
    /// Staff members who hold at least one of these permissions.
    AnyOf(&'static [Permission]),
}

impl std::fmt::Display for AccessRule {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Public => f.write_str("public"),
            Self::Bearer => f.write_str("bearer"),
            Self::AnyOf(permissions) => {
                let names: Vec<_> = permissions.iter().map(|permission| permission.as_str()).collect();
                f.write_str(&names.join("|"))
            }
        }
    }
}

/// Whether the caller must have confirmed their identity within the last ten minutes, by password or second factor. A dry run
/// never requires it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConfirmationRule {
    /// No call requires a confirmation.
    Never,
    /// Every call requires a confirmation within the last ten minutes.
    Always,
    /// Some calls require one; the handler decides by the request body.
    Partly,
    /// Only a call that exports the list as a file requires one.
    Exports,
}

impl std::fmt::Display for ConfirmationRule {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Never => "",
            Self::Always => "confirmed",
            Self::Partly => "partly_confirmed",
            Self::Exports => "exports_confirmed",
        })
    }
}

/// Method, path, access rule and summary of one endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Op {
    /// Resource that the endpoint belongs to, as in `fixtures/endpoints.tsv`.
    pub area: &'static str,
    /// Unique snake_case name: the client's method and the OpenAPI operation id.
    pub id: &'static str,
    /// `GET`, `POST`, `PUT`, `PATCH` or `DELETE`.
    pub method: &'static str,
    /// Path with `{id}` placeholders.
    pub path: &'static str,
    /// Callers that may use the endpoint.
    pub access_rule: AccessRule,
    /// Whether the caller must have confirmed their identity.
    pub confirmed: ConfirmationRule,
    /// One-line summary for documentation and help.
    pub summary: &'static str,
}

impl Op {
    /// Required permissions and confirmation as text, such as `manage staff; confirmed`.
    #[must_use]
    pub fn access(&self) -> String {
        match self.confirmed {
            ConfirmationRule::Never => self.access_rule.to_string(),
            mark => format!("{}; {mark}", self.access_rule),
        }
    }

    /// Whether the call changes data, so that `Idempotency-Key` and retries matter.
    #[must_use]
    pub fn writes(&self) -> bool {
        self.method != "GET"
    }

    /// Whether a form may name `method` in its field `_method`: the method of the route, and PUT for the two resources with
    /// images that the specification updates by PUT.
    #[must_use]
    pub fn accepts_method(&self, method: &str) -> bool {
        let is_change = matches!(self.id, "update_banner" | "update_payment_method");
        method.eq_ignore_ascii_case(self.method) || (is_change && method.eq_ignore_ascii_case("PUT"))
    }
}

/// Encoding of a request or response body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BodyKind {
    /// The request or response has no body.
    None,
    /// JSON. A request may also be a form, URL-encoded or multipart, with bracketed names (`translations[en][name]`).
    Json,
    /// A request with images, in the same encodings; a multipart request may carry files.
    Upload,
    /// A request of named fields in one of three encodings: JSON, URL-encoded form or multipart form.
    Fields,
    /// A response that is a file.
    File,
    /// Plain text.
    Text,
}

/// A type that can be a request or response body.
pub trait Wire: Serialize + DeserializeOwned + ToSchema + Send + Sync + 'static {
    /// Encoding of the body.
    const KIND: BodyKind = BodyKind::Json;
}

/// Implements [`Wire`] for JSON bodies.
#[macro_export]
macro_rules! wire {
    ($($name:ty),+ $(,)?) => { $(impl $crate::endpoint::Wire for $name {})+ };
}

/// Implements [`Wire`] for request bodies that carry images.
#[macro_export]
macro_rules! upload {
    ($($name:ty),+ $(,)?) => { $(impl $crate::endpoint::Wire for $name {
        const KIND: $crate::endpoint::BodyKind = $crate::endpoint::BodyKind::Upload;
    })+ };
}

/// An empty body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, serde::Deserialize, ToSchema)]
pub struct EmptyBody {}

impl Wire for EmptyBody {
    const KIND: BodyKind = BodyKind::None;
}

impl Wire for String {
    const KIND: BodyKind = BodyKind::Text;
}

impl Wire for serde_json::Value {}

/// Arguments of a path: `()`, one id or two ids.
pub trait PathArgs: Copy + Send + Sync + 'static {
    /// Replaces the placeholders of `path` by the arguments.
    fn fill(&self, path: &str) -> String;
    /// Parses the arguments from the texts of the placeholders, in order; `None` unless each is a positive integer.
    fn read(texts: &[&str]) -> Option<Self>;
}

impl PathArgs for () {
    fn fill(&self, path: &str) -> String {
        path.to_owned()
    }
    fn read(texts: &[&str]) -> Option<Self> {
        texts.is_empty().then_some(())
    }
}

impl<I: Id> PathArgs for I {
    fn fill(&self, path: &str) -> String {
        fill_in(path, &[self.get()])
    }
    fn read(texts: &[&str]) -> Option<Self> {
        let [id] = texts else { return None };
        ids::of_path(id)
    }
}

impl<A: Id, B: Id> PathArgs for (A, B) {
    fn fill(&self, path: &str) -> String {
        fill_in(path, &[self.0.get(), self.1.get()])
    }
    fn read(texts: &[&str]) -> Option<Self> {
        let [first, second] = texts else { return None };
        Some((ids::of_path(first)?, ids::of_path(second)?))
    }
}

fn fill_in(path: &str, ids: &[i64]) -> String {
    let mut ids = ids.iter();
    let parts = path.split('/').map(|part| match part.starts_with('{').then(|| ids.next()).flatten() {
        Some(id) => id.to_string(),
        None => part.to_owned(),
    });
    parts.collect::<Vec<_>>().join("/")
}

/// Query parameters of an endpoint.
pub trait Query: Send + Sync + Sized + 'static {
    /// The parameters as decoded pairs, for the URL.
    fn pairs(&self) -> Vec<(String, String)>;
    /// Parses decoded pairs; unknown names are errors.
    fn read(pairs: &[(String, String)]) -> Result<Self, FieldErrors>;
    /// Parses decoded pairs on the server. An implementation may keep errors in the query, so that the handler reports them
    /// together with its own.
    fn receive(pairs: &[(String, String)]) -> Result<Self, FieldErrors> {
        Self::read(pairs)
    }
    /// The parameters for the OpenAPI document.
    fn parameters() -> Vec<Parameter>;
}

/// Implements [`Query`] for a serde struct that derives `IntoParams`.
#[macro_export]
macro_rules! plain_query {
    ($($name:ty),+ $(,)?) => { $(
        impl $crate::endpoint::Query for $name {
            fn pairs(&self) -> Vec<(String, String)> {
                $crate::fields::to_pairs(self)
            }
            fn read(pairs: &[(String, String)]) -> Result<Self, $crate::fields::FieldErrors> {
                $crate::fields::FieldErrors::from_pairs(pairs)
            }
            fn parameters() -> Vec<utoipa::openapi::path::Parameter> {
                <Self as utoipa::IntoParams>::into_params(|| Some(utoipa::openapi::path::ParameterIn::Query))
            }
        }
    )+ };
}

/// A query without parameters; every name is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, serde::Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
pub struct EmptyQuery {}

plain_query!(EmptyQuery);

/// One endpoint with the types of its path, query, body and response.
pub trait Endpoint: Send + Sync + 'static {
    /// Method, path, access rule and summary.
    const OP: Op;
    /// Arguments of the path.
    type Path: PathArgs;
    /// Query parameters.
    type Query: Query;
    /// Request body.
    type Body: Wire;
    /// Response body.
    type Answer: Wire;
}

/// Builds an [`AccessRule`] from `public`, `bearer`, or permissions joined by `|`.
#[macro_export]
macro_rules! access_rule {
    (public) => { $crate::endpoint::AccessRule::Public };
    (bearer) => { $crate::endpoint::AccessRule::Bearer };
    ($($permission:ident)|+) => { $crate::endpoint::AccessRule::AnyOf(&[$($crate::permission::Permission::$permission),+]) };
}

/// Builds a [`ConfirmationRule`] from the optional mark after the access rule: `confirmed`,
/// `partly_confirmed` or `exports_confirmed`.
#[macro_export]
macro_rules! confirmed {
    () => {
        $crate::endpoint::ConfirmationRule::Never
    };
    (confirmed) => {
        $crate::endpoint::ConfirmationRule::Always
    };
    (partly_confirmed) => {
        $crate::endpoint::ConfirmationRule::Partly
    };
    (exports_confirmed) => {
        $crate::endpoint::ConfirmationRule::Exports
    };
}

/// Declares the endpoints of one area: a type for each, the constant `OPS`, and a macro (named in the first line) that passes
/// all rows to another macro; the client generates its methods with it. A macro that defines a macro needs the leading `$`.
#[macro_export]
macro_rules! endpoints {
    ($d:tt $each:ident $area:literal; $(
        $(#[doc = $doc:literal])+
        $name:ident $func:ident: $method:ident $path:literal [$($who:tt)+] $($mark:ident)? ($p:ty, $q:ty, $b:ty) -> $a:ty;
    )+) => {
        $(
            $(#[doc = $doc])+
            #[derive(Debug, Clone, Copy)]
            pub struct $name;

            impl $crate::endpoint::Endpoint for $name {
                const OP: $crate::endpoint::Op = $crate::endpoint::Op {
                    area: $area,
                    id: stringify!($func),
                    method: stringify!($method),
                    path: $path,
                    access_rule: $crate::access_rule!($($who)+),
                    confirmed: $crate::confirmed!($($mark)?),
                    summary: concat!($($doc),+),
                };
                type Path = $p;
                type Query = $q;
                type Body = $b;
                type Answer = $a;
            }
        )+

        /// The endpoints of this area.
        pub const OPS: &[$crate::endpoint::Op] = &[$(<$name as $crate::endpoint::Endpoint>::OP),+];

        /// Calls `$then! { Name function "doc"; … }` with every endpoint of this area.
        #[macro_export]
        macro_rules! $each {
            ($d then:ident) => { $d then! { $($name $func [$($doc)+];)+ } };
        }
    };
}

#[cfg(test)]
mod tests {
    #[test]
    fn two_resources_with_images_also_accept_put() {
        let accepting = crate::endpoints::all().filter(|op| op.method == "POST" && op.accepts_method("PUT"));
        let ids: std::collections::BTreeSet<_> = accepting.map(|op| op.id).collect();
        assert_eq!(ids.into_iter().collect::<Vec<_>>(), ["update_banner", "update_payment_method"]);
    }
}
