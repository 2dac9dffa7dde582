//! The body of an `add` call: the fields of an order in addition to key, action and service. Pure. `panel_service_types` of the
//! contract declares the parameters of each service type.

use panel_contract::ids::OrderId;
use panel_contract::panel_service_types::PanelParameter;

/// A new order in the form that a panel expects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AddOrderRequest {
    fields: Vec<(&'static str, String)>,
}

impl AddOrderRequest {
    /// An order for a link. It has no quantity until [`Self::quantity`] sets one, because a package has none.
    #[must_use]
    pub fn for_link(link: &str) -> Self {
        Self { fields: vec![("link", link.to_owned())] }
    }

    #[must_use]
    pub fn quantity(mut self, quantity: i64) -> Self {
        self.fields.push(("quantity", quantity.to_string()));
        self
    }

    /// Adds a parameter. A list has one entry per line.
    #[must_use]
    pub fn parameter(mut self, parameter: PanelParameter, value: String) -> Self {
        self.fields.push((parameter.as_str(), value));
        self
    }

    /// Adds the id of the order in this panel. A panel of this product stores it, so that its staff can search for it.
    #[must_use]
    pub fn child_id(mut self, order: OrderId) -> Self {
        self.fields.push(("child_id", order.to_string()));
        self
    }

    /// The fields of the call, in their order.
    #[must_use]
    pub fn fields(&self) -> &[(&'static str, String)] {
        &self.fields
    }
}
