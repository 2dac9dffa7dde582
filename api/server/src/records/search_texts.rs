//! Declares the columns of each table in which lists search for text. Several lists may search the same table.

use panel_platform::table::TextIndex;

pub static COUPONS: TextIndex = TextIndex::trigrams("coupons", &["name", "code"]);
pub static DISCOUNTS: TextIndex = TextIndex::trigrams("discounts", &["name"]);
pub static EXTERNAL_PANELS: TextIndex = TextIndex::rows("external_panels", &["name", "endpoint"]);
pub static GRADES: TextIndex = TextIndex::rows("grades", &["name"]);
pub static MENU_ITEMS: TextIndex = TextIndex::rows("menu_items", &["name", "url"]);
pub static NETWORKS: TextIndex = TextIndex::rows("networks", &["name"]);
pub static ORDERS: TextIndex = TextIndex::trigrams("orders", &["url"]);
pub static PACKAGES: TextIndex = TextIndex::rows("packages", &["name", "slug"]);
pub static PAGES: TextIndex = TextIndex::rows("panel_pages", &["name", "route_name"]);
pub static PAYMENT_METHODS: TextIndex = TextIndex::rows("payment_methods", &["name"]);
pub static PROVIDERS: TextIndex = TextIndex::trigrams("providers", &["name", "external_panel_service_id"]);
pub static QUESTS: TextIndex = TextIndex::rows("free_trial_quests", &["name"]);
pub static SERVICES: TextIndex = TextIndex::trigrams("services", &["name"]);
pub static SERVICE_TYPES: TextIndex = TextIndex::rows("service_types", &["name", "title", "slug"]);
pub static SPECIAL_OFFERS: TextIndex = TextIndex::trigrams("special_offers", &["name"]);
pub static TARGETS: TextIndex = TextIndex::rows("targets", &["name"]);
pub static USERS: TextIndex = TextIndex::trigrams("users", &["name", "email", "telegram_username"]);
