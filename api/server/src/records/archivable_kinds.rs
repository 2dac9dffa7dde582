//! Declares every kind of record that can be archived. The endpoints, audit entries, change log and undo of a kind follow from its
//! declaration. Only this module creates an [`Archivable`], so that no kind can lack one of these parts.

use panel_contract::change_logs::ChangeModel;
use panel_platform::audit::restore::{FieldType, UndoField, UndoRole, UndoableKind};

use crate::records::references::{self, ReferenceRules};
use crate::stores::placement_attempts::conditions::attempt_is;

const IS_ARCHIVED: UndoField = UndoField::restored("is_archived", "t.is_archived", FieldType::Flag);
pub(super) const IS_ENABLED: UndoField = UndoField::restored("is_enabled", "t.is_enabled", FieldType::Flag);
/// The name is recorded only because the change log shows it.
pub(super) const NAME: UndoField = UndoField { name: "name", sql: "t.name", role: UndoRole::RecordedOnly };

/// The fields of an undo for kinds to which no other record refers.
const DEFAULT_UNDO_FIELDS: &[UndoField] = &[IS_ARCHIVED, NAME];

/// A kind of record whose table has a column `is_archived`.
#[derive(Debug)]
pub struct Archivable {
    /// The kind in the change log and the audit trail.
    pub(super) model: ChangeModel,
    /// The error codes for "already archived" and "not archived".
    pub(super) codes: [&'static str; 2],
    /// The records that may refer to a record of this kind. While another record refers to a record, neither an action nor an undo
    /// archives it.
    pub(super) references: Option<&'static ReferenceRules>,
    /// The services that a record of this kind needs. While one of these services is archived, neither an action nor an undo
    /// restores the record.
    pub(super) required_services: Option<RequiredServices>,
    /// The table, the noun, the fields that an undo restores, and the fields that must be unchanged for an undo.
    pub(super) undoable: UndoableKind,
}

/// The services that records of one kind need.
#[derive(Debug, Clone, Copy)]
pub(super) struct RequiredServices {
    /// Start of a SELECT of the ids of the services. The caller appends the ids of the records.
    pub(super) select_sql: &'static str,
    /// SQL that counts the archived services of the record with the table alias `t`.
    count_archived_sql: &'static str,
}

impl RequiredServices {
    /// The number of archived services must be unchanged for an undo.
    const fn guard(self) -> UndoField {
        UndoField::guard("services", self.count_archived_sql)
    }
}

/// Declares [`RequiredServices`] from a SELECT that ends before the ids of the records.
macro_rules! required_services {
    ($select:literal) => {
        RequiredServices {
            select_sql: $select,
            count_archived_sql: concat!(
                "(SELECT count(*) FROM services s WHERE s.is_archived AND s.id IN (",
                $select,
                "(t.id)))"
            ),
        }
    };
}

const PACKAGE_SERVICES: RequiredServices =
    required_services!("SELECT service_id FROM package_contents WHERE package_id IN ");
const DISCOUNT_SERVICES: RequiredServices =
    required_services!("SELECT service_id FROM discount_services WHERE discount_id IN ");
const SPECIAL_OFFER_SERVICES: RequiredServices =
    required_services!("SELECT service_id FROM special_offer_services WHERE offer_id IN ");
const QUEST_SERVICES: RequiredServices =
    required_services!("SELECT service_id FROM free_trial_quests WHERE id IN ");

impl Archivable {
    const fn new(
        model: ChangeModel,
        table: &'static str,
        noun: &'static str,
        codes: [&'static str; 2],
    ) -> Self {
        let undoable = UndoableKind { kind: model.as_str(), table, noun, fields: DEFAULT_UNDO_FIELDS };
        Self { model, codes, references: None, required_services: None, undoable }
    }

    const fn referenced_by(mut self, references: &'static ReferenceRules) -> Self {
        self.references = Some(references);
        self
    }

    /// `fields` must include `services.guard()`.
    const fn requires_services(mut self, services: RequiredServices, fields: &'static [UndoField]) -> Self {
        self.required_services = Some(services);
        self.with_undo_fields(fields)
    }

    const fn with_undo_fields(mut self, fields: &'static [UndoField]) -> Self {
        self.undoable.fields = fields;
        self
    }
}

/// Declares a static for each kind, and `ALL` with all of them.
macro_rules! archivable_kinds {
    ($($(#[doc = $doc:literal])+ $name:ident = $kind:expr;)+) => {
        $($(#[doc = $doc])+ pub static $name: Archivable = $kind;)+

        /// Every kind of record that can be archived.
        pub static ALL: &[&Archivable] = &[$(&$name),+];
    };
}

archivable_kinds! {
    /// Pages of the customers' site.
    PAGE = Archivable::new(ChangeModel::Page, "panel_pages", "page", ["page_archived", "page_not_archived"])
        .referenced_by(&references::TO_PAGE);
    /// Archiving a coupon changes no invoice or order that used it.
    COUPON = Archivable::new(ChangeModel::Coupon, "coupons", "coupon", ["coupon_archived", "coupon_not_archived"]);
    /// A package can be restored only if all its services are active.
    PACKAGE = Archivable::new(ChangeModel::Package, "packages", "package", ["package_archived", "package_not_archived"])
        .requires_services(PACKAGE_SERVICES, &[IS_ARCHIVED, NAME, PACKAGE_SERVICES.guard()]);
    /// Archiving a provider may make the services that it delivers unavailable.
    PROVIDER =
        Archivable::new(ChangeModel::Provider, "providers", "provider", ["provider_archived", "provider_not_archived"]);
    /// A special offer can also be enabled and disabled.
    SPECIAL_OFFER = Archivable::new(
        ChangeModel::SpecialOffer,
        "special_offers",
        "special offer",
        ["special_offer_archived", "special_offer_not_archived"],
    )
    .requires_services(SPECIAL_OFFER_SERVICES, &[IS_ARCHIVED, IS_ENABLED, NAME, SPECIAL_OFFER_SERVICES.guard()]);
    /// A completed discount needs no active service.
    DISCOUNT =
        Archivable::new(ChangeModel::Discount, "discounts", "discount", ["discount_archived", "discount_not_archived"])
            .requires_services(
                DISCOUNT_SERVICES,
                &[IS_ARCHIVED, UndoField::guard("completed_at", "t.completed_at"), NAME, DISCOUNT_SERVICES.guard()],
            );
    /// Quests of free trials.
    QUEST =
        Archivable::new(ChangeModel::Quest, "free_trial_quests", "quest", ["quest_archived", "quest_not_archived"])
            .referenced_by(&references::TO_QUEST)
            .requires_services(QUEST_SERVICES, &[IS_ARCHIVED, NAME, QUEST_SERVICES.guard()]);
    /// Grades of customers.
    GRADE = Archivable::new(ChangeModel::Grade, "grades", "grade", ["grade_archived", "grade_not_archived"])
        .referenced_by(&references::TO_GRADE)
        .with_undo_fields(&[
            IS_ARCHIVED,
            NAME,
            UndoField::guard("in_use", "EXISTS (SELECT 1 FROM users u WHERE u.grade_id = t.id)"),
        ]);
    /// An archived service has no position in its service type.
    SERVICE = Archivable::new(ChangeModel::Service, "services", "service", ["service_archived", "service_not_archived"])
        .referenced_by(&references::TO_SERVICE)
        .with_undo_fields(&[IS_ARCHIVED, UndoField::restored("sorting", "t.sorting", FieldType::Int), NAME]);
    /// An undo also restores the parent and the position of a menu item.
    MENU_ITEM = Archivable::new(
        ChangeModel::MenuItem,
        "menu_items",
        "menu item",
        ["menu_item_archived", "menu_item_not_archived"],
    )
    .with_undo_fields(&[
        IS_ARCHIVED,
        UndoField::restored("parent_id", "t.parent_id", FieldType::Int),
        UndoField::restored("sorting", "t.sorting", FieldType::Int),
        NAME,
        UndoField::guard("below", "(SELECT p.is_archived FROM menu_items p WHERE p.id = t.parent_id)"),
        UndoField::guard("in_use", "EXISTS (SELECT 1 FROM menu_items x WHERE x.parent_id = t.id AND NOT x.is_archived)"),
    ]);
    /// External panels.
    EXTERNAL_PANEL = Archivable::new(
        ChangeModel::ExternalPanel,
        "external_panels",
        "panel",
        ["external_panel_archived", "external_panel_not_archived"],
    )
    .referenced_by(&references::TO_EXTERNAL_PANEL)
    .with_undo_fields(&[
        IS_ARCHIVED,
        NAME,
        UndoField::guard(
            "in_use",
            concat!(
                "(EXISTS (SELECT 1 FROM providers p WHERE p.external_panel_id = t.id AND NOT p.is_archived)
                   OR EXISTS (SELECT 1 FROM external_panel_orders e WHERE e.external_panel_id = t.id AND ",
                attempt_is!(unfinished, "e"),
                "))"
            ),
        ),
    ]);
}

/// Finds a kind by its name in the audit trail.
pub(super) fn find(kind: &str) -> Option<&'static Archivable> {
    ALL.iter().copied().find(|archivable| archivable.undoable.kind == kind)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn the_audit_filter_has_exactly_the_declared_kinds() {
        let declared_kinds: BTreeSet<&str> = ALL.iter().map(|archivable| archivable.undoable.kind).collect();
        let filter_kinds: BTreeSet<&str> =
            panel_contract::audits::archivable_types().iter().copied().collect();
        assert_eq!(
            declared_kinds, filter_kinds,
            "ARCHIVABLE in audits/events.rs must list the declared kinds"
        );
        assert_eq!(declared_kinds.len(), ALL.len());
    }

    #[test]
    fn an_undo_checks_the_required_services_of_every_kind() {
        for archivable in ALL {
            let fields = archivable.undoable.fields;
            let guard_sql = fields.iter().find(|field| field.name == "services").map(|field| field.sql);
            assert_eq!(
                guard_sql,
                archivable.required_services.map(|services| services.count_archived_sql),
                "{}",
                archivable.undoable.kind
            );
        }
    }

    #[test]
    fn rejection_codes_begin_with_the_kind() {
        for Archivable { codes, undoable: UndoableKind { kind, .. }, .. } in ALL {
            assert_eq!(
                codes.map(str::to_owned),
                [format!("{kind}_archived"), format!("{kind}_not_archived")]
            );
        }
    }
}
