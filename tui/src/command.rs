//! Parses the command prompt: `:orders 981204`, `:profile acme`, `:quit`.

use panel_contract::ids::OrderId;

/// The commands with their help texts.
pub static COMMANDS: &[(&str, &str)] = &[
    ("orders ID", "Open the order with this id."),
    ("queue NAME", "Go to the queue with this name or number."),
    ("filter TEXT", "Filter the queue, like `/`."),
    ("profile NAME", "Switch to another profile."),
    ("refresh", "Refresh the list."),
    ("keys", "Show the keys."),
    ("quit", "Quit."),
];

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ParsedCommand {
    Order(OrderId),
    Queue(String),
    Filter(String),
    Profile(String),
    Refresh,
    Keys,
    Quit,
}

/// Parses a command. The error message suggests a valid command.
pub fn parse(line: &str) -> Result<ParsedCommand, String> {
    let line = line.trim().trim_start_matches(':').trim();
    let (command, argument_text) =
        line.split_once(' ').map_or((line, ""), |(command, argument)| (command, argument.trim()));
    let argument = |example: &str| {
        if argument_text.is_empty() {
            Err(format!("{command} needs a value, such as :{command} {example}"))
        } else {
            Ok(argument_text.to_owned())
        }
    };
    match command {
        "orders" | "order" => parse_order_id(&argument("981204")?),
        "queue" | "tab" => Ok(ParsedCommand::Queue(argument("orders")?)),
        "filter" => Ok(ParsedCommand::Filter(argument_text.to_owned())),
        "profile" => Ok(ParsedCommand::Profile(argument("name")?)),
        "refresh" | "r" => Ok(ParsedCommand::Refresh),
        "keys" | "help" | "h" => Ok(ParsedCommand::Keys),
        "quit" | "q" | "exit" => Ok(ParsedCommand::Quit),
        id if id.parse::<i64>().is_ok() => parse_order_id(id),
        "" => Err(format!("Commands: {}.", known_commands())),
        command => Err(format!("There is no command {command}. Commands: {}.", known_commands())),
    }
}

fn parse_order_id(id: &str) -> Result<ParsedCommand, String> {
    match id.parse() {
        Ok(id) if id > 0 => Ok(ParsedCommand::Order(OrderId::new(id))),
        _ => Err(format!("{id} is not an order id. Use a whole number, such as :orders 981204")),
    }
}

fn known_commands() -> String {
    COMMANDS.iter().map(|(command, _)| format!(":{command}")).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_commands_and_suggests_corrections() {
        assert_eq!(parse("orders 981204"), Ok(ParsedCommand::Order(OrderId::new(981_204))));
        assert_eq!(parse(":981204"), Ok(ParsedCommand::Order(OrderId::new(981_204))));
        assert_eq!(parse("q"), Ok(ParsedCommand::Quit));
        assert_eq!(parse("filter cost>5 anna"), Ok(ParsedCommand::Filter("cost>5 anna".into())));
        assert!(parse("orders").unwrap_err().contains(":orders 981204"));
        assert!(parse("orders x").unwrap_err().contains("not an order id"));
        assert!(parse("dance").unwrap_err().contains(":quit"));
    }
}
