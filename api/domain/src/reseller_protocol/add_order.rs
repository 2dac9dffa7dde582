//! The body of an `add` call: which fields an order has beside key, action and service. Pure; which parameters a service
//! type takes says `panel_service_types` of the contract.

use panel_contract::ids::OrderId;
use panel_contract::panel_service_types::PanelParameter;

/// A new order as a panel expects it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AddOrderRequest {
    fields: Vec<(&'static str, String)>,
}

impl AddOrderRequest {
    /// An order for an address; a package has no quantity.
    #[must_use]
    pub fn for_link(link: &str) -> Self {
        Self { fields: vec![("link", link.to_owned())] }
    }

    /// So many of it.
    #[must_use]
    pub fn quantity(mut self, quantity: i64) -> Self {
        self.fields.push(("quantity", quantity.to_string()));
        self
    }

    /// With a parameter; a list has one entry a line.
    #[must_use]
    pub fn with(mut self, parameter: PanelParameter, value: String) -> Self {
        self.fields.push((parameter.as_str(), value));
        self
    }

    /// With the id by which we know the order: a panel of this product keeps it, so that its staff find the order by it.
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
