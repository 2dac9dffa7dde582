//! Settings of the panel. The module [`declarations`] declares each setting once. Parsing, validation, storage, the audit log, the
//! public subset and the OpenAPI schema come from the declaration.

pub mod declarations;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, Schema, SchemaType, Type};
use utoipa::{PartialSchema, ToSchema};

use crate::moment::Timestamp;

pub use declarations::SETTINGS;

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
        LongText = "long_text",
        Html = "html",
        Email = "email",
        Url = "url",
        UrlTemplate = "url_template",
        Integer = "integer",
        Money = "money",
        Fraction = "fraction",
        Enum = "enum",
        Currency = "currency",
        Color = "color",
        Image = "image",
        Secret = "secret",
        ExchangeRates = "exchange_rates",
        MetaTags = "meta_tags",
        Ids = "ids",
        Id = "id",
        /// A value that the server computes. Staff cannot change it.
        ReadOnly = "read_only",
    }
}

/// The declaration of a setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Setting {
    /// Dotted path of the setting, such as `colors.dark.primary`.
    pub key: &'static str,
    /// Section of the settings page.
    pub group: SettingGroup,
    /// Data type of the value.
    pub kind: SettingKind,
    /// Lower bound of a number: an integer, or millionths of the panel's currency for money; 0 for other types.
    pub min: i64,
    /// Upper bound: characters of a string, entries of a list, an integer, millionths for money, or parts per million of a
    /// fraction. For a square image of a fixed size, the length of each side in pixels. 0 for other types.
    pub max: i64,
    /// Allowed values of an enum setting; empty for other types.
    pub options: &'static [&'static str],
    /// Default value as JSON text. A setting with the default `null` may be empty.
    pub default: &'static str,
    /// Whether the setting can be read without authentication.
    pub is_public: bool,
    /// Whether only the customer site uses the setting. The site reads public settings from `GET /settings` and the others from
    /// `GET /api/v1/site/settings`.
    pub is_for_site: bool,
}

impl Setting {
    /// The declaration of the setting `key`; `None` for an unknown setting.
    #[must_use]
    pub fn find(key: &str) -> Option<&'static Self> {
        SETTINGS.iter().find(|setting| setting.key == key)
    }

    /// Whether `GET /settings` returns the setting in its field `site`.
    #[must_use]
    pub fn is_served_to_site(&self) -> bool {
        self.is_public && self.is_for_site
    }

    /// The default value, parsed from JSON.
    #[must_use]
    pub fn default_value(&self) -> Value {
        serde_json::from_str(self.default).unwrap_or(Value::Null)
    }

    /// Whether the setting may be empty.
    #[must_use]
    pub fn may_be_empty(&self) -> bool {
        self.default == "null"
    }

    fn schema(&self) -> Schema {
        let json_type = match self.kind {
            SettingKind::Flag => Type::Boolean,
            SettingKind::Integer | SettingKind::Id => Type::Integer,
            SettingKind::MetaTags | SettingKind::Ids => Type::Array,
            SettingKind::ExchangeRates => Type::Object,
            _ => Type::String,
        };
        let schema_type = match self.kind {
            SettingKind::Secret | SettingKind::ReadOnly => SchemaType::AnyValue,
            _ if self.may_be_empty() => SchemaType::from_iter([json_type, Type::Null]),
            _ => SchemaType::new(json_type),
        };
        let mut schema = ObjectBuilder::new().schema_type(schema_type).description(Some(self.description()));
        if !self.options.is_empty() {
            schema = schema.enum_values(Some(self.options.iter().copied()));
        }
        schema.build().into()
    }

    fn description(&self) -> String {
        let site_note = match (self.is_for_site, self.is_public) {
            (false, _) => "",
            (true, true) => " Used by the customer site only, which reads it from GET /settings.",
            (true, false) => {
                " Used by the customer site only, whose server reads it from GET /api/v1/site/settings."
            }
        };
        format!("{}{site_note}", self.kind_description())
    }

    fn kind_description(&self) -> String {
        let description = match self.kind {
            SettingKind::Fraction => "A fraction with up to three decimals.",
            SettingKind::Money => "Money, as a decimal string.",
            SettingKind::Color => "A color as # and six hexadecimal digits.",
            SettingKind::Image if self.max > 0 => {
                return format!(
                    "An image of exactly {0}×{0} pixels: the URL of the current image, or a new file as a data URL or file part.",
                    self.max
                );
            }
            SettingKind::Image => {
                "An image: the URL of the current image, or a new file as a data URL or file part."
            }
            SettingKind::Secret => {
                "Write-only secret: a string sets it, null removes it. Responses contain only whether the secret is set."
            }
            SettingKind::ExchangeRates => {
                "Exchange rates by currency code: units per one unit of the panel's currency, as decimal strings."
            }
            SettingKind::MetaTags => "Meta tags of every page: `name` and `content`.",
            SettingKind::ReadOnly => "Read-only.",
            SettingKind::UrlTemplate => "A URL template with the placeholder {url}.",
            SettingKind::Html => "HTML that runs in customers' browsers.",
            _ => return format!("Default: {}.", self.default),
        };
        description.to_owned()
    }
}

/// Values of settings, nested by their dotted paths: `{"colors": {"dark": {"primary": "#7c3aed"}}}`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SettingsTree(pub Map<String, Value>);

impl SettingsTree {
    /// Sets the value at the dotted path `key`. Does nothing if a parent on the path is already a value instead of a group.
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

    /// The value at the dotted path `key`; `None` if there is none.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Value> {
        let mut parts = key.split('.');
        let first = self.0.get(parts.next()?)?;
        parts.try_fold(first, |value, part| value.get(part))
    }
}

impl PartialSchema for SettingsTree {
    fn schema() -> RefOr<Schema> {
        nested_schema("", |_| true, Some(("updated_at", Timestamp::schema())))
    }
}

impl ToSchema for SettingsTree {}

/// Public settings of the customer site, nested as in [`SettingsTree`].
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SiteSettings(pub SettingsTree);

impl PartialSchema for SiteSettings {
    fn schema() -> RefOr<Schema> {
        nested_schema("", Setting::is_served_to_site, None)
    }
}

impl ToSchema for SiteSettings {}

/// The schema of all settings that the customer site uses, public or not.
pub(crate) fn site_schema() -> RefOr<Schema> {
    nested_schema("", |setting| setting.is_for_site, None)
}

/// The schema of an object with all settings below `prefix` that match `filter`, and the `additional` property.
fn nested_schema(
    prefix: &str,
    filter: fn(&Setting) -> bool,
    additional: Option<(&str, RefOr<Schema>)>,
) -> RefOr<Schema> {
    let mut object = ObjectBuilder::new().schema_type(Type::Object);
    let mut added_names = Vec::new();
    for setting in SETTINGS.iter().filter(|setting| filter(setting)) {
        let Some(subkey) = setting.key.strip_prefix(prefix) else { continue };
        let name = subkey.split('.').next().unwrap_or(subkey);
        if added_names.contains(&name) {
            continue;
        }
        added_names.push(name);
        let schema = match subkey.contains('.') {
            true => nested_schema(&format!("{prefix}{name}."), filter, None),
            false => setting.schema().into(),
        };
        object = object.property(name, schema);
    }
    if let Some((name, schema)) = additional {
        object = object.property(name, schema);
    }
    object.into()
}

/// The declaration of a setting, for editors.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SettingField {
    /// Dotted path of the setting, such as `colors.dark.primary`.
    pub key: String,
    /// Section of the settings page.
    pub group: SettingGroup,
    /// Data type of the value.
    pub kind: SettingKind,
    /// Lower bound of a number: an integer, or millionths of the panel's currency for money; 0 for other types.
    pub minimum: i64,
    /// Upper bound: characters of a string, entries of a list, an integer, millionths for money, or parts per million of a
    /// fraction. For a square image of a fixed size, the length of each side in pixels. 0 for other types.
    pub maximum: i64,
    /// Allowed values of an enum setting; empty for other types.
    pub options: Vec<String>,
    /// Default value as JSON text.
    pub default: String,
    /// Whether the setting may be empty.
    pub may_be_empty: bool,
    /// Whether the setting can be read without authentication.
    pub is_public: bool,
    /// Whether only the customer site uses the setting.
    #[serde(default)]
    pub is_for_site: bool,
    /// Whether the current value is the default value.
    pub is_default: bool,
}

/// Response of `GET settings` and `POST settings`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SettingsResponse {
    /// Values of all settings, and `updated_at`, the time of the last change. A secret is `{"is_set": true}`.
    pub data: SettingsTree,
    /// Declarations of all settings, in the order of the settings page.
    pub fields: Vec<SettingField>,
}

/// Body of `POST settings`. Absent settings keep their value. If the body has the `updated_at` that the editor read, and a setting
/// of the body has changed since, the server responds with 409.
pub type SettingsInput = SettingsTree;

crate::json_bodies!(SettingsResponse);
crate::image_bodies!(SettingsTree);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_declaration_is_valid() {
        for (index, setting) in SETTINGS.iter().enumerate() {
            let key = setting.key;
            assert!(SETTINGS.iter().take(index).all(|other| other.key != key), "{key} is declared twice");
            let prefix = format!("{key}.");
            assert!(
                SETTINGS.iter().all(|other| !other.key.starts_with(&prefix)),
                "{key} must not be both a value and a group"
            );
            assert!(serde_json::from_str::<Value>(setting.default).is_ok(), "{key}: {}", setting.default);
            assert_eq!(setting.kind == SettingKind::Enum, !setting.options.is_empty(), "{key}");
            assert!(!(setting.is_public && setting.kind == SettingKind::Secret), "{key} is a public secret");
            assert!(setting.min <= setting.max, "{key}");
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
