//! Panel settings as they cross the wire. Each is declared once, in [`declared`]; reading, judging, writing, the audit
//! trail, the public subset and the schema follow from there.

pub mod declared;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, Schema, SchemaType, Type};
use utoipa::{PartialSchema, ToSchema};

use crate::moment::Stamp;

pub use declared::SETTINGS;

crate::words! {
    /// Where people look for a setting.
    SettingGroup {
        Brand = "brand",
        Colors = "colors",
        Currencies = "currencies",
        Finances = "finances",
        Orders = "orders",
        Customers = "customers",
        Navigation = "navigation",
        Banners = "banners",
        Pages = "pages",
        Security = "security",
        Integrations = "integrations",
        Instance = "instance",
    }
}

crate::words! {
    /// What a setting holds.
    SettingKind {
        Flag = "flag",
        Text = "text",
        Long = "long",
        Html = "html",
        Email = "email",
        Address = "address",
        Template = "template",
        Whole = "whole",
        Money = "money",
        Share = "share",
        Word = "word",
        Currency = "currency",
        Color = "color",
        Picture = "picture",
        Secret = "secret",
        Rates = "rates",
        MetaTags = "meta_tags",
        Ids = "ids",
        Id = "id",
        Shown = "shown",
    }
}

/// One setting, declared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Setting {
    /// Its place, such as `colors.dark.primary`.
    pub key: &'static str,
    /// Where people look for it.
    pub group: SettingGroup,
    /// What it holds.
    pub kind: SettingKind,
    /// The lower bound of a number: a whole one, millionths of money.
    pub least: i64,
    /// The upper bound: characters of a text, entries of a list, a whole number, parts per million of a share. Of a picture
    /// the side that it must have in pixels, where it must.
    pub most: i64,
    /// The words that it may be.
    pub options: &'static [&'static str],
    /// What it is until somebody sets it, as JSON. `null`: it may be empty.
    pub default: &'static str,
    /// Whether anybody may read it.
    pub public: bool,
    /// Obeyed by the customers' site alone; it reads those that are public from `GET /settings`, the others from
    /// `GET /api/v1/site/settings`.
    pub for_site: bool,
}

impl Setting {
    /// The setting of this key.
    #[must_use]
    pub fn find(key: &str) -> Option<&'static Self> {
        SETTINGS.iter().find(|setting| setting.key == key)
    }

    /// Whether `GET /settings` gives it to the customers' site.
    #[must_use]
    pub fn is_given_to_site(&self) -> bool {
        self.public && self.for_site
    }

    /// What it is until somebody sets it.
    #[must_use]
    pub fn fallback(&self) -> Value {
        serde_json::from_str(self.default).unwrap_or(Value::Null)
    }

    /// Whether it may be empty.
    #[must_use]
    pub fn may_be_empty(&self) -> bool {
        self.default == "null"
    }

    fn schema(&self) -> Schema {
        let kind = match self.kind {
            SettingKind::Flag => Type::Boolean,
            SettingKind::Whole | SettingKind::Id => Type::Integer,
            SettingKind::MetaTags | SettingKind::Ids => Type::Array,
            SettingKind::Rates => Type::Object,
            _ => Type::String,
        };
        let kind = match self.kind {
            SettingKind::Secret | SettingKind::Shown => SchemaType::AnyValue,
            _ if self.may_be_empty() => SchemaType::from_iter([kind, Type::Null]),
            _ => SchemaType::new(kind),
        };
        let mut schema = ObjectBuilder::new().schema_type(kind).description(Some(self.told()));
        if !self.options.is_empty() {
            schema = schema.enum_values(Some(self.options.iter().copied()));
        }
        schema.build().into()
    }

    fn told(&self) -> String {
        let site = match (self.for_site, self.public) {
            (false, _) => "",
            (true, true) => {
                " For the customers' site, which reads it from GET /settings; nothing in the panel itself obeys it."
            }
            (true, false) => {
                " For the customers' site, whose server reads it from GET /api/v1/site/settings; nothing in the panel itself obeys it."
            }
        };
        format!("{}{site}", self.kind_told())
    }

    fn kind_told(&self) -> String {
        let kind = match self.kind {
            SettingKind::Share => "A fraction with up to three decimals.",
            SettingKind::Money => "Money, as a decimal string.",
            SettingKind::Color => "A colour as # and six hexadecimal digits.",
            SettingKind::Picture if self.most > 0 => {
                return format!(
                    "An image of exactly {0}×{0} pixels: the address of the present one, or a new one as a data URL or file part.",
                    self.most
                );
            }
            SettingKind::Picture => {
                "An image: the address of the present one, or a new one as a data URL or file part."
            }
            SettingKind::Secret => {
                "Write-only: a text sets it, null takes it away; read, it says whether it is set."
            }
            SettingKind::Rates => "Currency → units for one of the panel's currency, as decimal strings.",
            SettingKind::MetaTags => "Tags of every page's head: `name` and `content`.",
            SettingKind::Shown => "Cannot be set here.",
            SettingKind::Template => "An address with {url} where an address goes.",
            SettingKind::Html => "HTML that runs in customers' browsers.",
            _ => return format!("Default: {}.", self.default),
        };
        kind.to_owned()
    }
}

/// All settings by their places, nested: `{"colors": {"dark": {"primary": "#7c3aed"}}}`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SettingsTree(pub Map<String, Value>);

impl SettingsTree {
    /// Puts a value in its place.
    pub fn put(&mut self, key: &str, value: Value) {
        let mut map = &mut self.0;
        let mut parts = key.split('.').peekable();
        while let Some(part) = parts.next() {
            if parts.peek().is_none() {
                map.insert(part.to_owned(), value);
                return;
            }
            let inner = map.entry(part).or_insert_with(|| Value::Object(Map::new()));
            match inner {
                Value::Object(inner) => map = inner,
                _ => return,
            }
        }
    }

    /// The value of a setting.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Value> {
        let mut parts = key.split('.');
        let first = self.0.get(parts.next()?)?;
        parts.try_fold(first, |value, part| value.get(part))
    }
}

impl PartialSchema for SettingsTree {
    fn schema() -> RefOr<Schema> {
        nested("", |_| true, Some(("updated_at", Stamp::schema())))
    }
}

impl ToSchema for SettingsTree {}

/// The settings that the customers' site draws itself by, nested as in [`SettingsTree`]; anybody may read them.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SiteSettings(pub SettingsTree);

impl PartialSchema for SiteSettings {
    fn schema() -> RefOr<Schema> {
        nested("", Setting::is_given_to_site, None)
    }
}

impl ToSchema for SiteSettings {}

/// The schema of everything that the site obeys.
pub(crate) fn site_schema() -> RefOr<Schema> {
    nested("", |setting| setting.for_site, None)
}

/// An object with everything below `prefix` that is `wanted`.
fn nested(prefix: &str, wanted: fn(&Setting) -> bool, more: Option<(&str, RefOr<Schema>)>) -> RefOr<Schema> {
    let mut object = ObjectBuilder::new().schema_type(Type::Object);
    let mut seen = Vec::new();
    for setting in SETTINGS.iter().filter(|setting| wanted(setting)) {
        let Some(rest) = setting.key.strip_prefix(prefix) else { continue };
        let name = rest.split('.').next().unwrap_or(rest);
        if seen.contains(&name) {
            continue;
        }
        seen.push(name);
        let schema = match rest.contains('.') {
            true => nested(&format!("{prefix}{name}."), wanted, None),
            false => setting.schema().into(),
        };
        object = object.property(name, schema);
    }
    if let Some((name, schema)) = more {
        object = object.property(name, schema);
    }
    object.into()
}

/// A setting as its editor needs it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SettingField {
    /// Its place, such as `colors.dark.primary`.
    pub key: String,
    /// Where people look for it.
    pub group: SettingGroup,
    /// What it holds.
    pub kind: SettingKind,
    /// The lower bound of a number; money in millionths.
    pub least: i64,
    /// The upper bound: characters, entries, a whole number, parts per million.
    pub most: i64,
    /// The words that it may be.
    pub options: Vec<String>,
    /// What it is until somebody sets it, as JSON.
    pub default: String,
    /// Whether it may be empty.
    pub may_be_empty: bool,
    /// Whether anybody may read it.
    pub is_public: bool,
    /// Whether the customers' site alone obeys it.
    #[serde(default)]
    pub is_for_site: bool,
    /// Whether its default is in force.
    pub is_default: bool,
}

/// Answer of `GET settings` and `POST settings`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SettingsAnswer {
    /// All of them; secrets as `{"is_set": true}`; with `updated_at`, the moment of the last change.
    pub data: SettingsTree,
    /// What each is, in the order of a form.
    pub fields: Vec<SettingField>,
}

/// Body of `POST settings`: what is left out stays. With `updated_at` as it was read, a setting that somebody else
/// changed since is refused.
pub type SettingsInput = SettingsTree;

crate::wire!(SettingsAnswer);
crate::upload!(SettingsTree);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_declaration_is_sound() {
        for (at, setting) in SETTINGS.iter().enumerate() {
            let key = setting.key;
            assert!(SETTINGS.iter().take(at).all(|other| other.key != key), "{key} twice");
            let inside = format!("{key}.");
            assert!(
                SETTINGS.iter().all(|other| !other.key.starts_with(&inside)),
                "{key} is a value and a group"
            );
            assert!(serde_json::from_str::<Value>(setting.default).is_ok(), "{key}: {}", setting.default);
            assert_eq!(setting.kind == SettingKind::Word, !setting.options.is_empty(), "{key}");
            assert!(!(setting.public && setting.kind == SettingKind::Secret), "{key} is a public secret");
            assert!(setting.least <= setting.most, "{key}");
        }
    }

    #[test]
    fn a_tree_keeps_each_in_its_place() {
        let mut tree = SettingsTree::default();
        tree.put("colors.dark.primary", "a".into());
        tree.put("colors.dark.icons", "b".into());
        tree.put("panel_name", "c".into());
        assert_eq!(tree.get("colors.dark.icons"), Some(&"b".into()));
        assert_eq!(
            serde_json::to_string(&tree).unwrap(),
            r#"{"colors":{"dark":{"icons":"b","primary":"a"}},"panel_name":"c"}"#
        );
    }
}
