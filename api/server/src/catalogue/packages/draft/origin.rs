//! A package as it is made of one that an external panel sells.

use panel_contract::amount::{Fraction, Money};
use panel_contract::common::Translations;
use panel_contract::fields::FieldErrors;
use panel_contract::ids::{NetworkId, ProviderPackageId, ServiceId};
use panel_contract::packages::PackageType;
use panel_kernel::error::Result;

use super::{PackageDraft, Part};
use crate::records::texts;
use panel_platform::db::{Source as _, Sql};
use panel_platform::work::UnitOfWork;

/// A package as one of an external panel says it: sold with the services of ours that its contents were imported as.
pub(in crate::catalogue::packages) async fn made_of(
    work: &mut UnitOfWork,
    id: ProviderPackageId,
) -> Result<(Option<PackageDraft>, FieldErrors)> {
    #[derive(sqlx::FromRow)]
    struct OriginRow {
        name: String,
        kind: PackageType,
        network_id: Option<NetworkId>,
        fixed_cost: Option<Money>,
        discount_ppm: Fraction,
        sync: bool,
    }
    let field = "provider_package_id";
    let sql = Sql::new(
        "SELECT name, type AS kind, network_id, fixed_cost, discount_ppm, sync FROM provider_packages WHERE id = ?",
    );
    let origin: Option<OriginRow> = work.opt(sql.bind(id)).await?;
    let Some(origin) = origin else {
        let errors = FieldErrors::one(field, format!("There is no package {id} of an external panel."));
        return Ok((None, errors));
    };
    let sql = Sql::new(
        "SELECT c.external_panel_service_id, c.name, c.quantity, (SELECT min(s.id) FROM providers p
           JOIN service_providers m ON m.provider_id = p.id JOIN services s ON s.id = m.service_id
           WHERE p.external_panel_id = y.external_panel_id AND p.external_panel_service_id = c.external_panel_service_id
             AND NOT p.is_archived AND NOT s.is_archived)
         FROM provider_package_contents c JOIN provider_packages y ON y.id = c.provider_package_id
         WHERE c.provider_package_id = ? ORDER BY c.name, c.external_panel_service_id",
    );
    let contents: Vec<(String, String, i64, Option<ServiceId>)> = work.all(sql.bind(id)).await?;
    let mut errors = FieldErrors::default();
    let mut package_contents = Vec::new();
    for (there, name, quantity, service) in contents {
        match service {
            Some(id) => package_contents.push(Part { id, quantity, price: None, is_displayable: true }),
            None => errors.add(
                field,
                format!("Import service {there} ({name}) of that panel first: the package sells it."),
            ),
        }
    }
    let draft = PackageDraft {
        name: origin.name.clone(),
        kind: origin.kind,
        network_id: origin.network_id,
        fixed_cost: origin.fixed_cost,
        discount_ppm: origin.discount_ppm,
        sync: origin.sync,
        provider_package_id: Some(id),
        package_contents,
        translations: english_name(&origin.name),
        ..PackageDraft::default()
    };
    Ok((Some(draft), errors))
}

fn english_name(name: &str) -> Translations {
    let mut translations = Translations::default();
    texts::put(&mut translations, "en", "name", Some(name));
    translations
}
