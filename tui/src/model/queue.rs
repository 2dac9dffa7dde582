//! The queues, as data: a tab is one entry of [`TABS`]; a resource that tabs can list is one [`Source`].
//!
//! Adding a queue of orders is an entry. Adding a queue of something else is a source with its columns and
//! filters, and its arm in the runner. Nothing else knows what a tab lists.

use panel_contract::ids::RecordId;
use panel_contract::permission::Permission;

use crate::model::columns::Column;
use crate::model::filter::Field;
use crate::model::series::Count;
use crate::model::verb::Verb;
use crate::model::withdrawals;
use crate::model::{combo_orders, free_trials, orders, supply};

/// A tab.
#[derive(Debug)]
pub struct Tab {
    /// The key that shows it.
    pub key: char,
    /// Its name.
    pub name: &'static str,
    /// Its name where the screen is narrow.
    pub short: &'static str,
    /// What it lists.
    pub source: Source,
    /// The filter it begins with, as typed.
    pub filter: &'static str,
    /// Column and whether largest first.
    pub sort: (&'static str, bool),
    /// The live counter that counts it; without one its own list does.
    pub count: Option<Count>,
    /// Needed to see it.
    pub permission: Permission,
    /// What an empty queue says.
    pub empty: &'static str,
}

/// Every tab there is, in the order of their keys. The keys leave room for the queues of later resources.
pub static TABS: &[Tab] = &[
    Tab {
        key: '1',
        name: "Orders",
        short: "Orders",
        source: Source::Orders,
        filter: "status:in_moderation",
        sort: ("id", false),
        count: Some(Count::Moderation),
        permission: Permission::ViewOrders,
        empty: "Nothing waits for moderation. New orders appear here by themselves.",
    },
    Tab {
        key: '2',
        name: "Combo",
        short: "Combo",
        source: Source::ComboOrders,
        filter: "status:in_moderation",
        sort: ("id", false),
        count: None,
        permission: Permission::ViewOrders,
        empty: "No combo order waits for moderation.",
    },
    Tab {
        key: '3',
        name: "Free trials",
        short: "Trials",
        source: Source::FreeTrials,
        filter: "status:pending",
        sort: ("id", false),
        count: Some(Count::FreeTrials),
        permission: Permission::ManageFreeTrials,
        empty: "No request for a free trial waits.",
    },
    Tab {
        key: '4',
        name: "No provider",
        short: "No prov.",
        source: Source::Orders,
        filter: "has_no_active_providers:1",
        sort: ("id", false),
        count: Some(Count::NoProvider),
        permission: Permission::ViewOrders,
        empty: "Every order in processing has a provider.",
    },
    Tab {
        key: '5',
        name: "Withdrawals",
        short: "Withdr.",
        source: Source::Withdrawals,
        filter: "status:pending,approved",
        sort: ("id", false),
        count: None,
        permission: Permission::ViewWithdrawals,
        empty: "No withdrawal waits for a decision or its payout.",
    },
    Tab {
        key: '6',
        name: "Supply",
        short: "Supply",
        source: Source::Supply,
        filter: "",
        sort: ("name", false),
        count: None,
        permission: Permission::ManageServicesAndProviders,
        empty: "No external panel is connected.",
    },
];

/// A resource that tabs can list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// Orders.
    Orders,
    /// Combo orders.
    ComboOrders,
    /// Requests for free trials.
    FreeTrials,
    /// Withdrawals.
    Withdrawals,
    /// External panels, to look at.
    Supply,
}

impl Source {
    /// `order`.
    #[must_use]
    pub const fn noun(self) -> &'static str {
        match self {
            Self::Orders => "order",
            Self::ComboOrders => "combo order",
            Self::FreeTrials => "request",
            Self::Withdrawals => "withdrawal",
            Self::Supply => "panel",
        }
    }

    /// The columns that can be shown.
    #[must_use]
    pub fn columns(self) -> &'static [Column] {
        match self {
            Self::Orders => orders::ORDERS.columns(),
            Self::ComboOrders => combo_orders::COMBO_ORDERS.columns(),
            Self::FreeTrials => free_trials::FREE_TRIALS.columns(),
            Self::Withdrawals => withdrawals::WITHDRAWALS.columns(),
            Self::Supply => &*supply::COLUMNS,
        }
    }

    /// The fields that can be filtered.
    #[must_use]
    pub fn fields(self) -> &'static [Field] {
        match self {
            Self::Orders => orders::ORDERS.fields(),
            Self::ComboOrders => combo_orders::COMBO_ORDERS.fields(),
            Self::FreeTrials => free_trials::FREE_TRIALS.fields(),
            Self::Withdrawals => withdrawals::WITHDRAWALS.fields(),
            Self::Supply => supply::FIELDS,
        }
    }

    /// The actions it has.
    #[must_use]
    pub const fn verbs(self) -> &'static [Verb] {
        match self {
            Self::Orders => {
                &[Verb::Approve, Verb::Reject, Verb::Cancel, Verb::Pause, Verb::Activate, Verb::Complete]
            }
            Self::ComboOrders => &[Verb::ApproveCombo, Verb::RejectCombo, Verb::CompleteCombo],
            Self::FreeTrials => &[Verb::ApproveTrial, Verb::RejectTrial],
            Self::Withdrawals => &[Verb::ApproveWithdrawal, Verb::PayWithdrawal, Verb::RejectWithdrawal],
            Self::Supply => &[],
        }
    }

    /// What a key's verb means here: the keys are those of orders.
    #[must_use]
    pub const fn meant(self, verb: Verb) -> Option<Verb> {
        match (self, verb) {
            (Self::Orders, verb) => Some(verb),
            (Self::ComboOrders, Verb::Approve) => Some(Verb::ApproveCombo),
            (Self::ComboOrders, Verb::Reject) => Some(Verb::RejectCombo),
            (Self::ComboOrders, Verb::Complete) => Some(Verb::CompleteCombo),
            (Self::FreeTrials, Verb::Approve) => Some(Verb::ApproveTrial),
            (Self::FreeTrials, Verb::Reject) => Some(Verb::RejectTrial),
            (Self::Withdrawals, Verb::Approve) => Some(Verb::ApproveWithdrawal),
            (Self::Withdrawals, Verb::Reject) => Some(Verb::RejectWithdrawal),
            (Self::Withdrawals, Verb::Complete) => Some(Verb::PayWithdrawal),
            (Self::ComboOrders | Self::FreeTrials | Self::Withdrawals | Self::Supply, _) => None,
        }
    }

    /// Any of these is needed for its actions.
    #[must_use]
    pub const fn acting(self) -> &'static [Permission] {
        match self {
            Self::Orders | Self::ComboOrders => &[Permission::ManageOrders],
            Self::FreeTrials => &[Permission::ManageFreeTrials],
            Self::Withdrawals => &[
                Permission::ManageWithdrawals,
                Permission::ApproveWithdrawalRequests,
                Permission::MarkAsPaidWithdrawalRequests,
            ],
            Self::Supply => &[],
        }
    }

    /// The record's address in the console, below the panel's own.
    #[must_use]
    pub fn path(self, id: RecordId) -> String {
        match self {
            Self::Orders => format!("/orders/{id}"),
            Self::ComboOrders => format!("/combo-orders?id={id}"),
            Self::FreeTrials => format!("/requests?id={id}"),
            Self::Withdrawals => format!("/withdrawal?id={id}"),
            Self::Supply => format!("/external-panels/{id}"),
        }
    }
}
