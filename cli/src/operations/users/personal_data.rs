//! Data protection requests of customers: a copy of all their data, and its erasure.

use clap::{Arg, ArgMatches};
use futures_util::TryStreamExt as _;
use panel_contract::endpoint::{EmptyBody, Endpoint as _};
use panel_contract::endpoints::personal_data::{EraseUser, ExportUserData};
use panel_contract::ids::UserId;

use crate::command::Custom;
use crate::command::call::{Call, Write, arg, id, id_arg, id_value, of};
use crate::command::confirm::{Danger, dry_run};
use crate::ctx::Ctx;
use crate::exit::Exit;
use crate::failure::CmdResult;
use crate::output::column::{Column, Kind};
use crate::output::new_file::new_file;

pub(crate) const EXPORT_DATA: Custom = Custom {
    name: "export-data",
    about: "Export all data about a customer to a new JSON file that only you can read",
    examples: &[("users export-data 42 --to customer-42.json", "export the data of customer 42")],
    ops: &[ExportUserData::OP],
    args: |command| {
        command.args([
            id_arg().help("Id of the customer"),
            Arg::new("to").long("to").value_name("FILE").required(true).help("New file; must not exist yet"),
        ])
    },
    run: |ctx, matches| Box::pin(export_data(ctx, matches)),
};

pub(crate) const ERASE: Call = Call {
    name: "erase",
    about: "Erase a customer's personal data permanently; financial records are kept",
    examples: &[
        ("users erase 42 --dry-run", "show what would be deleted, overwritten and kept"),
        ("users erase 42", "ask for confirmation, then erase"),
    ],
    op: EraseUser::OP,
    args: |command| command.arg(id_arg().help("Id of the customer")),
    request: |_, matches| of::<EraseUser>(id(matches)?, &dry_run(matches), &EmptyBody {}),
    pointer: "/data/tables",
    columns: &[
        Column::new("table", Kind::Text),
        Column::new("treatment", Kind::Word),
        Column::new("records", Kind::Number),
        Column::new("fields", Kind::Text),
        Column::new("note", Kind::Text),
    ],
    write: Some(Write {
        question: |matches| {
            format!("Erase the personal data of customer {}? This cannot be undone.", id_value(matches))
        },
        danger: Danger::Final,
        success: |matches| {
            format!("Erasure of customer {} requested. The account is closed.", id_value(matches))
        },
        has_dry_run: true,
    }),
};

async fn export_data(ctx: &Ctx, matches: &ArgMatches) -> CmdResult {
    let (user, to): (UserId, String) = (id(matches)?, arg(matches, "to")?);
    let mut file = new_file(&to)?;
    let written = write(ctx, user, &mut file).await.inspect_err(|_| {
        // An incomplete copy would look like a complete one.
        let _ = std::fs::remove_file(&to);
    })?;
    ctx.out.print_message(&format!("Exported {written} bytes to {to}."));
    Ok(Exit::Ok)
}

async fn write(ctx: &Ctx, user: UserId, file: &mut std::fs::File) -> CmdResult<u64> {
    use std::io::Write as _;
    let mut pieces = std::pin::pin!(ctx.client()?.download::<ExportUserData>(user).await?);
    let mut written = 0;
    while let Some(piece) = pieces.try_next().await? {
        file.write_all(&piece)?;
        written += piece.len() as u64;
    }
    Ok(written)
}
