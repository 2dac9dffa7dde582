//! The queues as data: a tab is one entry of [`TABS`], and a resource that tabs can list is one [`Source`].
//!
//! To add a queue of orders, add an entry. A queue of another resource also needs a source with its columns and
//! filter fields, and its match arms in the runner. No other module may depend on the resource of a tab.

use panel_contract::ids::RecordId;
use panel_contract::permission::Permission;

use crate::model::columns::Column;
use crate::model::counters::Counter;
use crate::model::filter::FilterField;
use crate::model::record_action::RecordAction;
use crate::model::withdrawals;
use crate::model::{combo_orders, external_panels, free_trials, orders};

#[derive(Debug)]
pub struct Tab {
    /// The key of the tab.
    pub key: char,
    pub name: &'static str,
    /// The name on a narrow screen.
    pub short_name: &'static str,
    pub source: Source,
    /// The text of the default filter.
    pub default_filter: &'static str,
    pub default_sort: SortOrder,
    /// The live counter of the queue. Without one, the tab shows the total of the list.
    pub counter: Option<Counter>,
    /// The permission to see the tab.
    pub permission: Permission,
    /// The text of the empty queue.
    pub empty_text: &'static str,
}

/// The order of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SortOrder {
    /// The API name of the column.
    pub column: &'static str,
    pub descending: bool,
}

impl SortOrder {
    #[must_use]
    pub const fn ascending(column: &'static str) -> Self {
        Self { column, descending: false }
    }
}

/// All tabs, in the order of their keys.
pub static TABS: &[Tab] = &[
    Tab {
        key: '1',
        name: "Orders",
        short_name: "Orders",
        source: Source::Orders,
        default_filter: "status:in_moderation",
        default_sort: SortOrder::ascending("id"),
        counter: Some(Counter::Moderation),
        permission: Permission::ViewOrders,
        empty_text: "No orders in moderation. New orders appear automatically.",
    },
    Tab {
        key: '2',
        name: "Combo",
        short_name: "Combo",
        source: Source::ComboOrders,
        default_filter: "status:in_moderation",
        default_sort: SortOrder::ascending("id"),
        counter: None,
        permission: Permission::ViewOrders,
        empty_text: "No combo orders in moderation.",
    },
    Tab {
        key: '3',
        name: "Free trials",
        short_name: "Trials",
        source: Source::FreeTrials,
        default_filter: "status:pending",
        default_sort: SortOrder::ascending("id"),
        counter: Some(Counter::FreeTrials),
        permission: Permission::ManageFreeTrials,
        empty_text: "No pending free-trial requests.",
    },
    Tab {
        key: '4',
        name: "No provider",
        short_name: "No prov.",
        source: Source::Orders,
        default_filter: "has_no_active_providers:1",
        default_sort: SortOrder::ascending("id"),
        counter: Some(Counter::NoProvider),
        permission: Permission::ViewOrders,
        empty_text: "Every order in processing has a provider.",
    },
    Tab {
        key: '5',
        name: "Withdrawals",
        short_name: "Withdr.",
        source: Source::Withdrawals,
        default_filter: "status:pending,approved",
        default_sort: SortOrder::ascending("id"),
        counter: None,
        permission: Permission::ViewWithdrawals,
        empty_text: "No withdrawals to approve or pay out.",
    },
    Tab {
        key: '6',
        name: "Panels",
        short_name: "Panels",
        source: Source::ExternalPanels,
        default_filter: "",
        default_sort: SortOrder::ascending("name"),
        counter: None,
        permission: Permission::ManageServicesAndProviders,
        empty_text: "No external panels are connected.",
    },
];

/// A resource that a tab can list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    Orders,
    ComboOrders,
    FreeTrials,
    Withdrawals,
    /// External panels, read only.
    ExternalPanels,
}

impl Source {
    /// The singular noun, such as `order`.
    #[must_use]
    pub const fn noun(self) -> &'static str {
        match self {
            Self::Orders => "order",
            Self::ComboOrders => "combo order",
            Self::FreeTrials => "request",
            Self::Withdrawals => "withdrawal",
            Self::ExternalPanels => "external panel",
        }
    }

    /// All columns of the source.
    #[must_use]
    pub fn columns(self) -> &'static [Column] {
        match self {
            Self::Orders => orders::ORDERS.columns(),
            Self::ComboOrders => combo_orders::COMBO_ORDERS.columns(),
            Self::FreeTrials => free_trials::FREE_TRIALS.columns(),
            Self::Withdrawals => withdrawals::WITHDRAWALS.columns(),
            Self::ExternalPanels => &*external_panels::COLUMNS,
        }
    }

    /// The fields of the filter.
    #[must_use]
    pub fn fields(self) -> &'static [FilterField] {
        match self {
            Self::Orders => orders::ORDERS.fields(),
            Self::ComboOrders => combo_orders::COMBO_ORDERS.fields(),
            Self::FreeTrials => free_trials::FREE_TRIALS.fields(),
            Self::Withdrawals => withdrawals::WITHDRAWALS.fields(),
            Self::ExternalPanels => external_panels::FIELDS,
        }
    }

    #[must_use]
    pub const fn actions(self) -> &'static [RecordAction] {
        match self {
            Self::Orders => &[
                RecordAction::Approve,
                RecordAction::Reject,
                RecordAction::Cancel,
                RecordAction::Pause,
                RecordAction::Activate,
                RecordAction::Complete,
            ],
            Self::ComboOrders => {
                &[RecordAction::ApproveCombo, RecordAction::RejectCombo, RecordAction::CompleteCombo]
            }
            Self::FreeTrials => &[RecordAction::ApproveTrial, RecordAction::RejectTrial],
            Self::Withdrawals => &[
                RecordAction::ApproveWithdrawal,
                RecordAction::MarkWithdrawalPaid,
                RecordAction::RejectWithdrawal,
            ],
            Self::ExternalPanels => &[],
        }
    }

    /// Maps the action of a key, which is an action of orders, to the action of this source.
    #[must_use]
    pub const fn action_for_key(self, action: RecordAction) -> Option<RecordAction> {
        match (self, action) {
            (Self::Orders, action) => Some(action),
            (Self::ComboOrders, RecordAction::Approve) => Some(RecordAction::ApproveCombo),
            (Self::ComboOrders, RecordAction::Reject) => Some(RecordAction::RejectCombo),
            (Self::ComboOrders, RecordAction::Complete) => Some(RecordAction::CompleteCombo),
            (Self::FreeTrials, RecordAction::Approve) => Some(RecordAction::ApproveTrial),
            (Self::FreeTrials, RecordAction::Reject) => Some(RecordAction::RejectTrial),
            (Self::Withdrawals, RecordAction::Approve) => Some(RecordAction::ApproveWithdrawal),
            (Self::Withdrawals, RecordAction::Reject) => Some(RecordAction::RejectWithdrawal),
            (Self::Withdrawals, RecordAction::Complete) => Some(RecordAction::MarkWithdrawalPaid),
            (Self::ComboOrders | Self::FreeTrials | Self::Withdrawals | Self::ExternalPanels, _) => None,
        }
    }

    /// The permissions of the actions. An account needs at least one of them.
    #[must_use]
    pub const fn action_permissions(self) -> &'static [Permission] {
        match self {
            Self::Orders | Self::ComboOrders => &[Permission::ManageOrders],
            Self::FreeTrials => &[Permission::ManageFreeTrials],
            Self::Withdrawals => &[
                Permission::ManageWithdrawals,
                Permission::ApproveWithdrawalRequests,
                Permission::MarkAsPaidWithdrawalRequests,
            ],
            Self::ExternalPanels => &[],
        }
    }

    /// The path of the record in the console, relative to the server's base URL.
    #[must_use]
    pub fn console_path(self, id: RecordId) -> String {
        match self {
            Self::Orders => format!("/orders/{id}"),
            Self::ComboOrders => format!("/combo-orders?id={id}"),
            Self::FreeTrials => format!("/requests?id={id}"),
            Self::Withdrawals => format!("/withdrawal?id={id}"),
            Self::ExternalPanels => format!("/external-panels/{id}"),
        }
    }
}
