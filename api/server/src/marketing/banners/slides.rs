//! The slides of a banner: translated texts and colors, and images of the sizes of their place.

use std::collections::BTreeMap;

use panel_contract::banners::{BannerInformation, BannerInformationInput, BannerInput, BannerPlace};
use panel_contract::common::{Patch, Translations};
use panel_contract::fields::FieldErrors;
use panel_contract::ids::{BannerId, SlideId};
use panel_kernel::error::Result;
use panel_kernel::wrong_fields::WrongFields;
use serde::Serialize;

use crate::context::Ctx;
use crate::records::changes::none_as_zero;
use crate::records::texts::{self, Text, Texts};
use panel_domain::fields;
use panel_platform::db::{Source, Sql};
use panel_platform::sql;
use panel_platform::work::UnitOfWork;

const MAX_SLIDES: usize = 20;

/// The translated fields of a slide.
const TEXTS: Texts = Texts {
    owner: "banner_information",
    fields: &[
        Text { field: "title", most: 200 },
        Text { field: "title_color", most: 7 },
        Text { field: "sub_title", most: 500 },
        Text { field: "sub_title_color", most: 7 },
        Text { field: "button_text", most: 100 },
        Text { field: "button_text_color", most: 7 },
        Text { field: "button_bg_color", most: 7 },
        Text { field: "button_link", most: 2_000 },
    ],
};

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Slide {
    /// `None` for a new slide.
    #[serde(serialize_with = "none_as_zero")]
    id: Option<SlideId>,
    image: Option<String>,
    background_image: Option<String>,
    background_color: Option<String>,
    translations: Translations,
}

impl Slide {
    /// The slide for a response; `None` before it is inserted.
    pub(super) fn into_api(self, sorting: i64) -> Option<BannerInformation> {
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

/// The indexes of an input's slides, in the order of `sorting`.
fn order(inputs: &[BannerInformationInput]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..inputs.len()).collect();
    order.sort_by_key(|at| inputs.get(*at).and_then(|slide| slide.sorting));
    order
}

/// Applies an input without its images. Errors name `informations.N.field`.
pub(super) fn apply_input(
    errors: &mut FieldErrors,
    before: &[Slide],
    inputs: &[BannerInformationInput],
) -> Vec<Slide> {
    if inputs.len() > MAX_SLIDES {
        errors.add("informations", format!("Use at most {MAX_SLIDES} slides."));
    }
    let mut after = Vec::with_capacity(inputs.len());
    for at in order(inputs) {
        let Some(input) = inputs.get(at) else { continue };
        let field = |name: &str| format!("informations.{at}.{name}");
        let existing = before.iter().find(|slide| input.id.is_some() && input.id == slide.id).cloned();
        if let (Some(id), true) = (input.id, existing.is_none()) {
            errors
                .add(field("id"), format!("The banner has no slide {id}. Remove the id to add a new slide."));
        }
        if input.id.is_some() && inputs[..at].iter().any(|other| other.id == input.id) {
            errors.add(field("id"), "This slide is named twice. Remove one of them.");
        }
        let new = Slide {
            id: None,
            image: None,
            background_image: None,
            background_color: None,
            translations: Translations::default(),
        };
        let mut slide = existing.unwrap_or(new);
        fields::color(
            errors,
            &field("background_color"),
            &input.background_color,
            &mut slide.background_color,
        );
        if let Some(translations) = &input.translations {
            let mut wrong = FieldErrors::default();
            slide.translations = texts::validate(&mut wrong, &TEXTS, translations);
            check_special_fields(&mut wrong, &slide.translations);
            for (name, messages) in wrong.0 {
                messages.into_iter().for_each(|message| errors.add(field(&name), message));
            }
        }
        after.push(slide);
    }
    after
}

/// Checks colors and links, and that the English texts exist, to which other languages fall back.
fn check_special_fields(errors: &mut FieldErrors, all: &Translations) {
    if !all.0.is_empty() && !all.0.contains_key("en") {
        errors.add("translations.en.title", "Enter the English texts. Other languages fall back to them.");
    }
    for (locale, fields) in &all.0 {
        for (name, text) in fields {
            let field = format!("translations.{locale}.{name}");
            let value = Patch::Set(text.clone());
            if name.ends_with("_color") {
                fields::color(errors, &field, &value, &mut None);
            } else if name == "button_link" {
                fields::address(errors, &field, &value, &mut None);
            }
        }
    }
}

/// Stores the images of an input and sets them in its slides. Adds an error for each image that has not exactly its place's size.
pub(super) async fn process_images(
    ctx: &Ctx,
    wrong: &mut WrongFields,
    (place, input): (BannerPlace, &BannerInput),
    before: &[Slide],
    after: &mut [Slide],
) -> Result<()> {
    let Some(inputs) = &input.informations else { return Ok(()) };
    let (background, image) = place.sizes();
    let uploads = &ctx.app.uploads;
    for (slide, at) in after.iter_mut().zip(order(inputs)) {
        let Some(input) = inputs.get(at) else { continue };
        let old = before.iter().find(|old| old.id == slide.id && slide.id.is_some());
        let field = format!("informations.{at}.image");
        let current = old.and_then(|old| old.image.as_deref());
        let stored = uploads
            .store_picture_of_size(
                ctx.meta.dry_run,
                &field,
                &input.image,
                current,
                (image.width, image.height),
            )
            .await;
        slide.image = wrong.record(stored)?.flatten();
        let field = format!("informations.{at}.background_image");
        let current = old.and_then(|old| old.background_image.as_deref());
        let size = (background.width, background.height);
        let stored = uploads
            .store_picture_of_size(ctx.meta.dry_run, &field, &input.background_image, current, size)
            .await;
        slide.background_image = wrong.record(stored)?.flatten();
    }
    Ok(())
}

// Store

/// Loads the slides of banners in their order, in two statements.
pub(super) async fn load(
    db: &mut impl Source,
    banners: &[BannerId],
) -> Result<BTreeMap<BannerId, Vec<Slide>>> {
    type Row = (BannerId, SlideId, Option<String>, Option<String>, Option<String>);
    let sql = Sql::new(
        "SELECT banner_id, id, image, background_image, background_color FROM banner_informations WHERE banner_id IN ",
    );
    let rows: Vec<Row> = db.all(sql.ids(banners).push(" ORDER BY banner_id, sorting, id")).await?;
    let ids: Vec<SlideId> = rows.iter().map(|row| row.1).collect();
    let mut translations_by_slide = texts::load(db, &TEXTS, &ids).await?;
    let mut slides: BTreeMap<BannerId, Vec<Slide>> = BTreeMap::new();
    for (banner, id, image, background_image, background_color) in rows {
        let translations = translations_by_slide.remove(&id).unwrap_or_default();
        slides.entry(banner).or_default().push(Slide {
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
pub(super) async fn write(work: &mut UnitOfWork, banner: BannerId, slides: &[Slide]) -> Result<()> {
    let remaining: Vec<SlideId> = slides.iter().filter_map(|slide| slide.id).collect();
    let delete = Sql::new(
        "DELETE FROM translations WHERE owner_type = 'banner_information' AND owner_id IN (SELECT id FROM banner_informations WHERE banner_id = ?)",
    );
    work.exec(delete.bind(banner)).await?;
    let delete = Sql::new("DELETE FROM banner_informations WHERE banner_id = ? AND id NOT IN ").bind(banner);
    work.exec(delete.ids(&remaining)).await?;
    for (sorting, slide) in (1_i64..).zip(slides) {
        let id = write_one(work, banner, sorting, slide).await?;
        texts::write(work, &TEXTS, id, &slide.translations).await?;
    }
    Ok(())
}

async fn write_one(work: &mut UnitOfWork, banner: BannerId, sorting: i64, slide: &Slide) -> Result<SlideId> {
    let [insert, update] = sql!(
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
        later: [banner_id, created_at, id],
    );
    if let Some(id) = slide.id {
        work.exec(update.named("id", id)).await?;
        return Ok(id);
    }
    let insert = insert.named("banner_id", banner).named("created_at", work.now);
    Ok(work.one::<(SlideId,)>(insert).await?.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn applied(inputs: &str) -> Result<Vec<Slide>, Vec<String>> {
        let inputs: Vec<BannerInformationInput> = serde_json::from_str(inputs).unwrap();
        let existing = Slide {
            id: Some(SlideId::new(7)),
            image: None,
            background_image: None,
            background_color: Some("#000000".into()),
            translations: Translations::default(),
        };
        let mut errors = FieldErrors::default();
        let after = apply_input(&mut errors, &[existing], &inputs);
        errors.or(after).map_err(|errors| errors.0.into_keys().collect())
    }

    #[test]
    fn slides_are_ordered_by_sorting() {
        let slides = applied(r#"[{"sorting":2},{"id":7,"sorting":1}]"#).unwrap();
        assert_eq!(slides.iter().map(|slide| slide.id).collect::<Vec<_>>(), [Some(SlideId::new(7)), None]);
        assert_eq!(slides[0].background_color.as_deref(), Some("#000000"), "a missing field keeps its value");
    }

    #[test]
    fn errors_name_each_wrong_text_of_each_slide() {
        let wrong = r##"[{"id":9},{"background_color":"red","translations":{"en":{"title_color":"#12","button_link":"x"}}},
            {"translations":{"de":{"title":"Neu"}}},{"id":7},{"id":7}]"##;
        let named = [
            "informations.0.id",
            "informations.1.background_color",
            "informations.1.translations.en.button_link",
            "informations.1.translations.en.title_color",
            "informations.2.translations.en.title",
            "informations.4.id",
        ];
        assert_eq!(applied(wrong).unwrap_err(), named);
    }
}
