//! Search indexes of records, declared once for all lists that show them.

use panel_platform::table::Index;

/// Texts of coupons.
pub static COUPONS: Index = Index::trigrams("coupons", &["name", "code"]);
/// Texts of discounts.
pub static DISCOUNTS: Index = Index::trigrams("discounts", &["name"]);
/// Texts of external panels.
pub static EXTERNAL_PANELS: Index = Index::rows("external_panels", &["name", "endpoint"]);
/// Names of grades.
pub static GRADES: Index = Index::rows("grades", &["name"]);
/// Names of menu items.
pub static MENU_ITEMS: Index = Index::rows("menu_items", &["name", "url"]);
/// Texts of networks.
pub static NETWORKS: Index = Index::rows("networks", &["name"]);
/// Texts of orders.
pub static ORDERS: Index = Index::trigrams("orders", &["url"]);
/// Names of packages.
pub static PACKAGES: Index = Index::rows("packages", &["name", "slug"]);
/// Names of pages.
pub static PAGES: Index = Index::rows("panel_pages", &["name", "route_name"]);
/// Texts of payment methods.
pub static PAYMENT_METHODS: Index = Index::rows("payment_methods", &["name"]);
/// Texts of providers.
pub static PROVIDERS: Index = Index::trigrams("providers", &["name", "external_panel_service_id"]);
/// Names of quests.
pub static QUESTS: Index = Index::rows("free_trial_quests", &["name"]);
/// Texts of services.
pub static SERVICES: Index = Index::trigrams("services", &["name"]);
/// Texts of service types.
pub static SERVICE_TYPES: Index = Index::rows("service_types", &["name", "title", "slug"]);
/// Texts of special offers.
pub static SPECIAL_OFFERS: Index = Index::trigrams("special_offers", &["name"]);
/// Names of targets.
pub static TARGETS: Index = Index::rows("targets", &["name"]);
/// Texts of users.
pub static USERS: Index = Index::trigrams("users", &["name", "email", "telegram_username"]);
