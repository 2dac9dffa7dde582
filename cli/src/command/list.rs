//! Lists: the command that prints any list of the contract, with its flags.

use clap::{Arg, ArgAction, ArgMatches, Command};
use futures_util::{StreamExt as _, TryStreamExt as _};
use panel_contract::lists;
use panel_contract::table::TableQuery;
use serde_json::Value;

use crate::command::filter::Filter;
use crate::command::{Examples, described, filter};
use crate::ctx::Ctx;
use crate::exit::Exit;
use crate::failure::{CmdResult, Failure};
use crate::output::Format;
use crate::output::lines::Lines;
use crate::output::list_columns;

/// Default of `--limit`.
const DEFAULT_LIMIT: i64 = 30;

pub(crate) struct List {
    /// The declaration in the contract: endpoint, columns and filters.
    pub(crate) declaration: &'static lists::List,
    /// Plural noun of its records, such as `orders`.
    pub(crate) noun: &'static str,
    /// Singular noun.
    pub(crate) one: &'static str,
    pub(crate) about: &'static str,
    /// Filters with their own flags.
    pub(crate) filters: &'static [Filter],
    /// The time column of `--since` and `--until`.
    pub(crate) since: &'static str,
    pub(crate) examples: Examples,
}

impl List {
    pub(crate) fn command(&'static self) -> Command {
        let command = described("list", self.about, self.examples);
        filter::args(self, command).args([
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
        filter::args(self, command).arg(
            Arg::new("to")
                .long("to")
                .value_name("FILE")
                .value_parser(clap::value_parser!(std::path::PathBuf))
                .help("Write to a file instead of standard output"),
        )
    }

    pub(crate) async fn run(&'static self, ctx: &Ctx, matches: &ArgMatches) -> CmdResult {
        filter::check_sort(self, matches.get_one::<String>("sort").map_or("", String::as_str))?;
        let query = self.sorted(filter::query(ctx, self, matches)?, matches);
        self.print_rows(ctx, matches, query.clone())
            .await
            .map_err(|failure| failure.with_field_names(|field| filter::name_field(self, &query, field)))
    }

    async fn print_rows(&'static self, ctx: &Ctx, matches: &ArgMatches, query: TableQuery) -> CmdResult {
        let all = matches.get_flag("all");
        let limit = matches.get_one::<i64>("limit").copied().unwrap_or(DEFAULT_LIMIT);
        let skip = matches.get_one::<i64>("page").map_or(0, |page| (page - 1).saturating_mul(limit));
        let query = if all { query } else { query.page(skip, limit) };
        let client = ctx.client()?;
        let mut pages = std::pin::pin!(client.pages::<Value>(self.declaration.op.path, query));
        let mut rows = ctx.out.rows(&list_columns::columns(self.declaration))?;
        let (mut shown, mut total) = (0, None);
        while let Some(page) = pages.next().await {
            let page = page?;
            total.get_or_insert((page.records_filtered, page.records_filtered_is_at_least));
            for row in page.data {
                if all || shown < limit {
                    shown += 1;
                    rows.push(row)?;
                }
            }
            if !all && shown >= limit {
                break;
            }
        }
        rows.finish()?;
        let (total, at_least) = total.unwrap_or_default();
        self.summary(ctx, filter::is_set(self, matches), shown, (total, at_least));
        Ok(Exit::Ok)
    }

    /// Prints how many of the matching rows are shown, for people only.
    fn summary(&self, ctx: &Ctx, is_filtered: bool, shown: i64, (total, at_least): (i64, bool)) {
        if ctx.out.format != Format::Table || ctx.out.jq.is_some() {
            return;
        }
        let more = if at_least { "more than " } else { "" };
        if shown == 0 {
            ctx.out.print_message(&match is_filtered {
                true => format!("No {} match the filters.", self.noun),
                false => format!("No {} yet.", self.noun),
            });
        } else if shown < total {
            ctx.out.print_message(&format!(
                "Showing {shown} of {more}{total} {} (use --all to show all).",
                self.noun
            ));
        }
    }

    pub(crate) async fn export(&'static self, ctx: &Ctx, matches: &ArgMatches) -> CmdResult {
        let query = filter::query(ctx, self, matches)?;
        let with_flags =
            |failure: Failure| failure.with_field_names(|field| filter::name_field(self, &query, field));
        let client = ctx.client()?;
        let mut pieces = std::pin::pin!(
            client.export_at(self.declaration.op.path, &query).await.map_err(|e| with_flags(e.into()))?
        );
        let Some(path) = matches.get_one::<std::path::PathBuf>("to") else {
            let mut lines = Lines::new(&ctx.out);
            while let Some(piece) = pieces.try_next().await? {
                lines.push(&piece)?;
            }
            lines.finish()?;
            return Ok(Exit::Ok);
        };
        // Written under a temporary name until it is complete.
        let partial = path.with_extension("part");
        let mut file = tokio::fs::File::create(&partial).await?;
        while let Some(piece) = pieces.try_next().await? {
            tokio::io::AsyncWriteExt::write_all(&mut file, &piece).await?;
        }
        file.sync_all().await?;
        tokio::fs::rename(&partial, path).await?;
        ctx.out.print_message(&format!("Exported to {}.", path.display()));
        Ok(Exit::Ok)
    }

    fn sorted(&self, mut query: TableQuery, matches: &ArgMatches) -> TableQuery {
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
