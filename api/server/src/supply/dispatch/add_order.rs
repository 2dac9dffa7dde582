//! Builds the request that places an order: fills the parameters of the external panel's service type with the customer's answers,
//! and lists the answers for which the external panel has no parameter. This module uses no database and no network.

use panel_contract::panel_service_types::{
    PanelParameter, PanelServiceType, ParameterKind, QuantitySource, non_empty_lines,
};
use panel_contract::targets::TargetName;

use panel_domain::reseller_protocol::add_order::AddOrderRequest;

/// A customer's answer to a target.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub(super) struct CustomerAnswer {
    /// Name of the target at the time of the answer.
    pub name: String,
    pub value: String,
    /// Kind of the target.
    pub target_name: TargetName,
    /// The parameter of the reseller API that the target provides; `None` for a target that staff created.
    pub parameter: Option<PanelParameter>,
}

/// The data of an order from which the request is built.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct OrderToSend {
    /// Link to which the external panel delivers.
    pub link: String,
    /// Units to order.
    pub quantity: i64,
    /// Units that earlier attempts delivered.
    pub delivered_quantity: i64,
    pub answers: Vec<CustomerAnswer>,
}

/// The request, and the names of the answers that it does not contain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PreparedRequest {
    pub request: AddOrderRequest,
    pub not_forwarded: Vec<String>,
}

impl OrderToSend {
    /// Finds the answer for a parameter: from the target with this parameter, else from a target of a matching kind without a
    /// parameter.
    fn find_answer(&self, parameter: PanelParameter) -> Option<&CustomerAnswer> {
        let answer_with_parameter = self.answers.iter().find(|answer| answer.parameter == Some(parameter));
        let answer_of_target = |target_name: &TargetName| {
            self.answers
                .iter()
                .find(|answer| answer.parameter.is_none() && answer.target_name == *target_name)
        };
        let answer =
            answer_with_parameter.or_else(|| parameter.supplying_targets().iter().find_map(answer_of_target));
        answer.filter(|answer| !answer.value.trim().is_empty())
    }

    /// Returns the service type for an external panel that sends no type: Custom Comments if the customer entered comments.
    fn infer_service_type(&self) -> PanelServiceType {
        match self.find_answer(PanelParameter::Comments) {
            Some(_) => PanelServiceType::CustomComments,
            None => PanelServiceType::Default,
        }
    }
}

/// Builds the request for a service. `panel_type` is its type as a string of the external panel. `extra_parameters` lists the
/// parameters that the external panel accepts in addition to those of the type.
///
/// # Errors
/// One sentence that names the missing answer, or explains that the type cannot be ordered.
pub(super) fn prepare_request(
    panel_type: &str,
    extra_parameters: &[PanelParameter],
    order: &OrderToSend,
) -> Result<PreparedRequest, String> {
    let service_type = match PanelServiceType::parse(panel_type) {
        Some(PanelServiceType::Default) if panel_type.trim().is_empty() => order.infer_service_type(),
        Some(service_type) => service_type,
        None => {
            return Err(format!(
                "The service of the external panel has the type {panel_type}, which is not supported."
            ));
        }
    };
    if let Some(reason) = service_type.reason_not_sellable() {
        return Err(format!("The service of the external panel has the type {service_type}: {reason}."));
    }
    let mut request = AddOrderRequest::for_link(&order.link);
    if service_type.quantity_source() == QuantitySource::Explicit {
        request = request.quantity(order.quantity);
    }
    let mut sent_answers: Vec<&CustomerAnswer> = Vec::new();
    for parameter in service_type.required_parameters() {
        let answer = order.find_answer(*parameter);
        let value = answer.and_then(|answer| format_value(service_type, *parameter, order, answer));
        let value = value.or_else(|| default_parameter_value(*parameter, order));
        request = request.parameter(*parameter, value.ok_or_else(|| missing_answer_error(*parameter))?);
        sent_answers.extend(answer);
    }
    let optional_parameters = service_type
        .optional_parameters()
        .iter()
        .chain(extra_parameters.iter().filter(|parameter| !service_type.accepts(**parameter)));
    for parameter in optional_parameters.filter(|parameter| is_applicable(service_type, **parameter, order)) {
        let Some(answer) = order.find_answer(*parameter) else { continue };
        let Some(value) = format_value(service_type, *parameter, order, answer) else { continue };
        request = request.parameter(*parameter, value);
        sent_answers.push(answer);
    }
    let unsent_answers = order.answers.iter().filter(|answer| !sent_answers.contains(answer));
    Ok(PreparedRequest { request, not_forwarded: unsent_answers.map(|answer| answer.name.clone()).collect() })
}

fn missing_answer_error(parameter: PanelParameter) -> String {
    format!("The order has no {} to send.", parameter.display_name().to_lowercase())
}

/// Formats an answer for the external panel. If each line is one unit of the order (such as one comment per line), the result
/// contains only the lines that are not delivered yet.
fn format_value(
    service_type: PanelServiceType,
    parameter: PanelParameter,
    order: &OrderToSend,
    answer: &CustomerAnswer,
) -> Option<String> {
    let has_one_line_per_unit = service_type.quantity_source() == QuantitySource::LinesOf(parameter);
    let delivered_lines =
        if has_one_line_per_unit { usize::try_from(order.delivered_quantity).unwrap_or_default() } else { 0 };
    let mut remaining_lines = non_empty_lines(&answer.value).skip(delivered_lines);
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

/// Returns the value of a required web traffic parameter for which the service has no target.
fn default_parameter_value(parameter: PanelParameter, order: &OrderToSend) -> Option<String> {
    match parameter {
        PanelParameter::Country => Some("WW".to_owned()),
        PanelParameter::Device => Some("1".to_owned()),
        PanelParameter::TypeOfTraffic => Some(traffic_source_code(order).to_owned()),
        _ => None,
    }
}

/// Returns the code of the traffic source in the reseller API: 1 for a search, 2 for a referring page, 3 for neither.
fn traffic_source_code(order: &OrderToSend) -> &'static str {
    match order.find_answer(PanelParameter::ReferringUrl) {
        Some(answer) if PanelParameter::ReferringUrl.check(answer.value.trim()).is_ok() => "2",
        _ if order.find_answer(PanelParameter::GoogleKeyword).is_some() => "1",
        _ => "3",
    }
}

/// Whether an optional parameter applies. Of the two parameters for traffic sources, only the one for the chosen source applies.
fn is_applicable(service_type: PanelServiceType, parameter: PanelParameter, order: &OrderToSend) -> bool {
    if service_type != PanelServiceType::WebTraffic {
        return true;
    }
    let type_answer =
        order.answers.iter().find(|answer| answer.parameter == Some(PanelParameter::TypeOfTraffic));
    let source_code = type_answer.map_or_else(|| traffic_source_code(order), |answer| answer.value.trim());
    match parameter {
        PanelParameter::GoogleKeyword => source_code == "1",
        PanelParameter::ReferringUrl => source_code == "2",
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Creates an order with answers to targets that have no parameter.
    fn order_with_answers(answers: &[(TargetName, &str)]) -> OrderToSend {
        let to_answer = |(target_name, text): &(TargetName, &str)| CustomerAnswer {
            name: target_name.to_string(),
            value: (*text).to_owned(),
            target_name: *target_name,
            parameter: None,
        };
        let answers = answers.iter().map(to_answer).collect();
        OrderToSend { link: "https://example.com/p".into(), quantity: 3, delivered_quantity: 0, answers }
    }

    /// Creates an order with answers to targets that an import created for parameters.
    fn order_with_parameters(answers: &[(PanelParameter, &str)]) -> OrderToSend {
        let to_answer = |(parameter, text): &(PanelParameter, &str)| CustomerAnswer {
            name: parameter.display_name().to_owned(),
            value: (*text).to_owned(),
            target_name: parameter.new_target().0,
            parameter: Some(*parameter),
        };
        let answers = answers.iter().map(to_answer).collect();
        OrderToSend { link: "https://example.com/p".into(), quantity: 3, delivered_quantity: 0, answers }
    }

    fn sent_fields_or_error(service_type: &str, order: &OrderToSend) -> String {
        let format_field = |(name, value): &(&str, String)| format!("{name}={value}");
        match prepare_request(service_type, &[], order) {
            Ok(prepared) => {
                prepared.request.fields().iter().map(format_field).skip(1).collect::<Vec<_>>().join("&")
            }
            Err(message) => message,
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
        for (service_type, order, expected_text) in [
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
                "The service of the external panel has the type Something New, which is not supported.",
            ),
        ] {
            assert_eq!(sent_fields_or_error(service_type, order), expected_text, "{service_type}");
        }
        assert!(
            sent_fields_or_error("subscriptions", &keyword)
                .starts_with("The service of the external panel has the type Subscriptions:")
        );
    }

    #[test]
    fn a_target_with_a_parameter_answers_only_this_parameter() {
        use PanelParameter as P;
        let two_answers = order_with_parameters(&[(P::Hashtags, "red\nblue"), (P::Usernames, "anna\nben")]);
        assert_eq!(
            sent_fields_or_error("Mentions with Hashtags", &two_answers),
            "quantity=3&usernames=anna\nben&hashtags=red\nblue"
        );
        let replies = order_with_parameters(&[(P::Comments, "a\nb\nc"), (P::Username, "anna")]);
        assert_eq!(sent_fields_or_error("Comment Replies", &replies), "username=anna&comments=a\nb\nc");
        let visit =
            [(P::Country, "DE"), (P::Device, "4"), (P::TypeOfTraffic, "1"), (P::GoogleKeyword, "shoes")];
        assert_eq!(
            sent_fields_or_error("Web Traffic", &order_with_parameters(&visit)),
            "quantity=3&country=DE&device=4&type_of_traffic=1&google_keyword=shoes"
        );
        assert_eq!(
            sent_fields_or_error("Poll", &order_with_parameters(&[(P::Username, "2")])),
            "The order has no answer number to send."
        );
    }

    #[test]
    fn answers_without_a_parameter_are_listed_as_not_forwarded() {
        use PanelParameter as P;
        let likes = order_with_parameters(&[(P::Country, "DE"), (P::Language, "en")]);
        let without_extra_parameters = prepare_request("Default", &[], &likes).unwrap();
        assert_eq!(without_extra_parameters.not_forwarded, ["Country", "Language"]);
        let prepared = prepare_request("Default", &[P::Country], &likes).unwrap();
        assert_eq!(prepared.not_forwarded, ["Language"]);
        assert_eq!(prepared.request.fields().last(), Some(&("country", "DE".to_owned())));
        let visit =
            [(P::Country, "DE"), (P::Device, "4"), (P::TypeOfTraffic, "3"), (P::GoogleKeyword, "shoes")];
        assert_eq!(
            prepare_request("Web Traffic", &[], &order_with_parameters(&visit)).unwrap().not_forwarded,
            ["Google keyword"]
        );
    }

    #[test]
    fn a_partly_delivered_order_sends_its_remaining_lines() {
        let partly_delivered = OrderToSend {
            delivered_quantity: 2,
            quantity: 1,
            ..order_with_answers(&[(TargetName::Comment, "one\ntwo\nthree")])
        };
        assert_eq!(sent_fields_or_error("custom comments", &partly_delivered), "comments=three");
        assert_eq!(
            sent_fields_or_error("custom comments package", &partly_delivered),
            "comments=one\ntwo\nthree",
            "a package must contain all lines"
        );
        let fully_delivered = OrderToSend { delivered_quantity: 3, ..partly_delivered };
        assert_eq!(
            sent_fields_or_error("custom comments", &fully_delivered),
            "The order has no comments to send."
        );
    }
}
