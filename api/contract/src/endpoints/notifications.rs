//! Endpoints of notifications to staff.

use crate::common::Data;
use crate::endpoint::{EmptyBody, EmptyQuery};
use crate::notifications::*;

crate::endpoints! { $ for_each_notifications_endpoint "notifications";
    /// Lists the notifications that staff can get, and whether each is enabled.
    GetNotifications get_notifications: GET "/api/v1/admin/notifications" [ManagePanelSettings] ((), EmptyQuery, EmptyBody) -> Data<Notifications>;
    /// Enables and disables notifications.
    UpdateNotifications update_notifications: PUT "/api/v1/admin/notifications" [ManagePanelSettings] ((), EmptyQuery, NotificationsInput) -> Data<Notifications>;
    /// Lists the recipients of notifications to admins.
    GetAdminNotifications get_admin_notifications: GET "/api/v1/admin/admin-notifications" [ManagePanelSettings] ((), EmptyQuery, EmptyBody) -> Data<Recipients>;
    /// Replaces the recipients of notifications to admins.
    UpdateAdminNotifications update_admin_notifications: PUT "/api/v1/admin/admin-notifications" [ManagePanelSettings] ((), EmptyQuery, RecipientsInput) -> Data<Recipients>;
    /// Lists the recipients of notifications to support.
    GetSupportNotifications get_support_notifications: GET "/api/v1/admin/support-notifications" [ManagePanelSettings] ((), EmptyQuery, EmptyBody) -> Data<Recipients>;
    /// Replaces the recipients of notifications to support.
    UpdateSupportNotifications update_support_notifications: PUT "/api/v1/admin/support-notifications" [ManagePanelSettings] ((), EmptyQuery, RecipientsInput) -> Data<Recipients>;
}
