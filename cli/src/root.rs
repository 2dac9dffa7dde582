//! The command line: command groups, global flags, and the dispatch to the selected command.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches as _, ValueEnum as _};

use crate::api;
use crate::catalogue::{change_logs, labels, networks, packages, service_types, services, targets};
use crate::command::empty_values::{self, ParseError};
use crate::command::{CommandGroup, CommandSpec, CustomCommand};
use crate::configuration::{menu, notifications, pages, settings, site, translate, views, webhooks};
use crate::ctx::Ctx;
use crate::failure::{CommandResult, Failure};
use crate::manual;
use crate::marketing::{auto_promotions, banners, coupons, discounts, order_widgets, special_offers};
use crate::operations::{
    audit, cancel_requests, combo_orders, drip_feeds, free_trials, grades, invoices, orders, payment_methods,
    payments, quests, referrals, roles, staff, subscriptions, undo, users, withdrawals,
};
use crate::output::paint::{ColorChoice, Paint};
use crate::output::{Format, Output, terminal_width};
use crate::session::{
    auth, dictionaries, doctor, live_counters, open_console, passkeys, profile, second_factor, sessions,
};
use crate::supply::{external_orders, external_panels, imports, providers};
use crate::tools::{jobs, quarantine, runs};

/// Command groups, the most used first.
pub(crate) const COMMAND_GROUPS: &[&CommandGroup] = &[
    &orders::COMMANDS,
    &orders::CHILD_PANEL_COMMANDS,
    &subscriptions::COMMANDS,
    &drip_feeds::COMMANDS,
    &combo_orders::COMMANDS,
    &cancel_requests::COMMANDS,
    &free_trials::COMMANDS,
    &quests::COMMANDS,
    &users::COMMANDS,
    &payments::COMMANDS,
    &payments::TRANSACTIONS_COMMANDS,
    &invoices::COMMANDS,
    &withdrawals::COMMANDS,
    &payment_methods::COMMANDS,
    &referrals::COMMANDS,
    &grades::COMMANDS,
    &services::COMMANDS,
    &labels::COMMANDS,
    &targets::COMMANDS,
    &packages::COMMANDS,
    &banners::COMMANDS,
    &networks::COMMANDS,
    &service_types::COMMANDS,
    &discounts::COMMANDS,
    &coupons::COMMANDS,
    &order_widgets::COMMANDS,
    &special_offers::COMMANDS,
    &auto_promotions::COMMANDS,
    &staff::COMMANDS,
    &roles::COMMANDS,
    &roles::PERMISSIONS_COMMANDS,
    &audit::COMMANDS,
    &change_logs::COMMANDS,
    &providers::COMMANDS,
    &external_panels::COMMANDS,
    &imports::IMPORT,
    &external_orders::COMMANDS,
    &settings::COMMANDS,
    &site::COMMANDS,
    &menu::COMMANDS,
    &pages::COMMANDS,
    &notifications::COMMANDS,
    &views::COMMANDS,
    &webhooks::COMMANDS,
    &jobs::COMMANDS,
    &quarantine::COMMANDS,
    &dictionaries::COMMANDS,
    &runs::COMMANDS,
    &auth::COMMANDS,
    &sessions::COMMANDS,
    &second_factor::COMMANDS,
    &passkeys::COMMANDS,
    &profile::COMMANDS,
];

/// Commands that belong to no group.
pub(crate) const TOP_LEVEL_COMMANDS: &[&CustomCommand] = &[
    &undo::UNDO,
    &live_counters::COUNTERS,
    &translate::TRANSLATE,
    &api::API,
    &doctor::DOCTOR,
    &open_console::OPEN,
    &manual::completion::COMPLETION,
    &manual::man::MAN,
    &manual::HELP,
    &manual::VERSION,
];

/// Flags that every command takes.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Global options")]
pub(crate) struct GlobalFlags {
    /// Use the server of this profile [env: PANELCTL_PROFILE]
    #[arg(long, global = true, value_name = "NAME")]
    pub(crate) profile: Option<String>,
    /// Whether `--profile` is set, not only PANELCTL_PROFILE. A variable can stay set after the script that set it, so it does not
    /// count as consent to write to a protected profile.
    #[arg(skip)]
    pub(crate) profile_is_set_by_flag: bool,
    /// Use the server at this address [env: PANELCTL_SERVER]
    #[arg(long, global = true, value_name = "URL")]
    pub(crate) server: Option<String>,
    /// Read the token from this file; no other user may have access to the file [env: PANELCTL_TOKEN holds a token]
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) token_file: Option<PathBuf>,
    /// Output format [default: table]
    #[arg(
        long,
        short = 'o',
        global = true,
        value_enum,
        value_name = "FORMAT",
        env = "PANELCTL_OUTPUT",
        hide_env_values = true
    )]
    pub(crate) output: Option<Format>,
    /// Columns to print, separated by commas, such as id,status,user.email
    #[arg(long, global = true, value_delimiter = ',', value_name = "NAMES")]
    pub(crate) columns: Option<Vec<String>>,
    /// Print no column headers
    #[arg(long, global = true)]
    pub(crate) no_header: bool,
    /// Apply a jq filter to the JSON output
    #[arg(long, global = true, value_name = "FILTER")]
    pub(crate) jq: Option<String>,
    /// When to use colors
    #[arg(long, global = true, value_enum, value_name = "WHEN", default_value = "auto")]
    pub(crate) color: ColorChoice,
    /// Fail at once if the server's database is unreachable, instead of waiting up to two minutes
    #[arg(long, global = true)]
    pub(crate) no_wait: bool,
    /// Print requests, waits and resolved filters to standard error
    #[arg(long, short = 'v', global = true, action = ArgAction::Count)]
    pub(crate) verbose: u8,
}

/// The layout of every help text: examples (`before-help`) come before options.
const HELP_TEMPLATE: &str =
    "{about-with-newline}\n{usage-heading} {usage}\n\n{before-help}{all-args}{after-help}";
const PROGRAM_DESCRIPTION: &str = "Manage Panel from the command line";
const HELP_FOOTER: &str =
    "Exit codes: 0 success, 1 failure, 2 usage error, 3 partial success, 4 not signed in, 5 not permitted, 130 interrupted.
Help topics: panelctl help exit-codes, formatting, filters, environment, bulk";

pub(crate) fn command() -> Command {
    let root = Command::new("panelctl")
        .version(env!("CARGO_PKG_VERSION"))
        .disable_version_flag(true)
        .disable_help_subcommand(true)
        .subcommand_required(true)
        .arg_required_else_help(true)
        .after_help(HELP_FOOTER)
        .arg(
            Arg::new("version")
                .long("version")
                .short('V')
                .action(ArgAction::Version)
                .help("Print the version"),
        );
    // Otherwise clap would use the doc comment of `GlobalFlags` as the program's description.
    let root = GlobalFlags::augment_args(root).about(PROGRAM_DESCRIPTION);
    let root = COMMAND_GROUPS.iter().fold(root, |root, group| root.subcommand(group.command()));
    let root = TOP_LEVEL_COMMANDS.iter().fold(root, |root, custom| root.subcommand(custom.command()));
    with_common_layout(root)
}

/// Applies one layout to every command, with `--help` as the short help, which has one line for each item.
fn with_common_layout(command: Command) -> Command {
    let help = Arg::new("help").long("help").short('h').action(ArgAction::HelpShort).help("Print this help");
    command.help_template(HELP_TEMPLATE).disable_help_flag(true).arg(help).mut_subcommands(with_common_layout)
}

/// Parses the command line and rejects empty values, before the command sends a request.
pub(crate) fn parse(args: impl Iterator<Item = OsString>) -> Result<(ArgMatches, GlobalFlags), ParseError> {
    let matches = empty_values::parse(&mut command(), args);
    // Without this check, the error for an empty PANELCTL_OUTPUT would name `--output`. Help is printed even with an empty variable.
    if !matches.as_ref().is_err_and(ParseError::is_help) {
        empty_values::check_environment().map_err(ParseError::EmptyValue)?;
    }
    let matches = matches?;
    read_global_flags(&matches).map(|globals| (matches, globals)).map_err(ParseError::EmptyValue)
}

/// Runs the selected command.
pub(crate) async fn run(ctx: &Ctx, matches: &ArgMatches) -> CommandResult {
    let Some((name, matches)) = matches.subcommand() else {
        return Err(Failure::usage("Specify a command."));
    };
    if let Some(group) = COMMAND_GROUPS.iter().find(|group| group.name == name) {
        return group.run(ctx, matches).await;
    }
    match TOP_LEVEL_COMMANDS.iter().find(|custom| custom.name == name) {
        Some(custom) => CommandSpec::Custom(custom).run(ctx, matches).await,
        None => Err(Failure::usage(format!("Unknown command: {name}."))),
    }
}

/// Reads the global flags, which clap also accepts after a subcommand. A missing flag takes the value of its environment variable.
fn read_global_flags(matches: &ArgMatches) -> CommandResult<GlobalFlags> {
    // clap's own `env` would list the variables in the usage line of every error.
    let env_variable = |name: &str| std::env::var(name).ok();
    let mut globals = GlobalFlags::from_arg_matches(matches)?;
    globals.profile_is_set_by_flag = globals.profile.is_some();
    globals.profile = globals.profile.or_else(|| env_variable("PANELCTL_PROFILE"));
    globals.server = globals.server.or_else(|| env_variable("PANELCTL_SERVER"));
    if let (None, Some(text)) = (globals.output, env_variable("PANELCTL_OUTPUT")) {
        let format = Format::from_str(&text, true);
        globals.output = Some(
            format
                .map_err(|_| Failure::usage(format!("PANELCTL_OUTPUT: {text} is not an output format.")))?,
        );
    }
    Ok(globals)
}

/// Whether a command line requests JSON output, even if clap cannot parse the command line.
pub(crate) fn requests_json(args: impl Iterator<Item = String>) -> bool {
    let line = format!(" {} ", args.collect::<Vec<_>>().join(" "));
    let formats = ["json", "jsonl"];
    ["-o ", "-o", "-o=", "--output ", "--output="]
        .iter()
        .any(|flag| formats.iter().any(|format| line.contains(&format!(" {flag}{format} "))))
}

/// The output for the error of a command line that clap could not parse.
pub(crate) fn output_for_parse_errors() -> Output {
    Output {
        format: Format::Table,
        draws_tables: false,
        columns: None,
        has_header: true,
        jq: None,
        stdout_paint: Paint::for_stream(ColorChoice::Never, &std::io::stdout()),
        stderr_paint: Paint::for_stream(ColorChoice::Auto, &std::io::stderr()),
        stdout_is_terminal: false,
        stderr_is_terminal: false,
        width: terminal_width(),
    }
}

/// Decides where and how to write, from the global flags and whether the output streams are terminals.
pub(crate) fn build_output(globals: &GlobalFlags) -> Output {
    use std::io::IsTerminal as _;
    let (stdout, stderr) = (std::io::stdout(), std::io::stderr());
    Output {
        format: globals.output.unwrap_or(Format::Table),
        // `-o table` draws a table even into a pipe; without it a pipe gets tab-separated lines.
        draws_tables: stdout.is_terminal() || globals.output == Some(Format::Table),
        columns: globals.columns.clone(),
        has_header: !globals.no_header,
        jq: globals.jq.clone(),
        stdout_paint: Paint::for_stream(globals.color, &stdout),
        stderr_paint: Paint::for_stream(globals.color, &stderr),
        stdout_is_terminal: stdout.is_terminal(),
        stderr_is_terminal: stderr.is_terminal(),
        width: terminal_width(),
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use clap::error::{ContextKind, ContextValue};

    use super::*;
    use crate::command::filter;
    use crate::command::list::ListCommand;
    use crate::output::list_columns;

    /// Splits the command line of an example as a shell would, up to a pipe or redirection.
    fn split_command_line(line: &str) -> Vec<String> {
        let (mut words, mut word, mut is_quoted) = (Vec::new(), None::<String>, false);
        for character in line.chars() {
            match character {
                '\'' => {
                    is_quoted = !is_quoted;
                    word.get_or_insert_default();
                }
                ' ' if !is_quoted => words.extend(word.take()),
                character => word.get_or_insert_default().push(character),
            }
        }
        words.extend(word);
        let command_end =
            words.iter().position(|word| matches!(word.as_str(), "|" | ">" | "<")).unwrap_or(words.len());
        words.truncate(command_end);
        words
    }

    /// Parses the examples of a command and of its subcommands; returns the number of examples.
    fn parse_examples(command: &Command) -> usize {
        let help = command.get_before_help().map(ToString::to_string).unwrap_or_default();
        let lines: Vec<_> = help.lines().filter_map(|line| line.strip_prefix("  panelctl ")).collect();
        for line in &lines {
            let args = std::iter::once("panelctl".to_owned()).chain(split_command_line(line));
            let parse_result = super::command().try_get_matches_from(args);
            // Getting a global flag panics here if a command defines an argument of the same id.
            read_global_flags(&parse_result.unwrap_or_else(|error| panic!("{line}\n{error}"))).unwrap();
        }
        lines.len() + command.get_subcommands().map(parse_examples).sum::<usize>()
    }

    /// `global_flags` holds the id and the long name of each global flag.
    fn assert_redefines_no_global_flag(command: &Command, global_flags: &[(String, Option<String>)]) {
        for arg in command.get_arguments().filter(|arg| !arg.is_global_set()) {
            let (id, long) = (arg.get_id().to_string(), arg.get_long().map(str::to_owned));
            let is_redefined = global_flags
                .iter()
                .any(|(global_id, global_long)| *global_id == id || (long.is_some() && *global_long == long));
            assert!(!is_redefined, "{}: --{id} is a global flag", command.get_name());
        }
        for subcommand in command.get_subcommands() {
            assert_redefines_no_global_flag(subcommand, global_flags);
        }
    }

    #[test]
    fn no_command_redefines_a_global_flag() {
        let root = command();
        let global_flags = root.get_arguments().filter(|arg| arg.is_global_set());
        let global_flags: Vec<_> =
            global_flags.map(|arg| (arg.get_id().to_string(), arg.get_long().map(str::to_owned))).collect();
        assert!(global_flags.len() > 7);
        assert_redefines_no_global_flag(&root, &global_flags);
    }

    #[test]
    fn every_example_is_a_command_line() {
        command().debug_assert();
        assert!(parse_examples(&command()) > 50);
    }

    /// Values for the other required arguments, so that the empty value is the only error of the command line.
    const FILLER_VALUES: [&str; 9] =
        ["1", "a=1", "on", "2026-11-20", "x@panel.example", "3=1.25:500", "1:5", "none", "https://a.example"];

    /// Formats an argument with a value as text of the command line.
    fn format_arg(arg: &Arg, value: &str) -> String {
        match (arg.get_long(), arg.get_short()) {
            (Some(long), _) => format!("--{long}={value}"),
            (None, Some(short)) => format!("-{short}={value}"),
            (None, None) => value.to_owned(),
        }
    }

    /// Parses `args` of the subcommand `leaf` and returns the error. Adds the other arguments that clap requires one by one, with
    /// the first filler that clap accepts.
    fn parse_to_error(leaf: &mut Command, args: &[String]) -> Option<ParseError> {
        // The id of each added argument, and the index of its filler.
        let mut added_args = Vec::<(String, usize)>::new();
        for _ in 0..60 {
            // Positional arguments that clap requires come after those in `args`.
            let mut command_line = vec!["leaf".to_owned()];
            let mut added_positionals = Vec::new();
            for (id, filler) in &added_args {
                let arg = leaf.get_arguments().find(|arg| arg.get_id().as_str() == id).unwrap();
                let possible_value =
                    arg.get_possible_values().get(*filler).map(|value| value.get_name().to_owned());
                let value =
                    possible_value.unwrap_or_else(|| FILLER_VALUES[*filler % FILLER_VALUES.len()].to_owned());
                let text = format_arg(arg, &value);
                if arg.is_positional() { added_positionals.push(text) } else { command_line.push(text) }
            }
            command_line.extend(args.iter().cloned().chain(added_positionals));
            let error = match empty_values::parse(leaf, command_line.iter().map(OsString::from)) {
                Err(ParseError::Clap(error)) => error,
                other => return other.err(),
            };
            let rejected_args = match error.get(ContextKind::InvalidArg) {
                Some(ContextValue::String(name)) => vec![name.clone()],
                Some(ContextValue::Strings(names)) => names.clone(),
                _ => panic!("{command_line:?}: {error}"),
            };
            for name in rejected_args {
                let required_arg = leaf.get_arguments().find(|arg| arg.to_string() == name);
                let id = required_arg.unwrap_or_else(|| panic!("{name}: {error}")).get_id().as_str();
                match added_args.iter_mut().find(|(added_id, _)| added_id == id) {
                    Some((_, filler)) => *filler += 1,
                    None => added_args.push((id.to_owned(), 0)),
                }
            }
        }
        panic!("{args:?}: no filler is accepted");
    }

    /// Checks that every value-taking argument of `leaf` rejects an empty value; returns the number of these arguments.
    fn assert_rejects_empty_values(path: &str, leaf: &Command) -> usize {
        let (mut parser, mut count) = (leaf.clone(), 0);
        for arg in leaf.get_arguments().filter(|arg| arg.get_action().takes_values()) {
            let name = arg.get_value_names().and_then(|names| names.first()).map_or("", |name| name.as_str());
            let label = arg.get_long().map_or(name.to_owned(), |long| format!("--{long}"));
            let pair_without_value = name.contains('=').then_some("name=");
            // Positional arguments need the positional arguments of a lower index before them.
            let earlier_positionals =
                leaf.get_positionals().filter(|positional| positional.get_index() < arg.get_index());
            let earlier_positionals: Vec<String> = earlier_positionals.map(|_| "1".to_owned()).collect();
            for value in ["", " ", "\t"].into_iter().chain(pair_without_value) {
                let args = [earlier_positionals.clone(), vec![format_arg(arg, value)]].concat();
                let error = parse_to_error(&mut parser, &args);
                let Some(ParseError::EmptyValue(failure)) = error else {
                    panic!("{path} {label} {value:?}: {error:?}");
                };
                assert_eq!(failure.exit.code(), 2, "{path} {label}");
                assert!(failure.message.starts_with(&label), "{path} {label}: {}", failure.message);
            }
            count += 1;
        }
        count
    }

    fn assert_subcommands_reject_empty_values(path: &str, command: &Command) -> usize {
        if !command.has_subcommands() {
            return assert_rejects_empty_values(path, command);
        }
        let subcommands = command.get_subcommands();
        subcommands
            .map(|subcommand| {
                let path = format!("{path} {}", subcommand.get_name());
                assert_subcommands_reject_empty_values(&path, subcommand)
            })
            .sum::<usize>()
    }

    /// An unset variable in a script must not widen the effect of a command. The test covers every command.
    #[test]
    fn every_command_rejects_an_empty_value_before_it_sends_a_request() {
        let mut root = command();
        root.build();
        let count = assert_subcommands_reject_empty_values("panelctl", &root);
        assert!(count > 2_000, "{count}");
    }

    /// Collects the lists of the commands, each with the path of its command.
    fn collect_lists(
        path: &str,
        commands: &'static [CommandSpec],
        lists: &mut Vec<(String, &'static ListCommand)>,
    ) {
        for command in commands {
            let path = format!("{path} {}", command.name());
            match command {
                CommandSpec::List(list) => lists.push((path, list)),
                CommandSpec::Nested(group) => collect_lists(&path, group.commands, lists),
                _ => {}
            }
        }
    }

    /// Endpoints of lists that belong to one record, so that they have no list command.
    const WITHOUT_LIST_COMMAND: [&str; 3] =
        ["list_external_panel_payments", "list_panel_services", "list_webhook_deliveries"];

    #[test]
    fn every_list_of_the_contract_has_a_command() {
        let mut lists = Vec::new();
        COMMAND_GROUPS.iter().for_each(|group| collect_lists(group.name, group.commands, &mut lists));
        let ids_with_command: Vec<_> = lists.iter().map(|(_, list)| list.declaration.op.id).collect();
        let declared_ids = panel_contract::lists::ALL.iter().map(|list| list.op.id);
        let ids_without_command: Vec<_> = declared_ids.filter(|op| !ids_with_command.contains(op)).collect();
        assert_eq!(ids_without_command, WITHOUT_LIST_COMMAND);
    }

    /// The column of a filter flag must be searchable in the list, and the column of `--since` must be a time.
    #[test]
    fn every_filter_names_a_searchable_column() {
        let mut lists = Vec::new();
        COMMAND_GROUPS.iter().for_each(|group| collect_lists(group.name, group.commands, &mut lists));
        for (path, list) in &lists {
            for filter in list.filters {
                let column =
                    list.declaration.filter(filter.column).or_else(|| list.declaration.column(filter.column));
                assert!(column.is_some_and(|column| column.searchable), "{path} --{}", filter.flag);
            }
            let time_kind = list.declaration.column(list.time_column).map(|column| column.kind);
            assert_eq!(time_kind, Some(panel_contract::lists::ColumnKind::Time), "{path} --since");
        }
    }

    fn format_value_kind(value_kind: filter::FilterValueKind) -> String {
        use filter::FilterValueKind;
        match value_kind {
            FilterValueKind::Text(value_name) => value_name.to_owned(),
            FilterValueKind::Ids => "ids".to_owned(),
            FilterValueKind::Numbers => "numbers".to_owned(),
            FilterValueKind::Flag => "flag".to_owned(),
            FilterValueKind::EnumSubstring(value_name, list_values) => {
                format!("{value_name}: part of {}", list_values().join("|"))
            }
            FilterValueKind::Enum(values) => values.join("|"),
            FilterValueKind::Time => "time".to_owned(),
        }
    }

    /// The snapshot contains the columns of every list with their headers, and the values of each filter.
    #[test]
    fn columns_and_filters_match_the_snapshot() {
        let mut lists = Vec::new();
        COMMAND_GROUPS.iter().for_each(|group| collect_lists(group.name, group.commands, &mut lists));
        let mut text = String::new();
        for (path, list) in &lists {
            let _ = writeln!(text, "{path}");
            for column in list_columns::table_columns(list.declaration) {
                let format = if column.in_table { "table" } else { "csv" };
                let _ = writeln!(text, "  {format} {} {:?} {}", column.name, column.kind, column.title());
            }
            for filter in list.filters {
                let parameter_prefix =
                    if list.declaration.filter(filter.column).is_some() { "plain " } else { "" };
                let _ = writeln!(
                    text,
                    "  --{} {} {parameter_prefix}{}",
                    filter.flag,
                    filter.column,
                    format_value_kind(filter.value_kind(list))
                );
            }
            let _ = writeln!(text, "  --filter {}", filter::filterable_columns(list).join(" "));
        }
        insta::with_settings!({ snapshot_path => "../../snapshots/cli", prepend_module_to_snapshot => false, omit_expression => true }, {
            insta::assert_snapshot!("columns", text);
        });
    }
}
