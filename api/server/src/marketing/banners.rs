//! Endpoints of banners: at most one per place on the customers' site, with ordered slides. The type `none` disables a banner.
//! Images must have exactly the size for their place.

mod slides;

use panel_contract::banners::{Banner, BannerInput, BannerPlace, BannerPlaceSizes, BannerType, Banners};
use panel_contract::change_logs::{ChangeAction, ChangeModel};
use panel_contract::common::Data;
use panel_contract::endpoint::EmptyBody;
use panel_contract::endpoints::banners::{CreateBanner, DeleteBanner, ListBanners, UpdateBanner};
use panel_contract::fields::FieldErrors;
use panel_contract::ids::BannerId;
use panel_contract::moment::Timestamp;
use panel_kernel::error::{Error, Result};
use panel_kernel::field_error_collector::FieldErrorCollector;
use serde::Serialize;
use serde_json::json;

use crate::context::Ctx;
use crate::http::Req;
use crate::http::api::Api;
use crate::marketing::banners::slides::Slide;
use crate::records::change_log::ChangedRecord;
use crate::records::changes;
use panel_domain::fields;
use panel_platform::db::{DbError, Sql, SqlExecutor};
use panel_platform::sql;
use panel_platform::work::UnitOfWork;

// Routes

pub fn routes(api: Api) -> Api {
    api.route::<ListBanners, _, _, _>(list)
        .route::<CreateBanner, _, _, _>(create)
        .route::<UpdateBanner, _, _, _>(update)
        .route::<DeleteBanner, _, _, _>(delete)
}

async fn list(ctx: Ctx, _req: Req<ListBanners>) -> Result<Banners> {
    let to_place_sizes = |place: &BannerPlace| {
        let (background_image, image) = place.image_sizes();
        let is_hidden_when_empty = place.is_hidden_when_empty();
        BannerPlaceSizes { place: *place, background_image, image, is_hidden_when_empty }
    };
    let data =
        load_banners(&mut ctx.db(), None).await?.into_iter().map(StoredBanner::into_response).collect();
    Ok(Banners { data, places: BannerPlace::ALL.iter().map(to_place_sizes).collect() })
}

async fn create(ctx: Ctx, req: Req<CreateBanner>) -> Result<Data<Banner>> {
    let (mut draft, mut errors) = BannerDraft::default().apply_input(&req.body);
    let Some(place) = draft.place else {
        // The place determines the sizes of the images, so nothing else can be checked without it.
        errors.add("place", "Choose a place for the banner.");
        return Err(errors.into());
    };
    let mut field_errors = FieldErrorCollector::from(errors);
    slides::process_images(&ctx, &mut field_errors, (place, &req.body), &[], &mut draft.informations).await?;
    field_errors.into_result(())?;
    let mut work = ctx.begin().await?;
    let id = draft.insert(&mut work, place).await?;
    draft.record_change(&mut work, ChangeAction::Created, id, &BannerDraft::default()).await?;
    commit_and_respond(work, id).await
}

async fn update(ctx: Ctx, req: Req<UpdateBanner>) -> Result<Data<Banner>> {
    // Images are processed before the transaction, because it holds the only writer of SQLite. The transaction then checks that the
    // banner has not changed.
    let loaded_banner = load_banner(&mut ctx.db(), req.path).await?;
    Error::check_not_stale("banner", req.body.updated_at, loaded_banner.updated_at)?;
    let (mut new_draft, mut errors) = loaded_banner.draft.clone().apply_input(&req.body);
    let place = new_draft.place.unwrap_or(BannerPlace::Sidebar);
    let changes_place = Some(place) != loaded_banner.draft.place && !new_draft.informations.is_empty();
    if changes_place {
        errors.add("place", "The slides have the image sizes of their place. Create another banner for the other place instead.");
    }
    let mut field_errors = FieldErrorCollector::from(errors);
    if !changes_place {
        let (input, old_slides) = ((place, &req.body), &loaded_banner.draft.informations);
        slides::process_images(&ctx, &mut field_errors, input, old_slides, &mut new_draft.informations)
            .await?;
    }
    field_errors.into_result(())?;
    let mut work = ctx.begin().await?;
    lock(&mut work, req.path).await?;
    let locked_banner = load_banner(&mut work, req.path).await?;
    Error::check_not_stale("banner", Some(loaded_banner.updated_at), locked_banner.updated_at)?;
    if new_draft != locked_banner.draft {
        new_draft.update_row(&mut work, req.path, place).await?;
        new_draft.record_change(&mut work, ChangeAction::Updated, req.path, &locked_banner.draft).await?;
    }
    commit_and_respond(work, req.path).await
}

async fn delete(ctx: Ctx, req: Req<DeleteBanner>) -> Result<EmptyBody> {
    let mut work = ctx.begin().await?;
    lock(&mut work, req.path).await?;
    let old_draft = load_banner(&mut work, req.path).await?.draft;
    delete_banner(&mut work, req.path).await?;
    let name = old_draft.name();
    let changed = ChangedRecord {
        action: ChangeAction::Deleted,
        model: ChangeModel::Banner,
        id: req.path.as_record_id(),
        name,
    };
    changes::record(&mut work, changed, &json!(old_draft), &json!({})).await?;
    work.finish(EmptyBody {}).await
}

async fn commit_and_respond(mut work: UnitOfWork, id: BannerId) -> Result<Data<Banner>> {
    let data = load_banner(&mut work, id).await?.into_response();
    work.finish(Data { data }).await
}

// Rules

/// Default display time of a slide, in seconds.
const DEFAULT_DELAY_SECS: i64 = 3;
/// Maximum length of the content in characters.
const MAX_CONTENT_CHARS: usize = 20_000;

/// The fields of a banner that staff edit, as recorded in the change log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct BannerDraft {
    /// `None` until a new banner gets its place.
    place: Option<BannerPlace>,
    #[serde(rename = "type")]
    kind: BannerType,
    content: Option<String>,
    scroll_delay: i64,
    informations: Vec<Slide>,
}

impl Default for BannerDraft {
    fn default() -> Self {
        let informations = Vec::new();
        Self {
            place: None,
            kind: BannerType::Slider,
            content: None,
            scroll_delay: DEFAULT_DELAY_SECS,
            informations,
        }
    }
}

impl BannerDraft {
    /// Applies an input without its images and returns the errors of all fields. `process_images` applies the images later.
    fn apply_input(mut self, input: &BannerInput) -> (Self, FieldErrors) {
        let mut errors = FieldErrors::default();
        self.place = input.place.or(self.place);
        self.kind = input.kind.unwrap_or(self.kind);
        fields::apply_text(&mut errors, "content", &input.content, &mut self.content, MAX_CONTENT_CHARS);
        if let Some(delay) = input.scroll_delay.as_update() {
            let delay = delay.copied().unwrap_or(DEFAULT_DELAY_SECS);
            fields::apply_integer(&mut errors, "scroll_delay", Some(delay), &mut self.scroll_delay, 1..=15);
        }
        if let Some(slides) = &input.informations {
            self.informations = slides::apply_input(&mut errors, &self.informations, slides);
        }
        if self.kind == BannerType::Content && self.content.is_none() {
            errors.add("content", "Enter the content, or choose the type with slides.");
        }
        if self.kind == BannerType::Slider && self.informations.is_empty() {
            errors.add("informations", "Add a slide, or disable the banner.");
        }
        (self, errors)
    }

    fn name(&self) -> &'static str {
        self.place.map_or("", BannerPlace::as_str)
    }
}

// Store

struct StoredBanner {
    id: BannerId,
    draft: BannerDraft,
    updated_at: Timestamp,
}

impl StoredBanner {
    fn into_response(self) -> Banner {
        Banner {
            id: self.id,
            place: self.draft.place.unwrap_or(BannerPlace::Sidebar),
            kind: self.draft.kind,
            is_enabled: self.draft.kind != BannerType::None,
            content: self.draft.content,
            scroll_delay: self.draft.scroll_delay,
            informations: (1..)
                .zip(self.draft.informations)
                .filter_map(|(sorting, slide)| slide.into_response(sorting))
                .collect(),
            updated_at: self.updated_at,
        }
    }
}

/// Lists the enabled banners, ordered by place.
pub async fn list_enabled(db: &mut impl SqlExecutor) -> Result<Vec<Banner>> {
    let banners = load_banners(db, None).await?;
    Ok(banners
        .into_iter()
        .filter(|banner| banner.draft.kind != BannerType::None)
        .map(StoredBanner::into_response)
        .collect())
}

/// Loads all banners, ordered by place, or the banner `id`, in three statements.
async fn load_banners(db: &mut impl SqlExecutor, id: Option<BannerId>) -> Result<Vec<StoredBanner>> {
    type BannerRow = (BannerId, BannerPlace, BannerType, Option<String>, i64, Timestamp);
    let mut sql = Sql::new("SELECT id, place, type, content, scroll_delay, updated_at FROM banners");
    if let Some(id) = id {
        sql = sql.push(" WHERE id = ?").bind(id);
    }
    let rows: Vec<BannerRow> = db.fetch_all(sql.push(" ORDER BY place")).await?;
    let ids: Vec<BannerId> = rows.iter().map(|row| row.0).collect();
    let mut slides = slides::load(db, &ids).await?;
    let to_banner = |(id, place, kind, content, scroll_delay, updated_at): BannerRow| {
        let informations = slides.remove(&id).unwrap_or_default();
        let draft = BannerDraft { place: Some(place), kind, content, scroll_delay, informations };
        StoredBanner { id, draft, updated_at }
    };
    Ok(rows.into_iter().map(to_banner).collect())
}

async fn load_banner(db: &mut impl SqlExecutor, id: BannerId) -> Result<StoredBanner> {
    load_banners(db, Some(id)).await?.pop().ok_or_else(|| Error::not_found("banner", id))
}

async fn lock(work: &mut UnitOfWork, id: BannerId) -> Result<()> {
    let sql = Sql::new("SELECT id FROM banners WHERE id = ?").bind(id).for_update();
    let row: Option<(BannerId,)> = work.fetch_optional(sql).await?;
    row.map(|_| ()).ok_or_else(|| Error::not_found("banner", id))
}

async fn delete_banner(work: &mut UnitOfWork, id: BannerId) -> Result<()> {
    slides::write(work, id, &[]).await?;
    work.execute(Sql::new("DELETE FROM banners WHERE id = ?").bind(id)).await?;
    Ok(())
}

impl BannerDraft {
    /// Returns the INSERT and the UPDATE of a banner, without its slides.
    fn insert_and_update_sql(&self, place: BannerPlace, now: Timestamp) -> [Sql; 2] {
        sql!(
            [
                "INSERT INTO banners (place, type, content, scroll_delay, created_at, updated_at) \
                   VALUES (@place, @type, @content, @scroll_delay, @now, @now) RETURNING id",
                "UPDATE banners SET place = @place, type = @type, content = @content, scroll_delay = @scroll_delay, \
                   updated_at = @now WHERE id = @id",
            ],
            {
                place: place.as_str(),
                type: self.kind.as_str(),
                content: self.content.clone(),
                scroll_delay: self.scroll_delay,
                now,
            },
            bound_later: [id],
        )
    }

    async fn insert(&self, work: &mut UnitOfWork, place: BannerPlace) -> Result<BannerId> {
        let [insert_sql, _] = self.insert_and_update_sql(place, work.timestamp());
        let (id,): (BannerId,) = work.fetch_one(insert_sql).await.map_err(unique_violation)?;
        slides::write(work, id, &self.informations).await?;
        Ok(id)
    }

    async fn update_row(&self, work: &mut UnitOfWork, id: BannerId, place: BannerPlace) -> Result<()> {
        let [_, update_sql] = self.insert_and_update_sql(place, work.timestamp());
        work.execute(update_sql.bind_named("id", id)).await.map_err(unique_violation)?;
        slides::write(work, id, &self.informations).await
    }

    async fn record_change(
        &self,
        work: &mut UnitOfWork,
        action: ChangeAction,
        id: BannerId,
        old_draft: &Self,
    ) -> Result<()> {
        let changed =
            ChangedRecord { action, model: ChangeModel::Banner, id: id.as_record_id(), name: self.name() };
        changes::record(work, changed, &json!(old_draft), &json!(self)).await
    }
}

fn unique_violation(error: DbError) -> Error {
    match error.is_unique() {
        true => Error::invalid(
            "place",
            "place_taken",
            "This place already has a banner. Edit that banner instead.",
        ),
        false => error.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse_draft(body: &str) -> Result<BannerDraft, Vec<String>> {
        let input: BannerInput = FieldErrors::from_json(body.as_bytes()).unwrap();
        let (draft, errors) = BannerDraft::default().apply_input(&input);
        errors.into_result(draft).map_err(|errors| errors.0.into_keys().collect())
    }

    #[test]
    fn rejects_an_enabled_banner_without_content() {
        assert_eq!(parse_draft("{}").unwrap_err(), ["informations"]);
        assert_eq!(parse_draft(r#"{"type":"content"}"#).unwrap_err(), ["content"]);
        let disabled_banner = parse_draft(r#"{"type":"none","scroll_delay":null}"#).unwrap();
        assert_eq!((disabled_banner.kind, disabled_banner.scroll_delay), (BannerType::None, 3));
        assert_eq!(parse_draft(r#"{"type":"none","scroll_delay":16}"#).unwrap_err(), ["scroll_delay"]);
        assert_eq!(parse_draft(r#"{"type":"none","scroll_delay":0}"#).unwrap_err(), ["scroll_delay"]);
    }

    #[test]
    fn every_place_has_sizes() {
        assert_eq!(BannerPlace::ALL.len(), 19);
        let (background, image) = BannerPlace::ServicesLittleLeft.image_sizes();
        assert_eq!((background.width, image.width), (590, 216));
    }

    #[test]
    fn only_the_place_of_tasks_is_hidden_without_a_banner() {
        let hidden_places: Vec<_> =
            BannerPlace::ALL.iter().filter(|place| place.is_hidden_when_empty()).collect();
        assert_eq!(hidden_places, [&BannerPlace::TasksHeader]);
    }
}
