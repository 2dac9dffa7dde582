//! Builds the request for an order: the parameters of the panel's service type from the customer's answers, and the list of answers
//! that the panel has no parameter for. Pure.

use panel_contract::panel_service_types::{
    PanelParameter, PanelServiceType, ParameterKind, QuantitySource, lines,
};
use panel_contract::targets::TargetName;

use panel_domain::reseller_protocol::add_order::AddOrderRequest;

/// A customer's answer to a target.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub(super) struct CustomerAnswer {
    /// Name of the target when the customer answered.
    pub name: String,
    /// The customer's answer as text.
    pub value: String,
    /// Target that the answer belongs to.
    pub kind: TargetName,
    /// The panel parameter that the target is for, if it names one.
    pub parameter: Option<PanelParameter>,
}

/// The data of an order that a request is built from.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct OrderToSend {
    /// Link that the panel delivers to.
    pub link: String,
    /// Quantity in units.
    pub quantity: i64,
    /// Quantity that earlier attempts delivered, in units.
    pub delivered: i64,
    /// The customer's answers to the service's targets.
    pub answers: Vec<CustomerAnswer>,
}

/// The request, and the names of the answers that it does not contain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PreparedRequest {
    pub request: AddOrderRequest,
    pub not_forwarded: Vec<String>,
}

impl OrderToSend {
    /// The answer for a parameter: from the target that names it, else from a target of a matching kind that names none.
    fn answer(&self, parameter: PanelParameter) -> Option<&CustomerAnswer> {
        let named = self.answers.iter().find(|answer| answer.parameter == Some(parameter));
        let of_kind = |kind: &TargetName| {
            self.answers.iter().find(|answer| answer.parameter.is_none() && answer.kind == *kind)
        };
        let answer = named.or_else(|| parameter.answered_by().iter().find_map(of_kind));
        answer.filter(|answer| !answer.value.trim().is_empty())
    }

    /// The service type if the panel sends none: a customer who wrote comments ordered comments.
    fn guess_type(&self) -> PanelServiceType {
        match self.answer(PanelParameter::Comments) {
            Some(_) => PanelServiceType::CustomComments,
            None => PanelServiceType::Default,
        }
    }
}

/// Builds the request for a service whose type the panel calls `word`. `extra` lists parameters that the panel accepts in addition.
///
/// # Errors
/// One sentence that names the missing answer, or explains that the type cannot be ordered.
pub(super) fn prepare(
    word: &str,
    extra: &[PanelParameter],
    order: &OrderToSend,
) -> Result<PreparedRequest, String> {
    let kind = match PanelServiceType::parse(word) {
        Some(PanelServiceType::Default) if word.trim().is_empty() => order.guess_type(),
        Some(kind) => kind,
        None => {
            return Err(format!("The panel's service is of the type {word}, which cannot be ordered here."));
        }
    };
    if let Some(reason) = kind.refusal() {
        return Err(format!("The panel's service is of the type {kind}: {reason}."));
    }
    let mut request = AddOrderRequest::for_link(&order.link);
    if kind.quantity() == QuantitySource::Named {
        request = request.quantity(order.quantity);
    }
    let mut sent: Vec<&CustomerAnswer> = Vec::new();
    for parameter in kind.required() {
        let answer = order.answer(*parameter);
        let value = answer.and_then(|answer| value(kind, *parameter, order, answer));
        let value = value.or_else(|| default_value(*parameter, order));
        request = request.with(*parameter, value.ok_or_else(|| missing(*parameter))?);
        sent.extend(answer);
    }
    let optional = kind.optional().iter().chain(extra.iter().filter(|parameter| !kind.takes(**parameter)));
    for parameter in optional.filter(|parameter| is_applicable(kind, **parameter, order)) {
        let Some(answer) = order.answer(*parameter) else { continue };
        let Some(value) = value(kind, *parameter, order, answer) else { continue };
        request = request.with(*parameter, value);
        sent.push(answer);
    }
    let unsent = order.answers.iter().filter(|answer| !sent.contains(answer));
    Ok(PreparedRequest { request, not_forwarded: unsent.map(|answer| answer.name.clone()).collect() })
}

fn missing(parameter: PanelParameter) -> String {
    format!("The order has no {} to send.", parameter.texts().0.to_lowercase())
}

/// An answer in the panel's format. Of a list whose lines are the quantity, only the lines that are not delivered yet.
fn value(
    kind: PanelServiceType,
    parameter: PanelParameter,
    order: &OrderToSend,
    answer: &CustomerAnswer,
) -> Option<String> {
    let is_counted = kind.quantity() == QuantitySource::LinesOf(parameter);
    let skipped = if is_counted { usize::try_from(order.delivered).unwrap_or_default() } else { 0 };
    let mut all = lines(&answer.value).skip(skipped);
    match parameter.kind() {
        ParameterKind::Lines => Some(all.collect::<Vec<_>>().join("\n")).filter(|text| !text.is_empty()),
        ParameterKind::Number(..) => {
            all.next().filter(|text| parameter.check(text).is_ok()).map(str::to_owned)
        }
        _ => all.next().map(str::to_owned),
    }
}

/// The value of a required web traffic parameter that the service has no target for.
fn default_value(parameter: PanelParameter, order: &OrderToSend) -> Option<String> {
    match parameter {
        PanelParameter::Country => Some("WW".to_owned()),
        PanelParameter::Device => Some("1".to_owned()),
        PanelParameter::TypeOfTraffic => Some(traffic_type(order).to_owned()),
        _ => None,
    }
}

/// The source of the visitors: 1 a search, 2 a referring page, 3 none.
fn traffic_type(order: &OrderToSend) -> &'static str {
    match order.answer(PanelParameter::ReferringUrl) {
        Some(answer) if PanelParameter::ReferringUrl.check(answer.value.trim()).is_ok() => "2",
        _ if order.answer(PanelParameter::GoogleKeyword).is_some() => "1",
        _ => "3",
    }
}

/// Whether an optional parameter applies: of the two traffic sources, only the one that the traffic type names.
fn is_applicable(kind: PanelServiceType, parameter: PanelParameter, order: &OrderToSend) -> bool {
    if kind != PanelServiceType::WebTraffic {
        return true;
    }
    let named = order.answers.iter().find(|answer| answer.parameter == Some(PanelParameter::TypeOfTraffic));
    let source = named.map_or_else(|| traffic_type(order), |answer| answer.value.trim());
    match parameter {
        PanelParameter::GoogleKeyword => source == "1",
        PanelParameter::ReferringUrl => source == "2",
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Answers to targets that name no parameter.
    fn order(answers: &[(TargetName, &str)]) -> OrderToSend {
        let answer = |(kind, text): &(TargetName, &str)| CustomerAnswer {
            name: kind.to_string(),
            value: (*text).to_owned(),
            kind: *kind,
            parameter: None,
        };
        let answers = answers.iter().map(answer).collect();
        OrderToSend { link: "https://example.com/p".into(), quantity: 3, delivered: 0, answers }
    }

    /// Answers to targets that an import attached.
    fn imported(answers: &[(PanelParameter, &str)]) -> OrderToSend {
        let answer = |(parameter, text): &(PanelParameter, &str)| CustomerAnswer {
            name: parameter.texts().0.to_owned(),
            value: (*text).to_owned(),
            kind: parameter.target().0,
            parameter: Some(*parameter),
        };
        let answers = answers.iter().map(answer).collect();
        OrderToSend { link: "https://example.com/p".into(), quantity: 3, delivered: 0, answers }
    }

    fn sent(kind: &str, order: &OrderToSend) -> String {
        let pair = |(name, value): &(&str, String)| format!("{name}={value}");
        match prepare(kind, &[], order) {
            Ok(prepared) => prepared.request.fields().iter().map(pair).skip(1).collect::<Vec<_>>().join("&"),
            Err(missing) => missing,
        }
    }

    #[test]
    fn each_type_sends_the_matching_answers() {
        let comments = order(&[(TargetName::Comment, "one\n\n two \nthree")]);
        let word = order(&[(TargetName::Keyword, "anna\nben")]);
        let visit = order(&[(TargetName::Geotargeting, "DE"), (TargetName::SeoKeyword, "https://x.example")]);
        for (kind, order, expected) in [
            ("Default", &comments, "quantity=3"),
            ("", &comments, "comments=one\ntwo\nthree"),
            ("", &word, "quantity=3"),
            ("Package", &word, ""),
            ("Custom Comments", &comments, "comments=one\ntwo\nthree"),
            ("Custom Comments", &word, "The order has no comments to send."),
            ("Mentions", &word, "quantity=3&usernames=anna\nben"),
            ("Comment Likes", &word, "quantity=3&username=anna"),
            ("Comment Likes", &comments, "The order has no username to send."),
            ("Poll", &word, "The order has no answer number to send."),
            ("Poll", &order(&[(TargetName::Keyword, "2")]), "quantity=3&answer_number=2"),
            ("SEO", &order(&[(TargetName::SeoKeyword, "a\nb")]), "quantity=3&keywords=a\nb"),
            (
                "Web Traffic",
                &visit,
                "quantity=3&country=DE&device=1&type_of_traffic=2&referring_url=https://x.example",
            ),
            (
                "Something New",
                &word,
                "The panel's service is of the type Something New, which cannot be ordered here.",
            ),
        ] {
            assert_eq!(sent(kind, order), expected, "{kind}");
        }
        assert!(
            sent("subscriptions", &word).starts_with("The panel's service is of the type Subscriptions:")
        );
    }

    #[test]
    fn a_target_that_names_a_parameter_answers_only_it() {
        use PanelParameter as P;
        let both = imported(&[(P::Hashtags, "red\nblue"), (P::Usernames, "anna\nben")]);
        assert_eq!(
            sent("Mentions with Hashtags", &both),
            "quantity=3&usernames=anna\nben&hashtags=red\nblue"
        );
        let replies = imported(&[(P::Comments, "a\nb\nc"), (P::Username, "anna")]);
        assert_eq!(sent("Comment Replies", &replies), "username=anna&comments=a\nb\nc");
        let visit =
            [(P::Country, "DE"), (P::Device, "4"), (P::TypeOfTraffic, "1"), (P::GoogleKeyword, "shoes")];
        assert_eq!(
            sent("Web Traffic", &imported(&visit)),
            "quantity=3&country=DE&device=4&type_of_traffic=1&google_keyword=shoes"
        );
        assert_eq!(sent("Poll", &imported(&[(P::Username, "2")])), "The order has no answer number to send.");
    }

    #[test]
    fn answers_without_a_parameter_are_listed_as_not_forwarded() {
        use PanelParameter as P;
        let likes = imported(&[(P::Country, "DE"), (P::Language, "en")]);
        let plain = prepare("Default", &[], &likes).unwrap();
        assert_eq!(plain.not_forwarded, ["Country", "Language"]);
        let prepared = prepare("Default", &[P::Country], &likes).unwrap();
        assert_eq!(prepared.not_forwarded, ["Language"]);
        assert_eq!(prepared.request.fields().last(), Some(&("country", "DE".to_owned())));
        let visit =
            [(P::Country, "DE"), (P::Device, "4"), (P::TypeOfTraffic, "3"), (P::GoogleKeyword, "shoes")];
        assert_eq!(prepare("Web Traffic", &[], &imported(&visit)).unwrap().not_forwarded, ["Google keyword"]);
    }

    #[test]
    fn a_partly_delivered_order_sends_its_remaining_lines() {
        let partial =
            OrderToSend { delivered: 2, quantity: 1, ..order(&[(TargetName::Comment, "one\ntwo\nthree")]) };
        assert_eq!(sent("custom comments", &partial), "comments=three");
        assert_eq!(
            sent("custom comments package", &partial),
            "comments=one\ntwo\nthree",
            "a package is sent whole"
        );
        let none = OrderToSend { delivered: 3, ..partial };
        assert_eq!(sent("custom comments", &none), "The order has no comments to send.");
    }
}
