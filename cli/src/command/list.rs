//! Lists: flags for the lists of the contract, and the one program that shows any of them.

use clap::{Arg, ArgAction, ArgMatches, Command};
use futures_util::{StreamExt as _, TryStreamExt as _};
use panel_contract::lists;
use panel_contract::table::TableQuery;
use serde_json::Value;

use crate::command::filter::Filter;
use crate::command::{Examples, described, filter};
use crate::ctx::Ctx;
use crate::exit::Exit;
use crate::failure::{Done, Failure};
use crate::output::Format;
use crate::output::lines::Lines;
use crate::output::listed;

/// Rows of a list when nothing is said.
const LIMIT: i64 = 30;

/// A list of the contract as commands.
pub(crate) struct List {
    /// What it lists: endpoint, columns, filters.
    pub(crate) of: &'static lists::List,
    /// Its records, plural.
    pub(crate) noun: &'static str,
    /// One of them.
    pub(crate) one: &'static str,
    /// One line.
    pub(crate) about: &'static str,
    /// Its filters with flags of their own.
    pub(crate) filters: &'static [Filter],
    /// The moment that `--since` looks at.
    pub(crate) since: &'static str,
    /// Command lines.
    pub(crate) examples: Examples,
}

impl List {
    /// `list`.
    pub(crate) fn command(&'static self) -> Command {
        let command = described("list", self.about, self.examples);
        filter::args(self, command).args([
            Arg::new("sort")
                .long("sort")
                .value_name("COLUMN")
                .allow_hyphen_values(true)
                .help("Sorts by columns, with commas; -COLUMN for the largest first"),
            Arg::new("limit")
                .long("limit")
                .short('n')
                .value_name("ROWS")
                .value_parser(clap::value_parser!(i64).range(1..))
                .help("At most so many rows [default: 30]"),
            Arg::new("page")
                .long("page")
                .value_name("PAGE")
                .value_parser(clap::value_parser!(i64).range(1..))
                .conflicts_with("all")
                .help("The page of --limit rows, from 1"),
            Arg::new("all")
                .long("all")
                .action(ArgAction::SetTrue)
                .conflicts_with("limit")
                .help("Every row that the filters leave"),
        ])
    }

    /// `export`.
    pub(crate) fn export_command(&'static self) -> Command {
        let command =
            Command::new("export").about("Streams the panel's CSV of everything that the filters leave");
        filter::args(self, command).arg(
            Arg::new("to")
                .long("to")
                .value_name("FILE")
                .value_parser(clap::value_parser!(std::path::PathBuf))
                .help("Writes a file instead of standard output"),
        )
    }

    /// Shows rows.
    pub(crate) async fn run(&'static self, ctx: &Ctx, matches: &ArgMatches) -> Done {
        filter::check_sort(self, matches.get_one::<String>("sort").map_or("", String::as_str))?;
        let query = self.sorted(filter::query(ctx, self, matches)?, matches);
        self.shown(ctx, matches, query.clone())
            .await
            .map_err(|failure| failure.naming(|field| filter::name_field(self, &query, field)))
    }

    async fn shown(&'static self, ctx: &Ctx, matches: &ArgMatches, query: TableQuery) -> Done {
        let all = matches.get_flag("all");
        let limit = matches.get_one::<i64>("limit").copied().unwrap_or(LIMIT);
        let skip = matches.get_one::<i64>("page").map_or(0, |page| (page - 1).saturating_mul(limit));
        let query = if all { query } else { query.page(skip, limit) };
        let client = ctx.client()?;
        let mut pages = std::pin::pin!(client.pages::<Value>(self.of.op.path, query));
        let mut rows = ctx.out.rows(&listed::columns(self.of))?;
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

    /// How many of how many, in words, where a person reads them.
    fn summary(&self, ctx: &Ctx, is_filtered: bool, shown: i64, (total, at_least): (i64, bool)) {
        if ctx.out.format != Format::Table || ctx.out.jq.is_some() {
            return;
        }
        let more = if at_least { "more than " } else { "" };
        if shown == 0 {
            ctx.out.say(&match is_filtered {
                true => format!("No {} match. Try other filters.", self.noun),
                false => format!("There are no {}.", self.noun),
            });
        } else if shown < total {
            ctx.out.say(&format!("Showing {shown} of {more}{total} {} (--all for every one).", self.noun));
        }
    }

    /// Streams the panel's CSV.
    pub(crate) async fn export(&'static self, ctx: &Ctx, matches: &ArgMatches) -> Done {
        let query = filter::query(ctx, self, matches)?;
        let named = |failure: Failure| failure.naming(|field| filter::name_field(self, &query, field));
        let client = ctx.client()?;
        let mut pieces =
            std::pin::pin!(client.export_at(self.of.op.path, &query).await.map_err(|e| named(e.into()))?);
        let Some(path) = matches.get_one::<std::path::PathBuf>("to") else {
            let mut lines = Lines::new(&ctx.out);
            while let Some(piece) = pieces.try_next().await? {
                lines.push(&piece)?;
            }
            lines.finish()?;
            return Ok(Exit::Ok);
        };
        // Under another name until it is whole.
        let draft = path.with_extension("part");
        let mut file = tokio::fs::File::create(&draft).await?;
        while let Some(piece) = pieces.try_next().await? {
            tokio::io::AsyncWriteExt::write_all(&mut file, &piece).await?;
        }
        file.sync_all().await?;
        tokio::fs::rename(&draft, path).await?;
        ctx.out.say(&format!("Written to {}.", path.display()));
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
