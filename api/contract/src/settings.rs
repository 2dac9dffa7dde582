//! Panel settings on the wire. Each setting is declared once in [`declared`]; reading, validation, writing, the audit trail, the
//! public subset and the OpenAPI schema are derived from the declaration.

pub mod declared;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, Schema, SchemaType, Type};
use utoipa::{PartialSchema, ToSchema};

use crate::moment::Stamp;

pub use declared::SETTINGS;

crate::string_enum! {
    /// Section of the settings page.
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

crate::string_enum! {
    /// Data type of a setting.
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

/// Declaration of one setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Setting {
    /// Dotted path of the setting, such as `colors.dark.primary`.
    pub key: &'static str,
    /// Section of the settings page.
    pub group: SettingGroup,
    /// Data type of the value.
    pub kind: SettingKind,
    /// Lower bound of a number: an integer, or millionths for money.
    pub least: i64,
    /// Upper bound: characters of a text, entries of a list, an integer, or parts per million of a fraction. For an image with a
    /// fixed size the length of its sides in pixels.
    pub most: i64,
    /// Allowed values of an enum setting; empty for other types.
    pub options: &'static [&'static str],
    /// Default value as JSON; `null` means that the setting may be empty.
    pub default: &'static str,
    /// Whether the setting can be read without authentication.
    pub public: bool,
    /// Whether only the customer site uses the setting. The site reads public settings from `GET /settings` and the others from
    /// `GET /api/v1/site/settings`.
    pub for_site: bool,
}

impl Setting {
    /// The declaration of the setting `key`.
    #[must_use]
    pub fn find(key: &str) -> Option<&'static Self> {
        SETTINGS.iter().find(|setting| setting.key == key)
    }

    /// Whether `GET /settings` returns the setting for the customer site.
    #[must_use]
    pub fn is_served_to_site(&self) -> bool {
        self.public && self.for_site
    }

    /// The default value, parsed from JSON.
    #[must_use]
    pub fn fallback(&self) -> Value {
        serde_json::from_str(self.default).unwrap_or(Value::Null)
    }

    /// Whether the setting may be empty.
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
        let mut schema = ObjectBuilder::new().schema_type(kind).description(Some(self.description()));
        if !self.options.is_empty() {
            schema = schema.enum_values(Some(self.options.iter().copied()));
        }
        schema.build().into()
    }

    fn description(&self) -> String {
        let site = match (self.for_site, self.public) {
            (false, _) => "",
            (true, true) => " Used by the customer site only, which reads it from GET /settings.",
            (true, false) => {
                " Used by the customer site only, whose server reads it from GET /api/v1/site/settings."
            }
        };
        format!("{}{site}", self.kind_description())
    }

    fn kind_description(&self) -> String {
        let kind = match self.kind {
            SettingKind::Share => "A fraction with up to three decimals.",
            SettingKind::Money => "Money, as a decimal string.",
            SettingKind::Color => "A color as # and six hexadecimal digits.",
            SettingKind::Picture if self.most > 0 => {
                return format!(
                    "An image of exactly {0}×{0} pixels: the URL of the current image, or a new file as a data URL or file part.",
                    self.most
                );
            }
            SettingKind::Picture => {
                "An image: the URL of the current image, or a new file as a data URL or file part."
            }
            SettingKind::Secret => {
                "Write-only secret: a string sets it, null removes it. Responses only contain whether it is set."
            }
            SettingKind::Rates => {
                "Exchange rates by currency code: units per one unit of the panel's currency, as decimal strings."
            }
            SettingKind::MetaTags => "Meta tags of every page: `name` and `content`.",
            SettingKind::Shown => "Read-only.",
            SettingKind::Template => "A URL template with the placeholder {url}.",
            SettingKind::Html => "HTML that runs in customers' browsers.",
            _ => return format!("Default: {}.", self.default),
        };
        kind.to_owned()
    }
}

/// Settings nested by their dotted paths: `{"colors": {"dark": {"primary": "#7c3aed"}}}`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SettingsTree(pub Map<String, Value>);

impl SettingsTree {
    /// Sets the value at the dotted path `key`.
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

    /// The value at the dotted path `key`.
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

/// Public settings of the customer site, nested as in [`SettingsTree`].
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SiteSettings(pub SettingsTree);

impl PartialSchema for SiteSettings {
    fn schema() -> RefOr<Schema> {
        nested("", Setting::is_served_to_site, None)
    }
}

impl ToSchema for SiteSettings {}

/// The schema of all settings of the customer site.
pub(crate) fn site_schema() -> RefOr<Schema> {
    nested("", |setting| setting.for_site, None)
}

/// The schema of an object with all settings below `prefix` that match `filter`.
fn nested(prefix: &str, filter: fn(&Setting) -> bool, more: Option<(&str, RefOr<Schema>)>) -> RefOr<Schema> {
    let mut object = ObjectBuilder::new().schema_type(Type::Object);
    let mut seen = Vec::new();
    for setting in SETTINGS.iter().filter(|setting| filter(setting)) {
        let Some(rest) = setting.key.strip_prefix(prefix) else { continue };
        let name = rest.split('.').next().unwrap_or(rest);
        if seen.contains(&name) {
            continue;
        }
        seen.push(name);
        let schema = match rest.contains('.') {
            true => nested(&format!("{prefix}{name}."), filter, None),
            false => setting.schema().into(),
        };
        object = object.property(name, schema);
    }
    if let Some((name, schema)) = more {
        object = object.property(name, schema);
    }
    object.into()
}

/// Declaration of a setting, for editors.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SettingField {
    /// Dotted path of the setting, such as `colors.dark.primary`.
    pub key: String,
    /// Section of the settings page.
    pub group: SettingGroup,
    /// Data type of the value.
    pub kind: SettingKind,
    /// Lower bound of a number; millionths for money.
    pub least: i64,
    /// Upper bound: characters, list entries, an integer, or parts per million.
    pub most: i64,
    /// Allowed values of an enum setting; empty for other types.
    pub options: Vec<String>,
    /// Default value as JSON.
    pub default: String,
    /// Whether the setting may be empty.
    pub may_be_empty: bool,
    /// Whether the setting can be read without authentication.
    pub is_public: bool,
    /// Whether only the customer site uses the setting.
    #[serde(default)]
    pub is_for_site: bool,
    /// Whether the setting has its default value.
    pub is_default: bool,
}

/// Response of `GET settings` and `POST settings`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SettingsAnswer {
    /// All settings and `updated_at`, the time of the last change. Secrets appear as `{"is_set": true}`.
    pub data: SettingsTree,
    /// Declarations of all settings, in the order of the settings page.
    pub fields: Vec<SettingField>,
}

/// Body of `POST settings`. Absent settings keep their value. With `updated_at` from the read, the server refuses a setting that
/// has changed since (409).
pub type SettingsInput = SettingsTree;

crate::wire!(SettingsAnswer);
crate::upload!(SettingsTree);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_declaration_is_valid() {
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
    fn a_tree_nests_settings_by_their_paths() {
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
