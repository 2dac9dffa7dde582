//! Every kind of record that can be archived, each declared once. Its endpoints, audit entries, change log and undo come from
//! the declaration. Only this module creates an [`Archivable`], so none of them can be forgotten.

use panel_contract::change_logs::ChangeModel;
use panel_platform::audit::restore::{Cell, Field, Role, Undoable};

use crate::records::uses::{self, Uses};
use crate::stores::placement_attempts::conditions::attempt_is;

const ARCHIVED: Field = Field::restored("is_archived", "t.is_archived", Cell::Flag);
pub(super) const ENABLED: Field = Field::restored("is_enabled", "t.is_enabled", Cell::Flag);
/// For the change log.
pub(super) const NAME: Field = Field { name: "name", sql: "t.name", role: Role::Noted };

/// The fields that an undo needs for a record on which nothing depends.
const PLAIN: &[Field] = &[ARCHIVED, NAME];

/// A kind of record with an `is_archived`.
#[derive(Debug)]
pub struct Archivable {
    /// Its name in the change log and the audit trail.
    pub(super) model: ChangeModel,
    /// The error codes for "already archived" and "not archived".
    pub(super) codes: [&'static str; 2],
    /// The kinds of records that may use it. Neither an action nor an undo archives a record while another one uses it.
    pub(super) uses: Option<&'static Uses>,
    /// The services that it needs. Neither an action nor an undo restores a record while one of them is archived.
    pub(super) services: Option<Services>,
    /// Its table, its noun, and the fields that an undo restores or requires unchanged.
    pub(super) undoable: Undoable,
}

/// The services that records of one kind need.
#[derive(Debug, Clone, Copy)]
pub(super) struct Services {
    /// Start of a SELECT of their ids; the ids of the records follow.
    pub(super) select: &'static str,
    /// SQL that counts the archived services of the record `t`.
    archived: &'static str,
}

impl Services {
    const fn guard(self) -> Field {
        Field::guard("services", self.archived)
    }
}

/// Declares [`Services`] from the start of a SELECT, which ends before the ids of the records.
macro_rules! services {
    ($select:literal) => {
        Services {
            select: $select,
            archived: concat!(
                "(SELECT count(*) FROM services s WHERE s.is_archived AND s.id IN (",
                $select,
                "(t.id)))"
            ),
        }
    };
}

const OF_PACKAGE: Services = services!("SELECT service_id FROM package_contents WHERE package_id IN ");
const OF_DISCOUNT: Services = services!("SELECT service_id FROM discount_services WHERE discount_id IN ");
const OF_OFFER: Services = services!("SELECT service_id FROM special_offer_services WHERE offer_id IN ");
const OF_QUEST: Services = services!("SELECT service_id FROM free_trial_quests WHERE id IN ");

impl Archivable {
    const fn new(
        model: ChangeModel,
        table: &'static str,
        noun: &'static str,
        codes: [&'static str; 2],
    ) -> Self {
        let undoable = Undoable { kind: model.as_str(), table, noun, fields: PLAIN };
        Self { model, codes, uses: None, services: None, undoable }
    }

    const fn used_by(mut self, uses: &'static Uses) -> Self {
        self.uses = Some(uses);
        self
    }

    /// `fields` must include the guard of the services.
    const fn needs(mut self, services: Services, fields: &'static [Field]) -> Self {
        self.services = Some(services);
        self.fields(fields)
    }

    const fn fields(mut self, fields: &'static [Field]) -> Self {
        self.undoable.fields = fields;
        self
    }
}

/// Declares the kinds, and `ALL` of them.
macro_rules! archivables {
    ($($(#[doc = $doc:literal])+ $name:ident = $kind:expr;)+) => {
        $($(#[doc = $doc])+ pub static $name: Archivable = $kind;)+

        /// Every kind of record that can be archived.
        pub static ALL: &[&Archivable] = &[$(&$name),+];
    };
}

archivables! {
    /// Pages of the customers' site.
    PAGE = Archivable::new(ChangeModel::Page, "panel_pages", "page", ["page_archived", "page_not_archived"])
        .used_by(&uses::OF_PAGE);
    /// Coupons; invoices and orders that used one do not change.
    COUPON = Archivable::new(ChangeModel::Coupon, "coupons", "coupon", ["coupon_archived", "coupon_not_archived"]);
    /// Packages with their services.
    PACKAGE = Archivable::new(ChangeModel::Package, "packages", "package", ["package_archived", "package_not_archived"])
        .needs(OF_PACKAGE, &[ARCHIVED, NAME, OF_PACKAGE.guard()]);
    /// Providers; services that they deliver may become unavailable.
    PROVIDER =
        Archivable::new(ChangeModel::Provider, "providers", "provider", ["provider_archived", "provider_not_archived"]);
    /// Special offers, which can also be enabled and disabled.
    SPECIAL_OFFER = Archivable::new(
        ChangeModel::SpecialOffer,
        "special_offers",
        "special offer",
        ["special_offer_archived", "special_offer_not_archived"],
    )
    .needs(OF_OFFER, &[ARCHIVED, ENABLED, NAME, OF_OFFER.guard()]);
    /// Discounts; one that is over needs no service.
    DISCOUNT =
        Archivable::new(ChangeModel::Discount, "discounts", "discount", ["discount_archived", "discount_not_archived"])
            .needs(
                OF_DISCOUNT,
                &[ARCHIVED, Field::guard("completed_at", "t.completed_at"), NAME, OF_DISCOUNT.guard()],
            );
    /// Quests of free trials.
    QUEST =
        Archivable::new(ChangeModel::Quest, "free_trial_quests", "quest", ["quest_archived", "quest_not_archived"])
            .used_by(&uses::OF_QUEST)
            .needs(OF_QUEST, &[ARCHIVED, NAME, OF_QUEST.guard()]);
    /// Grades of customers.
    GRADE = Archivable::new(ChangeModel::Grade, "grades", "grade", ["grade_archived", "grade_not_archived"])
        .used_by(&uses::OF_GRADE)
        .fields(&[
            ARCHIVED,
            NAME,
            Field::guard("in_use", "EXISTS (SELECT 1 FROM users u WHERE u.grade_id = t.id)"),
        ]);
    /// Services, which have no place in their type while they are archived.
    SERVICE = Archivable::new(ChangeModel::Service, "services", "service", ["service_archived", "service_not_archived"])
        .used_by(&uses::OF_SERVICE)
        .fields(&[ARCHIVED, Field::restored("sorting", "t.sorting", Cell::Int), NAME]);
    /// Items of the menu, with their place in it.
    MENU_ITEM = Archivable::new(
        ChangeModel::MenuItem,
        "menu_items",
        "menu item",
        ["menu_item_archived", "menu_item_not_archived"],
    )
    .fields(&[
        ARCHIVED,
        Field::restored("parent_id", "t.parent_id", Cell::Int),
        Field::restored("sorting", "t.sorting", Cell::Int),
        NAME,
        Field::guard("below", "(SELECT p.is_archived FROM menu_items p WHERE p.id = t.parent_id)"),
        Field::guard("in_use", "EXISTS (SELECT 1 FROM menu_items x WHERE x.parent_id = t.id AND NOT x.is_archived)"),
    ]);
    /// External panels.
    EXTERNAL_PANEL = Archivable::new(
        ChangeModel::ExternalPanel,
        "external_panels",
        "panel",
        ["external_panel_archived", "external_panel_not_archived"],
    )
    .used_by(&uses::OF_EXTERNAL_PANEL)
    .fields(&[
        ARCHIVED,
        NAME,
        Field::guard(
            "in_use",
            concat!(
                "(EXISTS (SELECT 1 FROM providers p WHERE p.external_panel_id = t.id AND NOT p.is_archived)
                   OR EXISTS (SELECT 1 FROM external_panel_orders e WHERE e.external_panel_id = t.id AND ",
                attempt_is!(live, "e"),
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
    fn the_audit_log_offers_the_events_of_each_kind() {
        let kinds: BTreeSet<&str> = ALL.iter().map(|archivable| archivable.undoable.kind).collect();
        let offered: BTreeSet<&str> = panel_contract::audits::archivable_types().iter().copied().collect();
        assert_eq!(kinds, offered, "ARCHIVABLE in audits/events.rs");
        assert_eq!(kinds.len(), ALL.len());
    }

    #[test]
    fn an_undo_restores_a_record_only_if_its_services_are_active() {
        for archivable in ALL {
            let fields = archivable.undoable.fields;
            let guard = fields.iter().find(|field| field.name == "services").map(|field| field.sql);
            assert_eq!(
                guard,
                archivable.services.map(|services| services.archived),
                "{}",
                archivable.undoable.kind
            );
        }
    }

    #[test]
    fn rejections_have_the_codes_of_their_kind() {
        for Archivable { codes, undoable: Undoable { kind, .. }, .. } in ALL {
            assert_eq!(
                codes.map(str::to_owned),
                [format!("{kind}_archived"), format!("{kind}_not_archived")]
            );
        }
    }
}
