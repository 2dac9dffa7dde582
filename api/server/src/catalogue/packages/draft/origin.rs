//! Creates the draft of a package as a copy of a package that an external panel sells.

use panel_contract::amount::{Fraction, Money};
use panel_contract::common::Translations;
use panel_contract::fields::FieldErrors;
use panel_contract::ids::{NetworkId, ProviderPackageId, ServiceId};
use panel_contract::packages::PackageType;
use panel_kernel::error::Result;

use super::{PackageContentDraft, PackageDraft};
use crate::records::texts;
use panel_platform::db::{Sql, SqlExecutor as _};
use panel_platform::work::UnitOfWork;

/// Copies the fields of the external panel's package, and replaces each of its services by our service that was imported from it. A
/// service that was not imported is an error. Returns `None` if the external panel's package does not exist.
pub(in crate::catalogue::packages) async fn draft_from_provider_package(
    work: &mut UnitOfWork,
    id: ProviderPackageId,
) -> Result<(Option<PackageDraft>, FieldErrors)> {
    #[derive(sqlx::FromRow)]
    struct ProviderPackageRow {
        name: String,
        kind: PackageType,
        network_id: Option<NetworkId>,
        fixed_cost: Option<Money>,
        discount_ppm: Fraction,
        sync: bool,
    }
    let error_field = "provider_package_id";
    let sql = Sql::new(
        "SELECT name, type AS kind, network_id, fixed_cost, discount_ppm, sync FROM provider_packages WHERE id = ?",
    );
    let provider_package: Option<ProviderPackageRow> = work.fetch_optional(sql.bind(id)).await?;
    let Some(provider_package) = provider_package else {
        let errors =
            FieldErrors::single(error_field, format!("There is no package {id} of an external panel."));
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
    let contents: Vec<(String, String, i64, Option<ServiceId>)> = work.fetch_all(sql.bind(id)).await?;
    let mut errors = FieldErrors::default();
    let mut package_contents = Vec::new();
    for (panel_service_id, name, quantity, service) in contents {
        match service {
            Some(id) => {
                let content = PackageContentDraft { id, quantity, price: None, is_displayable: true };
                package_contents.push(content);
            }
            None => errors.add(
                error_field,
                format!("Import service {panel_service_id} ({name}) from the external panel first, because the package contains it."),
            ),
        }
    }
    let draft = PackageDraft {
        name: provider_package.name.clone(),
        kind: provider_package.kind,
        network_id: provider_package.network_id,
        fixed_cost: provider_package.fixed_cost,
        discount_ppm: provider_package.discount_ppm,
        sync: provider_package.sync,
        provider_package_id: Some(id),
        package_contents,
        translations: english_name(&provider_package.name),
        ..PackageDraft::default()
    };
    Ok((Some(draft), errors))
}

fn english_name(name: &str) -> Translations {
    let mut translations = Translations::default();
    texts::set(&mut translations, "en", "name", Some(name));
    translations
}
