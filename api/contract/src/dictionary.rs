//! Languages, currencies and labels of enum values, shared by all programs.

/// Languages of the user interface: locale code, and name in the language itself. The first one, English, is the default.
pub const LOCALES: [(&str, &str); 12] = [
    ("en", "English"),
    ("ru", "Русский"),
    ("es", "Español"),
    ("fr", "Français"),
    ("de", "Deutsch"),
    ("hi_IN", "हिन्दी"),
    ("ko", "한국어"),
    ("pt_BR", "Português (Brasil)"),
    ("tr", "Türkçe"),
    ("zh_CN", "简体中文"),
    ("ja", "日本語"),
    ("vi", "Tiếng Việt"),
];

/// The label of an enum value: `in_progress` becomes `In progress`.
#[must_use]
pub fn enum_label(value: &str) -> String {
    let text = value.replace('_', " ");
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

/// Currency codes that the panel and its payment methods can use.
pub const CURRENCIES: [&str; 21] = [
    "USD", "EUR", "GBP", "AUD", "BRL", "CAD", "CHF", "CNY", "IDR", "INR", "JPY", "KRW", "MXN", "PLN", "RUB",
    "TRY", "UAH", "VND", "BTC", "ETH", "USDT",
];
