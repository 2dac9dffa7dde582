//! What an external panel may be, and what may be done with it: pure. Each wrong field is named as in the request.

use panel_contract::amount::{Fraction, Money};
use panel_contract::external_panels::{ExternalPanelInput, PanelStatus, PanelSync, PanelType, StatisticType};
use panel_contract::fields::FieldErrors;
use panel_contract::rejections::RejectionMessage;
use panel_kernel::rejection::Rejection;
use serde::Serialize;
use url::Url;

use crate::records::archivables::EXTERNAL_PANEL;
use panel_contract::dictionary::CURRENCIES;
use panel_domain::fields;
use panel_domain::reseller_protocol::messages;
use panel_platform::outbound::secret_stays;

/// Longest name.
const NAME: usize = 255;
/// Longest address.
const ENDPOINT: usize = 2_000;
/// Longest token.
const TOKEN: usize = 500;
/// Ten times, in parts per million.
const TENFOLD: i64 = 10_000_000;
/// A token this long or longer shows its last four characters.
const TELLING: usize = 16;
/// Where the API of this field usually is.
const USUAL_PATH: &str = "/api/v2";

/// What staff do with an external panel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Move {
    Edit,
    Archive,
    Unarchive,
}

/// Whether it may be done. The archive names the uses before.
pub(super) fn judge(is_archived: bool, is_used: bool, action: Move) -> Result<(), Rejection> {
    match (action, is_archived) {
        (Move::Unarchive, _) => EXTERNAL_PANEL.judge(is_archived, false),
        (Move::Archive, true) => EXTERNAL_PANEL.judge(is_archived, true),
        (Move::Edit, true) => {
            Err(Rejection::conflict("external_panel_archived", "This panel is archived; unarchive it first."))
        }
        (Move::Archive, false) if is_used => {
            Err(Rejection::conflict("external_panel_in_use", "This panel is in use."))
        }
        _ => Ok(()),
    }
}

/// What there is in the currency of a panel, beside prices, which name theirs.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct CurrencyUses {
    pub(super) has_open_orders: bool,
    pub(super) has_charges: bool,
    pub(super) has_payments: bool,
}

/// Whether the currency of a panel may change, where such amounts are written down in it.
pub(super) fn judge_currency(current: &str, uses: CurrencyUses) -> Result<(), Rejection> {
    let all = [
        (uses.has_open_orders, "orders that are with it"),
        (uses.has_charges, "charges of orders"),
        (uses.has_payments, "payments in its billing"),
    ];
    let found: Vec<&str> = all.into_iter().filter(|(is_there, _)| *is_there).map(|(_, what)| what).collect();
    if found.is_empty() {
        return Ok(());
    }
    let message = format!(
        "This panel has {} in {current}, which another currency would make something else. Connect a panel of its own for another currency.",
        found.join(", ")
    );
    Err(Rejection::conflict("external_panel_currency_in_use", message))
}

/// Where a panel stands.
pub(super) fn status(is_archived: bool, kept: PanelStatus) -> PanelStatus {
    if is_archived { PanelStatus::Archived } else { kept }
}

/// Where panels keep their icon: at the root of the host of their API.
pub(super) fn favicon(endpoint: &str) -> Option<String> {
    let url = Url::parse(endpoint).ok()?;
    url.join("/favicon.ico").ok().map(String::from)
}

/// What people call a kind.
pub(super) const fn label(kind: PanelType) -> &'static str {
    match kind {
        PanelType::PerfectPanel => "Perfect Panel",
        PanelType::Socpanel => "Panvy",
    }
}

/// An external panel as it is written and as the audit trail shows it. Its token is not in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Draft {
    pub(super) name: String,
    #[serde(rename = "type")]
    pub(super) kind: PanelType,
    pub(super) endpoint: String,
    pub(super) currency: String,
    pub(super) statistic_type: StatisticType,
    #[serde(flatten)]
    pub(super) sync: PanelSync,
    pub(super) resale_margin_percent: Option<Fraction>,
    pub(super) price_jump_percent: Fraction,
    pub(super) low_balance: Option<Money>,
    pub(super) auto_recreate_orders_is_allowed: bool,
    pub(super) rejection_messages: Vec<RejectionMessage>,
}

impl Default for Draft {
    /// A new one: takes prices over, and waits for a yes where one jumps by a fifth.
    fn default() -> Self {
        Self {
            name: String::new(),
            kind: PanelType::PerfectPanel,
            endpoint: String::new(),
            currency: "USD".into(),
            statistic_type: StatisticType::Remains,
            sync: PanelSync { sync_prices: true, ..PanelSync::default() },
            resale_margin_percent: None,
            price_jump_percent: Fraction(200_000),
            low_balance: None,
            auto_recreate_orders_is_allowed: false,
            rejection_messages: Vec::new(),
        }
    }
}

impl Draft {
    /// After an input.
    pub(super) fn with(mut self, input: &ExternalPanelInput) -> (Self, FieldErrors) {
        let mut errors = FieldErrors::default();
        if let Some(name) = &input.name {
            name.trim().clone_into(&mut self.name);
        }
        if self.name.is_empty() {
            errors.add("name", "Give a name.");
        } else if let Err(message) = fields::fits(&self.name, NAME) {
            errors.add("name", message);
        }
        let was_ours = self.kind == PanelType::Socpanel;
        self.kind = input.kind.unwrap_or(self.kind);
        match input.endpoint.as_deref().map(endpoint) {
            Some(Ok(address)) => self.endpoint = address,
            Some(Err(message)) => errors.add("endpoint", message),
            None if self.endpoint.is_empty() => errors.add("endpoint", "Give the address of its API."),
            None => {}
        }
        if let Some(currency) = &input.currency {
            let code = currency.trim().to_ascii_uppercase();
            match CURRENCIES.contains(&code.as_str()) {
                true => self.currency = code,
                false => errors.add("currency", format!("Choose one of {}.", CURRENCIES.join(", "))),
            }
        }
        self.statistic_type = input.statistic_type.unwrap_or(self.statistic_type);
        self.auto_recreate_orders_is_allowed =
            input.auto_recreate_orders_is_allowed.unwrap_or(self.auto_recreate_orders_is_allowed);
        self.amounts(&mut errors, input);
        if let Some(messages) = &input.rejection_messages {
            self.rejection_messages = messages::judged(&mut errors, messages);
        }
        self.sync = synced(self.sync, input, self.kind);
        if self.kind != PanelType::Socpanel {
            // Another kind of panel is followed anew where staff say so: what was right for ours says nothing about it.
            self.sync.sync_services &= !was_ours || input.sync_services == Some(true);
            refuse_own(&mut errors, input);
        }
        (self, errors)
    }

    fn amounts(&mut self, errors: &mut FieldErrors, input: &ExternalPanelInput) {
        let margin = &input.resale_margin_percent;
        fields::share(errors, "resale_margin_percent", margin, &mut self.resale_margin_percent, TENFOLD);
        match input.price_jump_percent {
            Some(jump) if !(0..=TENFOLD).contains(&jump.0) => {
                errors.add("price_jump_percent", format!("Give a fraction from 0 to {}.", Fraction(TENFOLD)));
            }
            Some(jump) => self.price_jump_percent = jump,
            None => {}
        }
        match input.low_balance.wish() {
            Some(Some(least)) if *least <= Money::ZERO => {
                errors.add("low_balance", "Give an amount above 0, or none.");
            }
            Some(least) => self.low_balance = least.copied(),
            None => {}
        }
    }
}

/// Refuses switches for what only a panel of this product says of its services and packages.
fn refuse_own(errors: &mut FieldErrors, input: &ExternalPanelInput) {
    for (field, what, wish) in [
        ("sync_packages", "packages", input.sync_packages),
        ("sync_labels", "labels", input.sync_labels),
        ("sync_meta", "texts for search engines", input.sync_meta),
        ("sync_short_description", "short descriptions", input.sync_short_description),
        ("sync_reviews", "reviews", input.sync_reviews),
    ] {
        if wish == Some(true) {
            let message = format!("Only a panel of this product says anything of {what}; leave this off.");
            errors.add(field, message);
        }
    }
}

/// What is taken over after an input. Packages, labels and some texts come only from panels of this product:
/// others send no more than the API of this field can say.
fn synced(mut sync: PanelSync, input: &ExternalPanelInput, kind: PanelType) -> PanelSync {
    for (slot, wish) in [
        (&mut sync.sync_services, input.sync_services),
        (&mut sync.sync_packages, input.sync_packages),
        (&mut sync.sync_prices, input.sync_prices),
        (&mut sync.sync_labels, input.sync_labels),
        (&mut sync.sync_name, input.sync_name),
        (&mut sync.sync_meta, input.sync_meta),
        (&mut sync.sync_service_details, input.sync_service_details),
        (&mut sync.sync_description, input.sync_description),
        (&mut sync.sync_short_description, input.sync_short_description),
        (&mut sync.sync_reviews, input.sync_reviews),
        (&mut sync.sync_params, input.sync_params),
    ] {
        *slot = wish.unwrap_or(*slot);
    }
    let ours = kind == PanelType::Socpanel;
    PanelSync {
        sync_packages: sync.sync_packages && ours,
        sync_labels: sync.sync_labels && ours,
        sync_meta: sync.sync_meta && ours,
        sync_short_description: sync.sync_short_description && ours,
        sync_reviews: sync.sync_reviews && ours,
        ..sync
    }
}

/// The address of an API as it is kept: https where nothing else is said, and the usual path where there is none.
pub(super) fn endpoint(text: &str) -> Result<String, String> {
    let text = text.trim();
    if text.is_empty() {
        return Err("Give the address of its API.".into());
    }
    let whole = if text.contains("://") { text.to_owned() } else { format!("https://{text}") };
    let wrong = || "Give an address such as https://panel.example/api/v2.".to_owned();
    let mut url = Url::parse(&whole).map_err(|_| wrong())?;
    if whole.len() > ENDPOINT || !matches!(url.scheme(), "http" | "https") || !url.has_host() {
        return Err(wrong());
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err("Leave out what stands behind the path; the token has a field of its own.".into());
    }
    let path = url.path().trim_end_matches('/').to_owned();
    url.set_path(if path.is_empty() { USUAL_PATH } else { &path });
    Ok(url.to_string())
}

/// A token that was typed; an empty one is none.
pub(super) fn token(input: Option<&str>) -> Result<Option<String>, FieldErrors> {
    let Some(text) = input.map(str::trim).filter(|text| !text.is_empty()) else { return Ok(None) };
    if text.len() > TOKEN || text.chars().any(|letter| letter.is_control() || letter.is_whitespace()) {
        let message = format!("A token has at most {TOKEN} characters and no spaces.");
        return Err(FieldErrors::one("api_token", message));
    }
    Ok(Some(text.to_owned()))
}

/// The end of a token for people to recognise it by; none where that would tell too much of it.
pub(super) fn hint(token: &str) -> Option<String> {
    let letters: Vec<char> = token.chars().collect();
    (letters.len() >= TELLING).then(|| letters[letters.len() - 4..].iter().collect())
}

/// A stored token goes only to the server that it was entered for: another scheme, host or port wants it again.
pub(super) fn token_stays(before: &str, after: &str, is_set: bool, is_given: bool) -> Result<(), Rejection> {
    if secret_stays(Some(before), Some(after), is_set, is_given) {
        return Ok(());
    }
    Err(Rejection::invalid(
        "api_token",
        "token_needed_again",
        "The endpoint leads to another server; enter the token again.",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_gets_its_scheme_and_path() {
        for (typed, kept) in [
            (" panel.example ", "https://panel.example/api/v2"),
            ("panel.example/", "https://panel.example/api/v2"),
            ("https://Panel.Example:443/api/v2/", "https://panel.example/api/v2"),
            ("http://panel.example:8080/adminapi/v1", "http://panel.example:8080/adminapi/v1"),
        ] {
            assert_eq!(endpoint(typed).as_deref(), Ok(kept));
            assert_eq!(endpoint(kept).as_deref(), Ok(kept), "and stays");
        }
        for wrong in [
            "",
            "  ",
            "ftp://panel.example",
            "https://",
            "not an address",
            "https://a.example/?key=1",
            "a.example/#x",
        ] {
            assert!(endpoint(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_end_of_a_token_tells_nothing_of_a_short_one() {
        assert_eq!(hint("0123456789abcdef").as_deref(), Some("cdef"));
        assert_eq!(hint("0123456789abcde"), None);
        assert_eq!(token(Some("  ")), Ok(None));
        assert!(token(Some("a b")).is_err() && token(Some(&"x".repeat(501))).is_err());
    }

    #[test]
    fn only_our_own_kind_gives_packages_and_any_kind_new_services() {
        let read = |body: &str| Draft::default().with(&FieldErrors::from_json(body.as_bytes()).unwrap()).0;
        let all = r#"{"name":"Up","endpoint":"up.example","sync_services":true,"sync_packages":true,"sync_name":true,"type":"KIND"}"#;
        let theirs = read(&all.replace("KIND", "perfect_panel"));
        assert!(theirs.sync.sync_services && !theirs.sync.sync_packages && theirs.sync.sync_name);
        let ours = read(&all.replace("KIND", "socpanel"));
        assert!(ours.sync.sync_services && ours.sync.sync_packages);
        let refused = |body: &str| Draft::default().with(&FieldErrors::from_json(body.as_bytes()).unwrap()).1;
        let texts = r#"{"name":"Up","endpoint":"up.example","type":"KIND","sync_labels":true,"sync_meta":true,"sync_packages":true,
            "sync_reviews":true,"sync_short_description":true,"sync_description":true}"#;
        let wrong = refused(&texts.replace("KIND", "perfect_panel"));
        let fields = ["sync_labels", "sync_meta", "sync_packages", "sync_reviews", "sync_short_description"];
        assert_eq!(wrong.0.keys().collect::<Vec<_>>(), fields);
        assert!(refused(&texts.replace("KIND", "socpanel")).0.is_empty());
        assert!(refused(&texts.replace("KIND", "perfect_panel").replace("true", "false")).0.is_empty());
        let later = FieldErrors::from_json(br#"{"type":"perfect_panel"}"#).unwrap();
        assert!(!ours.with(&later).0.sync.sync_services, "switched off with the kind");
        assert!(theirs.with(&later).0.sync.sync_services, "stays where the kind stays");
    }

    #[test]
    fn each_wrong_field_is_named() {
        let body = br#"{"name":" ","endpoint":"ftp://x","currency":"XXX","price_jump_percent":"11","low_balance":"0","resale_margin_percent":"-0.1"}"#;
        let (_, errors) = Draft::default().with(&FieldErrors::from_json(body).unwrap());
        let wanted =
            ["currency", "endpoint", "low_balance", "name", "price_jump_percent", "resale_margin_percent"];
        assert_eq!(errors.0.keys().collect::<Vec<_>>(), wanted);
    }

    #[test]
    fn a_currency_with_amounts_stays() {
        assert!(judge_currency("USD", CurrencyUses::default()).is_ok());
        let used = CurrencyUses { has_open_orders: true, has_payments: true, ..CurrencyUses::default() };
        let refused = judge_currency("USD", used).unwrap_err();
        assert_eq!(refused.code, "external_panel_currency_in_use");
        let wanted = "This panel has orders that are with it, payments in its billing in USD";
        assert!(refused.message.starts_with(wanted), "{}", refused.message);
    }

    #[test]
    fn what_is_used_is_not_put_away() {
        assert!(judge(false, false, Move::Archive).is_ok());
        assert_eq!(judge(false, true, Move::Archive).unwrap_err().code, "external_panel_in_use");
        assert!(judge(true, false, Move::Edit).is_err());
        assert!(judge(true, true, Move::Unarchive).is_ok());
    }
}
