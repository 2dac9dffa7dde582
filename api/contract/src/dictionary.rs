//! Words that every program shows the same: the languages of texts, and how a stable word such as `in_processing` is written for
//! people.

/// Languages of the interface, each in its own name; English first, it is the default.
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

/// `in_progress` → `In progress`.
#[must_use]
pub fn label(word: &str) -> String {
    let text = word.replace('_', " ");
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

/// Currencies that payment methods charge in and the panel can have.
pub const CURRENCIES: [&str; 21] = [
    "USD", "EUR", "GBP", "AUD", "BRL", "CAD", "CHF", "CNY", "IDR", "INR", "JPY", "KRW", "MXN", "PLN", "RUB",
    "TRY", "UAH", "VND", "BTC", "ETH", "USDT",
];
