//! Endpoints of notifications to the staff.

use crate::common::Data;
use crate::endpoint::{NoBody, NoQuery};
use crate::notifications::*;

crate::endpoints! { $ for_each_notifications_endpoint "notifications";
    /// What the panel can tell its staff of, and what it does tell.
    GetNotifications get_notifications: GET "/api/v1/admin/notifications" [ManagePanelSettings] ((), NoQuery, NoBody) -> Data<Notifications>;
    /// Switches kinds on and off.
    UpdateNotifications update_notifications: PUT "/api/v1/admin/notifications" [ManagePanelSettings] ((), NoQuery, NotificationsInput) -> Data<Notifications>;
    /// Who is told what admins are told.
    GetAdminNotifications get_admin_notifications: GET "/api/v1/admin/admin-notifications" [ManagePanelSettings] ((), NoQuery, NoBody) -> Data<Recipients>;
    /// Says who is told what admins are told.
    UpdateAdminNotifications update_admin_notifications: PUT "/api/v1/admin/admin-notifications" [ManagePanelSettings] ((), NoQuery, RecipientsInput) -> Data<Recipients>;
    /// Who is told what the support is told.
    GetSupportNotifications get_support_notifications: GET "/api/v1/admin/support-notifications" [ManagePanelSettings] ((), NoQuery, NoBody) -> Data<Recipients>;
    /// Says who is told what the support is told.
    UpdateSupportNotifications update_support_notifications: PUT "/api/v1/admin/support-notifications" [ManagePanelSettings] ((), NoQuery, RecipientsInput) -> Data<Recipients>;
}
