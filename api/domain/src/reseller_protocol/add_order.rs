//! The body of a request with the action `add`: the fields of an order in addition to key, action and service. The module
//! `panel_service_types` of the contract declares the parameters of each service type. Pure functions.

use panel_contract::ids::OrderId;
use panel_contract::panel_service_types::PanelParameter;

/// A new order, as fields of the reseller API.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AddOrderRequest {
    fields: Vec<(&'static str, String)>,
}

impl AddOrderRequest {
    /// An order for a link, without a quantity, because orders of packages have none. [`Self::quantity`] adds a quantity.
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

    /// Adds the id of the order in this panel. Panels of this product store this id, so that their staff can search for it.
    #[must_use]
    pub fn child_id(mut self, order: OrderId) -> Self {
        self.fields.push(("child_id", order.to_string()));
        self
    }

    /// The fields of the request, in their order.
    #[must_use]
    pub fn fields(&self) -> &[(&'static str, String)] {
        &self.fields
    }
}
