//! Which parameters an `add` takes, by what it asks for and by the type of its service. The only declaration of it: intake
//! refuses by it whatever is not taken, and a test holds the tables of docs/reseller-api.md against it. Pure.

use panel_contract::intake::ResellerCall;
use panel_contract::panel_service_types::PanelParameter;
use panel_contract::targets::{AskedTarget, TargetName};
use panel_kernel::error::Result;

use super::add::SoldService;
use super::words::{self, field, number};

/// What an `add` asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AddKind {
    /// One order.
    Order,
    /// An order with runs.
    DripFeed,
    /// A subscription to a channel.
    Subscription,
}

/// Whether an `add` of a kind takes a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Taken {
    Yes,
    No,
    /// Where the service asks for it.
    Asked,
    /// Unless the service is sold by the package.
    Counted,
}

/// By which values of a parameter a call means nothing: programs that send all fields send empty ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Nothing {
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
    nothing: Nothing,
    order: Taken,
    drip_feed: Taken,
    subscription: Taken,
}

impl Parameter {
    const fn taken(self, kind: AddKind) -> Taken {
        match kind {
            AddKind::Order => self.order,
            AddKind::DripFeed => self.drip_feed,
            AddKind::Subscription => self.subscription,
        }
    }
}

const fn row(
    name: &'static str,
    nothing: Nothing,
    order: Taken,
    drip_feed: Taken,
    subscription: Taken,
) -> Parameter {
    Parameter { name, nothing, order, drip_feed, subscription }
}

/// The parameters that are no answers to a service's targets, in the order of the documentation.
const OF_ADD: [Parameter; 18] = {
    use Nothing::{Empty, Off, Zero};
    use Taken::{Counted, No, Yes};
    [
        row("service", Zero, Yes, Yes, Yes),
        row("link", Empty, Yes, Yes, Yes),
        row("quantity", Zero, Counted, Counted, No),
        row("runs", Empty, Yes, Yes, No),
        row("interval", Zero, Yes, Yes, No),
        row("coupon", Empty, Yes, No, No),
        row("order_widget", Empty, Yes, No, No),
        row("speedup", Off, Yes, No, No),
        row("guarantee", Off, Yes, No, No),
        row("customer_country", Empty, Yes, Yes, No),
        row("child_id", Zero, Yes, No, No),
        row("min", Zero, No, No, Yes),
        row("max", Zero, No, No, Yes),
        row("posts", Zero, No, No, Yes),
        row("old_posts", Zero, No, No, Yes),
        row("delay", Zero, No, No, Yes),
        row("expiry", Zero, No, No, Yes),
        row("period", Zero, No, No, Yes),
    ]
};
/// An answer to a target for a keyword that names no parameter of a service type.
const KEYWORD: Parameter = row("keyword", Nothing::Empty, Taken::Asked, Taken::Asked, Taken::No);

/// Every parameter that an `add` may have.
fn parameters() -> impl Iterator<Item = Parameter> {
    let answers = PanelParameter::ALL.iter().map(|parameter| {
        // The channel of a subscription may be an account.
        let of_subscription = match parameter {
            PanelParameter::Username => Taken::Yes,
            _ => Taken::No,
        };
        row(parameter.as_str(), Nothing::Empty, Taken::Asked, Taken::Asked, of_subscription)
    });
    OF_ADD.into_iter().chain(answers).chain([KEYWORD])
}

/// The fields of a call that answer a target of a kind, where the target names no parameter; a target's own name as a field
/// goes before.
const fn fields_of(kind: TargetName) -> &'static [&'static str] {
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

/// The fields that answer a target, its own name before the others.
pub(super) fn answered_by(target: &AskedTarget) -> impl Iterator<Item = &str> {
    let others = match target.parameter {
        Some(parameter) => vec![parameter.as_str()],
        None => fields_of(target.kind).to_vec(),
    };
    std::iter::once(target.name.as_str()).chain(others)
}

/// Refuses a parameter of this API that the call says something in and that this kind of order, or this service, does not
/// take. What the API does not know is left alone: programs send fields of their own.
pub(super) fn check(call: &ResellerCall, kind: AddKind, service: Option<&SoldService>) -> Result<()> {
    let untaken = parameters().find(|one| says(call, *one) && !is_taken(*one, kind, service, call));
    match untaken {
        Some(one) => Err(words::refused(&sentence(one, kind))),
        None => Ok(()),
    }
}

/// Whether a call means something by a parameter.
fn says(call: &ResellerCall, one: Parameter) -> bool {
    let text = field(call, one.name);
    match one.nothing {
        Nothing::Empty => !text.is_empty(),
        Nothing::Zero => !text.is_empty() && number(text) != Some(0),
        Nothing::Off => !text.is_empty() && flag_of(text) != Some(false),
    }
}

fn is_taken(one: Parameter, kind: AddKind, service: Option<&SoldService>, call: &ResellerCall) -> bool {
    let targets = service.map_or(&[][..], |sold| &sold.targets);
    let asks = |name| targets.iter().any(|target| answered_by(target).any(|field| field == name));
    match one.taken(kind) {
        Taken::Yes => true,
        Taken::No => false,
        Taken::Asked => asks(one.name),
        Taken::Counted => {
            // One package is what is ordered anyway.
            service.is_none_or(|sold| !sold.kind.is_package()) || number(field(call, one.name)) == Some(1)
        }
    }
}

fn sentence(one: Parameter, kind: AddKind) -> String {
    let name = one.name;
    match (kind, one.taken(kind)) {
        (_, Taken::Counted) => format!(
            "This service is sold one package at a time: leave {name} out, or send 1; add one order for each package"
        ),
        (_, Taken::Asked) => format!("This service takes no {name}"),
        (AddKind::Subscription, _) => format!("A subscription takes no {name}"),
        (_, _) if one.subscription == Taken::Yes => {
            format!("An order takes no {name}; a subscription has min and max, and no quantity")
        }
        (_, _) if name == "coupon" => "A coupon takes no runs".to_owned(),
        (_, _) if name == "order_widget" => "An order widget takes no runs".to_owned(),
        (_, _) => format!("An order with runs takes no {name}"),
    }
}

/// A switch of a call: off where it says nothing.
pub(super) fn flag(call: &ResellerCall, name: &str) -> Result<bool> {
    match field(call, name) {
        "" => Ok(false),
        text => flag_of(text).ok_or_else(|| words::refused(&format!("Incorrect {name}: send 1 or 0"))),
    }
}

fn flag_of(text: &str) -> Option<bool> {
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

    /// A service that asks what its type takes.
    fn sold(kind: PanelServiceType) -> SoldService {
        let targets = kind.required().iter().chain(kind.optional()).map(|one| asks(*one)).collect();
        SoldService { kind, targets, drip_feed_is_allowed: true, bounds: (1, 10) }
    }

    /// A value that says something in a parameter.
    fn value(name: &str) -> &'static str {
        match name {
            "speedup" | "guarantee" => "1",
            _ => "7",
        }
    }

    /// What an order of each kind takes, over every parameter that there is.
    #[test]
    fn every_type_takes_its_parameters_and_refuses_the_others() {
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
            let mut wanted = always.clone();
            wanted.extend(kind.required().iter().chain(kind.optional()).map(|one| one.as_str()));
            if kind.quantity() != QuantitySource::One {
                wanted.insert("quantity");
            }
            let takes = |one: &Parameter| {
                check(&call(&[(one.name, value(one.name))]), AddKind::Order, Some(&service)).is_ok()
            };
            let (taken, untaken): (Vec<_>, Vec<_>) = parameters().partition(takes);
            assert_eq!(taken.iter().map(|one| one.name).collect::<BTreeSet<_>>(), wanted, "{kind}");
            assert_eq!(taken.len() + untaken.len(), parameters().count());
            let in_runs = |name: &str| {
                let call = call(&[(name, value(name))]);
                check(&call, AddKind::DripFeed, Some(&service)).is_ok()
            };
            let not_in_runs = ["coupon", "order_widget", "speedup", "guarantee", "child_id"];
            assert!(wanted.iter().all(|name| in_runs(name) != not_in_runs.contains(name)), "{kind}");
        }
    }

    #[test]
    fn a_subscription_takes_only_its_own() {
        let taken = parameters().map(|one| one.name);
        let taken =
            taken.filter(|name| check(&call(&[(*name, value(name))]), AddKind::Subscription, None).is_ok());
        let wanted =
            ["service", "link", "min", "max", "posts", "old_posts", "delay", "expiry", "period", "username"];
        assert_eq!(taken.collect::<Vec<_>>(), wanted);
    }

    #[test]
    fn nothing_is_meant_by_a_zero_and_by_fields_of_others() {
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

    /// Each field that the intake reads by its name is declared here.
    #[test]
    fn the_intake_reads_no_other_parameter() {
        let sources = [include_str!("add.rs"), include_str!("subscribe.rs")];
        let code = sources.map(|text| text.split("#[cfg(test)]").next().unwrap_or_default()).concat();
        let known: BTreeSet<&str> = parameters().map(|one| one.name).collect();
        let mut read = BTreeSet::new();
        for reader in ["field(call, \"", "number_from(call, \"", "bounded(\"", "flag(call, \""] {
            read.extend(code.split(reader).skip(1).filter_map(|rest| rest.split('"').next()));
        }
        assert!(read.len() > 15 && read.is_subset(&known), "{read:?}");
    }

    fn cell(taken: Taken) -> &'static str {
        match taken {
            Taken::Yes => "yes",
            Taken::No => "–",
            Taken::Asked => "where the service asks for it",
            Taken::Counted => "yes; of a package only 1",
        }
    }

    #[test]
    fn the_documentation_shows_what_is_taken() {
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
