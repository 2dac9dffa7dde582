//! Endpoints of order widgets.

use crate::common::Data;
use crate::endpoint::{NoBody, NoQuery};
use crate::ids::OrderWidgetId;
use crate::order_widgets::*;
use crate::table::{Page, TableQuery};

crate::endpoints! { $ for_each_order_widgets_endpoint "order-widgets";
    /// Order widgets, newest first.
    ListOrderWidgets list_order_widgets: GET "/api/v1/admin/order-widgets" [ManageOrderWidgets] ((), TableQuery, NoBody) -> Page<OrderWidgetRow>;
    /// A new order widget for a user.
    CreateOrderWidget create_order_widget: POST "/api/v1/admin/order-widgets" [ManageOrderWidgets] ((), NoQuery, OrderWidgetInput) -> Data<OrderWidget>;
    /// One order widget with the HTML that embeds it.
    GetOrderWidget get_order_widget: GET "/api/v1/admin/order-widgets/{id}" [ManageOrderWidgets] (OrderWidgetId, NoQuery, NoBody) -> Data<OrderWidget>;
    /// Changes an order widget.
    UpdateOrderWidget update_order_widget: PUT "/api/v1/admin/order-widgets/{id}" [ManageOrderWidgets] (OrderWidgetId, NoQuery, OrderWidgetInput) -> Data<OrderWidget>;
    /// What came in through order widgets, by widget and by day.
    OrderWidgetStatisticsOp order_widget_statistics: GET "/api/v1/admin/order-widget-statistics" [ManageOrderWidgets] ((), OrderWidgetStatisticsQuery, NoBody) -> Data<OrderWidgetStatistics>;
}
