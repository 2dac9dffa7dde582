//! Endpoints of external orders.

use crate::common::{Data, DryRun};
use crate::endpoint::EmptyBody;
use crate::external_panel_orders::*;
use crate::ids::ExternalOrderId;
use crate::table::{Page, TableQuery};

crate::endpoints! { $ for_each_external_panel_orders_endpoint "external-panels";
    /// Lists external orders, newest first; `stuck=1` returns the external orders that need attention.
    ListExternalPanelOrders list_external_panel_orders: GET "/api/v1/admin/external-panel-orders" [ManageExternalPanelOrders] ((), TableQuery, EmptyBody) -> Page<ExternalPanelOrder>;
    /// Places the undelivered part of an external order again, at the same provider. If the outcome of the external order is
    /// unknown, the caller confirms by this request that the external panel did not accept it.
    RecreateExternalPanelOrder recreate_external_panel_order: POST "/api/v1/admin/external-panel-orders/{id}/recreate" [ManageExternalPanelOrders] (ExternalOrderId, DryRun, EmptyBody) -> Data<ExternalPanelOrder>;
}
