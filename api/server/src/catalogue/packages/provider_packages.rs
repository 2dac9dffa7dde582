//! Lists the packages that external panels sell, as the last import or sync stored them. This module only reads; imports and syncs
//! write these packages.

use panel_contract::amount::{Fraction, Money};
use panel_contract::common::{Data, NamedRef};
use panel_contract::endpoints::packages::{GetProviderPackage, ListProviderPackages};
use panel_contract::ids::{ExternalPanelId, NetworkId, ProviderPackageId};
use panel_contract::moment::Time;
use panel_contract::packages::{PackageType, ProviderPackage, ProviderPackageContent, ProviderPackageRow};
use panel_kernel::error::{Error, Result};

use crate::context::Ctx;
use crate::http::Req;
use crate::http::api::Api;
use crate::records::search_texts;
use panel_platform::db::{Sql, SqlExecutor as _};
use panel_platform::scope::Scope;
use panel_platform::table::{self, Join, RowSource, SearchTarget, Table, TextIndex, expr};

pub fn routes(api: Api) -> Api {
    api.list_route::<ListProviderPackages, _, _>(&PROVIDER_PACKAGES, |record: ProviderPackageRecord, _| {
        record.into_row()
    })
    .route::<GetProviderPackage, _, _, _>(get)
}

async fn get(ctx: Ctx, req: Req<GetProviderPackage>) -> Result<Data<ProviderPackage>> {
    let db = &mut ctx.db();
    let into_row = |record: ProviderPackageRecord, _: &Scope| record.into_row();
    let row = table::load_rows_from(db, &ctx, &PROVIDER_PACKAGES, &[req.path], into_row).await?.pop();
    let row = row.ok_or_else(|| Error::not_found("package of an external panel", req.path))?;
    let sql = Sql::new(
        "SELECT external_panel_service_id, name, quantity, price, pricing_per FROM provider_package_contents
         WHERE provider_package_id = ? ORDER BY name, external_panel_service_id",
    );
    let contents: Vec<(String, String, i64, Money, i64)> = db.fetch_all(sql.bind(req.path)).await?;
    let to_content = |(external_panel_service_id, name, quantity, price, pricing_per)| {
        ProviderPackageContent { external_panel_service_id, name, quantity, price, pricing_per }
    };
    Ok(Data { data: ProviderPackage { row, contents: contents.into_iter().map(to_content).collect() } })
}

static NAME_INDEX: TextIndex = TextIndex::rows("provider_packages", &["name"]);

pub static PROVIDER_PACKAGES: Table = Table::new(
    &panel_contract::lists::packages::PROVIDER_PACKAGES,
    RowSource {
        base: "provider_packages",
        alias: "y",
        key: "y.id",
        joins: &[
            Join { alias: "e", sql: "JOIN external_panels e ON e.id = y.external_panel_id" },
            Join { alias: "n", sql: "LEFT JOIN networks n ON n.id = y.network_id" },
        ],
        select: "y.id, y.name, y.type AS kind, y.external_panel_id, e.name AS panel_name, y.network_id, n.name AS network_name, y.fixed_cost, y.discount_ppm,
      y.sync, y.created_at, (SELECT count(*) FROM provider_package_contents x WHERE x.provider_package_id = y.id) AS contents_count,
      (SELECT count(*) FROM packages p WHERE p.provider_package_id = y.id) AS packages_count",
        ..RowSource::NONE
    },
    &[
        expr("external_panel", "e.name")
            .join("e")
            .text_index("y.external_panel_id", &search_texts::EXTERNAL_PANELS, "name"),
        expr("external_panel.id", "y.external_panel_id"),
        expr("external_panel.name", "e.name").join("e"),
        expr("network.id", "y.network_id"),
        expr("network.name", "n.name").join("n"),
        expr("discount_fraction", "y.discount_ppm"),
    ],
)
.global_search(&[
    SearchTarget::new("y.id", &NAME_INDEX, "name").own_columns(&["y.name"]),
    SearchTarget::new("y.external_panel_id", &search_texts::EXTERNAL_PANELS, "external_panel"),
    SearchTarget::new("y.network_id", &search_texts::NETWORKS, "network.name"),
]);

/// A row of [`PROVIDER_PACKAGES`] as the database returns it.
#[derive(Debug, sqlx::FromRow)]
pub struct ProviderPackageRecord {
    id: ProviderPackageId,
    name: String,
    kind: PackageType,
    external_panel_id: ExternalPanelId,
    panel_name: String,
    network_id: Option<NetworkId>,
    network_name: Option<String>,
    fixed_cost: Option<Money>,
    discount_ppm: Fraction,
    sync: bool,
    contents_count: i64,
    packages_count: i64,
    created_at: Time,
}

impl ProviderPackageRecord {
    fn into_row(self) -> ProviderPackageRow {
        let network = self.network_id.zip(self.network_name);
        ProviderPackageRow {
            id: self.id,
            name: self.name,
            kind: self.kind,
            external_panel: NamedRef { id: self.external_panel_id, name: self.panel_name },
            network: network.map(|(id, name)| NamedRef { id, name }),
            fixed_cost: self.fixed_cost,
            discount_fraction: self.discount_ppm,
            sync: self.sync,
            contents_count: self.contents_count,
            packages_count: self.packages_count,
            created_at: self.created_at,
        }
    }
}
