//! Builds the request for an order: the parameters of the panel's service type from the customer's answers, and the list of answers
//! that the panel has no parameter for. Pure.

use panel_contract::panel_service_types::{
    PanelParameter, PanelServiceType, ParameterKind, QuantitySource, non_empty_lines,
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
    pub target_name: TargetName,
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
    /// The answer for a parameter: from the target that names it, else from a matching target that names no parameter.
    fn answer(&self, parameter: PanelParameter) -> Option<&CustomerAnswer> {
        let assigned = self.answers.iter().find(|answer| answer.parameter == Some(parameter));
        let answer_of_target = |target_name: &TargetName| {
            self.answers
                .iter()
                .find(|answer| answer.parameter.is_none() && answer.target_name == *target_name)
        };
        let answer = assigned.or_else(|| parameter.supplying_targets().iter().find_map(answer_of_target));
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

/// Builds the request for a service whose type is the panel's text `panel_type`. `extra_parameters` lists the parameters that the
/// panel accepts in addition to those of the type.
///
/// # Errors
/// One sentence that names the missing answer, or explains that the type cannot be ordered.
pub(super) fn prepare(
    panel_type: &str,
    extra_parameters: &[PanelParameter],
    order: &OrderToSend,
) -> Result<PreparedRequest, String> {
    let service_type = match PanelServiceType::parse(panel_type) {
        Some(PanelServiceType::Default) if panel_type.trim().is_empty() => order.guess_type(),
        Some(service_type) => service_type,
        None => {
            return Err(format!(
                "The panel's service is of the type {panel_type}, which cannot be ordered here."
            ));
        }
    };
    if let Some(reason) = service_type.reason_not_sellable() {
        return Err(format!("The panel's service is of the type {service_type}: {reason}."));
    }
    let mut request = AddOrderRequest::for_link(&order.link);
    if service_type.quantity_source() == QuantitySource::Explicit {
        request = request.quantity(order.quantity);
    }
    let mut sent_answers: Vec<&CustomerAnswer> = Vec::new();
    for parameter in service_type.required_parameters() {
        let answer = order.answer(*parameter);
        let value = answer.and_then(|answer| format_value(service_type, *parameter, order, answer));
        let value = value.or_else(|| default_value(*parameter, order));
        request = request.parameter(*parameter, value.ok_or_else(|| missing_answer(*parameter))?);
        sent_answers.extend(answer);
    }
    let optional = service_type
        .optional_parameters()
        .iter()
        .chain(extra_parameters.iter().filter(|parameter| !service_type.accepts(**parameter)));
    for parameter in optional.filter(|parameter| is_applicable(service_type, **parameter, order)) {
        let Some(answer) = order.answer(*parameter) else { continue };
        let Some(value) = format_value(service_type, *parameter, order, answer) else { continue };
        request = request.parameter(*parameter, value);
        sent_answers.push(answer);
    }
    let unsent_answers = order.answers.iter().filter(|answer| !sent_answers.contains(answer));
    Ok(PreparedRequest { request, not_forwarded: unsent_answers.map(|answer| answer.name.clone()).collect() })
}

fn missing_answer(parameter: PanelParameter) -> String {
    format!("The order has no {} to send.", parameter.display_name().to_lowercase())
}

/// An answer in the panel's format. If the number of lines is the quantity, it contains only the lines that are not delivered yet.
fn format_value(
    service_type: PanelServiceType,
    parameter: PanelParameter,
    order: &OrderToSend,
    answer: &CustomerAnswer,
) -> Option<String> {
    let is_counted = service_type.quantity_source() == QuantitySource::LinesOf(parameter);
    let skipped = if is_counted { usize::try_from(order.delivered).unwrap_or_default() } else { 0 };
    let mut remaining_lines = non_empty_lines(&answer.value).skip(skipped);
    match parameter.kind() {
        ParameterKind::Lines => {
            Some(remaining_lines.collect::<Vec<_>>().join("\n")).filter(|text| !text.is_empty())
        }
        ParameterKind::Number(..) => {
            remaining_lines.next().filter(|text| parameter.check(text).is_ok()).map(str::to_owned)
        }
        _ => remaining_lines.next().map(str::to_owned),
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

/// The panel's code of the traffic source: 1 for a search, 2 for a referring page, 3 for neither.
fn traffic_type(order: &OrderToSend) -> &'static str {
    match order.answer(PanelParameter::ReferringUrl) {
        Some(answer) if PanelParameter::ReferringUrl.check(answer.value.trim()).is_ok() => "2",
        _ if order.answer(PanelParameter::GoogleKeyword).is_some() => "1",
        _ => "3",
    }
}

/// Whether an optional parameter applies: of the two traffic sources, only the one that the traffic type names.
fn is_applicable(service_type: PanelServiceType, parameter: PanelParameter, order: &OrderToSend) -> bool {
    if service_type != PanelServiceType::WebTraffic {
        return true;
    }
    let type_answer =
        order.answers.iter().find(|answer| answer.parameter == Some(PanelParameter::TypeOfTraffic));
    let source = type_answer.map_or_else(|| traffic_type(order), |answer| answer.value.trim());
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
    fn order_with_answers(answers: &[(TargetName, &str)]) -> OrderToSend {
        let answer = |(target_name, text): &(TargetName, &str)| CustomerAnswer {
            name: target_name.to_string(),
            value: (*text).to_owned(),
            target_name: *target_name,
            parameter: None,
        };
        let answers = answers.iter().map(answer).collect();
        OrderToSend { link: "https://example.com/p".into(), quantity: 3, delivered: 0, answers }
    }

    /// Answers to targets that an import attached.
    fn order_with_parameters(answers: &[(PanelParameter, &str)]) -> OrderToSend {
        let answer = |(parameter, text): &(PanelParameter, &str)| CustomerAnswer {
            name: parameter.display_name().to_owned(),
            value: (*text).to_owned(),
            target_name: parameter.new_target().0,
            parameter: Some(*parameter),
        };
        let answers = answers.iter().map(answer).collect();
        OrderToSend { link: "https://example.com/p".into(), quantity: 3, delivered: 0, answers }
    }

    fn sent_fields(service_type: &str, order: &OrderToSend) -> String {
        let format_field = |(name, value): &(&str, String)| format!("{name}={value}");
        match prepare(service_type, &[], order) {
            Ok(prepared) => {
                prepared.request.fields().iter().map(format_field).skip(1).collect::<Vec<_>>().join("&")
            }
            Err(missing_answer) => missing_answer,
        }
    }

    #[test]
    fn each_type_sends_the_matching_answers() {
        let comments = order_with_answers(&[(TargetName::Comment, "one\n\n two \nthree")]);
        let keyword = order_with_answers(&[(TargetName::Keyword, "anna\nben")]);
        let visit = order_with_answers(&[
            (TargetName::Geotargeting, "DE"),
            (TargetName::SeoKeyword, "https://x.example"),
        ]);
        for (service_type, order, expected) in [
            ("Default", &comments, "quantity=3"),
            ("", &comments, "comments=one\ntwo\nthree"),
            ("", &keyword, "quantity=3"),
            ("Package", &keyword, ""),
            ("Custom Comments", &comments, "comments=one\ntwo\nthree"),
            ("Custom Comments", &keyword, "The order has no comments to send."),
            ("Mentions", &keyword, "quantity=3&usernames=anna\nben"),
            ("Comment Likes", &keyword, "quantity=3&username=anna"),
            ("Comment Likes", &comments, "The order has no username to send."),
            ("Poll", &keyword, "The order has no answer number to send."),
            ("Poll", &order_with_answers(&[(TargetName::Keyword, "2")]), "quantity=3&answer_number=2"),
            ("SEO", &order_with_answers(&[(TargetName::SeoKeyword, "a\nb")]), "quantity=3&keywords=a\nb"),
            (
                "Web Traffic",
                &visit,
                "quantity=3&country=DE&device=1&type_of_traffic=2&referring_url=https://x.example",
            ),
            (
                "Something New",
                &keyword,
                "The panel's service is of the type Something New, which cannot be ordered here.",
            ),
        ] {
            assert_eq!(sent_fields(service_type, order), expected, "{service_type}");
        }
        assert!(
            sent_fields("subscriptions", &keyword)
                .starts_with("The panel's service is of the type Subscriptions:")
        );
    }

    #[test]
    fn a_target_that_names_a_parameter_answers_only_it() {
        use PanelParameter as P;
        let two_answers = order_with_parameters(&[(P::Hashtags, "red\nblue"), (P::Usernames, "anna\nben")]);
        assert_eq!(
            sent_fields("Mentions with Hashtags", &two_answers),
            "quantity=3&usernames=anna\nben&hashtags=red\nblue"
        );
        let replies = order_with_parameters(&[(P::Comments, "a\nb\nc"), (P::Username, "anna")]);
        assert_eq!(sent_fields("Comment Replies", &replies), "username=anna&comments=a\nb\nc");
        let visit =
            [(P::Country, "DE"), (P::Device, "4"), (P::TypeOfTraffic, "1"), (P::GoogleKeyword, "shoes")];
        assert_eq!(
            sent_fields("Web Traffic", &order_with_parameters(&visit)),
            "quantity=3&country=DE&device=4&type_of_traffic=1&google_keyword=shoes"
        );
        assert_eq!(
            sent_fields("Poll", &order_with_parameters(&[(P::Username, "2")])),
            "The order has no answer number to send."
        );
    }

    #[test]
    fn answers_without_a_parameter_are_listed_as_not_forwarded() {
        use PanelParameter as P;
        let likes = order_with_parameters(&[(P::Country, "DE"), (P::Language, "en")]);
        let plain = prepare("Default", &[], &likes).unwrap();
        assert_eq!(plain.not_forwarded, ["Country", "Language"]);
        let prepared = prepare("Default", &[P::Country], &likes).unwrap();
        assert_eq!(prepared.not_forwarded, ["Language"]);
        assert_eq!(prepared.request.fields().last(), Some(&("country", "DE".to_owned())));
        let visit =
            [(P::Country, "DE"), (P::Device, "4"), (P::TypeOfTraffic, "3"), (P::GoogleKeyword, "shoes")];
        assert_eq!(
            prepare("Web Traffic", &[], &order_with_parameters(&visit)).unwrap().not_forwarded,
            ["Google keyword"]
        );
    }

    #[test]
    fn a_partly_delivered_order_sends_its_remaining_lines() {
        let partial = OrderToSend {
            delivered: 2,
            quantity: 1,
            ..order_with_answers(&[(TargetName::Comment, "one\ntwo\nthree")])
        };
        assert_eq!(sent_fields("custom comments", &partial), "comments=three");
        assert_eq!(
            sent_fields("custom comments package", &partial),
            "comments=one\ntwo\nthree",
            "a package is sent whole"
        );
        let fully_delivered = OrderToSend { delivered: 3, ..partial };
        assert_eq!(sent_fields("custom comments", &fully_delivered), "The order has no comments to send.");
    }
}
