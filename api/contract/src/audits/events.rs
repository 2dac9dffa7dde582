//! Events and record types of the audit log. The filters of the audit log list them all, even those without entries. Tests check
//! that the lists are complete.

use std::collections::BTreeSet;

use crate::lists;

/// Declares the record types that can be archived, and the audit events of archiving and restoring them.
macro_rules! archivable_types {
    ($($record_type:literal)+) => {
        /// Record types that can be archived and restored.
        const ARCHIVABLE_TYPES: &[&str] = &[$($record_type),+];

        /// Events of archiving and restoring these record types, and the events of undoing them.
        const ARCHIVE_EVENTS: &[&str] = &[$(
            concat!($record_type, ".archived"),
            concat!($record_type, ".archived.undone"),
            concat!($record_type, ".unarchived"),
            concat!($record_type, ".unarchived.undone"),
        )+];
    };
}

archivable_types! {
    "coupon" "discount" "external_panel" "grade" "menu_item" "package" "page" "provider"
    "quest" "service" "special_offer"
}

/// All events except [`ARCHIVE_EVENTS`], separated by spaces and line breaks.
const OTHER_EVENTS: &str = "
    auto_promotion.created auto_promotion.deleted auto_promotion.disabled auto_promotion.enabled
    auto_promotion.sorted auto_promotion.updated backup.overdue banner.created banner.deleted banner.updated
    cancel_request.confirmed cancel_request.escalated cancel_request.expired cancel_request.rejected
    cancel_request.requested combo_order.approved combo_order.canceled combo_order.completed combo_order.placed
    combo_order.rejected coupon.created coupon.updated discount.completed discount.completed.undone discount.created
    discount.updated drip_feed.canceled drip_feed.started external_panel.account_requested
    external_panel.account_created external_panel.created external_panel.low_balance external_panel.sync_requested
    external_panel.updated external_panel_payment.added external_panel_payment.deleted
    external_panel_payment.updated free_trial.approved free_trial.rejected free_trial.requested grade.created
    grade.updated invoice.created invoice.paid job.retried label.created label.deleted label.updated list.exported
    menu_item.created menu_item.deleted menu_item.sorted menu_item.updated network.created network.deleted
    network.sorted network.updated notifications.changed notifications.recipients_changed order.activated
    order.activated.undone order.approved order.approved.undone order.attempt_recreated order.attempt_unknown
    order.auto_refill_changed order.canceled order.canceled.undone order.completed order.completed.undone
    order.edited order.left_without_provider order.paused order.paused.undone order.placed order.provider_changed
    order.provider_statistics order.refill_completed order.refill_rejected order.refill_requested order.rejected
    order.rejected.undone order_widget.created order_widget.updated package.created package.updated page.created
    page.updated panel.set_up payment.created payment_method.bonus_deleted payment_method.bonuses_set
    payment_method.created payment_method.disabled payment_method.enabled payment_method.sorted
    payment_method.updated promotable_checker_group.created promotable_checker_group.deleted
    promotable_checker_group.updated provider.created provider.imported provider.updated provider_package.imported
    quarantine.released quest.created quest.updated retention.removed role.created role.deleted role.updated
    saved_view.created saved_view.deleted saved_view.updated second_factor.disabled second_factor.enabled
    second_factor.passkey_added second_factor.passkey_copied second_factor.passkey_removed
    second_factor.passkey_renamed second_factor.recovery_code_used second_factor.recovery_codes_renewed
    second_factor.reset secrets.rotated service.copied service.created service.imported service.updated
    service_type.created service_type.deleted service_type.sorted service_type.updated setting.changed
    special_offer.completed special_offer.completed.undone special_offer.created special_offer.sorted
    special_offer.updated staff.created staff.updated staff.updated.undone subscription.canceled
    subscription.expired subscription.feed_failing subscription.paused subscription.renewed subscription.started
    sync_change.accepted sync_change.rejected target.created target.deleted target.updated user.account_handed_out
    user.activated user.activated.undone user.affiliate_added user.affiliate_removed user.affiliate_updated
    user.api_key_made user.api_key_removed user.api_key_used user.confirmation_failed user.created
    user.data_exported user.deactivated user.deactivated.undone user.discount_set user.erased user.erasure_requested
    user.frozen user.frozen.undone user.grade_changed user.grade_changed.undone user.grade_reached
    user.grants_synced user.invitation_accepted user.invitation_withdrawn user.invited user.password_changed
    user.password_reset user.password_reset_requested user.payment_methods_synced user.price_created
    user.price_deleted user.price_updated user.prices_set user.seller_updated user.seller_updated.undone
    user.session_ended user.sessions_ended user.sign_in_failed user.signed_in user.signed_out user.updated
    user.updated.undone verification_document.added verification_document.viewed webhook.created webhook.deleted
    webhook.redelivered webhook.secret_rotated webhook.auto_disabled webhook.tested webhook.updated
    withdrawal.approved withdrawal.paid withdrawal.rejected withdrawal.requested
";

/// First parts of event names that are not a record type. The entries of these events have another record type, such as `user`.
const EVENT_PREFIXES_WITHOUT_TYPE: [&str; 7] =
    ["list", "notifications", "panel", "payment", "second_factor", "secrets", "verification_document"];
/// Record types that are not the first part of an event name.
const TYPES_WITHOUT_EVENT_PREFIX: [&str; 1] = ["notification"];

/// All events, sorted, such as `order.canceled`. An event that records the undoing of a change ends with `.undone`.
#[must_use]
pub fn events() -> Vec<&'static str> {
    let mut events: Vec<&str> =
        OTHER_EVENTS.split_whitespace().chain(ARCHIVE_EVENTS.iter().copied()).collect();
    events.sort_unstable();
    events
}

/// Record types that can be archived and restored, such as `coupon`.
#[must_use]
pub const fn archivable_types() -> &'static [&'static str] {
    ARCHIVABLE_TYPES
}

/// All record types, sorted, such as `order`. The record type of an export is the name of the list.
#[must_use]
pub fn auditable_types() -> Vec<&'static str> {
    let prefixes = events().into_iter().filter_map(|event| event.split('.').next());
    let event_types = prefixes.filter(|prefix| !EVENT_PREFIXES_WITHOUT_TYPE.contains(prefix));
    let record_types = event_types.chain(TYPES_WITHOUT_EVENT_PREFIX);
    let all_types: BTreeSet<&str> = record_types.chain(lists::ALL.iter().map(|list| list.name)).collect();
    all_types.into_iter().collect()
}
