//! Requests that place orders: by staff for a customer, and by resellers through the reseller API.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::common::is_false;
use crate::endpoint::{ApiBody, BodyKind};
use crate::ids::{ServiceId, UserId};

/// Body of `POST orders`: an order placed by staff, charged to the customer's main balance.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PlaceOrderInput {
    /// Id of the customer, who must be active.
    pub user_id: UserId,
    /// Id of the service, which must be active.
    pub service_id: ServiceId,
    /// Link to deliver to; empty if the service requires none.
    #[serde(default)]
    pub url: String,
    /// Quantity in units: the minimum of the service plus a multiple of its step.
    pub quantity: i64,
    /// Whether to speed the order up, if the service supports it; adds `speedup_charge_fraction` to the price.
    #[serde(default, skip_serializing_if = "is_false")]
    pub speedup: bool,
    /// Whether to add a refill guarantee, only for services that include none; adds `guarantee_charge_fraction` to the price.
    #[serde(default, skip_serializing_if = "is_false")]
    pub guarantee: bool,
    /// Code of a coupon that the customer has not used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coupon: Option<String>,
    /// ISO code of the customer's country, if known; some services and discounts are restricted to countries.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub country: Option<String>,
    /// Internal note about the order that only staff see. The texts for a service of comments belong in `targets`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
    /// Additional parameters that the service requires, by name, such as `comment` with one comment per line.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub targets: BTreeMap<String, String>,
}

crate::json_bodies!(PlaceOrderInput);

/// Body of `POST /api/v2`: `key`, `action` and the fields of the action, each as a string.
///
/// Clients may send numbers as numbers or strings, flags as booleans or digits, and lists as arrays or comma-separated strings.
/// Deserialization converts every value to a string; array items are separated by line breaks. Unknown fields are ignored.
#[derive(Clone, PartialEq, Eq, Default, Serialize, ToSchema)]
#[schema(value_type = Object, example = json!({ "key": "…", "action": "add", "service": 1, "link": "https://video.example/watch", "quantity": 1000 }))]
pub struct ResellerRequest(pub BTreeMap<String, String>);

impl ApiBody for ResellerRequest {
    const KIND: BodyKind = BodyKind::Fields;
}

// Prints only the names of the fields, because the value of `key` is secret.
impl fmt::Debug for ResellerRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

impl<'de> Deserialize<'de> for ResellerRequest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let fields = BTreeMap::<String, StringValue>::deserialize(deserializer)?;
        Ok(Self(fields.into_iter().filter_map(|(name, text)| Some((name, text.0?))).collect()))
    }
}

/// A JSON value converted to a string; `None` for null.
struct StringValue(Option<String>);

impl<'de> Deserialize<'de> for StringValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(StringValueVisitor)
    }
}

struct StringValueVisitor;

impl<'de> Visitor<'de> for StringValueVisitor {
    type Value = StringValue;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string, a number, a boolean, or an array of these")
    }

    fn visit_str<E>(self, text: &str) -> Result<StringValue, E> {
        Ok(StringValue(Some(text.trim().to_owned())))
    }

    fn visit_i64<E>(self, number: i64) -> Result<StringValue, E> {
        Ok(StringValue(Some(number.to_string())))
    }

    fn visit_u64<E>(self, number: u64) -> Result<StringValue, E> {
        Ok(StringValue(Some(number.to_string())))
    }

    fn visit_f64<E>(self, number: f64) -> Result<StringValue, E> {
        Ok(StringValue(Some(number.to_string())))
    }

    fn visit_bool<E>(self, flag: bool) -> Result<StringValue, E> {
        Ok(StringValue(Some(u8::from(flag).to_string())))
    }

    fn visit_unit<E>(self) -> Result<StringValue, E> {
        Ok(StringValue(None))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<StringValue, A::Error> {
        let mut lines = LineJoiner::default();
        while let Some(StringValue(value)) = list.next_element()? {
            lines.add(value);
        }
        Ok(StringValue(Some(lines.text)))
    }

    // A form sends a list as `orders[]=1&orders[]=2` or `orders[0]=1`, which the form parser passes as a map.
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<StringValue, A::Error> {
        let mut lines = LineJoiner::default();
        while let Some((_, StringValue(value))) = map.next_entry::<IgnoredAny, StringValue>()? {
            lines.add(value);
        }
        Ok(StringValue(Some(lines.text)))
    }
}

/// Joins values with line breaks, one by one. A list of strings would need 24 more bytes for each value, and a body of one megabyte
/// can contain hundreds of thousands of values.
#[derive(Default)]
struct LineJoiner {
    text: String,
    has_values: bool,
}

impl LineJoiner {
    fn add(&mut self, value: Option<String>) {
        let Some(value) = value else { return };
        if std::mem::replace(&mut self.has_values, true) {
            self.text.push('\n');
        }
        self.text.push_str(&value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::form;

    #[test]
    fn converts_all_json_values_to_strings() {
        let json = r#"{"key":"k","service":7,"drip":true,"rate":0.5,"none":null,"orders":[1,"2"]}"#;
        let request: ResellerRequest = serde_json::from_str(json).unwrap();
        let text = |name: &str| request.0.get(name).map(String::as_str);
        assert_eq!(
            (text("key"), text("service"), text("drip"), text("rate")),
            (Some("k"), Some("7"), Some("1"), Some("0.5"))
        );
        assert_eq!((text("none"), text("orders")), (None, Some("1\n2")));
        let nested_json = r#"{"a":["",null,[1,[]],""],"b":[[]],"c":{"x":1,"y":"2"}}"#;
        let nested: ResellerRequest = serde_json::from_str(nested_json).unwrap();
        assert_eq!([&*nested.0["a"], &*nested.0["b"], &*nested.0["c"]], ["\n1\n\n", "", "1\n2"]);
        assert_eq!(format!("{request:?}"), r#"{"drip", "key", "orders", "rate", "service"}"#);
    }

    #[test]
    fn parses_forms_like_json() {
        let fields = [("key", " k "), ("orders[]", "1"), ("orders[]", "2")];
        let fields: Vec<_> = fields.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
        let request: ResellerRequest = form::parse(fields).unwrap();
        assert_eq!((request.0["key"].as_str(), request.0["orders"].as_str()), ("k", "1\n2"));
    }
}
