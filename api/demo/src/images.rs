//! Draws the demo's images: icons of records, images of free-trial quests, and verification documents of customers.

use std::io::Cursor;

use image::{ImageFormat, Rgb, RgbImage};
use panel_kernel::error::{Error, Result};
use panel_kernel::random::Random;

use panel_platform::db::{Sql, SqlExecutor as _};
use panel_platform::platform::Platform;

/// Width and height of an icon, in pixels.
const ICON_SIDE: u32 = 96;
const DOCUMENT_TYPES: [&str; 4] = ["card", "id", "selfie", "additional_photo"];
const CUSTOMERS_WITH_DOCUMENTS: i64 = 25;

/// For each table: the `SELECT` of records without an icon, and the `UPDATE` that sets their icon.
const ICON_STATEMENTS: [(&str, &str); 4] = [
    (
        "SELECT id FROM payment_methods WHERE icon IS NULL ORDER BY id",
        "UPDATE payment_methods SET icon = ? WHERE id = ?",
    ),
    ("SELECT id FROM grades WHERE icon IS NULL ORDER BY id", "UPDATE grades SET icon = ? WHERE id = ?"),
    (
        "SELECT id FROM free_trial_quests WHERE icon IS NULL ORDER BY id",
        "UPDATE free_trial_quests SET icon = ? WHERE id = ?",
    ),
    (
        "SELECT id FROM networks WHERE icon IS NULL ORDER BY id LIMIT 24",
        "UPDATE networks SET icon = ? WHERE id = ?",
    ),
];

/// Draws all images of a new demo.
pub async fn fill(platform: &Platform, seed: u64) -> Result<()> {
    let random = Random::seeded(seed);
    for (table_index, (select_sql, update_sql)) in (0_u8..).zip(ICON_STATEMENTS) {
        for (id,) in (&mut &platform.db).fetch_all::<(i64,)>(Sql::new(select_sql)).await? {
            let file =
                platform.uploads.store_png(&random, true, encode_png(&draw_icon(table_index, id))?).await?;
            (&mut &platform.db).execute(Sql::new(update_sql).bind(file).bind(id)).await?;
        }
    }
    for (id,) in (&mut &platform.db)
        .fetch_all::<(i64,)>(Sql::new("SELECT id FROM free_trial_quests ORDER BY id"))
        .await?
    {
        let file = platform.uploads.store_png(&random, true, encode_png(&draw_landscape(id))?).await?;
        (&mut &platform.db)
            .execute(Sql::new("UPDATE free_trial_quests SET image = ? WHERE id = ?").bind(file).bind(id))
            .await?;
    }
    add_verification_documents(platform, &random).await
}

/// Adds verification documents of the customers with the newest orders.
async fn add_verification_documents(platform: &Platform, random: &Random) -> Result<()> {
    let last_customers_sql = Sql::new(
        "SELECT user_id, max(created_at) FROM orders GROUP BY user_id ORDER BY max(id) DESC LIMIT ?",
    )
    .bind(CUSTOMERS_WITH_DOCUMENTS);
    let document_images = (0..)
        .zip(DOCUMENT_TYPES)
        .map(|(color_index, document_type)| encode_png(&draw_document(document_type, color_index)))
        .collect::<Result<Vec<_>>>()?;
    let customers: Vec<(i64, i64)> = (&mut &platform.db).fetch_all(last_customers_sql).await?;
    for (index, (user_id, ordered_at)) in (0_usize..).zip(customers) {
        let document_count = 1 + index % DOCUMENT_TYPES.len();
        for (document_type, image) in DOCUMENT_TYPES.iter().zip(&document_images).take(document_count) {
            let file = platform.uploads.store_png(random, false, image.clone()).await?;
            let sql = Sql::new(
                "INSERT INTO verification_documents (user_id, kind, file, created_at) VALUES (?, ?, ?, ?)",
            );
            (&mut &platform.db)
                .execute(sql.bind(user_id).bind(*document_type).bind(file).bind(ordered_at))
                .await?;
        }
    }
    Ok(())
}

fn encode_png(image: &RgbImage) -> Result<Vec<u8>> {
    let mut bytes = Cursor::new(Vec::new());
    image.write_to(&mut bytes, ImageFormat::Png).map_err(|error| Error::Internal(error.to_string()))?;
    Ok(bytes.into_inner())
}

/// One of eight colors. Equal numbers give the same color.
fn pick_color(number: i64) -> Rgb<u8> {
    const COLORS: [[u8; 3]; 8] = [
        [124, 58, 237],
        [14, 116, 144],
        [22, 101, 52],
        [180, 83, 9],
        [190, 24, 93],
        [30, 64, 175],
        [77, 124, 15],
        [71, 85, 105],
    ];
    Rgb(COLORS[usize::try_from(number.rem_euclid(8)).unwrap_or_default()])
}

const WHITE: Rgb<u8> = Rgb([255, 255, 255]);
const DOCUMENT_BACKGROUND: Rgb<u8> = Rgb([241, 245, 249]);

/// An icon of one color. Each table has its own shape: a card, a medal, a diamond or stripes.
fn draw_icon(table_index: u8, id: i64) -> RgbImage {
    let middle = i64::from(ICON_SIDE / 2);
    RgbImage::from_fn(ICON_SIDE, ICON_SIDE, |x, y| {
        let (x, y) = (i64::from(x) - middle, i64::from(y) - middle);
        let distance_squared = x * x + y * y;
        let is_foreground = match table_index {
            0 => (-26..26).contains(&x) && ((-18..-8).contains(&y) || (0..18).contains(&y) && x < 4 * id),
            1 => (400..900).contains(&distance_squared) || distance_squared < 40 * (1 + id % 4),
            2 => x.abs() + y.abs() < 28 && x.abs() + y.abs() > 12 - id % 3,
            _ => distance_squared < 700 && (x + y * (1 + id % 3)) % 18 < 11,
        };
        if is_foreground { WHITE } else { pick_color(id + 2 * i64::from(table_index)) }
    })
}

/// A landscape with two hills and the sun.
fn draw_landscape(id: i64) -> RgbImage {
    RgbImage::from_fn(480, 240, |x, y| {
        let (x, y) = (i64::from(x), i64::from(y));
        let near_hill = 190 - (x - 150) * (x - 150) / 400;
        let far_hill = 170 - (x - 360) * (x - 360) / 500;
        let is_sun = (x - 400) * (x - 400) + (y - 50) * (y - 50) < 900;
        match () {
            () if y > near_hill => pick_color(id),
            () if y > far_hill => pick_color(id + 3),
            () if is_sun => Rgb([253, 230, 138]),
            () => Rgb([219, 234, 254]),
        }
    })
}

/// An invented identity card with a face and lines of text; for a selfie only a face.
fn draw_document(document_type: &str, color_index: i64) -> RgbImage {
    let is_selfie = document_type == "selfie";
    RgbImage::from_fn(360, 228, |x, y| {
        let (x, y) = (i64::from(x), i64::from(y));
        let (center, radius) = if is_selfie { ((180, 100), 52) } else { ((84, 96), 34) };
        let (dx, dy) = (x - center.0, y - center.1);
        let is_head = dx * dx + dy * dy < radius * radius;
        let is_body = y > center.1 + radius && dx.abs() < radius + (y - center.1 - radius) / 2 && y < 206;
        let is_text =
            !is_selfie && x > 160 && x < 330 - (y * 7 + color_index) % 60 && y > 50 && y < 180 && y % 26 < 8;
        let is_edge = !(8..352).contains(&x) || !(8..220).contains(&y);
        match () {
            () if is_edge => WHITE,
            () if is_head || is_body => pick_color(color_index),
            () if is_text => Rgb([148, 163, 184]),
            () if y < 30 && !is_selfie => pick_color(color_index + 1),
            () => DOCUMENT_BACKGROUND,
        }
    })
}
