//! A package as it is written and as the audit trail shows it: read whole and locked, changed by the rules, written whole.

use panel_contract::amount::{Fraction, Money};
use panel_contract::change_logs::{ChangeAction, ChangeModel};
use panel_contract::common::Translations;
use panel_contract::fields::FieldErrors;
use panel_contract::ids::{NetworkId, PackageId, ProviderPackageId, ServiceId, ServiceTypeId};
use panel_contract::moment::Stamp;
use panel_contract::packages::{PackageContentInput, PackageInput, PackageType};
use panel_kernel::error::{Error, Result};
use panel_kernel::wrong_fields::WrongFields;
use serde::Serialize;
use serde_json::json;

use crate::catalogue::packages::cost::{self, Content, PackagePricing};
use crate::pricing::least_margin;
use crate::records::change_log::ChangedRecord;
use crate::records::changes;
use crate::records::texts::{self, Text, Texts};
use crate::records::uses;
use panel_domain::fields;
use panel_domain::least_margin::NewSale;
use panel_platform::db::{DbError, Source, Sql, Val};
use panel_platform::settings;
use panel_platform::sql;
use panel_platform::work::UnitOfWork;

mod origin;

pub(super) use origin::made_of;

/// What a package has in every language.
pub(crate) const TEXTS: Texts = Texts {
    owner: "package",
    fields: &[
        Text { field: "name", most: 255 },
        Text { field: "short_description", most: 2_000 },
        Text { field: "description", most: 20_000 },
        Text { field: "meta_title", most: 255 },
        Text { field: "meta_description", most: 1_000 },
    ],
};

/// A package with everything that staff decide about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, sqlx::FromRow)]
pub(crate) struct PackageDraft {
    pub(crate) name: String,
    #[serde(rename = "type")]
    pub(crate) kind: PackageType,
    /// None yet for a new one.
    #[serde(serialize_with = "changes::none_as_zero")]
    pub(crate) network_id: Option<NetworkId>,
    pub(crate) service_type_id: Option<ServiceTypeId>,
    pub(crate) is_enabled: bool,
    pub(crate) restricted_access: bool,
    pub(crate) sync: bool,
    pub(crate) fixed_cost: Option<Money>,
    #[serde(rename = "discount_percent")]
    pub(crate) discount_ppm: Fraction,
    pub(crate) slug: Option<String>,
    pub(crate) buy_page_url: Option<String>,
    pub(crate) provider_package_id: Option<ProviderPackageId>,
    /// Staff confirmed that it costs less than its contents at their lowest prices.
    pub(crate) below_margin_confirmed: bool,
    #[sqlx(skip)]
    pub(crate) package_contents: Vec<Part>,
    #[sqlx(skip)]
    pub(crate) translations: Translations,
}

/// A service of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, sqlx::FromRow)]
pub(crate) struct Part {
    id: ServiceId,
    quantity: i64,
    price: Option<Money>,
    is_displayable: bool,
}

impl Default for PackageDraft {
    fn default() -> Self {
        Self {
            name: String::new(),
            kind: PackageType::Auto,
            network_id: None,
            service_type_id: None,
            is_enabled: true,
            restricted_access: false,
            sync: false,
            fixed_cost: None,
            discount_ppm: Fraction(0),
            slug: None,
            buy_page_url: None,
            provider_package_id: None,
            below_margin_confirmed: false,
            package_contents: Vec::new(),
            translations: Translations::default(),
        }
    }
}

// Rules

impl PackageDraft {
    /// After an input.
    pub(crate) fn with(mut self, input: &PackageInput) -> (Self, FieldErrors) {
        let mut errors = FieldErrors::default();
        let (name, given) = (input.name.as_deref(), input.translations.as_ref());
        self.translations = texts::merge(&mut errors, &TEXTS, &self.translations, name, given);
        self.name = self.translations.text("en", "name").unwrap_or_default().to_owned();
        self.kind = input.kind.unwrap_or(self.kind);
        self.network_id = input.network_id.or(self.network_id);
        if self.network_id.is_none_or(|id| id.get() == 0) {
            errors.add("network_id", "Choose the network that it belongs to.");
        }
        fields::some_id(&mut errors, "service_type_id", &input.service_type_id, &mut self.service_type_id);
        self.is_enabled = input.is_enabled.unwrap_or(self.is_enabled);
        self.restricted_access = input.restricted_access.unwrap_or(self.restricted_access);
        self.sync = input.sync.unwrap_or(self.sync);
        if let Some(cost) = input.fixed_cost.as_update() {
            self.fixed_cost = cost.copied();
        }
        if let Some(id) = input.provider_package_id.filter(|id| self.provider_package_id != Some(*id)) {
            let message = format!("A package keeps what it was made of; make a new one of package {id}.");
            errors.add("provider_package_id", message);
        }
        self.discount_ppm = input.discount_percent.unwrap_or(self.discount_ppm);
        fields::slug(&mut errors, "slug", &input.slug, &mut self.slug);
        fields::address(&mut errors, "buy_page_url", &input.buy_page_url, &mut self.buy_page_url);
        if let Some(contents) = &input.package_contents {
            let part = |given: &PackageContentInput| Part {
                id: given.id,
                quantity: given.quantity,
                price: given.price,
                is_displayable: given.is_displayable.unwrap_or(true),
            };
            self.package_contents = contents.iter().map(part).collect();
        }
        self.follows(&mut errors);
        (self, errors)
    }

    /// Only what came from somewhere can follow it.
    pub(crate) fn follows(&self, errors: &mut FieldErrors) {
        if self.sync && self.provider_package_id.is_none() {
            errors.add("sync", "This package came from no external panel, so there is nothing to follow.");
        }
    }

    /// The field that decides what the whole costs now.
    fn cheaper_by(&self, before: &Self) -> &'static str {
        let has_changed = self.discount_ppm != before.discount_ppm;
        match self.fixed_cost {
            Some(_) => "fixed_cost",
            None if has_changed => "discount_percent",
            None if self.package_contents == before.package_contents => "fixed_cost",
            None => "package_contents",
        }
    }

    pub(crate) fn pricing(&self) -> PackagePricing {
        PackagePricing { fixed_cost: self.fixed_cost, discount: self.discount_ppm }
    }

    /// Its contents as an input has them.
    pub(crate) fn inputs(&self) -> Vec<PackageContentInput> {
        let input = |part: &Part| PackageContentInput {
            id: part.id,
            quantity: part.quantity,
            price: part.price,
            is_displayable: Some(part.is_displayable),
        };
        self.package_contents.iter().map(input).collect()
    }
}

// Store

const COLUMNS: &str = "name, type AS kind, network_id, service_type_id, is_enabled, restricted_access, sync, fixed_cost, discount_ppm, slug, buy_page_url,
  provider_package_id, below_margin_confirmed";

#[derive(sqlx::FromRow)]
struct Kept {
    #[sqlx(flatten)]
    draft: PackageDraft,
    updated_at: Stamp,
    is_archived: bool,
}

impl PackageDraft {
    /// Reads it with its parts, in three statements; none when there is no such package.
    pub(crate) async fn read(
        db: &mut impl Source,
        id: PackageId,
        lock: bool,
    ) -> Result<Option<(Self, Stamp, bool)>> {
        let sql =
            Sql::new("SELECT ").push(COLUMNS).push(", updated_at, is_archived FROM packages WHERE id = ?");
        let sql = if lock { sql.bind(id).for_update() } else { sql.bind(id) };
        let Some(kept) = db.opt::<Kept>(sql).await? else { return Ok(None) };
        let mut draft = kept.draft;
        let parts = Sql::new(
            "SELECT service_id AS id, quantity, price, is_displayable FROM package_contents WHERE package_id = ? ORDER BY position, service_id",
        );
        draft.package_contents = db.all(parts.bind(id)).await?;
        draft.translations = texts::load_one(db, &TEXTS, id, &draft.name).await?;
        Ok(Some((draft, kept.updated_at, kept.is_archived)))
    }

    /// Reads and locks a package that must be there: it, its stamp, and whether it is archived.
    pub(crate) async fn lock(work: &mut UnitOfWork, id: PackageId) -> Result<(Self, Stamp, bool)> {
        Self::read(work, id, true).await?.ok_or_else(|| Error::not_found("package", id))
    }

    /// What it refers to must be there, and what it comes to must be a price. Contents and pricing are judged where they
    /// changed: a name can be mended though a service has other bounds by now. Where nothing else is wrong, a cost below the
    /// least margin needs `is_confirmed`, which the package remembers. `wrong` has what the rules refused already.
    pub(crate) async fn check(
        &mut self,
        work: &mut UnitOfWork,
        (before, is_confirmed): (&Self, bool),
        mut wrong: WrongFields,
    ) -> Result<()> {
        if (self.network_id, self.service_type_id) != (before.network_id, before.service_type_id) {
            wrong.record(self.check_places(work).await?.or(()))?;
        }
        if self.slug.is_some() && self.slug != before.slug {
            let other = Sql::new("SELECT id FROM packages WHERE slug = ?").bind(self.slug.clone());
            let other: Option<(PackageId,)> = work.opt(other).await?;
            wrong.record(other.map_or(Ok(()), |_| Err(slug_taken())))?;
        }
        // A package of a panel whose services are not imported is refused for that alone.
        let lacks_contents = before.network_id.is_none()
            && self.package_contents.is_empty()
            && !wrong.has("provider_package_id");
        let mut priced = None;
        if lacks_contents
            || self.package_contents != before.package_contents
            || self.pricing() != before.pricing()
        {
            let (contents, errors) = cost::found(work, &self.inputs()).await?;
            let places = settings::rounding_precision(work).await?;
            wrong.record(errors.or(()))?;
            let sums = wrong.record(cost::judge(&contents, &self.pricing(), places))?;
            priced = sums.map(|sums| (contents, (sums.total_cost, places)));
        }
        if self.package_contents != before.package_contents {
            wrong.record(self.check_sold(work, before).await)?;
        }
        wrong.or(())?;
        match priced {
            Some((contents, cost)) => self.check_margin(work, (before, is_confirmed), &contents, cost).await,
            None => Ok(()),
        }
    }

    /// Its network must be there, and its service type be of it.
    async fn check_places(&self, work: &mut UnitOfWork) -> Result<FieldErrors> {
        let mut errors = FieldErrors::default();
        let network = Sql::new("SELECT id FROM networks WHERE id = ?").bind(self.network_id);
        let is_known = work.opt::<(NetworkId,)>(network).await?.is_some();
        // Without any network the rules asked for one already.
        if let Some(id) = self.network_id.filter(|id| !is_known && id.get() != 0) {
            errors.add("network_id", format!("There is no network {id}."));
        }
        if let Some(kind) = self.service_type_id {
            let sql = Sql::new("SELECT network_id FROM service_types WHERE id = ?").bind(kind);
            // Locked, so that it does not go to another network meanwhile.
            match work.opt::<(NetworkId,)>(sql.for_share()).await? {
                Some((network,)) if Some(network) == self.network_id || !is_known => {}
                Some(_) => errors.add("service_type_id", "This service type belongs to another network."),
                None => errors.add("service_type_id", format!("There is no service type {kind}.")),
            }
        }
        Ok(errors)
    }

    /// What the whole is sold at is judged against the lowest possible prices of its contents.
    async fn check_margin(
        &mut self,
        work: &mut UnitOfWork,
        (before, is_confirmed): (&Self, bool),
        contents: &[Content],
        (price, places): (Money, u8),
    ) -> Result<()> {
        let (lowest, prices) = cost::lowest_of(work, contents, places).await?;
        let field = self.cheaper_by(before).to_owned();
        let sale = NewSale { field, what: "this package".to_owned(), price, lowest };
        self.below_margin_confirmed = least_margin::check_sales(work, &[sale], &prices, is_confirmed).await?;
        Ok(())
    }

    /// A service that is archived cannot come in; one that is in already stays until it is taken out.
    async fn check_sold(&self, work: &mut UnitOfWork, before: &Self) -> Result<()> {
        let is_new = |part: &Part| before.package_contents.iter().all(|old| old.id != part.id);
        let new = self.package_contents.iter().enumerate().filter(|(_, part)| is_new(part));
        let new = new.map(|(at, part)| (format!("package_contents.{at}.id"), part.id));
        Ok(uses::check_not_archived(work, &new.collect::<Vec<_>>()).await?.or(())?)
    }

    pub(crate) async fn insert(&self, work: &mut UnitOfWork) -> Result<PackageId> {
        let now = work.stamp();
        let sql = sql!(
            "INSERT INTO packages (name, type, network_id, provider_package_id, created_at, updated_at) \
               VALUES (@name, @type, @network_id, @provider_package_id, @now, @now) RETURNING id",
            {
                name: &*self.name,
                type: self.kind.as_str(),
                network_id: self.network_id,
                provider_package_id: self.provider_package_id,
                now,
            },
        );
        let (id,): (PackageId,) = work.one(sql).await?;
        self.write(work, id).await?;
        Ok(id)
    }

    pub(crate) async fn write(&self, work: &mut UnitOfWork, id: PackageId) -> Result<()> {
        let sql = sql!(
            "UPDATE packages SET name = @name, type = @type, network_id = @network_id, service_type_id = @service_type_id, \
               is_enabled = @is_enabled, restricted_access = @restricted_access, sync = @sync,
               fixed_cost = @fixed_cost, discount_ppm = @discount_ppm, slug = @slug, buy_page_url = @buy_page_url, \
               below_margin_confirmed = @below_margin_confirmed, updated_at = @updated_at WHERE id = @id",
            {
                name: &*self.name,
                type: self.kind.as_str(),
                network_id: self.network_id,
                service_type_id: self.service_type_id,
                is_enabled: self.is_enabled,
                restricted_access: self.restricted_access,
                sync: self.sync,
                fixed_cost: self.fixed_cost,
                discount_ppm: self.discount_ppm,
                slug: self.slug.clone(),
                buy_page_url: self.buy_page_url.clone(),
                below_margin_confirmed: self.below_margin_confirmed,
                updated_at: work.stamp(),
                id,
            },
        );
        work.exec(sql).await.map_err(taken)?;
        work.exec(Sql::new("DELETE FROM package_contents WHERE package_id = ?").bind(id)).await?;
        let row = |(at, part): (i64, &Part)| -> Vec<Val> {
            let Part { id, quantity, price, is_displayable } = *part;
            vec![id.into(), at.into(), quantity.into(), price.into(), is_displayable.into()]
        };
        let rows: Vec<_> = (1_i64..).zip(&self.package_contents).map(row).collect();
        if !rows.is_empty() {
            let columns = ["service", "place", "quantity", "price", "shown"];
            let sql = Sql::new(
                "INSERT INTO package_contents (package_id, service_id, position, quantity, price, is_displayable)
                 SELECT ?, r.service, r.place, r.quantity, r.price, r.shown FROM ",
            );
            work.exec(sql.bind(id).rows("r", &columns, rows)).await?;
        }
        Ok(texts::write(work, &TEXTS, id, &self.translations).await?)
    }

    pub(crate) async fn record_change(
        &self,
        work: &mut UnitOfWork,
        action: ChangeAction,
        id: PackageId,
        before: &Self,
    ) -> Result<()> {
        let noted = ChangedRecord { action, model: ChangeModel::Package, id: id.record(), name: &self.name };
        changes::record(work, noted, &json!(before), &json!(self)).await
    }
}

fn taken(error: DbError) -> Error {
    match error.is_unique() {
        true => slug_taken(),
        false => error.into(),
    }
}

fn slug_taken() -> Error {
    Error::invalid("slug", "slug_taken", "Another package has this slug; take another.")
}
