//! Declares the parameters that the action `add` accepts, by the kind of order and the type of the service. `add` rejects a
//! declared parameter that does not apply. A test compares the tables of docs/reseller-api.md with the declarations. Reads and
//! writes no data.

use panel_contract::order_requests::ResellerRequest;
use panel_contract::panel_service_types::PanelParameter;
use panel_contract::targets::{RequestedTarget, TargetName};
use panel_kernel::error::Result;

use super::add::ResellerService;
use super::protocol::{self, field, parse_number};

/// The kind of order that an `add` places.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AddKind {
    Order,
    /// An order with several runs.
    DripFeed,
    /// A subscription to a channel.
    Subscription,
}

/// Whether an `add` of a kind accepts a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Acceptance {
    Yes,
    No,
    /// Only if the value belongs to a target of the service.
    IfServiceHasTarget,
    /// Accepted. For a service that is sold as a package, only the value 1 is accepted.
    UnlessPackage,
}

/// The values of a parameter that count as absent. Some programs send all fields, with such values for the fields that they do not
/// use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AbsentValues {
    Empty,
    /// The empty value and 0.
    Zero,
    /// The empty value and each value that means "off".
    Off,
}

/// A parameter of `add`.
#[derive(Debug, Clone, Copy)]
struct Parameter {
    name: &'static str,
    absent_values: AbsentValues,
    order: Acceptance,
    drip_feed: Acceptance,
    subscription: Acceptance,
}

impl Parameter {
    const fn acceptance(self, kind: AddKind) -> Acceptance {
        match kind {
            AddKind::Order => self.order,
            AddKind::DripFeed => self.drip_feed,
            AddKind::Subscription => self.subscription,
        }
    }
}

const fn parameter(
    name: &'static str,
    absent_values: AbsentValues,
    order: Acceptance,
    drip_feed: Acceptance,
    subscription: Acceptance,
) -> Parameter {
    Parameter { name, absent_values, order, drip_feed, subscription }
}

/// The parameters that do not depend on the targets of a service, in the order of the documentation.
const ADD_PARAMETERS: [Parameter; 18] = {
    use AbsentValues::{Empty, Off, Zero};
    use Acceptance::{No, UnlessPackage, Yes};
    [
        parameter("service", Zero, Yes, Yes, Yes),
        parameter("link", Empty, Yes, Yes, Yes),
        parameter("quantity", Zero, UnlessPackage, UnlessPackage, No),
        parameter("runs", Empty, Yes, Yes, No),
        parameter("interval", Zero, Yes, Yes, No),
        parameter("coupon", Empty, Yes, No, No),
        parameter("order_widget", Empty, Yes, No, No),
        parameter("speedup", Off, Yes, No, No),
        parameter("guarantee", Off, Yes, No, No),
        parameter("customer_country", Empty, Yes, Yes, No),
        parameter("child_id", Zero, Yes, No, No),
        parameter("min", Zero, No, No, Yes),
        parameter("max", Zero, No, No, Yes),
        parameter("posts", Zero, No, No, Yes),
        parameter("old_posts", Zero, No, No, Yes),
        parameter("delay", Zero, No, No, Yes),
        parameter("expiry", Zero, No, No, Yes),
        parameter("period", Zero, No, No, Yes),
    ]
};
/// The parameter for keyword targets that no parameter of a service type covers.
const KEYWORD_PARAMETER: Parameter = parameter(
    "keyword",
    AbsentValues::Empty,
    Acceptance::IfServiceHasTarget,
    Acceptance::IfServiceHasTarget,
    Acceptance::No,
);

/// Returns all parameters that any `add` request may have.
fn all_parameters() -> impl Iterator<Item = Parameter> {
    let answer_parameters = PanelParameter::ALL.iter().map(|answer_parameter| {
        // The channel of a subscription may be an account, whose name is sent in this parameter.
        let in_subscription = match answer_parameter {
            PanelParameter::Username => Acceptance::Yes,
            _ => Acceptance::No,
        };
        parameter(
            answer_parameter.as_str(),
            AbsentValues::Empty,
            Acceptance::IfServiceHasTarget,
            Acceptance::IfServiceHasTarget,
            in_subscription,
        )
    });
    ADD_PARAMETERS.into_iter().chain(answer_parameters).chain([KEYWORD_PARAMETER])
}

/// Returns the fields that can hold the value of a target without a parameter, by the kind of the target. A field with the name of
/// the target has priority over these fields.
const fn default_fields(kind: TargetName) -> &'static [&'static str] {
    match kind {
        TargetName::Comment => &["comments"],
        TargetName::Keyword => {
            &["keyword", "username", "usernames", "hashtag", "hashtags", "media", "groups", "answer_number"]
        }
        TargetName::SeoKeyword => &["keywords", "google_keyword", "referring_url"],
        TargetName::Geotargeting => &["country"],
        TargetName::Language => &["language"],
    }
}

/// Returns the fields that can hold the value of a target. The first field with a value counts.
pub(super) fn answer_fields(target: &RequestedTarget) -> impl Iterator<Item = &str> {
    let default_names = match target.parameter {
        Some(parameter) => vec![parameter.as_str()],
        None => default_fields(target.kind).to_vec(),
    };
    std::iter::once(target.name.as_str()).chain(default_names)
}

/// Rejects a request with a parameter that this kind of order or this service does not accept. Ignores unknown fields, because
/// programs send additional fields.
pub(super) fn check_parameters(
    call: &ResellerRequest,
    kind: AddKind,
    service: Option<&ResellerService>,
) -> Result<()> {
    let rejected_parameter = all_parameters()
        .find(|parameter| is_present(call, *parameter) && !is_accepted(*parameter, kind, service, call));
    match rejected_parameter {
        Some(parameter) => Err(protocol::reseller_error(&rejection_message(parameter, kind))),
        None => Ok(()),
    }
}

/// Whether the value of a parameter counts as present.
fn is_present(call: &ResellerRequest, parameter: Parameter) -> bool {
    let text = field(call, parameter.name);
    match parameter.absent_values {
        AbsentValues::Empty => !text.is_empty(),
        AbsentValues::Zero => !text.is_empty() && parse_number(text) != Some(0),
        AbsentValues::Off => !text.is_empty() && parse_flag(text) != Some(false),
    }
}

fn is_accepted(
    parameter: Parameter,
    kind: AddKind,
    service: Option<&ResellerService>,
    call: &ResellerRequest,
) -> bool {
    let targets = service.map_or(&[][..], |service| &service.targets);
    let has_target = |name| targets.iter().any(|target| answer_fields(target).any(|field| field == name));
    match parameter.acceptance(kind) {
        Acceptance::Yes => true,
        Acceptance::No => false,
        Acceptance::IfServiceHasTarget => has_target(parameter.name),
        Acceptance::UnlessPackage => {
            service.is_none_or(|service| !service.kind.is_package())
                || parse_number(field(call, parameter.name)) == Some(1)
        }
    }
}

fn rejection_message(parameter: Parameter, kind: AddKind) -> String {
    let name = parameter.name;
    match (kind, parameter.acceptance(kind)) {
        (_, Acceptance::UnlessPackage) => format!(
            "This service is sold one package at a time: leave {name} out, or send 1; add one order for each package"
        ),
        (_, Acceptance::IfServiceHasTarget) => format!("This service takes no {name}"),
        (AddKind::Subscription, _) => format!("A subscription takes no {name}"),
        (_, _) if parameter.subscription == Acceptance::Yes => {
            format!("An order takes no {name}; a subscription has min and max, and no quantity")
        }
        (_, _) if name == "coupon" => "A coupon takes no runs".to_owned(),
        (_, _) if name == "order_widget" => "An order widget takes no runs".to_owned(),
        (_, _) => format!("An order with runs takes no {name}"),
    }
}

/// Parses a boolean field; an empty field is false.
pub(super) fn parse_bool_field(call: &ResellerRequest, name: &str) -> Result<bool> {
    match field(call, name) {
        "" => Ok(false),
        text => parse_flag(text)
            .ok_or_else(|| protocol::reseller_error(&format!("Incorrect {name}: send 1 or 0"))),
    }
}

fn parse_flag(text: &str) -> Option<bool> {
    match text {
        "1" | "true" | "yes" | "on" => Some(true),
        "0" | "false" | "no" | "off" => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use panel_contract::panel_service_types::{PanelServiceType, QuantitySource};
    use panel_contract::targets::ViewType;

    use super::*;

    fn call(fields: &[(&str, &str)]) -> ResellerRequest {
        ResellerRequest(fields.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect())
    }

    fn target_for(parameter: PanelParameter) -> RequestedTarget {
        RequestedTarget {
            name: parameter.display_name().to_owned(),
            kind: parameter.new_target().0,
            parameter: Some(parameter),
            placeholder: None,
            view_type: ViewType::Textarea,
            is_required: true,
            values: vec![],
        }
    }

    /// A service with a target for each parameter of its type.
    fn service_of_type(kind: PanelServiceType) -> ResellerService {
        let targets = kind
            .required_parameters()
            .iter()
            .chain(kind.optional_parameters())
            .map(|parameter| target_for(*parameter))
            .collect();
        ResellerService { kind, targets, drip_feed_is_allowed: true, min_quantity: 1, max_quantity: 10 }
    }

    /// A non-empty value of a parameter.
    fn sample_value(name: &str) -> &'static str {
        match name {
            "speedup" | "guarantee" => "1",
            _ => "7",
        }
    }

    #[test]
    fn every_type_accepts_only_its_parameters() {
        let common_parameters = BTreeSet::from([
            "service",
            "link",
            "runs",
            "interval",
            "coupon",
            "order_widget",
            "speedup",
            "guarantee",
            "customer_country",
            "child_id",
        ]);
        for kind in PanelServiceType::ALL {
            let service = service_of_type(*kind);
            let mut expected_names = common_parameters.clone();
            expected_names.extend(
                kind.required_parameters()
                    .iter()
                    .chain(kind.optional_parameters())
                    .map(|parameter| parameter.as_str()),
            );
            if kind.quantity_source() != QuantitySource::SinglePackage {
                expected_names.insert("quantity");
            }
            let is_accepted = |parameter: &Parameter| {
                check_parameters(
                    &call(&[(parameter.name, sample_value(parameter.name))]),
                    AddKind::Order,
                    Some(&service),
                )
                .is_ok()
            };
            let (accepted_parameters, rejected_parameters): (Vec<_>, Vec<_>) =
                all_parameters().partition(is_accepted);
            assert_eq!(
                accepted_parameters.iter().map(|parameter| parameter.name).collect::<BTreeSet<_>>(),
                expected_names,
                "{kind}"
            );
            assert_eq!(accepted_parameters.len() + rejected_parameters.len(), all_parameters().count());
            let accepted_with_runs = |name: &str| {
                let call = call(&[(name, sample_value(name))]);
                check_parameters(&call, AddKind::DripFeed, Some(&service)).is_ok()
            };
            let rejected_with_runs = ["coupon", "order_widget", "speedup", "guarantee", "child_id"];
            assert!(
                expected_names
                    .iter()
                    .all(|name| accepted_with_runs(name) != rejected_with_runs.contains(name)),
                "{kind}"
            );
        }
    }

    #[test]
    fn a_subscription_accepts_only_its_own_parameters() {
        let names = all_parameters().map(|parameter| parameter.name);
        let accepted = names.filter(|name| {
            check_parameters(&call(&[(*name, sample_value(name))]), AddKind::Subscription, None).is_ok()
        });
        let expected_names =
            ["service", "link", "min", "max", "posts", "old_posts", "delay", "expiry", "period", "username"];
        assert_eq!(accepted.collect::<Vec<_>>(), expected_names);
    }

    #[test]
    fn ignores_absent_values_and_unknown_fields() {
        let service = service_of_type(PanelServiceType::Package);
        let zeros = [
            ("quantity", "0"),
            ("min", "0"),
            ("posts", "0"),
            ("period", "0"),
            ("expiry", ""),
            ("colour", "red"),
        ];
        assert!(check_parameters(&call(&zeros), AddKind::Order, Some(&service)).is_ok());
        assert!(check_parameters(&call(&[("speedup", "0")]), AddKind::DripFeed, Some(&service)).is_ok());
        assert!(check_parameters(&call(&[("quantity", "1")]), AddKind::Order, Some(&service)).is_ok());
        assert!(check_parameters(&call(&[("quantity", "2")]), AddKind::Order, Some(&service)).is_err());
        assert!(check_parameters(&call(&[("min", "-1")]), AddKind::Order, Some(&service)).is_err());
        let flags = ["1", "0", "on", "false", "", "2", "-1", "x"]
            .map(|text| parse_bool_field(&call(&[("speedup", text)]), "speedup").ok());
        assert_eq!(flags, [Some(true), Some(false), Some(true), Some(false), Some(false), None, None, None]);
    }

    #[test]
    fn the_code_reads_only_declared_parameters() {
        let sources = [include_str!("add.rs"), include_str!("subscribe.rs")];
        let code = sources.map(|text| text.split("#[cfg(test)]").next().unwrap_or_default()).concat();
        let declared: BTreeSet<&str> = all_parameters().map(|parameter| parameter.name).collect();
        let mut names_in_code = BTreeSet::new();
        for reader in [
            "field(call, \"",
            "parse_number_field(call, \"",
            "parse_in_range(\"",
            "parse_bool_field(call, \"",
        ] {
            names_in_code.extend(code.split(reader).skip(1).filter_map(|rest| rest.split('"').next()));
        }
        assert!(names_in_code.len() > 15 && names_in_code.is_subset(&declared), "{names_in_code:?}");
    }

    fn table_cell(acceptance: Acceptance) -> &'static str {
        match acceptance {
            Acceptance::Yes => "yes",
            Acceptance::No => "–",
            Acceptance::IfServiceHasTarget => "where the service asks for it",
            Acceptance::UnlessPackage => "yes; of a package only 1",
        }
    }

    #[test]
    fn the_documentation_lists_the_accepted_parameters() {
        let doc = include_str!("../../../../../docs/reseller-api.md");
        let to_list = |all_parameters: &[PanelParameter]| match all_parameters {
            [] => "–".to_owned(),
            all_parameters => all_parameters
                .iter()
                .map(|parameter| format!("`{}`", parameter.as_str()))
                .collect::<Vec<_>>()
                .join(", "),
        };
        let mut lines = Vec::new();
        for kind in PanelServiceType::ALL.iter().filter(|kind| kind.reason_not_sellable().is_none()) {
            let quantity = match kind.quantity_source() {
                QuantitySource::Explicit => "`quantity`".to_owned(),
                QuantitySource::LinesOf(lines) => format!("lines of `{}`", lines.as_str()),
                QuantitySource::SinglePackage => "one package".to_owned(),
            };
            let (required, optional) =
                (to_list(kind.required_parameters()), to_list(kind.optional_parameters()));
            lines.push(format!("| {} | {quantity} | {required} | {optional} |", kind.as_str()));
        }
        for parameter in all_parameters() {
            let [order, drip_feed, subscription] =
                [parameter.order, parameter.drip_feed, parameter.subscription].map(table_cell);
            lines.push(format!("| `{}` | {order} | {drip_feed} | {subscription} |", parameter.name));
        }
        let missing: Vec<_> = lines.into_iter().filter(|line| !doc.contains(line.as_str())).collect();
        assert!(missing.is_empty(), "docs/reseller-api.md lacks:\n{}", missing.join("\n"));
    }
}
