//! The definition of an endpoint, and the macro that declares the endpoints of an area, one per row. From each row, other macros
//! generate the client method, the route with its permission check, the OpenAPI operation and tests.

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
    /// Every caller, without authentication.
    Public,
    /// Every signed-in staff member, whatever their permissions.
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

/// Whether the caller must have confirmed their identity by password or second factor within the last ten minutes. A dry run never
/// requires it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConfirmationRule {
    /// No request requires a confirmation.
    Never,
    /// Every request requires a confirmation within the last ten minutes.
    Always,
    /// The handler decides by the content of the request whether it requires a confirmation.
    DependsOnRequest,
    /// Only a request that exports the list as a file requires a confirmation.
    OnlyExports,
}

impl std::fmt::Display for ConfirmationRule {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Never => "",
            Self::Always => "confirmed",
            Self::DependsOnRequest => "partly_confirmed",
            Self::OnlyExports => "exports_confirmed",
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
    /// HTTP method: `GET`, `POST`, `PUT`, `PATCH` or `DELETE`.
    pub method: &'static str,
    /// Path with placeholders for ids, such as `/api/v1/admin/orders/{id}`.
    pub path: &'static str,
    /// Callers that may use the endpoint.
    pub access_rule: AccessRule,
    /// Whether the caller must have confirmed their identity.
    pub confirmation: ConfirmationRule,
    /// One-line summary for documentation and help.
    pub summary: &'static str,
}

impl Op {
    /// Required permissions and confirmation for documentation, such as `manage staff; confirmed`.
    #[must_use]
    pub fn access_text(&self) -> String {
        match self.confirmation {
            ConfirmationRule::Never => self.access_rule.to_string(),
            confirmation => format!("{}; {confirmation}", self.access_rule),
        }
    }

    /// Whether a request may change data and accepts an `Idempotency-Key`: all methods except GET.
    #[must_use]
    pub fn is_write(&self) -> bool {
        self.method != "GET"
    }

    /// Whether a form may send `method` in its field `_method`. Allowed values: the method of the route, and PUT for the two
    /// resources with images, which the specification updates by PUT.
    #[must_use]
    pub fn accepts_method(&self, method: &str) -> bool {
        let is_update = matches!(self.id, "update_banner" | "update_payment_method");
        method.eq_ignore_ascii_case(self.method) || (is_update && method.eq_ignore_ascii_case("PUT"))
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
    /// A response that is the bytes of a file.
    File,
    /// A response in plain text.
    Text,
}

/// A type that can be a request or response body.
pub trait ApiBody: Serialize + DeserializeOwned + ToSchema + Send + Sync + 'static {
    /// Encoding of the body.
    const KIND: BodyKind = BodyKind::Json;
}

/// Implements [`ApiBody`] for types that are sent as JSON.
#[macro_export]
macro_rules! json_bodies {
    ($($name:ty),+ $(,)?) => { $(impl $crate::endpoint::ApiBody for $name {})+ };
}

/// Implements [`ApiBody`] for request bodies that can carry images; such a request may be a multipart form.
#[macro_export]
macro_rules! image_bodies {
    ($($name:ty),+ $(,)?) => { $(impl $crate::endpoint::ApiBody for $name {
        const KIND: $crate::endpoint::BodyKind = $crate::endpoint::BodyKind::Upload;
    })+ };
}

/// No body. A request may send `{}`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, serde::Deserialize, ToSchema)]
pub struct EmptyBody {}

impl ApiBody for EmptyBody {
    const KIND: BodyKind = BodyKind::None;
}

impl ApiBody for String {
    const KIND: BodyKind = BodyKind::Text;
}

impl ApiBody for serde_json::Value {}

/// Values of the placeholders in a path: `()`, one id or two ids.
pub trait PathArgs: Copy + Send + Sync + 'static {
    /// Replaces the placeholders of `path` by these values, in order.
    fn fill(&self, path: &str) -> String;
    /// Parses the values of the placeholders, in order; `None` unless each is a positive integer.
    fn parse(values: &[&str]) -> Option<Self>;
}

impl PathArgs for () {
    fn fill(&self, path: &str) -> String {
        path.to_owned()
    }
    fn parse(values: &[&str]) -> Option<Self> {
        values.is_empty().then_some(())
    }
}

impl<I: Id> PathArgs for I {
    fn fill(&self, path: &str) -> String {
        fill_placeholders(path, &[self.get()])
    }
    fn parse(values: &[&str]) -> Option<Self> {
        let [id] = values else { return None };
        ids::parse_path_id(id)
    }
}

impl<A: Id, B: Id> PathArgs for (A, B) {
    fn fill(&self, path: &str) -> String {
        fill_placeholders(path, &[self.0.get(), self.1.get()])
    }
    fn parse(values: &[&str]) -> Option<Self> {
        let [first, second] = values else { return None };
        Some((ids::parse_path_id(first)?, ids::parse_path_id(second)?))
    }
}

fn fill_placeholders(path: &str, ids: &[i64]) -> String {
    let mut ids = ids.iter();
    let filled_parts =
        path.split('/').map(|part| match part.starts_with('{').then(|| ids.next()).flatten() {
            Some(id) => id.to_string(),
            None => part.to_owned(),
        });
    filled_parts.collect::<Vec<_>>().join("/")
}

/// Query parameters of an endpoint.
pub trait Query: Send + Sync + Sized + 'static {
    /// The parameters as decoded name-value pairs, for a URL.
    fn to_pairs(&self) -> Vec<(String, String)>;
    /// Parses decoded name-value pairs. The errors name unknown and invalid parameters.
    fn parse(pairs: &[(String, String)]) -> Result<Self, FieldErrors>;
    /// Like [`Query::parse`], for the server: a query type may store its errors in a field instead of returning them, so that the
    /// handler reports them together with errors that only the handler can detect.
    fn parse_deferring_errors(pairs: &[(String, String)]) -> Result<Self, FieldErrors> {
        Self::parse(pairs)
    }
    /// Descriptions of the parameters for the OpenAPI document.
    fn parameters() -> Vec<Parameter>;
}

/// Implements [`Query`] for a serde struct that derives `IntoParams`.
#[macro_export]
macro_rules! serde_queries {
    ($($name:ty),+ $(,)?) => { $(
        impl $crate::endpoint::Query for $name {
            fn to_pairs(&self) -> Vec<(String, String)> {
                $crate::fields::to_pairs(self)
            }
            fn parse(pairs: &[(String, String)]) -> Result<Self, $crate::fields::FieldErrors> {
                $crate::fields::FieldErrors::from_pairs(pairs)
            }
            fn parameters() -> Vec<utoipa::openapi::path::Parameter> {
                <Self as utoipa::IntoParams>::into_params(|| Some(utoipa::openapi::path::ParameterIn::Query))
            }
        }
    )+ };
}

/// A query without parameters; every parameter is an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, serde::Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
pub struct EmptyQuery {}

serde_queries!(EmptyQuery);

/// One endpoint with the types of its path, query, body and response.
pub trait Endpoint: Send + Sync + 'static {
    /// Method, path, access rule and summary.
    const OP: Op;
    /// Type of the values of the placeholders in the path.
    type Path: PathArgs;
    /// Type of the query parameters.
    type Query: Query;
    /// Type of the request body.
    type Body: ApiBody;
    /// Type of the body of a successful response.
    type Response: ApiBody;
}

/// Converts `public`, `bearer`, or permissions joined by `|` to an [`AccessRule`].
#[macro_export]
macro_rules! access_rule {
    (public) => { $crate::endpoint::AccessRule::Public };
    (bearer) => { $crate::endpoint::AccessRule::Bearer };
    ($($permission:ident)|+) => { $crate::endpoint::AccessRule::AnyOf(&[$($crate::permission::Permission::$permission),+]) };
}

/// Converts the optional keyword after the access rule to a [`ConfirmationRule`]: `confirmed`, `partly_confirmed` or
/// `exports_confirmed`.
#[macro_export]
macro_rules! confirmation_rule {
    () => {
        $crate::endpoint::ConfirmationRule::Never
    };
    (confirmed) => {
        $crate::endpoint::ConfirmationRule::Always
    };
    (partly_confirmed) => {
        $crate::endpoint::ConfirmationRule::DependsOnRequest
    };
    (exports_confirmed) => {
        $crate::endpoint::ConfirmationRule::OnlyExports
    };
}

/// Declares the endpoints of one area: a type for each endpoint, the constant `OPS`, and a macro with the name in the first line.
/// The generated macro passes all rows to a callback macro; the client uses it to generate its methods. The first argument is `$`,
/// because a macro that defines a macro cannot write this character otherwise.
#[macro_export]
macro_rules! endpoints {
    ($d:tt $for_each_endpoint:ident $area:literal; $(
        $(#[doc = $doc:literal])+
        $name:ident $func:ident: $method:ident $path:literal [$($access:tt)+] $($confirmation:ident)? ($path_args:ty, $query:ty, $body:ty) -> $response:ty;
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
                    access_rule: $crate::access_rule!($($access)+),
                    confirmation: $crate::confirmation_rule!($($confirmation)?),
                    summary: concat!($($doc),+),
                };
                type Path = $path_args;
                type Query = $query;
                type Body = $body;
                type Response = $response;
            }
        )+

        /// All endpoints of this area.
        pub const OPS: &[$crate::endpoint::Op] = &[$(<$name as $crate::endpoint::Endpoint>::OP),+];

        /// Calls `$then! { Name function ["doc"]; … }` with every endpoint of this area.
        #[macro_export]
        macro_rules! $for_each_endpoint {
            ($d then:ident) => { $d then! { $($name $func [$($doc)+];)+ } };
        }
    };
}

#[cfg(test)]
mod tests {
    #[test]
    fn two_resources_with_images_also_accept_put() {
        let operations = crate::endpoints::all().filter(|op| op.method == "POST" && op.accepts_method("PUT"));
        let ids: std::collections::BTreeSet<_> = operations.map(|op| op.id).collect();
        assert_eq!(ids.into_iter().collect::<Vec<_>>(), ["update_banner", "update_payment_method"]);
    }
}
