//! Endpoints of order widgets.

use crate::common::Data;
use crate::endpoint::{EmptyBody, EmptyQuery};
use crate::ids::OrderWidgetId;
use crate::order_widgets::*;
use crate::table::{Page, TableQuery};

crate::endpoints! { $ for_each_order_widgets_endpoint "order-widgets";
    /// Lists order widgets, newest first.
    ListOrderWidgets list_order_widgets: GET "/api/v1/admin/order-widgets" [ManageOrderWidgets] ((), TableQuery, EmptyBody) -> Page<OrderWidgetRow>;
    /// Creates an order widget for a user.
    CreateOrderWidget create_order_widget: POST "/api/v1/admin/order-widgets" [ManageOrderWidgets] ((), EmptyQuery, OrderWidgetInput) -> Data<OrderWidget>;
    /// Retrieves an order widget with its embed HTML.
    GetOrderWidget get_order_widget: GET "/api/v1/admin/order-widgets/{id}" [ManageOrderWidgets] (OrderWidgetId, EmptyQuery, EmptyBody) -> Data<OrderWidget>;
    /// Updates an order widget.
    UpdateOrderWidget update_order_widget: PUT "/api/v1/admin/order-widgets/{id}" [ManageOrderWidgets] (OrderWidgetId, EmptyQuery, OrderWidgetInput) -> Data<OrderWidget>;
    /// Reports orders through order widgets, by widget and by day.
    GetOrderWidgetStatistics order_widget_statistics: GET "/api/v1/admin/order-widget-statistics" [ManageOrderWidgets] ((), OrderWidgetStatisticsQuery, EmptyBody) -> Data<OrderWidgetStatistics>;
}
