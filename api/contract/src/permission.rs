//! The permissions of staff. Five of them are not in the API specification of the original product. It has only view permissions
//! for orders, users and finances, so this panel adds `manage orders`, `manage users` and `manage finances`. It also adds `manage
//! api keys`, because a key can spend the balance of a customer, and `manage personal data`, because an export contains all data
//! and an erasure is permanent. Add new permissions at the end, because the position is the id in the API.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

crate::string_enum! {
    /// A permission of a staff member, granted directly or through a role.
    Permission {
        ViewUsers = "view users",
        FreezeUsers = "freeze users",
        DeactivateUsers = "deactivate users",
        ActivateUsers = "activate users",
        ManageUsers = "manage users",
        ManageGradesForUser = "manage grades for user",
        ViewOrders = "view orders",
        ManageOrders = "manage orders",
        WriteAutoRefillParams = "write auto refill params",
        ManageFreeTrials = "manage free trials",
        ViewFinances = "view finances",
        ManageFinances = "manage finances",
        ViewInvoices = "view invoices",
        ManageInvoices = "manage invoices",
        ViewWithdrawals = "view withdrawals",
        ManageWithdrawals = "manage withdrawals",
        ApproveWithdrawalRequests = "approve withdrawal requests",
        MarkAsPaidWithdrawalRequests = "mark as paid withdrawal requests",
        ManagePaymentMethods = "manage payment methods",
        ViewPaymentMethods = "view payment methods",
        ViewReferralStatistics = "view referral statistics",
        ViewServices = "view services",
        ManageServicesAndProviders = "manage services and providers",
        ManageServiceTypes = "manage service types",
        ManagePackages = "manage packages",
        /// Targets are additional parameters of an order, such as the texts of comments.
        ManageTargets = "manage targets",
        ViewChangeLogs = "view change logs",
        ManageExternalPanels = "manage external panels",
        ManageExternalPanelOrders = "manage external panel orders",
        ManageCoupons = "manage coupons",
        ManageDiscounts = "manage discounts",
        ManageOrderWidgets = "manage order widgets",
        ManageGrades = "manage grades",
        ViewGrades = "view grades",
        ManageWebhooks = "manage webhooks",
        ManagePanelSettings = "manage panel settings",
        ManageStaff = "manage staff",
        ViewAudits = "view audits",
        /// For the server of the customer site, which reads settings and reports events by `/api/v1/site`.
        UseSiteApi = "use site api",
        ManageApiKeys = "manage api keys",
        ManagePersonalData = "manage personal data",
    }
}

impl Permission {
    /// Id in the API, which is the position in [`Permission::ALL`], from 1.
    #[must_use]
    pub fn id(self) -> i64 {
        Self::ALL.iter().zip(1..).find(|(permission, _)| **permission == self).map_or(0, |(_, id)| id)
    }

    /// Heading under which user interfaces list the permission.
    #[must_use]
    pub const fn group(self) -> &'static str {
        match self {
            Self::ViewUsers
            | Self::FreezeUsers
            | Self::DeactivateUsers
            | Self::ActivateUsers
            | Self::ManageUsers
            | Self::ManageApiKeys
            | Self::ManagePersonalData
            | Self::ManageGradesForUser => "users",
            Self::ViewOrders | Self::ManageOrders | Self::WriteAutoRefillParams | Self::ManageFreeTrials => {
                "orders"
            }
            Self::ViewFinances
            | Self::ManageFinances
            | Self::ViewInvoices
            | Self::ManageInvoices
            | Self::ViewWithdrawals
            | Self::ManageWithdrawals
            | Self::ApproveWithdrawalRequests
            | Self::MarkAsPaidWithdrawalRequests
            | Self::ManagePaymentMethods
            | Self::ViewPaymentMethods
            | Self::ViewReferralStatistics => "finances",
            Self::ViewServices
            | Self::ManageServicesAndProviders
            | Self::ManageServiceTypes
            | Self::ManagePackages
            | Self::ManageTargets
            | Self::ViewChangeLogs => "catalogue",
            Self::ManageExternalPanels | Self::ManageExternalPanelOrders => "supply",
            Self::ManageCoupons
            | Self::ManageDiscounts
            | Self::ManageOrderWidgets
            | Self::ManageGrades
            | Self::ViewGrades => "marketing",
            Self::ManageWebhooks
            | Self::ManagePanelSettings
            | Self::ManageStaff
            | Self::ViewAudits
            | Self::UseSiteApi => "configuration",
        }
    }
}

/// A permission as the API lists it, with its id and heading.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PermissionInfo {
    /// Id of the permission, which never changes.
    pub id: i64,
    /// Name of the permission, such as `view users`.
    pub name: Permission,
    /// Heading under which user interfaces list the permission, such as `finances`.
    pub group: String,
}

impl From<Permission> for PermissionInfo {
    fn from(permission: Permission) -> Self {
        Self { id: permission.id(), name: permission, group: permission.group().to_owned() }
    }
}
