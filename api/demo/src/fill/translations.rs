//! Translated texts of grades, payment methods and free-trial quests.

use panel_platform::db::sql::Val;
use panel_platform::db::{DbResult, Sql, SqlExecutor as _, Tx};

/// Owner type, owner id, locale, field and text. `fill` copies the English names from the records.
const TEXTS: [(&str, i64, &str, &str, &str); 21] = [
    ("grade", 1, "de", "name", "Neuling"),
    ("grade", 1, "es", "name", "Principiante"),
    ("grade", 2, "de", "name", "Stammkunde"),
    ("grade", 2, "ru", "name", "Постоянный"),
    ("grade", 3, "de", "name", "Wiederverkäufer"),
    ("grade", 4, "de", "name", "Agentur"),
    ("payment_method", 1, "en", "description", "Visa, Mastercard and others. The money is there at once."),
    ("payment_method", 1, "de", "name", "Karte"),
    ("payment_method", 1, "de", "description", "Visa, Mastercard und andere. Das Geld ist sofort da."),
    ("payment_method", 1, "es", "name", "Tarjeta"),
    ("payment_method", 1, "ru", "name", "Карта"),
    ("payment_method", 2, "en", "description", "Two working days."),
    ("payment_method", 2, "en", "withdrawal_description", "Paid out every Friday."),
    ("payment_method", 2, "de", "name", "Überweisung"),
    ("payment_method", 3, "en", "additional_information", "Send on the TRC-20 network only."),
    ("payment_method", 5, "en", "description", "Weekdays from nine to five."),
    ("free_trial_quest", 1, "de", "name", "Schreib über uns und erhalte Likes"),
    ("free_trial_quest", 1, "es", "name", "Publica sobre nosotros y recibe me gusta"),
    ("free_trial_quest", 1, "pt_BR", "name", "Publique sobre nós e ganhe curtidas"),
    ("free_trial_quest", 2, "de", "name", "Bewerte uns in einem Forum"),
    ("free_trial_quest", 3, "de", "name", "Frühlingsaktion"),
];

/// Runs after the records exist.
pub(crate) async fn fill(tx: &mut Tx) -> DbResult<()> {
    for statement in [
        "INSERT INTO translations (owner_type, owner_id, locale, field, value) SELECT 'grade', id, 'en', 'name', name FROM grades",
        "INSERT INTO translations (owner_type, owner_id, locale, field, value) SELECT 'payment_method', id, 'en', 'name', name FROM payment_methods",
        "INSERT INTO translations (owner_type, owner_id, locale, field, value) SELECT 'free_trial_quest', id, 'en', 'name', name FROM free_trial_quests",
    ] {
        tx.execute(Sql::new(statement)).await?;
    }
    let rows = TEXTS.iter().map(|(owner_type, id, locale, field, text)| {
        vec![Val::from(*owner_type), (*id).into(), (*locale).into(), (*field).into(), (*text).into()]
    });
    let sql = Sql::new(
        "INSERT INTO translations (owner_type, owner_id, locale, field, value) SELECT r.owner, r.id, r.locale, r.field, r.text FROM ",
    );
    tx.execute(sql.rows("r", &["owner", "id", "locale", "field", "text"], rows.collect())).await?;
    Ok(())
}
