//! The command prompt's language: `:orders 981204`, `:profile acme`, `:quit`.

use panel_contract::ids::OrderId;

/// What there is, with what it does.
pub static COMMANDS: &[(&str, &str)] = &[
    ("orders ID", "Shows the order with this id, from wherever you are."),
    ("queue NAME", "Shows the queue with this name or number."),
    ("filter TEXT", "Filters the queue, as `/` does."),
    ("profile NAME", "Goes to another panel."),
    ("refresh", "Asks the server again."),
    ("keys", "Shows the keys."),
    ("quit", "Leaves."),
];

/// What was asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Typed {
    /// This order.
    Order(OrderId),
    /// This queue.
    Queue(String),
    /// This filter.
    Filter(String),
    /// This panel.
    Profile(String),
    /// The server again.
    Refresh,
    /// The keys.
    Keys,
    /// Leave.
    Quit,
}

/// Reads a command; the error says what to type instead.
pub fn read(line: &str) -> Result<Typed, String> {
    let line = line.trim().trim_start_matches(':').trim();
    let (word, rest) = line.split_once(' ').map_or((line, ""), |(word, rest)| (word, rest.trim()));
    let needs = |what: &str| {
        if rest.is_empty() { Err(format!("Say which: :{word} {what}")) } else { Ok(rest.to_owned()) }
    };
    match word {
        "orders" | "order" => order(&needs("981204")?),
        "queue" | "tab" => Ok(Typed::Queue(needs("orders")?)),
        "filter" => Ok(Typed::Filter(rest.to_owned())),
        "profile" => Ok(Typed::Profile(needs("name")?)),
        "refresh" | "r" => Ok(Typed::Refresh),
        "keys" | "help" | "h" => Ok(Typed::Keys),
        "quit" | "q" | "exit" => Ok(Typed::Quit),
        id if id.parse::<i64>().is_ok() => order(id),
        "" => Err(format!("There are: {}.", all())),
        word => Err(format!("There is no command {word}. There are: {}.", all())),
    }
}

fn order(id: &str) -> Result<Typed, String> {
    match id.parse() {
        Ok(id) if id > 0 => Ok(Typed::Order(OrderId::new(id))),
        _ => Err(format!("{id} is no order id; it is a whole number: :orders 981204")),
    }
}

fn all() -> String {
    COMMANDS.iter().map(|(command, _)| format!(":{command}")).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands() {
        assert_eq!(read("orders 981204"), Ok(Typed::Order(OrderId::new(981_204))));
        assert_eq!(read(":981204"), Ok(Typed::Order(OrderId::new(981_204))));
        assert_eq!(read("q"), Ok(Typed::Quit));
        assert_eq!(read("filter cost>5 anna"), Ok(Typed::Filter("cost>5 anna".into())));
        assert!(read("orders").unwrap_err().contains(":orders 981204"));
        assert!(read("orders x").unwrap_err().contains("no order id"));
        assert!(read("dance").unwrap_err().contains(":quit"));
    }
}
