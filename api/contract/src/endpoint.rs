//! What an endpoint is, and the macro that declares one per row of data.
//!
//! From a row come the client's method, the server's route and guard, the OpenAPI operation and the sweep over
//! all endpoints. Nothing else about an endpoint is hidden here.

use serde::Serialize;
use serde::de::DeserializeOwned;
use utoipa::ToSchema;
use utoipa::openapi::path::Parameter;

use crate::fields::FieldErrors;
use crate::ids::{self, Id};
use crate::permission::Permission;

/// Who may call an endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Who {
    /// Anybody.
    Public,
    /// Any signed-in staff member.
    Bearer,
    /// Staff who hold at least one of these.
    AnyOf(&'static [Permission]),
}

impl std::fmt::Display for Who {
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

/// Whether an endpoint needs a caller who confirmed within ten minutes who they are, by password or second factor. A dry
/// run never needs it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Confirmed {
    /// No call needs a confirmation.
    Never,
    /// Each call needs a confirmation of the last ten minutes.
    Always,
    /// Some calls do, as the handler says.
    Partly,
    /// A call that takes the list as a file does.
    Exports,
}

impl std::fmt::Display for Confirmed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Never => "",
            Self::Always => "confirmed",
            Self::Partly => "partly_confirmed",
            Self::Exports => "exports_confirmed",
        })
    }
}

/// The data of one endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Op {
    /// The resource it belongs to, as in `fixtures/endpoints.tsv`.
    pub area: &'static str,
    /// Unique, snake_case; the client's method and the OpenAPI operation id.
    pub id: &'static str,
    /// `GET`, `POST`, `PUT`, `PATCH` or `DELETE`.
    pub method: &'static str,
    /// With `{id}` placeholders.
    pub path: &'static str,
    /// Who may call it.
    pub who: Who,
    /// Whether the caller must have confirmed who they are.
    pub confirmed: Confirmed,
    /// One line of documentation.
    pub summary: &'static str,
}

impl Op {
    /// Who may call it and what they confirm, such as `manage staff; confirmed`.
    #[must_use]
    pub fn access(&self) -> String {
        match self.confirmed {
            Confirmed::Never => self.who.to_string(),
            mark => format!("{}; {mark}", self.who),
        }
    }

    /// Whether the call changes something, so that `Idempotency-Key` and retries matter.
    #[must_use]
    pub fn writes(&self) -> bool {
        self.method != "GET"
    }

    /// Whether a form may name `method` in its field `_method`: the route's own, and PUT for the two records with images
    /// that the specification changes so.
    #[must_use]
    pub fn takes_method(&self, method: &str) -> bool {
        let is_change = matches!(self.id, "update_banner" | "update_payment_method");
        method.eq_ignore_ascii_case(self.method) || (is_change && method.eq_ignore_ascii_case("PUT"))
    }
}

/// How a body travels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// There is none.
    None,
    /// JSON. Requests may be forms as well, encoded or multipart, with bracketed names (`translations[en][name]`).
    Json,
    /// A request with images, in the same coats; as multipart with files.
    Upload,
    /// A request of named fields in any coat: JSON, form-encoded or multipart.
    Fields,
    /// An answer that is a file.
    File,
    /// Plain text.
    Text,
}

/// A type that travels as a request or answer body.
pub trait Wire: Serialize + DeserializeOwned + ToSchema + Send + Sync + 'static {
    /// How it travels.
    const KIND: Kind = Kind::Json;
}

/// Marks JSON bodies.
#[macro_export]
macro_rules! wire {
    ($($name:ty),+ $(,)?) => { $(impl $crate::endpoint::Wire for $name {})+ };
}

/// Marks request bodies that carry images.
#[macro_export]
macro_rules! upload {
    ($($name:ty),+ $(,)?) => { $(impl $crate::endpoint::Wire for $name {
        const KIND: $crate::endpoint::Kind = $crate::endpoint::Kind::Upload;
    })+ };
}

/// No body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, serde::Deserialize, ToSchema)]
pub struct NoBody {}

impl Wire for NoBody {
    const KIND: Kind = Kind::None;
}

impl Wire for String {
    const KIND: Kind = Kind::Text;
}

impl Wire for serde_json::Value {}

/// The arguments in a path: `()`, an id, or two ids.
pub trait PathArgs: Copy + Send + Sync + 'static {
    /// Puts the arguments into the placeholders of `path`.
    fn fill(&self, path: &str) -> String;
    /// Reads them from the placeholders' texts, in order; anything but a positive whole number is none.
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

/// The query of an endpoint.
pub trait Query: Send + Sync + Sized + 'static {
    /// As decoded pairs, for the address.
    fn pairs(&self) -> Vec<(String, String)>;
    /// From decoded pairs; unknown names are errors.
    fn read(pairs: &[(String, String)]) -> Result<Self, FieldErrors>;
    /// As the server takes it: what is wrong may stay in it, where the handler answers it beside what it finds itself.
    fn receive(pairs: &[(String, String)]) -> Result<Self, FieldErrors> {
        Self::read(pairs)
    }
    /// For the OpenAPI document.
    fn parameters() -> Vec<Parameter>;
}

/// Makes a serde struct (with `IntoParams`) a query.
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

/// No query; any name is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, serde::Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
pub struct NoQuery {}

plain_query!(NoQuery);

/// One endpoint with its types.
pub trait Endpoint: Send + Sync + 'static {
    /// Its data.
    const OP: Op;
    /// The arguments in its path.
    type Path: PathArgs;
    /// Its query.
    type Query: Query;
    /// Its request body.
    type Body: Wire;
    /// Its answer.
    type Answer: Wire;
}

/// `public`, `bearer`, or permissions joined by `|`.
#[macro_export]
macro_rules! who {
    (public) => { $crate::endpoint::Who::Public };
    (bearer) => { $crate::endpoint::Who::Bearer };
    ($($permission:ident)|+) => { $crate::endpoint::Who::AnyOf(&[$($crate::permission::Permission::$permission),+]) };
}

/// The mark behind who may call: nothing, `confirmed`, `partly_confirmed` or `exports_confirmed`.
#[macro_export]
macro_rules! confirmed {
    () => {
        $crate::endpoint::Confirmed::Never
    };
    (confirmed) => {
        $crate::endpoint::Confirmed::Always
    };
    (partly_confirmed) => {
        $crate::endpoint::Confirmed::Partly
    };
    (exports_confirmed) => {
        $crate::endpoint::Confirmed::Exports
    };
}

/// Declares the endpoints of one area: a type for each, `OPS` with their data, and a macro named in the first
/// line that hands all rows to another macro (the client makes its methods with it). The leading `$` is the
/// usual way to let one macro write another.
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
                    who: $crate::who!($($who)+),
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
    fn two_records_with_images_are_changed_by_put_as_well() {
        let takers = crate::endpoints::all().filter(|op| op.method == "POST" && op.takes_method("PUT"));
        let ids: std::collections::BTreeSet<_> = takers.map(|op| op.id).collect();
        assert_eq!(ids.into_iter().collect::<Vec<_>>(), ["update_banner", "update_payment_method"]);
    }
}
