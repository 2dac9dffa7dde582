//! Endpoints of external panel orders.

use crate::common::{Data, DryRun};
use crate::endpoint::NoBody;
use crate::external_panel_orders::*;
use crate::ids::ExternalOrderId;
use crate::table::{Page, TableQuery};

crate::endpoints! { $ for_each_external_panel_orders_endpoint "external-panels";
    /// Orders as they were placed at external panels, newest first; `stuck=1` for those that a person should look at.
    ListExternalPanelOrders list_external_panel_orders: GET "/api/v1/admin/external-panel-orders" [ManageExternalPanelOrders] ((), TableQuery, NoBody) -> Page<ExternalPanelOrder>;
    /// Places what one left undelivered once more, at the same provider. Of one that nobody knows about, this says that the panel did not take it.
    RecreateExternalPanelOrder recreate_external_panel_order: POST "/api/v1/admin/external-panel-orders/{id}/recreate" [ManageExternalPanelOrders] (ExternalOrderId, DryRun, NoBody) -> Data<ExternalPanelOrder>;
}
