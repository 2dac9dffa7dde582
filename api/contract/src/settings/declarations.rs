//! The declarations of all settings of the panel.

use super::{Setting, SettingGroup as Group, SettingKind as Kind};

const fn setting(key: &'static str, group: Group, kind: Kind, default: &'static str) -> Setting {
    Setting { key, group, kind, min: 0, max: 0, options: &[], default, is_public: false, is_for_site: false }
}

const fn flag(key: &'static str, group: Group, default: bool) -> Setting {
    setting(key, group, Kind::Flag, if default { "true" } else { "false" })
}

const fn text(key: &'static str, group: Group, max_chars: i64) -> Setting {
    Setting { max: max_chars, ..setting(key, group, Kind::Text, "null") }
}

const fn url(key: &'static str, group: Group) -> Setting {
    Setting { max: 2_000, ..setting(key, group, Kind::Url, "null") }
}

const fn url_template(key: &'static str, group: Group) -> Setting {
    Setting { kind: Kind::UrlTemplate, ..url(key, group) }
}

const fn integer(key: &'static str, group: Group, min: i64, max: i64, default: &'static str) -> Setting {
    Setting { min, max, ..setting(key, group, Kind::Integer, default) }
}

/// An amount from 0 to 1,000,000,000. The limit is higher than the cost of any order.
const fn money(key: &'static str, group: Group, default: &'static str) -> Setting {
    Setting { max: 1_000_000_000_000_000, ..setting(key, group, Kind::Money, default) }
}

/// A fraction of up to `max_ppm` parts per million.
const fn fraction(key: &'static str, group: Group, max_ppm: i64, default: &'static str) -> Setting {
    Setting { max: max_ppm, ..setting(key, group, Kind::Fraction, default) }
}

const fn enum_setting(
    key: &'static str,
    group: Group,
    options: &'static [&'static str],
    default: &'static str,
) -> Setting {
    Setting { options, ..setting(key, group, Kind::Enum, default) }
}

const fn image(key: &'static str) -> Setting {
    setting(key, Group::Brand, Kind::Image, "null")
}

const fn color(key: &'static str, default: &'static str) -> Setting {
    public_for_site(setting(key, Group::Colors, Kind::Color, default))
}

const fn secret(key: &'static str) -> Setting {
    Setting { max: 4_096, ..setting(key, Group::Integrations, Kind::Secret, "null") }
}

const fn banner_flag(key: &'static str) -> Setting {
    public_for_site(flag(key, Group::Banners, true))
}

/// A setting that can be read without authentication.
const fn public(setting: Setting) -> Setting {
    Setting { is_public: true, ..setting }
}

/// A public setting that only the customer site uses.
const fn public_for_site(setting: Setting) -> Setting {
    Setting { is_public: true, is_for_site: true, ..setting }
}

/// A setting that only the customer site uses. It can be read only by staff and by the server of the customer site.
const fn private_for_site(setting: Setting) -> Setting {
    Setting { is_for_site: true, ..setting }
}

/// 100 % in parts per million (ppm).
const HUNDRED_PERCENT_PPM: i64 = 1_000_000;

/// The declarations of all settings, in the order of the settings page.
pub static SETTINGS: &[Setting] = &[
    public(Setting { min: 1, max: 60, ..setting("panel_name", Group::Brand, Kind::Text, "\"Panel\"") }),
    public(image("light_logo")),
    public(image("dark_logo")),
    public(image("mobile_logo")),
    image("email_logo"),
    public(image("favicon")),
    public_for_site(Setting { max: 192, ..image("icon_link_192") }),
    public_for_site(Setting { max: 512, ..image("icon_link_512") }),
    public(url("logo_destination_url", Group::Brand)),
    public(text("logo_alt", Group::Brand, 255)),
    Setting { max: 255, ..setting("support_email", Group::Brand, Kind::Email, "null") },
    public_for_site(url("socials.twitter", Group::Brand)),
    public_for_site(url("socials.vk_group", Group::Brand)),
    public_for_site(url("socials.facebook", Group::Brand)),
    public_for_site(url("socials.youtube_channel", Group::Brand)),
    public_for_site(url("socials.telegram", Group::Brand)),
    public_for_site(url("socials.linkedin", Group::Brand)),
    public_for_site(enum_setting(
        "theme_preset",
        Group::Colors,
        &["violet", "ocean", "forest", "sunset", "custom"],
        "\"violet\"",
    )),
    public_for_site(flag("dark_mode_available", Group::Colors, true)),
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
    setting("currencies.default", Group::Currencies, Kind::Currency, "\"USD\""),
    public(Setting { min: 1, max: 5, ..setting("currency_symbol", Group::Currencies, Kind::Text, "\"$\"") }),
    Setting { max: 60, ..setting("currencies.exchange_rates", Group::Currencies, Kind::ExchangeRates, "{}") },
    money("manual_credit_daily_limit", Group::Finances, "null"),
    money("manual_credit_confirmation_above", Group::Finances, "\"100\""),
    enum_setting("withdrawals_four_eyes", Group::Finances, &["auto", "on", "off"], "\"auto\""),
    integer("rounding_precision", Group::Orders, 0, 6, "2"),
    money("maximal_order_cost_without_approval_required", Group::Orders, "null"),
    fraction("min_margin_fraction", Group::Orders, HUNDRED_PERCENT_PPM, "null"),
    enum_setting("min_margin_action", Group::Orders, &["reject", "warn", "off"], "\"reject\""),
    integer("cancel_request_hours", Group::Orders, 1, 720, "24"),
    public(fraction("guarantee_charge_fraction", Group::Orders, HUNDRED_PERCENT_PPM, "\"0\"")),
    public(fraction("speedup_charge_fraction", Group::Orders, 10 * HUNDRED_PERCENT_PPM, "\"0\"")),
    private_for_site(flag("show_create_order_types.single", Group::Orders, true)),
    private_for_site(flag("show_create_order_types.multi", Group::Orders, true)),
    private_for_site(flag("show_create_order_types.autopromotion", Group::Orders, true)),
    private_for_site(flag("show_create_order_types.expert", Group::Orders, true)),
    private_for_site(enum_setting(
        "single_order_design",
        Group::Orders,
        &["classic", "compact", "steps"],
        "\"classic\"",
    )),
    private_for_site(flag("customize_validation", Group::Orders, false)),
    money("minimum_purchase_amount_on_widget", Group::Orders, "null"),
    private_for_site(url("link_to_video_about_widget", Group::Orders)),
    text("invoice_prefix", Group::Orders, 20),
    url_template("content_feed_url", Group::Orders),
    public(flag("captcha_is_enabled", Group::Customers, false)),
    private_for_site(flag("contact_info_is_required", Group::Customers, false)),
    private_for_site(flag("hide_personal_account_for_unregistered", Group::Customers, false)),
    public(fraction("default_referral_program_fraction", Group::Customers, HUNDRED_PERCENT_PPM, "\"0.05\"")),
    flag("grades_enabled", Group::Customers, true),
    flag("automatic_grades_enabled", Group::Customers, true),
    private_for_site(url("grade_faq_url", Group::Customers)),
    flag("enable_tasks", Group::Customers, true),
    flag("free_trials_is_enabled", Group::Customers, true),
    private_for_site(flag("free_trials_is_hidden", Group::Customers, false)),
    public_for_site(flag("enabled_child_panels", Group::Customers, false)),
    public_for_site(money("child_panels_price", Group::Customers, "null")),
    public_for_site(flag("is_home_page_main", Group::Navigation, true)),
    public_for_site(enum_setting("navigation", Group::Navigation, &["sidebar", "header"], "\"sidebar\"")),
    public_for_site(enum_setting(
        "default_marketplace_view",
        Group::Navigation,
        &["list", "grid"],
        "\"list\"",
    )),
    public_for_site(Setting { max: 1_000, ..setting("service_types", Group::Navigation, Kind::Ids, "[]") }),
    public_for_site(flag("enable_keyword_tools", Group::Navigation, false)),
    private_for_site(setting("social_value_external_panel_id", Group::Navigation, Kind::Id, "null")),
    public_for_site(url("extension_download_link", Group::Navigation)),
    setting("custom_menu_items", Group::Navigation, Kind::ReadOnly, "[]"),
    banner_flag("banners.dashboard_header"),
    banner_flag("banners.dashboard_tile"),
    banner_flag("banners.orders_header"),
    banner_flag("banners.order_header"),
    banner_flag("banners.drip_feed_header"),
    banner_flag("banners.subscription_header"),
    banner_flag("banners.services_header"),
    banner_flag("banners.services_footer"),
    banner_flag("banners.profile_header"),
    banner_flag("banners.tasks_header"),
    banner_flag("banners.create_order_header"),
    banner_flag("banners.sidebar"),
    banner_flag("banners.services_main"),
    banner_flag("banners.services_long"),
    banner_flag("banners.services_little_left"),
    banner_flag("banners.services_little_right"),
    public_for_site(url("terms_and_conditions_url", Group::Pages)),
    public_for_site(url("privacy_policy_url", Group::Pages)),
    public_for_site(Setting { max: 50, ..setting("meta_tags", Group::Pages, Kind::MetaTags, "[]") }),
    flag("second_factor_for_all_staff", Group::Security, false),
    enum_setting("session_preset", Group::Security, &["custom", "strict"], "\"custom\""),
    integer("session_idle_days", Group::Security, 1, 90, "7"),
    integer("session_absolute_days", Group::Security, 1, 365, "30"),
    integer("documents_keep_days", Group::Security, 0, 3_650, "0"),
    integer("change_logs_keep_days", Group::Security, 0, 3_650, "0"),
    private_for_site(Setting {
        max: 50_000,
        ..setting("integrations.custom_html", Group::Integrations, Kind::Html, "null")
    }),
    private_for_site(text("integrations.chat_widget_id", Group::Integrations, 100)),
    private_for_site(text("integrations.tag_manager_id", Group::Integrations, 100)),
    private_for_site(text("integrations.ga4_id", Group::Integrations, 100)),
    private_for_site(text("integrations.ga4_stream_id", Group::Integrations, 100)),
    private_for_site(secret("integrations.ga4_secret")),
    private_for_site(text("integrations.yandex_metrika_id", Group::Integrations, 100)),
    private_for_site(secret("integrations.yandex_metrika_token")),
    private_for_site(text("integrations.facebook_pixel_id", Group::Integrations, 100)),
    private_for_site(secret("integrations.facebook_access_token")),
    private_for_site(text("integrations.crisp_website_id", Group::Integrations, 100)),
    private_for_site(text("integrations.crisp_token_id", Group::Integrations, 100)),
    private_for_site(secret("integrations.crisp_token_key")),
    private_for_site(text("integrations.telegram_bot_username", Group::Integrations, 100)),
    secret("integrations.telegram_bot_token"),
    text("integrations.telegram_chat_id", Group::Integrations, 100),
    url_template("integrations.counter_url", Group::Integrations),
    secret("integrations.counter_token"),
    public(setting("inhouse", Group::Instance, Kind::ReadOnly, "false")),
    public(setting("is_child", Group::Instance, Kind::ReadOnly, "false")),
    public_for_site(setting("is_single_panel", Group::Instance, Kind::ReadOnly, "true")),
];
