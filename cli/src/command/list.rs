//! The commands `list` and `export` of any list of the contract.

use clap::{Arg, ArgAction, ArgMatches, Command};
use futures_util::{StreamExt as _, TryStreamExt as _};
use panel_contract::lists;
use panel_contract::table::TableQuery;
use serde_json::Value;

use crate::command::filter::Filter;
use crate::command::{Examples, command_with_examples, filter};
use crate::ctx::Ctx;
use crate::exit::Exit;
use crate::failure::{CommandResult, Failure};
use crate::output::Format;
use crate::output::lines::LineWriter;
use crate::output::list_columns;

/// Default of `--limit`.
const DEFAULT_LIMIT: i64 = 30;

pub(crate) struct ListCommand {
    /// The declaration in the contract: endpoint, columns and filters.
    pub(crate) declaration: &'static lists::List,
    /// Plural noun of a record, such as `orders`.
    pub(crate) plural: &'static str,
    /// Singular noun of a record, such as `order`.
    pub(crate) singular: &'static str,
    pub(crate) about: &'static str,
    /// The filters that have their own flags.
    pub(crate) filters: &'static [Filter],
    /// The column that `--since` and `--until` filter.
    pub(crate) time_column: &'static str,
    pub(crate) examples: Examples,
}

/// The number of rows that match the filters.
#[derive(Clone, Copy, Default)]
struct MatchCount {
    count: i64,
    /// Whether the server stopped counting at `count`.
    is_lower_bound: bool,
}

impl ListCommand {
    pub(crate) fn command(&'static self) -> Command {
        let command = command_with_examples("list", self.about, self.examples);
        filter::filter_args(self, command).args([
            Arg::new("sort")
                .long("sort")
                .value_name("COLUMN")
                .allow_hyphen_values(true)
                .help("Sort by columns, separated by commas; -COLUMN sorts in descending order"),
            Arg::new("limit")
                .long("limit")
                .short('n')
                .value_name("ROWS")
                .value_parser(clap::value_parser!(i64).range(1..))
                .help("Maximum number of rows [default: 30]"),
            Arg::new("page")
                .long("page")
                .value_name("PAGE")
                .value_parser(clap::value_parser!(i64).range(1..))
                .conflicts_with("all")
                .help("Page number, from 1; a page has --limit rows"),
            Arg::new("all")
                .long("all")
                .action(ArgAction::SetTrue)
                .conflicts_with("limit")
                .help("Print all matching rows"),
        ])
    }

    pub(crate) fn export_command(&'static self) -> Command {
        let command = Command::new("export").about("Export all matching records as CSV");
        filter::filter_args(self, command).arg(
            Arg::new("to")
                .long("to")
                .value_name("FILE")
                .value_parser(clap::value_parser!(std::path::PathBuf))
                .help("Write to a file instead of standard output"),
        )
    }

    pub(crate) async fn run(&'static self, ctx: &Ctx, matches: &ArgMatches) -> CommandResult {
        filter::check_sort(self, matches.get_one::<String>("sort").map_or("", String::as_str))?;
        let query = self.add_sorting(filter::build_query(ctx, self, matches)?, matches);
        self.print_rows(ctx, matches, query.clone())
            .await
            .map_err(|failure| failure.with_field_names(|field| filter::flag_of_field(self, &query, field)))
    }

    async fn print_rows(&'static self, ctx: &Ctx, matches: &ArgMatches, query: TableQuery) -> CommandResult {
        let prints_all = matches.get_flag("all");
        let limit = matches.get_one::<i64>("limit").copied().unwrap_or(DEFAULT_LIMIT);
        let first_row = matches.get_one::<i64>("page").map_or(0, |page| (page - 1).saturating_mul(limit));
        let query = if prints_all { query } else { query.page(first_row, limit) };
        let client = ctx.client()?;
        let mut pages = std::pin::pin!(client.stream_pages::<Value>(self.declaration.op.path, query));
        let mut row_writer = ctx.out.row_writer(&list_columns::table_columns(self.declaration))?;
        let (mut printed_count, mut match_count) = (0, None);
        while let Some(page) = pages.next().await {
            let page = page?;
            match_count.get_or_insert(MatchCount {
                count: page.records_filtered,
                is_lower_bound: page.records_filtered_is_at_least,
            });
            for row in page.data {
                if prints_all || printed_count < limit {
                    printed_count += 1;
                    row_writer.push(row)?;
                }
            }
            if !prints_all && printed_count >= limit {
                break;
            }
        }
        row_writer.finish()?;
        self.print_summary(
            ctx,
            filter::has_filters(self, matches),
            printed_count,
            match_count.unwrap_or_default(),
        );
        Ok(Exit::Ok)
    }

    /// Prints "Showing 30 of 412 orders" below a table; other output formats are for programs and have no such line.
    fn print_summary(&self, ctx: &Ctx, is_filtered: bool, printed_count: i64, match_count: MatchCount) {
        if ctx.out.format != Format::Table || ctx.out.jq.is_some() {
            return;
        }
        let more_than = if match_count.is_lower_bound { "more than " } else { "" };
        if printed_count == 0 {
            ctx.out.print_message(&match is_filtered {
                true => format!("No {} match the filters.", self.plural),
                false => format!("No {} yet.", self.plural),
            });
        } else if printed_count < match_count.count {
            ctx.out.print_message(&format!(
                "Showing {printed_count} of {more_than}{} {} (use --all to show all).",
                match_count.count, self.plural
            ));
        }
    }

    pub(crate) async fn export(&'static self, ctx: &Ctx, matches: &ArgMatches) -> CommandResult {
        let query = filter::build_query(ctx, self, matches)?;
        let with_flag_names =
            |failure: Failure| failure.with_field_names(|field| filter::flag_of_field(self, &query, field));
        let client = ctx.client()?;
        let mut chunks = std::pin::pin!(
            client
                .stream_export_at(self.declaration.op.path, &query)
                .await
                .map_err(|error| with_flag_names(error.into()))?
        );
        let Some(path) = matches.get_one::<std::path::PathBuf>("to") else {
            let mut lines = LineWriter::new(&ctx.out);
            while let Some(chunk) = chunks.try_next().await? {
                lines.push(&chunk)?;
            }
            lines.finish()?;
            return Ok(Exit::Ok);
        };
        // The file is renamed to its final name when it is complete, so that a failed export leaves no file that looks complete.
        let partial_path = path.with_extension("part");
        let mut file = tokio::fs::File::create(&partial_path).await?;
        while let Some(chunk) = chunks.try_next().await? {
            tokio::io::AsyncWriteExt::write_all(&mut file, &chunk).await?;
        }
        file.sync_all().await?;
        tokio::fs::rename(&partial_path, path).await?;
        ctx.out.print_message(&format!("Exported to {}.", path.display()));
        Ok(Exit::Ok)
    }

    fn add_sorting(&self, mut query: TableQuery, matches: &ArgMatches) -> TableQuery {
        let keys = matches.get_one::<String>("sort").map(String::as_str).unwrap_or_default();
        for key in keys.split(',').map(str::trim).filter(|key| !key.is_empty()) {
            query = match key.strip_prefix('-') {
                Some(column) => query.sort(column, true),
                None => query.sort(key, false),
            };
        }
        query
    }
}
