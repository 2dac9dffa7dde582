//! Declares the parameters that `add` accepts, by the kind of order and the type of the service. `add` refuses a declared
//! parameter that does not apply, and a test compares the tables of docs/reseller-api.md with the declarations. No I/O.

use panel_contract::intake::ResellerCall;
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
    /// Accepted, but for a service that is sold by the package only with the value 1.
    UnlessPackage,
}

/// The values of a parameter that count as absent, because some programs send all fields, with empty values.
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

const fn declare(
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
        declare("service", Zero, Yes, Yes, Yes),
        declare("link", Empty, Yes, Yes, Yes),
        declare("quantity", Zero, UnlessPackage, UnlessPackage, No),
        declare("runs", Empty, Yes, Yes, No),
        declare("interval", Zero, Yes, Yes, No),
        declare("coupon", Empty, Yes, No, No),
        declare("order_widget", Empty, Yes, No, No),
        declare("speedup", Off, Yes, No, No),
        declare("guarantee", Off, Yes, No, No),
        declare("customer_country", Empty, Yes, Yes, No),
        declare("child_id", Zero, Yes, No, No),
        declare("min", Zero, No, No, Yes),
        declare("max", Zero, No, No, Yes),
        declare("posts", Zero, No, No, Yes),
        declare("old_posts", Zero, No, No, Yes),
        declare("delay", Zero, No, No, Yes),
        declare("expiry", Zero, No, No, Yes),
        declare("period", Zero, No, No, Yes),
    ]
};
/// The parameter for keyword targets that no parameter of a service type covers.
const KEYWORD_PARAMETER: Parameter = declare(
    "keyword",
    AbsentValues::Empty,
    Acceptance::IfServiceHasTarget,
    Acceptance::IfServiceHasTarget,
    Acceptance::No,
);

/// Every parameter that an `add` may have.
fn parameters() -> impl Iterator<Item = Parameter> {
    let answer_parameters = PanelParameter::ALL.iter().map(|parameter| {
        // The channel of a subscription may be an account.
        let in_subscription = match parameter {
            PanelParameter::Username => Acceptance::Yes,
            _ => Acceptance::No,
        };
        declare(
            parameter.as_str(),
            AbsentValues::Empty,
            Acceptance::IfServiceHasTarget,
            Acceptance::IfServiceHasTarget,
            in_subscription,
        )
    });
    ADD_PARAMETERS.into_iter().chain(answer_parameters).chain([KEYWORD_PARAMETER])
}

/// The fields of a call with the value of a target without a parameter, by its kind. A field with the target's own name comes
/// first.
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

/// The fields of a call that can hold the value of a target, in the order in which they are read.
pub(super) fn answer_fields(target: &RequestedTarget) -> impl Iterator<Item = &str> {
    let default_names = match target.parameter {
        Some(parameter) => vec![parameter.as_str()],
        None => default_fields(target.kind).to_vec(),
    };
    std::iter::once(target.name.as_str()).chain(default_names)
}

/// Refuses a parameter of this API that is present and that this kind of order, or this service, does not accept. Unknown
/// fields are ignored, because programs send additional fields.
pub(super) fn check_parameters(
    call: &ResellerCall,
    kind: AddKind,
    service: Option<&ResellerService>,
) -> Result<()> {
    let refused_parameter = parameters()
        .find(|parameter| is_present(call, *parameter) && !is_accepted(*parameter, kind, service, call));
    match refused_parameter {
        Some(parameter) => Err(protocol::reseller_error(&refusal_message(parameter, kind))),
        None => Ok(()),
    }
}

/// Whether the value of a parameter counts as present.
fn is_present(call: &ResellerCall, parameter: Parameter) -> bool {
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
    call: &ResellerCall,
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

fn refusal_message(parameter: Parameter, kind: AddKind) -> String {
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

/// A boolean of a call; false if the field is empty.
pub(super) fn parse_bool_field(call: &ResellerCall, name: &str) -> Result<bool> {
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

    fn call(fields: &[(&str, &str)]) -> ResellerCall {
        ResellerCall(fields.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect())
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
    fn every_type_accepts_its_parameters_and_refuses_the_others() {
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
            let mut expected = common_parameters.clone();
            expected.extend(
                kind.required_parameters()
                    .iter()
                    .chain(kind.optional_parameters())
                    .map(|parameter| parameter.as_str()),
            );
            if kind.quantity_source() != QuantitySource::SinglePackage {
                expected.insert("quantity");
            }
            let is_accepted = |parameter: &Parameter| {
                check_parameters(
                    &call(&[(parameter.name, sample_value(parameter.name))]),
                    AddKind::Order,
                    Some(&service),
                )
                .is_ok()
            };
            let (accepted, refused): (Vec<_>, Vec<_>) = parameters().partition(is_accepted);
            assert_eq!(
                accepted.iter().map(|parameter| parameter.name).collect::<BTreeSet<_>>(),
                expected,
                "{kind}"
            );
            assert_eq!(accepted.len() + refused.len(), parameters().count());
            let accepted_with_runs = |name: &str| {
                let call = call(&[(name, sample_value(name))]);
                check_parameters(&call, AddKind::DripFeed, Some(&service)).is_ok()
            };
            let refused_with_runs = ["coupon", "order_widget", "speedup", "guarantee", "child_id"];
            assert!(
                expected.iter().all(|name| accepted_with_runs(name) != refused_with_runs.contains(name)),
                "{kind}"
            );
        }
    }

    #[test]
    fn a_subscription_accepts_only_its_own_parameters() {
        let names = parameters().map(|parameter| parameter.name);
        let accepted = names.filter(|name| {
            check_parameters(&call(&[(*name, sample_value(name))]), AddKind::Subscription, None).is_ok()
        });
        let expected =
            ["service", "link", "min", "max", "posts", "old_posts", "delay", "expiry", "period", "username"];
        assert_eq!(accepted.collect::<Vec<_>>(), expected);
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
        let declared: BTreeSet<&str> = parameters().map(|parameter| parameter.name).collect();
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
        let to_list = |parameters: &[PanelParameter]| match parameters {
            [] => "–".to_owned(),
            parameters => parameters
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
        for parameter in parameters() {
            let [order, drip_feed, subscription] =
                [parameter.order, parameter.drip_feed, parameter.subscription].map(table_cell);
            lines.push(format!("| `{}` | {order} | {drip_feed} | {subscription} |", parameter.name));
        }
        let missing: Vec<_> = lines.into_iter().filter(|line| !doc.contains(line.as_str())).collect();
        assert!(missing.is_empty(), "docs/reseller-api.md lacks:\n{}", missing.join("\n"));
    }
}
