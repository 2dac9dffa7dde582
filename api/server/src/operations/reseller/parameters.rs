//! The parameters that `add` accepts, by the kind of order and the type of the service. The only declaration: the intake refuses
//! every other parameter, and a test compares the tables of docs/reseller-api.md with it. Pure.

use panel_contract::intake::ResellerCall;
use panel_contract::panel_service_types::PanelParameter;
use panel_contract::targets::{AskedTarget, TargetName};
use panel_kernel::error::Result;

use super::add::SoldService;
use super::protocol::{self, field, number};

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
    /// If a target of the service takes it.
    IfServiceAsks,
    /// Unless the service is sold by the package, of which only 1 is accepted.
    UnlessPackage,
}

/// The values of a parameter that count as absent: some programs send all fields, with empty values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AbsentValues {
    Empty,
    /// The empty value and 0.
    Zero,
    /// The empty value and the words for "off".
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

/// The parameters that are no answers to a service's targets, in the order of the documentation.
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
/// The value of a keyword target that no parameter of a service type stands for.
const KEYWORD: Parameter = declare(
    "keyword",
    AbsentValues::Empty,
    Acceptance::IfServiceAsks,
    Acceptance::IfServiceAsks,
    Acceptance::No,
);

/// Every parameter that an `add` may have.
fn parameters() -> impl Iterator<Item = Parameter> {
    let answers = PanelParameter::ALL.iter().map(|parameter| {
        // The channel of a subscription may be an account.
        let of_subscription = match parameter {
            PanelParameter::Username => Acceptance::Yes,
            _ => Acceptance::No,
        };
        declare(
            parameter.as_str(),
            AbsentValues::Empty,
            Acceptance::IfServiceAsks,
            Acceptance::IfServiceAsks,
            of_subscription,
        )
    });
    ADD_PARAMETERS.into_iter().chain(answers).chain([KEYWORD])
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
pub(super) fn answer_fields(target: &AskedTarget) -> impl Iterator<Item = &str> {
    let others = match target.parameter {
        Some(parameter) => vec![parameter.as_str()],
        None => default_fields(target.kind).to_vec(),
    };
    std::iter::once(target.name.as_str()).chain(others)
}

/// Refuses a non-empty parameter of this API that this kind of order, or this service, does not accept. Unknown fields are
/// ignored: programs send fields of their own.
pub(super) fn check(call: &ResellerCall, kind: AddKind, service: Option<&SoldService>) -> Result<()> {
    let refused = parameters()
        .find(|parameter| is_present(call, *parameter) && !is_accepted(*parameter, kind, service, call));
    match refused {
        Some(parameter) => Err(protocol::refused(&refusal_message(parameter, kind))),
        None => Ok(()),
    }
}

/// Whether the value of a parameter counts as present.
fn is_present(call: &ResellerCall, parameter: Parameter) -> bool {
    let text = field(call, parameter.name);
    match parameter.absent_values {
        AbsentValues::Empty => !text.is_empty(),
        AbsentValues::Zero => !text.is_empty() && number(text) != Some(0),
        AbsentValues::Off => !text.is_empty() && parse_flag(text) != Some(false),
    }
}

fn is_accepted(
    parameter: Parameter,
    kind: AddKind,
    service: Option<&SoldService>,
    call: &ResellerCall,
) -> bool {
    let targets = service.map_or(&[][..], |sold| &sold.targets);
    let asks = |name| targets.iter().any(|target| answer_fields(target).any(|field| field == name));
    match parameter.acceptance(kind) {
        Acceptance::Yes => true,
        Acceptance::No => false,
        Acceptance::IfServiceAsks => asks(parameter.name),
        Acceptance::UnlessPackage => {
            service.is_none_or(|sold| !sold.kind.is_package())
                || number(field(call, parameter.name)) == Some(1)
        }
    }
}

fn refusal_message(parameter: Parameter, kind: AddKind) -> String {
    let name = parameter.name;
    match (kind, parameter.acceptance(kind)) {
        (_, Acceptance::UnlessPackage) => format!(
            "This service is sold one package at a time: leave {name} out, or send 1; add one order for each package"
        ),
        (_, Acceptance::IfServiceAsks) => format!("This service takes no {name}"),
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
pub(super) fn flag(call: &ResellerCall, name: &str) -> Result<bool> {
    match field(call, name) {
        "" => Ok(false),
        text => parse_flag(text).ok_or_else(|| protocol::refused(&format!("Incorrect {name}: send 1 or 0"))),
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

    fn asks(parameter: PanelParameter) -> AskedTarget {
        AskedTarget {
            name: parameter.texts().0.to_owned(),
            kind: parameter.target().0,
            parameter: Some(parameter),
            placeholder: None,
            view_type: ViewType::Textarea,
            is_required: true,
            values: vec![],
        }
    }

    /// A service with a target for each parameter of its type.
    fn sold(kind: PanelServiceType) -> SoldService {
        let targets = kind.required().iter().chain(kind.optional()).map(|one| asks(*one)).collect();
        SoldService { kind, targets, drip_feed_is_allowed: true, bounds: (1, 10) }
    }

    /// A non-empty value of a parameter.
    fn value(name: &str) -> &'static str {
        match name {
            "speedup" | "guarantee" => "1",
            _ => "7",
        }
    }

    #[test]
    fn every_type_accepts_its_parameters_and_refuses_the_others() {
        let always = BTreeSet::from([
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
            let service = sold(*kind);
            let mut expected = always.clone();
            expected.extend(kind.required().iter().chain(kind.optional()).map(|one| one.as_str()));
            if kind.quantity() != QuantitySource::One {
                expected.insert("quantity");
            }
            let takes = |one: &Parameter| {
                check(&call(&[(one.name, value(one.name))]), AddKind::Order, Some(&service)).is_ok()
            };
            let (acceptance, refused): (Vec<_>, Vec<_>) = parameters().partition(takes);
            assert_eq!(acceptance.iter().map(|one| one.name).collect::<BTreeSet<_>>(), expected, "{kind}");
            assert_eq!(acceptance.len() + refused.len(), parameters().count());
            let in_runs = |name: &str| {
                let call = call(&[(name, value(name))]);
                check(&call, AddKind::DripFeed, Some(&service)).is_ok()
            };
            let not_in_runs = ["coupon", "order_widget", "speedup", "guarantee", "child_id"];
            assert!(expected.iter().all(|name| in_runs(name) != not_in_runs.contains(name)), "{kind}");
        }
    }

    #[test]
    fn a_subscription_accepts_only_its_own_parameters() {
        let acceptance = parameters().map(|one| one.name);
        let acceptance = acceptance
            .filter(|name| check(&call(&[(*name, value(name))]), AddKind::Subscription, None).is_ok());
        let expected =
            ["service", "link", "min", "max", "posts", "old_posts", "delay", "expiry", "period", "username"];
        assert_eq!(acceptance.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn ignores_absent_values_and_unknown_fields() {
        let service = sold(PanelServiceType::Package);
        let zeros = [
            ("quantity", "0"),
            ("min", "0"),
            ("posts", "0"),
            ("period", "0"),
            ("expiry", ""),
            ("colour", "red"),
        ];
        assert!(check(&call(&zeros), AddKind::Order, Some(&service)).is_ok());
        assert!(check(&call(&[("speedup", "0")]), AddKind::DripFeed, Some(&service)).is_ok());
        assert!(check(&call(&[("quantity", "1")]), AddKind::Order, Some(&service)).is_ok());
        assert!(check(&call(&[("quantity", "2")]), AddKind::Order, Some(&service)).is_err());
        assert!(check(&call(&[("min", "-1")]), AddKind::Order, Some(&service)).is_err());
        let flags = ["1", "0", "on", "false", "", "2", "-1", "x"]
            .map(|text| flag(&call(&[("speedup", text)]), "speedup").ok());
        assert_eq!(flags, [Some(true), Some(false), Some(true), Some(false), Some(false), None, None, None]);
    }

    #[test]
    fn the_code_reads_only_declared_parameters() {
        let sources = [include_str!("add.rs"), include_str!("subscribe.rs")];
        let code = sources.map(|text| text.split("#[cfg(test)]").next().unwrap_or_default()).concat();
        let known: BTreeSet<&str> = parameters().map(|one| one.name).collect();
        let mut read = BTreeSet::new();
        for reader in ["field(call, \"", "number_from(call, \"", "bounded(\"", "flag(call, \""] {
            read.extend(code.split(reader).skip(1).filter_map(|rest| rest.split('"').next()));
        }
        assert!(read.len() > 15 && read.is_subset(&known), "{read:?}");
    }

    fn cell(acceptance: Acceptance) -> &'static str {
        match acceptance {
            Acceptance::Yes => "yes",
            Acceptance::No => "–",
            Acceptance::IfServiceAsks => "where the service asks for it",
            Acceptance::UnlessPackage => "yes; of a package only 1",
        }
    }

    #[test]
    fn the_documentation_lists_the_accepted_parameters() {
        let doc = include_str!("../../../../../docs/reseller-api.md");
        let listed = |parameters: &[PanelParameter]| match parameters {
            [] => "–".to_owned(),
            some => some.iter().map(|one| format!("`{}`", one.as_str())).collect::<Vec<_>>().join(", "),
        };
        let mut lines = Vec::new();
        for kind in PanelServiceType::ALL.iter().filter(|kind| kind.refusal().is_none()) {
            let quantity = match kind.quantity() {
                QuantitySource::Named => "`quantity`".to_owned(),
                QuantitySource::LinesOf(lines) => format!("lines of `{}`", lines.as_str()),
                QuantitySource::One => "one package".to_owned(),
            };
            let (required, optional) = (listed(kind.required()), listed(kind.optional()));
            lines.push(format!("| {} | {quantity} | {required} | {optional} |", kind.as_str()));
        }
        for one in parameters() {
            let [order, drip_feed, subscription] = [one.order, one.drip_feed, one.subscription].map(cell);
            lines.push(format!("| `{}` | {order} | {drip_feed} | {subscription} |", one.name));
        }
        let missing: Vec<_> = lines.into_iter().filter(|line| !doc.contains(line.as_str())).collect();
        assert!(missing.is_empty(), "docs/reseller-api.md lacks:\n{}", missing.join("\n"));
    }
}
