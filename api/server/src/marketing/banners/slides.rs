//! The slides of a banner: translated texts and colors, and images with the size for their place.

use std::collections::BTreeMap;

use panel_contract::banners::{BannerInformation, BannerInformationInput, BannerInput, BannerPlace};
use panel_contract::common::{Patch, Translations};
use panel_contract::fields::FieldErrors;
use panel_contract::ids::{BannerId, SlideId};
use panel_kernel::error::Result;
use panel_kernel::field_error_collector::FieldErrorCollector;
use serde::Serialize;

use crate::context::Ctx;
use crate::records::changes::serialize_none_as_zero;
use crate::records::texts::{self, TextField, TextFields};
use panel_domain::fields;
use panel_platform::db::{Sql, SqlExecutor};
use panel_platform::sql;
use panel_platform::work::UnitOfWork;

/// Maximum number of slides of a banner.
const MAX_SLIDES: usize = 20;

/// The translated fields of a slide.
const TEXTS: TextFields = TextFields {
    owner_type: "banner_information",
    fields: &[
        TextField { field: "title", max_chars: 200 },
        TextField { field: "title_color", max_chars: 7 },
        TextField { field: "sub_title", max_chars: 500 },
        TextField { field: "sub_title_color", max_chars: 7 },
        TextField { field: "button_text", max_chars: 100 },
        TextField { field: "button_text_color", max_chars: 7 },
        TextField { field: "button_bg_color", max_chars: 7 },
        TextField { field: "button_link", max_chars: 2_000 },
    ],
};

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Slide {
    /// `None` for a new slide.
    #[serde(serialize_with = "serialize_none_as_zero")]
    id: Option<SlideId>,
    image: Option<String>,
    background_image: Option<String>,
    background_color: Option<String>,
    translations: Translations,
}

impl Slide {
    /// Returns the slide for a response; `None` before it is inserted.
    pub(super) fn into_response(self, sorting: i64) -> Option<BannerInformation> {
        Some(BannerInformation {
            id: self.id?,
            image: self.image,
            background_image: self.background_image,
            background_color: self.background_color,
            sorting,
            translations: self.translations,
        })
    }
}

// Rules

/// Returns the indexes of the slides in the request, in the order of `sorting`.
fn sorted_indexes(inputs: &[BannerInformationInput]) -> Vec<usize> {
    let mut indexes: Vec<usize> = (0..inputs.len()).collect();
    indexes.sort_by_key(|index| inputs.get(*index).and_then(|slide| slide.sorting));
    indexes
}

/// Applies the slides of a request without their images. Errors name `informations.N.field`.
pub(super) fn apply_input(
    errors: &mut FieldErrors,
    old_slides: &[Slide],
    inputs: &[BannerInformationInput],
) -> Vec<Slide> {
    if inputs.len() > MAX_SLIDES {
        errors.add("informations", format!("Use at most {MAX_SLIDES} slides."));
    }
    let mut new_slides = Vec::with_capacity(inputs.len());
    for index in sorted_indexes(inputs) {
        let Some(input) = inputs.get(index) else { continue };
        let field = |name: &str| format!("informations.{index}.{name}");
        let old_slide = old_slides.iter().find(|slide| input.id.is_some() && input.id == slide.id).cloned();
        if let (Some(id), true) = (input.id, old_slide.is_none()) {
            errors
                .add(field("id"), format!("The banner has no slide {id}. Remove the id to add a new slide."));
        }
        if input.id.is_some() && inputs[..index].iter().any(|other_input| other_input.id == input.id) {
            errors.add(field("id"), "The request has this slide twice. Remove one of them.");
        }
        let new_slide = Slide {
            id: None,
            image: None,
            background_image: None,
            background_color: None,
            translations: Translations::default(),
        };
        let mut slide = old_slide.unwrap_or(new_slide);
        fields::apply_color(
            errors,
            &field("background_color"),
            &input.background_color,
            &mut slide.background_color,
        );
        if let Some(translations) = &input.translations {
            let mut field_errors = FieldErrors::default();
            slide.translations = texts::validate(&mut field_errors, &TEXTS, translations);
            check_texts(&mut field_errors, &slide.translations);
            for (name, messages) in field_errors.0 {
                messages.into_iter().for_each(|message| errors.add(field(&name), message));
            }
        }
        new_slides.push(slide);
    }
    new_slides
}

/// Checks colors and links, and that there are English texts, which replace missing texts of other languages.
fn check_texts(errors: &mut FieldErrors, translations: &Translations) {
    if !translations.0.is_empty() && !translations.0.contains_key("en") {
        errors.add(
            "translations.en.title",
            "Enter the English texts. They replace missing texts of other languages.",
        );
    }
    for (locale, fields) in &translations.0 {
        for (name, text) in fields {
            let field = format!("translations.{locale}.{name}");
            let value = Patch::Set(text.clone());
            if name.ends_with("_color") {
                fields::apply_color(errors, &field, &value, &mut None);
            } else if name == "button_link" {
                fields::apply_http_url(errors, &field, &value, &mut None);
            }
        }
    }
}

/// Stores the images of a request and sets them in the slides. Adds an error for each image that does not have exactly the size
/// for its place.
pub(super) async fn process_images(
    ctx: &Ctx,
    field_errors: &mut FieldErrorCollector,
    (place, input): (BannerPlace, &BannerInput),
    old_slides: &[Slide],
    new_slides: &mut [Slide],
) -> Result<()> {
    let Some(inputs) = &input.informations else { return Ok(()) };
    let (background, image) = place.image_sizes();
    let uploads = &ctx.app.uploads;
    for (slide, index) in new_slides.iter_mut().zip(sorted_indexes(inputs)) {
        let Some(input) = inputs.get(index) else { continue };
        let old_slide = old_slides.iter().find(|candidate| candidate.id == slide.id && slide.id.is_some());
        let field = format!("informations.{index}.image");
        let current_image = old_slide.and_then(|old_slide| old_slide.image.as_deref());
        let stored_image = uploads
            .store_image_of_size(
                ctx.meta.dry_run,
                &field,
                &input.image,
                current_image,
                (image.width, image.height),
            )
            .await;
        slide.image = field_errors.collect(stored_image)?.flatten();
        let field = format!("informations.{index}.background_image");
        let current_image = old_slide.and_then(|old_slide| old_slide.background_image.as_deref());
        let size = (background.width, background.height);
        let stored_image = uploads
            .store_image_of_size(ctx.meta.dry_run, &field, &input.background_image, current_image, size)
            .await;
        slide.background_image = field_errors.collect(stored_image)?.flatten();
    }
    Ok(())
}

// Store

/// Loads the slides of banners in their order, in two statements.
pub(super) async fn load(
    db: &mut impl SqlExecutor,
    banners: &[BannerId],
) -> Result<BTreeMap<BannerId, Vec<Slide>>> {
    type SlideRow = (BannerId, SlideId, Option<String>, Option<String>, Option<String>);
    let sql = Sql::new(
        "SELECT banner_id, id, image, background_image, background_color FROM banner_informations WHERE banner_id IN ",
    );
    let rows: Vec<SlideRow> = db.fetch_all(sql.ids(banners).push(" ORDER BY banner_id, sorting, id")).await?;
    let ids: Vec<SlideId> = rows.iter().map(|row| row.1).collect();
    let mut translations_by_slide = texts::load(db, &TEXTS, &ids).await?;
    let mut slides: BTreeMap<BannerId, Vec<Slide>> = BTreeMap::new();
    for (banner_id, id, image, background_image, background_color) in rows {
        let translations = translations_by_slide.remove(&id).unwrap_or_default();
        slides.entry(banner_id).or_default().push(Slide {
            id: Some(id),
            image,
            background_image,
            background_color,
            translations,
        });
    }
    Ok(slides)
}

/// Replaces the slides of a banner. Remaining slides keep their ids.
pub(super) async fn write(work: &mut UnitOfWork, banner_id: BannerId, slides: &[Slide]) -> Result<()> {
    let remaining_ids: Vec<SlideId> = slides.iter().filter_map(|slide| slide.id).collect();
    let delete_texts_sql = Sql::new(
        "DELETE FROM translations WHERE owner_type = 'banner_information' AND owner_id IN (SELECT id FROM banner_informations WHERE banner_id = ?)",
    );
    work.execute(delete_texts_sql.bind(banner_id)).await?;
    let delete_slides_sql =
        Sql::new("DELETE FROM banner_informations WHERE banner_id = ? AND id NOT IN ").bind(banner_id);
    work.execute(delete_slides_sql.ids(&remaining_ids)).await?;
    for (sorting, slide) in (1_i64..).zip(slides) {
        let id = write_slide(work, banner_id, sorting, slide).await?;
        texts::write(work, &TEXTS, id, &slide.translations).await?;
    }
    Ok(())
}

async fn write_slide(
    work: &mut UnitOfWork,
    banner_id: BannerId,
    sorting: i64,
    slide: &Slide,
) -> Result<SlideId> {
    let [insert_sql, update_sql] = sql!(
        [
            "INSERT INTO banner_informations (banner_id, image, background_image, background_color, sorting, created_at) \
               VALUES (@banner_id, @image, @background_image, @background_color, @sorting, @created_at) RETURNING id",
            "UPDATE banner_informations SET image = @image, background_image = @background_image, \
               background_color = @background_color, sorting = @sorting WHERE id = @id",
        ],
        {
            image: slide.image.clone(),
            background_image: slide.background_image.clone(),
            background_color: slide.background_color.clone(),
            sorting,
        },
        bound_later: [banner_id, created_at, id],
    );
    if let Some(id) = slide.id {
        work.execute(update_sql.bind_named("id", id)).await?;
        return Ok(id);
    }
    let insert_sql = insert_sql.bind_named("banner_id", banner_id).bind_named("created_at", work.now);
    Ok(work.fetch_one::<(SlideId,)>(insert_sql).await?.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn apply_slides(inputs: &str) -> Result<Vec<Slide>, Vec<String>> {
        let inputs: Vec<BannerInformationInput> = serde_json::from_str(inputs).unwrap();
        let old_slide = Slide {
            id: Some(SlideId::new(7)),
            image: None,
            background_image: None,
            background_color: Some("#000000".into()),
            translations: Translations::default(),
        };
        let mut errors = FieldErrors::default();
        let new_slides = apply_input(&mut errors, &[old_slide], &inputs);
        errors.into_result(new_slides).map_err(|errors| errors.0.into_keys().collect())
    }

    #[test]
    fn slides_are_ordered_by_sorting() {
        let slides = apply_slides(r#"[{"sorting":2},{"id":7,"sorting":1}]"#).unwrap();
        assert_eq!(slides.iter().map(|slide| slide.id).collect::<Vec<_>>(), [Some(SlideId::new(7)), None]);
        assert_eq!(slides[0].background_color.as_deref(), Some("#000000"), "a missing field keeps its value");
    }

    #[test]
    fn errors_name_each_invalid_text_of_each_slide() {
        let input = r##"[{"id":9},{"background_color":"red","translations":{"en":{"title_color":"#12","button_link":"x"}}},
            {"translations":{"de":{"title":"Neu"}}},{"id":7},{"id":7}]"##;
        let fields = [
            "informations.0.id",
            "informations.1.background_color",
            "informations.1.translations.en.button_link",
            "informations.1.translations.en.title_color",
            "informations.2.translations.en.title",
            "informations.4.id",
        ];
        assert_eq!(apply_slides(input).unwrap_err(), fields);
    }
}
