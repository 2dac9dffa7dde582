//! The declarations of all panel settings, in the order of the settings page.

use super::{Setting, SettingGroup as G, SettingKind as K};

const fn of(key: &'static str, group: G, kind: K, default: &'static str) -> Setting {
    Setting { key, group, kind, least: 0, most: 0, options: &[], default, public: false, for_site: false }
}

const fn flag(key: &'static str, group: G, on: bool) -> Setting {
    of(key, group, K::Flag, if on { "true" } else { "false" })
}

const fn text(key: &'static str, group: G, most: i64) -> Setting {
    Setting { most, ..of(key, group, K::Text, "null") }
}

const fn address(key: &'static str, group: G) -> Setting {
    Setting { most: 2_000, ..of(key, group, K::Address, "null") }
}

const fn template(key: &'static str, group: G) -> Setting {
    Setting { kind: K::Template, ..address(key, group) }
}

const fn whole(key: &'static str, group: G, least: i64, most: i64, default: &'static str) -> Setting {
    Setting { least, most, ..of(key, group, K::Whole, default) }
}

/// Money from 0 on; a trillion is out of every order's reach.
const fn money(key: &'static str, group: G, default: &'static str) -> Setting {
    Setting { most: 1_000_000_000_000_000, ..of(key, group, K::Money, default) }
}

/// A share of up to `most` parts per million.
const fn share(key: &'static str, group: G, most: i64, default: &'static str) -> Setting {
    Setting { most, ..of(key, group, K::Share, default) }
}

const fn word(
    key: &'static str,
    group: G,
    options: &'static [&'static str],
    default: &'static str,
) -> Setting {
    Setting { options, ..of(key, group, K::Word, default) }
}

const fn picture(key: &'static str) -> Setting {
    of(key, G::Brand, K::Picture, "null")
}

const fn color(key: &'static str, default: &'static str) -> Setting {
    for_site(of(key, G::Colors, K::Color, default))
}

const fn secret(key: &'static str) -> Setting {
    Setting { most: 4_096, ..of(key, G::Integrations, K::Secret, "null") }
}

const fn slot(key: &'static str) -> Setting {
    for_site(flag(key, G::Banners, true))
}

const fn public(setting: Setting) -> Setting {
    Setting { public: true, ..setting }
}

/// A public setting that only the customer site uses.
const fn for_site(setting: Setting) -> Setting {
    Setting { public: true, for_site: true, ..setting }
}

/// A private setting that only the customer site uses.
const fn site_only(setting: Setting) -> Setting {
    Setting { for_site: true, ..setting }
}

/// A whole, in parts per million.
const ONE: i64 = 1_000_000;

/// All settings of the panel.
pub static SETTINGS: &[Setting] = &[
    public(Setting { least: 1, most: 60, ..of("panel_name", G::Brand, K::Text, "\"Panel\"") }),
    public(picture("light_logo")),
    public(picture("dark_logo")),
    public(picture("mobile_logo")),
    picture("email_logo"),
    public(picture("favicon")),
    for_site(Setting { most: 192, ..picture("icon_link_192") }),
    for_site(Setting { most: 512, ..picture("icon_link_512") }),
    public(address("logo_destination_url", G::Brand)),
    public(text("logo_alt", G::Brand, 255)),
    Setting { most: 255, ..of("support_email", G::Brand, K::Email, "null") },
    for_site(address("socials.twitter", G::Brand)),
    for_site(address("socials.vk_group", G::Brand)),
    for_site(address("socials.facebook", G::Brand)),
    for_site(address("socials.youtube_channel", G::Brand)),
    for_site(address("socials.telegram", G::Brand)),
    for_site(address("socials.linkedin", G::Brand)),
    for_site(word(
        "theme_preset",
        G::Colors,
        &["violet", "ocean", "forest", "sunset", "custom"],
        "\"violet\"",
    )),
    for_site(flag("dark_mode_available", G::Colors, true)),
    color("colors.light.primary", "\"#7c3aed\""),
    color("colors.light.secondary", "\"#475569\""),
    color("colors.light.header_left", "\"#6d28d9\""),
    color("colors.light.header_right", "\"#7c3aed\""),
    color("colors.light.icons", "\"#5b21b6\""),
    color("colors.light.info", "\"#075985\""),
    color("colors.light.success", "\"#166534\""),
    color("colors.light.warning", "\"#92400e\""),
    color("colors.dark.primary", "\"#c4b5fd\""),
    color("colors.dark.secondary", "\"#cbd5e1\""),
    color("colors.dark.header_left", "\"#2e1065\""),
    color("colors.dark.header_right", "\"#4c1d95\""),
    color("colors.dark.icons", "\"#ddd6fe\""),
    color("colors.dark.info", "\"#7dd3fc\""),
    color("colors.dark.success", "\"#86efac\""),
    color("colors.dark.warning", "\"#fcd34d\""),
    of("currencies.default", G::Currencies, K::Currency, "\"USD\""),
    public(Setting { least: 1, most: 5, ..of("currency_symbol", G::Currencies, K::Text, "\"$\"") }),
    Setting { most: 60, ..of("currencies.exchange_rates", G::Currencies, K::Rates, "{}") },
    money("manual_credit_daily_limit", G::Finances, "null"),
    money("manual_credit_confirmation_above", G::Finances, "\"100\""),
    word("withdrawals_four_eyes", G::Finances, &["auto", "on", "off"], "\"auto\""),
    whole("rounding_precision", G::Orders, 0, 6, "2"),
    money("maximal_order_cost_without_approval_required", G::Orders, "null"),
    share("min_margin_percent", G::Orders, ONE, "null"),
    word("min_margin_action", G::Orders, &["refuse", "warn", "off"], "\"refuse\""),
    whole("cancel_request_hours", G::Orders, 1, 720, "24"),
    public(share("guarantee_charge_percent", G::Orders, ONE, "\"0\"")),
    public(share("speedup_charge_percent", G::Orders, 10 * ONE, "\"0\"")),
    site_only(flag("show_create_order_types.single", G::Orders, true)),
    site_only(flag("show_create_order_types.multi", G::Orders, true)),
    site_only(flag("show_create_order_types.autopromotion", G::Orders, true)),
    site_only(flag("show_create_order_types.expert", G::Orders, true)),
    site_only(word("single_order_design", G::Orders, &["classic", "compact", "steps"], "\"classic\"")),
    site_only(flag("customize_validation", G::Orders, false)),
    money("minimum_purchase_amount_on_widget", G::Orders, "null"),
    site_only(address("link_to_video_about_widget", G::Orders)),
    text("invoice_prefix", G::Orders, 20),
    template("content_feed_url", G::Orders),
    public(flag("captcha_is_enabled", G::Customers, false)),
    site_only(flag("contact_info_is_required", G::Customers, false)),
    site_only(flag("hide_personal_account_for_unregistered", G::Customers, false)),
    public(share("default_referral_program_percent", G::Customers, ONE, "\"0.05\"")),
    flag("grades_enabled", G::Customers, true),
    flag("automatic_grades_enabled", G::Customers, true),
    site_only(address("grade_faq_url", G::Customers)),
    flag("enable_tasks", G::Customers, true),
    flag("free_trials_is_enabled", G::Customers, true),
    site_only(flag("free_trials_is_hidden", G::Customers, false)),
    for_site(flag("enabled_child_panels", G::Customers, false)),
    for_site(money("child_panels_price", G::Customers, "null")),
    for_site(flag("is_home_page_main", G::Navigation, true)),
    for_site(word("navigation", G::Navigation, &["sidebar", "header"], "\"sidebar\"")),
    for_site(word("default_marketplace_view", G::Navigation, &["list", "grid"], "\"list\"")),
    for_site(Setting { most: 1_000, ..of("service_types", G::Navigation, K::Ids, "[]") }),
    for_site(flag("enable_keyword_tools", G::Navigation, false)),
    site_only(of("social_value_external_panel_id", G::Navigation, K::Id, "null")),
    for_site(address("extension_download_link", G::Navigation)),
    of("custom_menu_items", G::Navigation, K::Shown, "[]"),
    slot("banners.dashboard_header"),
    slot("banners.dashboard_tile"),
    slot("banners.orders_header"),
    slot("banners.order_header"),
    slot("banners.drip_feed_header"),
    slot("banners.subscription_header"),
    slot("banners.services_header"),
    slot("banners.services_footer"),
    slot("banners.profile_header"),
    slot("banners.tasks_header"),
    slot("banners.create_order_header"),
    slot("banners.sidebar"),
    slot("banners.services_main"),
    slot("banners.services_long"),
    slot("banners.services_little_left"),
    slot("banners.services_little_right"),
    for_site(address("terms_and_conditions_url", G::Pages)),
    for_site(address("privacy_policy_url", G::Pages)),
    for_site(Setting { most: 50, ..of("meta_tags", G::Pages, K::MetaTags, "[]") }),
    flag("second_factor_for_all_staff", G::Security, false),
    word("session_preset", G::Security, &["custom", "strict"], "\"custom\""),
    whole("session_idle_days", G::Security, 1, 90, "7"),
    whole("session_absolute_days", G::Security, 1, 365, "30"),
    whole("documents_keep_days", G::Security, 0, 3_650, "0"),
    whole("change_logs_keep_days", G::Security, 0, 3_650, "0"),
    site_only(Setting { most: 50_000, ..of("integrations.custom_html", G::Integrations, K::Html, "null") }),
    site_only(text("integrations.chat_widget_id", G::Integrations, 100)),
    site_only(text("integrations.tag_manager_id", G::Integrations, 100)),
    site_only(text("integrations.ga4_id", G::Integrations, 100)),
    site_only(text("integrations.ga4_stream_id", G::Integrations, 100)),
    site_only(secret("integrations.ga4_secret")),
    site_only(text("integrations.yandex_metrika_id", G::Integrations, 100)),
    site_only(secret("integrations.yandex_metrika_token")),
    site_only(text("integrations.facebook_pixel_id", G::Integrations, 100)),
    site_only(secret("integrations.facebook_access_token")),
    site_only(text("integrations.crisp_website_id", G::Integrations, 100)),
    site_only(text("integrations.crisp_token_id", G::Integrations, 100)),
    site_only(secret("integrations.crisp_token_key")),
    site_only(text("integrations.telegram_bot_username", G::Integrations, 100)),
    secret("integrations.telegram_bot_token"),
    text("integrations.telegram_chat_id", G::Integrations, 100),
    template("integrations.counter_url", G::Integrations),
    secret("integrations.counter_token"),
    public(of("inhouse", G::Instance, K::Shown, "false")),
    public(of("is_child", G::Instance, K::Shown, "false")),
    for_site(of("is_single_panel", G::Instance, K::Shown, "true")),
];
