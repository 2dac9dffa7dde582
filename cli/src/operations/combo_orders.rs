//! `combo-orders`: manages combo orders. A customer buys all orders of a package together, and staff moderate them together.

use panel_contract::endpoint::{EmptyBody, EmptyQuery, Endpoint as _};
use panel_contract::endpoints::combo_orders::{
    ApproveComboOrder, CompleteComboOrder, CountCombosInModeration, RejectComboOrder,
};
use panel_contract::lists;

use crate::command::bulk::{BulkCommand, action_per_id, single_record_request};
use crate::command::confirm::Reversibility;
use crate::command::filter::Filter;
use crate::command::list::ListCommand;
use crate::command::request_command::{RequestCommand, build_request};
use crate::command::{CommandGroup, CommandSpec};

pub(crate) const COMMANDS: CommandGroup = CommandGroup {
    name: "combo-orders",
    alias: Some("combo-order"),
    about: "Manage combo orders: orders that a customer buys together as a package",
    commands: &[
        CommandSpec::List(&LIST),
        CommandSpec::Bulk(&APPROVE),
        CommandSpec::Bulk(&REJECT),
        CommandSpec::Bulk(&COMPLETE),
        CommandSpec::Request(&COUNT),
        CommandSpec::Export(&LIST),
    ],
};

const LIST: ListCommand = ListCommand {
    declaration: &lists::combo_orders::COMBO_ORDERS,
    plural: "combo orders",
    singular: "combo order",
    about: "List combo orders, newest first",
    filters: &[
        Filter::new("status", "status", "Filter by status"),
        Filter::new("source", "source", "Filter by source"),
        Filter::new("package", "package", "Filter by part of the package's name"),
        Filter::new("url", "url", "Filter by part of the link"),
        Filter::new("user-id", "user_id", "Filter by customer id"),
        Filter::new("user", "user", "Filter by the customer's name or email"),
        Filter::new("created", "created_at", "Filter by creation time"),
    ],
    time_column: "created_at",
    examples: &[
        ("combo-orders list --status in_moderation", "combo orders that wait for moderation"),
        ("orders list --combo-order-id 17", "the orders of one combo order"),
    ],
};

const APPROVE: BulkCommand = BulkCommand {
    name: "approve",
    past_participle: "approved",
    about: "Approve combo orders in moderation and all orders in them",
    list: &LIST,
    reversibility: Reversibility::Irreversible,
    operations: &[ApproveComboOrder::OP],
    single_record_flags: &[],
    args: |command| command,
    bulk_action: action_per_id::<ApproveComboOrder>,
    single_request: single_record_request::<ApproveComboOrder>,
    examples: &[("combo-orders approve 17 18", "approve two combo orders")],
};

const REJECT: BulkCommand = BulkCommand {
    name: "reject",
    past_participle: "rejected",
    about: "Reject combo orders in moderation; cancels and refunds all orders in them",
    list: &LIST,
    reversibility: Reversibility::Irreversible,
    operations: &[RejectComboOrder::OP],
    single_record_flags: &[],
    args: |command| command,
    bulk_action: action_per_id::<RejectComboOrder>,
    single_request: single_record_request::<RejectComboOrder>,
    examples: &[(
        "combo-orders reject --status in_moderation --user-id 42 --all-matching --dry-run",
        "show what would be refunded",
    )],
};

const COMPLETE: BulkCommand = BulkCommand {
    name: "complete",
    past_participle: "completed",
    about: "Complete combo orders in progress and all orders in them",
    list: &LIST,
    reversibility: Reversibility::Irreversible,
    operations: &[CompleteComboOrder::OP],
    single_record_flags: &[],
    args: |command| command,
    bulk_action: action_per_id::<CompleteComboOrder>,
    single_request: single_record_request::<CompleteComboOrder>,
    examples: &[("combo-orders complete 17", "complete one combo order")],
};

const COUNT: RequestCommand = RequestCommand {
    name: "count",
    about: "Count combo orders that wait for moderation",
    examples: &[("combo-orders count --jq .count", "print only the number")],
    op: CountCombosInModeration::OP,
    args: |command| command,
    request: |_, _| build_request::<CountCombosInModeration>((), &EmptyQuery {}, &EmptyBody {}),
    json_pointer: "",
    columns: &[],
    write: None,
};
