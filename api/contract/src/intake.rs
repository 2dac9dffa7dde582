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
    /// Whether to guarantee refills, for a service without them; adds `guarantee_charge_fraction` to the price.
    #[serde(default, skip_serializing_if = "is_false")]
    pub guarantee: bool,
    /// Code of a coupon that the customer has not used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coupon: Option<String>,
    /// ISO code of the customer's country, if known; some services and discounts are restricted to countries.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub country: Option<String>,
    /// Internal note that only staff see.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
    /// Parameters that the service requires besides the link, by name, such as `comment` with one comment per line.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub targets: BTreeMap<String, String>,
}

crate::json_bodies!(PlaceOrderInput);

/// Body of `POST /api/v2`: `key`, `action` and the fields of the action, each as a text.
///
/// Clients send numbers as numbers or strings, flags as booleans or digits, and lists as arrays or joined by commas. All values
/// become texts here, arrays with one value per line. Unknown fields are ignored.
#[derive(Clone, PartialEq, Eq, Default, Serialize, ToSchema)]
#[schema(value_type = Object, example = json!({ "key": "…", "action": "add", "service": 1, "link": "https://video.example/watch", "quantity": 1000 }))]
pub struct ResellerCall(pub BTreeMap<String, String>);

impl ApiBody for ResellerCall {
    const KIND: BodyKind = BodyKind::Fields;
}

// Prints only the names of the fields, because the value of `key` is secret.
impl fmt::Debug for ResellerCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

impl<'de> Deserialize<'de> for ResellerCall {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let fields = BTreeMap::<String, ValueAsText>::deserialize(deserializer)?;
        Ok(Self(fields.into_iter().filter_map(|(name, text)| Some((name, text.0?))).collect()))
    }
}

/// A JSON value as text; `None` for null.
struct ValueAsText(Option<String>);

impl<'de> Deserialize<'de> for ValueAsText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ValueAsTextVisitor)
    }
}

struct ValueAsTextVisitor;

impl<'de> Visitor<'de> for ValueAsTextVisitor {
    type Value = ValueAsText;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text, a number, a flag or a list of them")
    }

    fn visit_str<E>(self, text: &str) -> Result<ValueAsText, E> {
        Ok(ValueAsText(Some(text.trim().to_owned())))
    }

    fn visit_i64<E>(self, number: i64) -> Result<ValueAsText, E> {
        Ok(ValueAsText(Some(number.to_string())))
    }

    fn visit_u64<E>(self, number: u64) -> Result<ValueAsText, E> {
        Ok(ValueAsText(Some(number.to_string())))
    }

    fn visit_f64<E>(self, number: f64) -> Result<ValueAsText, E> {
        Ok(ValueAsText(Some(number.to_string())))
    }

    fn visit_bool<E>(self, flag: bool) -> Result<ValueAsText, E> {
        Ok(ValueAsText(Some(u8::from(flag).to_string())))
    }

    fn visit_unit<E>(self) -> Result<ValueAsText, E> {
        Ok(ValueAsText(None))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<ValueAsText, A::Error> {
        let mut lines = LineJoiner::default();
        while let Some(ValueAsText(value)) = list.next_element()? {
            lines.add(value);
        }
        Ok(ValueAsText(Some(lines.text)))
    }

    // A form sends a list as `orders[]=1&orders[]=2` or `orders[0]=1`, which is a map here.
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<ValueAsText, A::Error> {
        let mut lines = LineJoiner::default();
        while let Some((_, ValueAsText(value))) = map.next_entry::<IgnoredAny, ValueAsText>()? {
            lines.add(value);
        }
        Ok(ValueAsText(Some(lines.text)))
    }
}

/// Joins values with line breaks, one by one. A list of strings would need 24 more bytes for each value, and a body of a megabyte
/// can have many.
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
    fn converts_all_json_values_to_text() {
        let json = r#"{"key":"k","service":7,"drip":true,"rate":0.5,"none":null,"orders":[1,"2"]}"#;
        let call: ResellerCall = serde_json::from_str(json).unwrap();
        let text = |name: &str| call.0.get(name).map(String::as_str);
        assert_eq!(
            (text("key"), text("service"), text("drip"), text("rate")),
            (Some("k"), Some("7"), Some("1"), Some("0.5"))
        );
        assert_eq!((text("none"), text("orders")), (None, Some("1\n2")));
        let nested = r#"{"a":["",null,[1,[]],""],"b":[[]],"c":{"x":1,"y":"2"}}"#;
        let nested: ResellerCall = serde_json::from_str(nested).unwrap();
        assert_eq!([&*nested.0["a"], &*nested.0["b"], &*nested.0["c"]], ["\n1\n\n", "", "1\n2"]);
        assert_eq!(format!("{call:?}"), r#"{"drip", "key", "orders", "rate", "service"}"#);
    }

    #[test]
    fn parses_forms_like_json() {
        let fields = [("key", " k "), ("orders[]", "1"), ("orders[]", "2")];
        let fields: Vec<_> = fields.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
        let call: ResellerCall = form::parse(fields).unwrap();
        assert_eq!((call.0["key"].as_str(), call.0["orders"].as_str()), ("k", "1\n2"));
    }
}
