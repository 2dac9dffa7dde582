//! Requests that place orders: by staff for a customer, and by the reseller API.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::common::is_false;
use crate::endpoint::{BodyKind, Wire};
use crate::ids::{ServiceId, UserId};

/// Body of `POST orders`: an order placed by staff, charged to the customer's main balance.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PlaceOrderInput {
    /// Id of the customer, who must be active.
    pub user_id: UserId,
    /// Id of the service, which must be active.
    pub service_id: ServiceId,
    /// Link to deliver to.
    #[serde(default)]
    pub url: String,
    /// Quantity: the minimum of the service plus a multiple of its step.
    pub quantity: i64,
    /// Speed the order up, where the service supports it; adds `speedup_charge_percent` to the price.
    #[serde(default, skip_serializing_if = "is_false")]
    pub speedup: bool,
    /// Guarantee refills for a service without them; adds `guarantee_charge_percent` to the price.
    #[serde(default, skip_serializing_if = "is_false")]
    pub guarantee: bool,
    /// Code of a coupon that the customer has not used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coupon: Option<String>,
    /// ISO code of the customer's country, if known; some services and discounts are restricted to countries.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub country: Option<String>,
    /// Internal note of staff.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
    /// Parameters that the service requires besides the link, by name, such as `comment` with one comment per line.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub targets: BTreeMap<String, String>,
}

crate::wire!(PlaceOrderInput);

/// Body of `POST /api/v2`: `key`, `action` and the fields of the action, each as a text.
///
/// Clients send numbers as numbers or strings, flags as booleans or digits, and lists as arrays or joined by commas. All values
/// become texts here, arrays with one value per line. Unknown fields are ignored.
#[derive(Clone, PartialEq, Eq, Default, Serialize, ToSchema)]
#[schema(value_type = Object, example = json!({ "key": "…", "action": "add", "service": 1, "link": "https://video.example/watch", "quantity": 1000 }))]
pub struct ResellerCall(pub BTreeMap<String, String>);

impl Wire for ResellerCall {
    const KIND: BodyKind = BodyKind::Fields;
}

/// Leaves the key out.
impl fmt::Debug for ResellerCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

impl<'de> Deserialize<'de> for ResellerCall {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
        let fields = BTreeMap::<String, Text>::deserialize(source)?;
        Ok(Self(fields.into_iter().filter_map(|(name, text)| Some((name, text.0?))).collect()))
    }
}

/// A value as text; `None` for null.
struct Text(Option<String>);

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
        source.deserialize_any(TextVisitor)
    }
}

struct TextVisitor;

impl<'de> Visitor<'de> for TextVisitor {
    type Value = Text;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text, a number, a flag or a list of them")
    }

    fn visit_str<E>(self, text: &str) -> Result<Text, E> {
        Ok(Text(Some(text.trim().to_owned())))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Text, E> {
        Ok(Text(Some(number.to_string())))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Text, E> {
        Ok(Text(Some(number.to_string())))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Text, E> {
        Ok(Text(Some(number.to_string())))
    }

    fn visit_bool<E>(self, flag: bool) -> Result<Text, E> {
        Ok(Text(Some(u8::from(flag).to_string())))
    }

    fn visit_unit<E>(self) -> Result<Text, E> {
        Ok(Text(None))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Text, A::Error> {
        let mut lines = Lines::default();
        while let Some(Text(value)) = list.next_element()? {
            lines.add(value);
        }
        Ok(Text(Some(lines.text)))
    }

    // `orders[]=1&orders[]=2` and `orders[0]=1`.
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Text, A::Error> {
        let mut lines = Lines::default();
        while let Some((_, Text(value))) = map.next_entry::<IgnoredAny, Text>()? {
            lines.add(value);
        }
        Ok(Text(Some(lines.text)))
    }
}

/// Joins values with line breaks as they arrive. A list of strings would need 24 more bytes per value, and a megabyte holds many.
#[derive(Default)]
struct Lines {
    text: String,
    has_lines: bool,
}

impl Lines {
    fn add(&mut self, value: Option<String>) {
        let Some(value) = value else { return };
        if std::mem::replace(&mut self.has_lines, true) {
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
        let call: ResellerCall = form::read(fields).unwrap();
        assert_eq!((call.0["key"].as_str(), call.0["orders"].as_str()), ("k", "1\n2"));
    }
}
