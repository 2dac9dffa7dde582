//! Services: the list, one service with everything about it, and what staff do with them.

pub mod bulk;
mod checks;
pub mod draft;
pub mod preview;
mod rules;

use std::collections::BTreeSet;

use panel_contract::amount::Money;
use panel_contract::change_logs::{ChangeAction, ChangeModel};
use panel_contract::common::{Data, Named};
use panel_contract::endpoints::services::{
    ArchiveService, BulkUpdateServices, CopyService, CreateService, GetService, ListServices, PreviewPrices,
    UnarchiveService, UpdateService,
};
use panel_contract::fields::FieldErrors;
use panel_contract::moment::Time;
use panel_contract::panel_service_types::PanelServiceType;
use panel_contract::permission::Permission;
use panel_contract::services::{Service, ServiceActions, ServiceRow};

use crate::catalogue::archiving::Shelf;
use crate::catalogue::networks::NETWORK_TEXTS;
use crate::catalogue::service_types::SERVICE_TYPE_TEXTS;
use crate::catalogue::services::checks::{check_group, check_margin, check_move, check_providers};
use crate::catalogue::services::draft::Draft;
use crate::catalogue::targets::asked;
use crate::catalogue::texts::{Text, Texts};
use crate::catalogue::uses::{self, use_of_service};
use crate::db::{Source, Sql, names};
use crate::http::api::Api;
use crate::http::error::{ApiError, Result};
use crate::http::wrong_fields::WrongFields;
use crate::http::{Ctx, Req};
use crate::marketing::auto_promotions::levels;
use crate::operations::least_margin;
use crate::operations::orders::list::SERVICE_TEXTS;
use crate::supply::external_panels::PANEL_TEXTS;
use crate::supply::providers::{FIRST_PANEL, OF_PANELS};
use crate::table::{self, Arm, Column, Join, Kind, Table, Through};
use crate::words_of;
use crate::work::Work;

// Routes

/// Adds the endpoints.
pub fn routes(api: Api) -> Api {
    api.table::<ListServices, _, _>(&SERVICES, |record: Record, ctx| record.shown(ctx))
        .on::<GetService, _, _, _>(get)
        .on::<CreateService, _, _, _>(create)
        .on::<UpdateService, _, _, _>(update)
        .on::<ArchiveService, _, _, _>(archive)
        .on::<UnarchiveService, _, _, _>(unarchive)
        .on::<CopyService, _, _, _>(copy)
        .on::<BulkUpdateServices, _, _, _>(bulk::update)
        .on::<PreviewPrices, _, _, _>(preview::preview)
}

async fn get(ctx: Ctx, req: Req<GetService>) -> Result<Data<Service>> {
    Ok(Data { data: load(&mut ctx.db(), &ctx, req.path).await? })
}

async fn create(ctx: Ctx, req: Req<CreateService>) -> Result<Data<Service>> {
    let (draft, errors) = Draft::blank().with(&req.body);
    let mut wrong = WrongFields::from(errors);
    let mut work = ctx.begin().await?;
    wrong.note(check_references(&mut work, &draft, &Draft::blank()).await)?;
    wrong.or(())?;
    let confirmed = req.body.confirm_below_margin;
    least_margin::check_margin(&mut work, "resale_margin_percent", draft.resale_margin_ppm, confirmed)
        .await?;
    let id = draft.insert(&mut work).await?;
    check_providers(&mut work, id, &draft, &Draft::blank()).await?;
    check_margin(&mut work, (id, "default_price"), &draft, req.body.confirm_below_margin).await?;
    draft.tell(&mut work, ChangeAction::Created, id, &Draft::blank()).await?;
    answer(work, id).await
}

async fn update(ctx: Ctx, req: Req<UpdateService>) -> Result<Data<Service>> {
    let mut work = ctx.begin().await?;
    let (before, stamp, _) = Draft::lock(&mut work, req.path).await?;
    ApiError::unless_newest("service", req.body.updated_at, stamp)?;
    let (after, errors) = before.clone().with(&req.body);
    let mut wrong = WrongFields::from(errors);
    wrong.note(check_references(&mut work, &after, &before).await)?;
    wrong.or(())?;
    if after != before {
        if after.resale_margin_ppm != before.resale_margin_ppm {
            let (field, wanted) = ("resale_margin_percent", after.resale_margin_ppm);
            least_margin::check_margin(&mut work, field, wanted, req.body.confirm_below_margin).await?;
        }
        after.write(&mut work, req.path, &before).await?;
        check_providers(&mut work, req.path, &after, &before).await?;
        if let Some(field) = after.earns_less_by(&before) {
            check_margin(&mut work, (req.path, field), &after, req.body.confirm_below_margin).await?;
        }
        if after.service_type_id != before.service_type_id {
            check_move(&mut work, req.path, (before.service_type_id, after.service_type_id)).await?;
            levels::follow(&mut work).await?;
        }
        after.tell(&mut work, ChangeAction::Updated, req.path, &before).await?;
    }
    answer(work, req.path).await
}

async fn archive(ctx: Ctx, req: Req<ArchiveService>) -> Result<Data<Service>> {
    put_away(ctx, req.path, true).await
}

async fn unarchive(ctx: Ctx, req: Req<UnarchiveService>) -> Result<Data<Service>> {
    put_away(ctx, req.path, false).await
}

async fn put_away(ctx: Ctx, id: i64, away: bool) -> Result<Data<Service>> {
    let mut work = ctx.begin().await?;
    let (draft, _, is_archived) = Draft::lock(&mut work, id).await?;
    SHELF.judge(is_archived, away)?;
    if away {
        uses::unless_used(&mut work, &uses::OF_SERVICE, id).await?;
    }
    let before = SHELF.before(&mut work, id).await?;
    write_archived(&mut work, id, away, draft.service_type_id).await?;
    SHELF.tell(&mut work, (id, &draft.name), away, &before).await?;
    answer(work, id).await
}

async fn copy(ctx: Ctx, req: Req<CopyService>) -> Result<Data<Service>> {
    let mut work = ctx.begin().await?;
    let (original, ..) = Draft::lock(&mut work, req.path).await?;
    let copy = original.copied();
    let id = copy.insert(&mut work).await?;
    copy.tell(&mut work, ChangeAction::Copied, id, &Draft::blank()).await?;
    answer(work, id).await
}

async fn answer(mut work: Work, id: i64) -> Result<Data<Service>> {
    let ctx = work.ctx().clone();
    let data = load(&mut work, &ctx, id).await?;
    work.finish(Data { data }).await
}

/// The services list.
pub static SERVICES: Table = Table {
    name: "services",
    base: "services",
    alias: "s",
    key: "s.id",
    scope: None,
    joins: &[
        Join { alias: "t", sql: "JOIN service_types t ON t.id = s.service_type_id" },
        Join {
            alias: "n",
            sql: "JOIN networks n ON n.id = (SELECT network_id FROM service_types WHERE id = s.service_type_id)",
        },
    ],
    select: SELECT,
    columns: COLUMNS,
    plain: &[Column::new("is_archived", "s.is_archived", Kind::Flag)],
    common: &[
        Arm::new("s.id", &SERVICE_TEXTS, "name").here(&["s.name"]),
        Arm::new("s.service_type_id", &SERVICE_TYPE_TEXTS, "service_type.name"),
        Arm::new("s.service_type_id", &NETWORK_TEXTS, "network.name").through(NETWORK_OF_TYPE),
    ],
    order: &[],
    kept: None,
};

const COLUMNS: &[Column] = &[
    Column::new("id", "s.id", Kind::Id),
    Column::new("name", "s.name", Kind::Text).found("s.id", &SERVICE_TEXTS, "name"),
    Column::new("type", "t.name", Kind::Text).of("t").hidden(),
    Column::new("service_type.id", "s.service_type_id", Kind::Id),
    Column::new("service_type_id", "s.service_type_id", Kind::Id),
    Column::new("service_type.name", "t.name", Kind::Text).of("t"),
    Column::new("network", "n.name", Kind::Text).of("n").hidden(),
    Column::new("network.id", "n.id", Kind::Id).of("n"),
    Column::new("network.name", "n.name", Kind::Text).of("n"),
    Column::new("price", "s.default_price", Kind::Money).hidden(),
    Column::new("default_price", "s.default_price", Kind::Money),
    Column::new("min_price", "s.min_price", Kind::Money),
    Column::new("pricing_per", "s.pricing_per", Kind::Number),
    Column::new("min_quantity", "s.min_quantity", Kind::Number),
    Column::new("max_quantity", "s.max_quantity", Kind::Number),
    Column::new("quantity_step", "s.quantity_step", Kind::Number),
    Column::new("is_enabled", "s.is_enabled", Kind::Flag),
    Column::new("is_archived", "s.is_archived", Kind::Flag),
    Column::new("moderation_is_enabled", "s.moderation_is_enabled", Kind::Flag),
    Column::new("has_refill", "s.has_refill", Kind::Flag),
    Column::new("drip_feed_is_allowed", "s.drip_feed_is_allowed", Kind::Flag),
    Column::new("panel_service_type", "s.panel_service_type", words_of!(PanelServiceType)),
    Column::new("has_no_active_providers", "(NOT s.has_active_providers)", Kind::Flag),
    Column::new("external_panels", FIRST_PANEL, Kind::Ref)
        .nullable()
        .found("s.id", &PANEL_TEXTS, "name")
        .through(OF_PANELS, "v.external_panel_id"),
    Column::new("created_at", "s.created_at", Kind::Time),
];

const SELECT: &str = concat!(
    "s.id, s.name, s.service_type_id AS type_id, t.name AS type_name, n.id AS network_id, n.name AS network_name,
  s.default_price, s.min_price, s.pricing_per, s.min_quantity, s.max_quantity, s.quantity_step, s.is_enabled, s.is_archived,
  s.moderation_is_enabled, s.has_refill, s.drip_feed_is_allowed, s.has_active_providers, s.panel_service_type, s.created_at,
  (SELECT string_agg(q.name, ', ') FROM (SELECT DISTINCT e.name FROM service_providers x JOIN providers v ON v.id = x.provider_id
    JOIN external_panels e ON e.id = v.external_panel_id WHERE x.service_id = s.id AND NOT v.is_archived ORDER BY e.name) q) AS external_panels, ",
    use_of_service!(any, "s.id", "@now"),
    " AS is_used"
);

// Rules

/// What a service has in every language.
pub const TEXTS: Texts = Texts {
    owner: "service",
    fields: &[
        Text { field: "name", most: 255 },
        Text { field: "example_link", most: 2_000 },
        Text { field: "speed", most: 255 },
        Text { field: "geo", most: 255 },
        Text { field: "requirements", most: 5_000 },
        Text { field: "guarantee", most: 255 },
        Text { field: "start_time", most: 255 },
        Text { field: "short_description", most: 2_000 },
        Text { field: "reviews", most: 20_000 },
        Text { field: "description", most: 50_000 },
        Text { field: "meta_description", most: 1_000 },
        Text { field: "meta_title", most: 255 },
    ],
};

/// How long providers are away before people are told, in microseconds.
const LONG: i64 = 24 * 3_600 * 1_000_000;

/// How one is put away.
const SHELF: Shelf = Shelf {
    model: ChangeModel::Service,
    table: "services",
    noun: "service",
    codes: ["service_archived", "service_not_archived"],
};

fn actions(is_archived: bool, is_used: bool, ctx: &Ctx) -> ServiceActions {
    let may = ctx.may(Permission::ManageServicesAndProviders);
    ServiceActions {
        editable: may,
        archivable: may && !is_used && SHELF.judge(is_archived, true).is_ok(),
        restore: may && SHELF.judge(is_archived, false).is_ok(),
        copyable: may,
    }
}

// Store

/// A service belongs to the network of its type.
const NETWORK_OF_TYPE: Through = Through {
    select: "SELECT id FROM service_types WHERE ",
    column: "network_id",
    here: "(SELECT network_id FROM service_types WHERE id = s.service_type_id)",
};

/// A service as the database has it.
#[derive(Debug, sqlx::FromRow)]
pub struct Record {
    id: i64,
    name: String,
    type_id: i64,
    type_name: String,
    network_id: i64,
    network_name: String,
    default_price: Money,
    min_price: Money,
    pricing_per: i64,
    min_quantity: i64,
    max_quantity: i64,
    quantity_step: i64,
    is_enabled: bool,
    is_archived: bool,
    moderation_is_enabled: bool,
    has_refill: bool,
    drip_feed_is_allowed: bool,
    has_active_providers: bool,
    panel_service_type: PanelServiceType,
    is_used: bool,
    external_panels: Option<String>,
    created_at: Time,
}

impl Record {
    fn shown(self, ctx: &Ctx) -> ServiceRow {
        ServiceRow {
            id: self.id,
            name: self.name,
            service_type_id: self.type_id,
            service_type: Named { id: self.type_id, name: self.type_name },
            network: Named { id: self.network_id, name: self.network_name },
            default_price: self.default_price,
            min_price: self.min_price,
            pricing_per: self.pricing_per,
            min_quantity: self.min_quantity,
            max_quantity: self.max_quantity,
            quantity_step: self.quantity_step,
            is_enabled: self.is_enabled,
            is_archived: self.is_archived,
            moderation_is_enabled: self.moderation_is_enabled,
            has_refill: self.has_refill,
            drip_feed_is_allowed: self.drip_feed_is_allowed,
            has_no_active_providers: !self.has_active_providers,
            external_panels: self.external_panels,
            panel_service_type: self.panel_service_type,
            created_at: self.created_at,
            actions: actions(self.is_archived, self.is_used, ctx),
        }
    }
}

/// One service, in nine statements.
async fn load(db: &mut impl Source, ctx: &Ctx, id: i64) -> Result<Service> {
    let mut rows =
        table::rows_from(db, ctx, &SERVICES, &[id], |record: Record, ctx| record.shown(ctx)).await?;
    let row = rows.pop().ok_or_else(|| ApiError::not_found("service", id))?;
    let read = Draft::read(db, id, false).await?;
    let (draft, updated_at, _) = read.ok_or_else(|| ApiError::not_found("service", id))?;
    let last: (Option<Time>,) = db
        .one(Sql::new("SELECT last_time_providers_are_available_at FROM services WHERE id = ?").bind(id))
        .await?;
    let away = |last: Time| row.has_no_active_providers && ctx.now().0 - last.0 > LONG;
    Ok(Service {
        switches: (&draft.switches).into(),
        terms: draft.terms(),
        providers: providers(db, &draft.providers).await?,
        providers_are_unavailable_for_a_long_time: last.0.is_some_and(away),
        last_time_providers_are_available_at: last.0,
        countries: serde_json::from_str(&draft.countries).unwrap_or_default(),
        asked: asked::shown(db, &draft.targets).await?,
        asks: asked::of_services(db, &[id]).await?.remove(&id).unwrap_or_default(),
        labels: draft.labels,
        translations: draft.translations,
        updated_at,
        row,
    })
}

async fn providers(db: &mut impl Source, ids: &[i64]) -> Result<Vec<Named>> {
    let mut names = names::of(db, "providers", ids).await?;
    Ok(ids.iter().filter_map(|id| names.remove(id).map(|name| Named { id: *id, name })).collect())
}

/// What an input refers to must be there; only what changed is asked for.
async fn check_references(work: &mut Work, after: &Draft, before: &Draft) -> Result<()> {
    let mut wrong = WrongFields::default();
    let mut errors = FieldErrors::default();
    if after.slug.is_some() && after.slug != before.slug {
        let other = Sql::new("SELECT id FROM services WHERE slug = ?").bind(after.slug.clone());
        if work.opt::<(i64,)>(other).await?.is_some() {
            wrong.note(Err::<(), _>(draft::slug_taken()))?;
        }
    }
    if after.service_type_id != before.service_type_id
        && names::one(work, "service_types", after.service_type_id).await?.is_none()
    {
        errors.add("service_type_id", format!("There is no service type {}.", after.service_type_id));
    }
    check_group(work, &mut errors, after, before).await?;
    if after.labels != before.labels {
        let known = names::of(work, "labels", &after.labels).await?;
        for id in after.labels.iter().filter(|id| !known.contains_key(*id)) {
            errors.add("labels", format!("There is no label {id}."));
        }
    }
    if after.providers != before.providers {
        let sql = Sql::new("SELECT id FROM providers WHERE NOT is_archived AND id IN ").ids(&after.providers);
        let known: BTreeSet<i64> = work.all::<(i64,)>(sql).await?.into_iter().map(|(id,)| id).collect();
        let new = |id: &i64| !before.providers.contains(id) && !known.contains(id);
        for (at, id) in after.providers.iter().enumerate().filter(|(_, id)| new(id)) {
            errors.add(format!("providers.{at}"), format!("There is no provider {id}, or it is archived."));
        }
    }
    if after.targets != before.targets {
        asked::check(work, &mut errors, &after.targets).await?;
    }
    wrong.note(errors.or(()))?;
    wrong.or(())
}

/// Who comes back stands last in its service type.
async fn write_archived(work: &mut Work, id: i64, away: bool, kind: i64) -> Result<()> {
    let mut sql =
        Sql::new("UPDATE services SET is_archived = ?, updated_at = ?").bind(away).bind(work.stamp());
    if !away {
        sql = sql.push(", sorting = (SELECT COALESCE(max(x.sorting), 0) + 1 FROM services x WHERE NOT x.is_archived AND x.service_type_id = ?)");
        sql = sql.bind(kind);
    }
    work.exec(sql.push(" WHERE id = ?").bind(id)).await?;
    Ok(())
}
