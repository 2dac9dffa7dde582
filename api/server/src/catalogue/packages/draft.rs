//! Loads, locks, validates and writes the editable fields of a package. The change log shows the serialized draft.

use panel_contract::amount::{Fraction, Money};
use panel_contract::change_logs::{ChangeAction, ChangeModel};
use panel_contract::common::Translations;
use panel_contract::fields::FieldErrors;
use panel_contract::ids::{NetworkId, PackageId, ProviderPackageId, ServiceId, ServiceTypeId};
use panel_contract::packages::{PackageContentInput, PackageInput, PackageType};
use panel_kernel::error::{Error, Result};
use panel_kernel::field_error_collector::FieldErrorCollector;
use serde::Serialize;
use serde_json::json;

use crate::catalogue::packages::cost::{self, PackagePricing, PricedContent};
use crate::pricing::minimum_margin;
use crate::records::change_log::ChangedRecord;
use crate::records::changes;
use crate::records::references;
use crate::records::texts::{self, TextField, TextFields};
use panel_domain::fields;
use panel_domain::minimum_margin::PriceCheck;
use panel_platform::db::{DbError, Sql, SqlExecutor, Val};
use panel_platform::settings;
use panel_platform::sql;
use panel_platform::work::UnitOfWork;

mod origin;
mod stored;

pub(super) use origin::draft_from_provider_package;
pub(crate) use stored::StoredPackage;

/// The texts of a package that staff translate.
pub(crate) const TEXTS: TextFields = TextFields {
    owner_type: "package",
    fields: &[
        TextField { field: "name", max_chars: 255 },
        TextField { field: "short_description", max_chars: 2_000 },
        TextField { field: "description", max_chars: 20_000 },
        TextField { field: "meta_title", max_chars: 255 },
        TextField { field: "meta_description", max_chars: 1_000 },
    ],
};

/// A package as staff edit it. The column names are those of the table `packages`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, sqlx::FromRow)]
pub(crate) struct PackageDraft {
    pub(crate) name: String,
    #[serde(rename = "type")]
    pub(crate) kind: PackageType,
    /// `None` only before the package is created.
    #[serde(serialize_with = "changes::serialize_none_as_zero")]
    pub(crate) network_id: Option<NetworkId>,
    pub(crate) service_type_id: Option<ServiceTypeId>,
    pub(crate) is_enabled: bool,
    pub(crate) restricted_access: bool,
    /// Whether syncs update this package from the external panel's package in `provider_package_id`.
    pub(crate) sync: bool,
    /// Replaces the sum of the contents. A package has a fixed cost or a discount, never both.
    pub(crate) fixed_cost: Option<Money>,
    #[serde(rename = "discount_fraction")]
    pub(crate) discount_ppm: Fraction,
    pub(crate) slug: Option<String>,
    pub(crate) buy_page_url: Option<String>,
    /// The external panel's package from which this package was created; never changes.
    pub(crate) provider_package_id: Option<ProviderPackageId>,
    /// Whether staff confirmed a cost below the lowest allowed cost.
    pub(crate) below_margin_confirmed: bool,
    #[sqlx(skip)]
    pub(crate) package_contents: Vec<PackageContentDraft>,
    #[sqlx(skip)]
    pub(crate) translations: Translations,
}

/// One service in a package.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, sqlx::FromRow)]
pub(crate) struct PackageContentDraft {
    id: ServiceId,
    quantity: i64,
    /// Price within the package; if `None`, the price of the service applies.
    price: Option<Money>,
    /// Whether customers see this content of the package.
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
    /// Returns the draft with the changes of an input, and the errors of invalid fields. The caller must not store a draft with
    /// errors.
    pub(crate) fn apply(mut self, input: &PackageInput) -> (Self, FieldErrors) {
        let mut errors = FieldErrors::default();
        let (name, translations) = (input.name.as_deref(), input.translations.as_ref());
        self.translations = texts::merge(&mut errors, &TEXTS, &self.translations, name, translations);
        self.name = self.translations.text("en", "name").unwrap_or_default().to_owned();
        self.kind = input.kind.unwrap_or(self.kind);
        self.network_id = input.network_id.or(self.network_id);
        if self.network_id.is_none_or(|id| id.get() == 0) {
            errors.add("network_id", "Choose a network.");
        }
        let service_type_id = &mut self.service_type_id;
        fields::apply_optional_id(&mut errors, "service_type_id", &input.service_type_id, service_type_id);
        self.is_enabled = input.is_enabled.unwrap_or(self.is_enabled);
        self.restricted_access = input.restricted_access.unwrap_or(self.restricted_access);
        self.sync = input.sync.unwrap_or(self.sync);
        if let Some(fixed_cost) = input.fixed_cost.as_update() {
            self.fixed_cost = fixed_cost.copied();
        }
        if let Some(id) = input.provider_package_id.filter(|id| self.provider_package_id != Some(*id)) {
            let message =
                format!("The provider package cannot change. Create a new package from package {id}.");
            errors.add("provider_package_id", message);
        }
        self.discount_ppm = input.discount_fraction.unwrap_or(self.discount_ppm);
        fields::apply_slug(&mut errors, "slug", &input.slug, &mut self.slug);
        fields::apply_http_url(&mut errors, "buy_page_url", &input.buy_page_url, &mut self.buy_page_url);
        if let Some(contents) = &input.package_contents {
            let to_draft = |input: &PackageContentInput| PackageContentDraft {
                id: input.id,
                quantity: input.quantity,
                price: input.price,
                is_displayable: input.is_displayable.unwrap_or(true),
            };
            self.package_contents = contents.iter().map(to_draft).collect();
        }
        self.check_sync(&mut errors);
        (self, errors)
    }

    /// Only a package that was created from an external panel's package can be synchronized.
    fn check_sync(&self, errors: &mut FieldErrors) {
        if self.sync && self.provider_package_id.is_none() {
            errors.add(
                "sync",
                "This package was not imported from an external panel. Turn synchronization off.",
            );
        }
    }

    /// Name of the changed field that determines the cost. An error about a cost that is too low is added to this field.
    fn field_that_determines_cost(&self, before: &Self) -> &'static str {
        let discount_changed = self.discount_ppm != before.discount_ppm;
        match self.fixed_cost {
            Some(_) => "fixed_cost",
            None if discount_changed => "discount_fraction",
            None if self.package_contents == before.package_contents => "fixed_cost",
            None => "package_contents",
        }
    }

    pub(crate) fn pricing(&self) -> PackagePricing {
        PackagePricing { fixed_cost: self.fixed_cost, discount_fraction: self.discount_ppm }
    }

    pub(crate) fn content_inputs(&self) -> Vec<PackageContentInput> {
        let to_input = |content: &PackageContentDraft| PackageContentInput {
            id: content.id,
            quantity: content.quantity,
            price: content.price,
            is_displayable: Some(content.is_displayable),
        };
        self.package_contents.iter().map(to_input).collect()
    }
}

// Store

impl PackageDraft {
    /// Checks the records that the package refers to, and its cost. Contents and pricing are checked only if they changed, so that
    /// staff can still rename a package after the quantity bounds of a service changed. A cost below the lowest allowed cost is
    /// rejected unless `is_confirmed`; the draft then stores the confirmation. `field_errors` holds the errors that the caller has
    /// already found; the result contains them too.
    pub(crate) async fn check(
        &mut self,
        work: &mut UnitOfWork,
        (before, is_confirmed): (&Self, bool),
        mut field_errors: FieldErrorCollector,
    ) -> Result<()> {
        if (self.network_id, self.service_type_id) != (before.network_id, before.service_type_id) {
            field_errors.collect(self.check_network(work).await?.into_result(()))?;
        }
        if self.slug.is_some() && self.slug != before.slug {
            let same_slug_sql = Sql::new("SELECT id FROM packages WHERE slug = ?").bind(self.slug.clone());
            let package_with_slug: Option<(PackageId,)> = work.fetch_optional(same_slug_sql).await?;
            field_errors.collect(package_with_slug.map_or(Ok(()), |_| Err(duplicate_slug())))?;
        }
        // A new package without contents is invalid. If the contents are missing only because the services of the provider package
        // are not imported yet, the response has only the error about these services.
        let lacks_contents = before.network_id.is_none()
            && self.package_contents.is_empty()
            && !field_errors.has("provider_package_id");
        let mut contents_and_cost = None;
        if lacks_contents
            || self.package_contents != before.package_contents
            || self.pricing() != before.pricing()
        {
            let (contents, errors) = cost::load_contents_with_errors(work, &self.content_inputs()).await?;
            let decimals = settings::read_rounding_precision(work).await?;
            field_errors.collect(errors.into_result(()))?;
            let costs = field_errors.collect(cost::validate_and_calculate_costs(
                &contents,
                &self.pricing(),
                decimals,
            ))?;
            contents_and_cost = costs.map(|costs| (contents, (costs.total_cost, decimals)));
        }
        if self.package_contents != before.package_contents {
            field_errors.collect(self.check_added_services(work, before).await)?;
        }
        field_errors.into_result(())?;
        match contents_and_cost {
            Some((contents, cost)) => self.check_margin(work, (before, is_confirmed), &contents, cost).await,
            None => Ok(()),
        }
    }

    /// Checks that the network exists and that the service type belongs to it.
    async fn check_network(&self, work: &mut UnitOfWork) -> Result<FieldErrors> {
        let mut errors = FieldErrors::default();
        let network_sql = Sql::new("SELECT id FROM networks WHERE id = ?").bind(self.network_id);
        let network_exists = work.fetch_optional::<(NetworkId,)>(network_sql).await?.is_some();
        // `apply` has rejected a missing network and the id 0 already.
        if let Some(id) = self.network_id.filter(|id| !network_exists && id.get() != 0) {
            errors.add("network_id", format!("There is no network {id}."));
        }
        if let Some(id) = self.service_type_id {
            let sql = Sql::new("SELECT network_id FROM service_types WHERE id = ?").bind(id);
            // The lock keeps another transaction from moving the service type to another network.
            match work.fetch_optional::<(NetworkId,)>(sql.for_share()).await? {
                Some((network,)) if Some(network) == self.network_id || !network_exists => {}
                Some(_) => errors.add("service_type_id", "This service type belongs to another network."),
                None => errors.add("service_type_id", format!("There is no service type {id}.")),
            }
        }
        Ok(errors)
    }

    async fn check_margin(
        &mut self,
        work: &mut UnitOfWork,
        (before, is_confirmed): (&Self, bool),
        contents: &[PricedContent],
        (price, decimals): (Money, u8),
    ) -> Result<()> {
        let (lowest_price, prices) = cost::load_lowest_cost(work, contents, decimals).await?;
        let field = self.field_that_determines_cost(before).to_owned();
        let sale = PriceCheck { field, item_name: "this package".to_owned(), price, lowest_price };
        self.below_margin_confirmed =
            minimum_margin::check_sales(work, &[sale], &prices, is_confirmed).await?;
        Ok(())
    }

    /// Rejects an added service that is archived. A service that staff archive later stays in the package until staff remove it
    /// from the package.
    async fn check_added_services(&self, work: &mut UnitOfWork, before: &Self) -> Result<()> {
        let is_added = |content: &PackageContentDraft| {
            before.package_contents.iter().all(|existing| existing.id != content.id)
        };
        let contents = self.package_contents.iter().enumerate();
        let added = contents
            .filter(|(_, content)| is_added(content))
            .map(|(index, content)| (format!("package_contents.{index}.id"), content.id));
        Ok(references::check_not_archived(work, &added.collect::<Vec<_>>()).await?.into_result(())?)
    }

    pub(crate) async fn insert(&self, work: &mut UnitOfWork) -> Result<PackageId> {
        let now = work.timestamp();
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
        let (id,): (PackageId,) = work.fetch_one(sql).await?;
        self.update(work, id).await?;
        Ok(id)
    }

    pub(crate) async fn update(&self, work: &mut UnitOfWork, id: PackageId) -> Result<()> {
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
                updated_at: work.timestamp(),
                id,
            },
        );
        work.execute(sql).await.map_err(unique_violation_as_duplicate_slug)?;
        work.execute(Sql::new("DELETE FROM package_contents WHERE package_id = ?").bind(id)).await?;
        let to_row = |(position, content): (i64, &PackageContentDraft)| -> Vec<Val> {
            let PackageContentDraft { id, quantity, price, is_displayable } = *content;
            vec![id.into(), position.into(), quantity.into(), price.into(), is_displayable.into()]
        };
        let rows: Vec<_> = (1_i64..).zip(&self.package_contents).map(to_row).collect();
        if !rows.is_empty() {
            let columns = ["service_id", "item_position", "quantity", "price", "is_displayable"];
            let sql = Sql::new(
                "INSERT INTO package_contents (package_id, service_id, position, quantity, price, is_displayable)
                 SELECT ?, r.service_id, r.item_position, r.quantity, r.price, r.is_displayable FROM ",
            );
            work.execute(sql.bind(id).rows("r", &columns, rows)).await?;
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
        let record =
            ChangedRecord { action, model: ChangeModel::Package, id: id.as_record_id(), name: &self.name };
        changes::record(work, record, &json!(before), &json!(self)).await
    }
}

/// If two requests write the same slug at the same time, both pass the check, and the unique index rejects the second write.
fn unique_violation_as_duplicate_slug(error: DbError) -> Error {
    if error.is_unique() { duplicate_slug() } else { error.into() }
}

fn duplicate_slug() -> Error {
    Error::invalid("slug", "slug_taken", "Another package has this slug. Enter a different one.")
}
