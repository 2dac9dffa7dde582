//! What a customer may ask about their data: a copy of all of it, and its erasure.

use clap::{Arg, ArgMatches};
use futures_util::TryStreamExt as _;
use panel_contract::endpoint::{Endpoint as _, NoBody};
use panel_contract::endpoints::personal_data::{EraseUser, ExportUserData};
use panel_contract::ids::UserId;

use crate::command::Own;
use crate::command::call::{Call, Write, arg, given_id, id, id_arg, of};
use crate::command::confirm::{Danger, dry_run};
use crate::ctx::Ctx;
use crate::exit::Exit;
use crate::failure::Done;
use crate::output::column::{Column, Kind};
use crate::output::new_file::new_file;

/// `users export-data`.
pub(crate) const EXPORT_DATA: Own = Own {
    name: "export-data",
    about: "Writes everything that the panel holds about a customer to a new JSON file that only you can read",
    examples: &[("users export-data 42 --to customer-42.json", "what customer 42 asked for")],
    reaches: &[ExportUserData::OP],
    args: |command| {
        command.args([
            id_arg().help("The customer"),
            Arg::new("to")
                .long("to")
                .value_name("FILE")
                .required(true)
                .help("The new file; it must not exist yet"),
        ])
    },
    run: |ctx, matches| Box::pin(export_data(ctx, matches)),
};

/// `users erase`.
pub(crate) const ERASE: Call = Call {
    name: "erase",
    about: "Removes a customer's personal data for good; money records stay. This cannot be undone",
    examples: &[
        ("users erase 42 --dry-run", "what would be removed, overwritten and kept"),
        ("users erase 42", "asks before it begins"),
    ],
    op: EraseUser::OP,
    args: |command| command.arg(id_arg().help("The customer")),
    request: |_, matches| of::<EraseUser>(id(matches)?, &dry_run(matches), &NoBody {}),
    at: "/data/tables",
    columns: &[
        Column::new("table", Kind::Text),
        Column::new("treatment", Kind::Word),
        Column::new("records", Kind::Number),
        Column::new("fields", Kind::Text),
        Column::new("note", Kind::Text),
    ],
    write: Some(Write {
        question: |matches| {
            format!("Erase the personal data of customer {}? This cannot be undone.", given_id(matches))
        },
        danger: Danger::Final,
        said: |matches| {
            format!("The erasure of customer {} was requested; the account is closed.", given_id(matches))
        },
        rehearses: true,
    }),
};

async fn export_data(ctx: &Ctx, matches: &ArgMatches) -> Done {
    let (user, to): (UserId, String) = (id(matches)?, arg(matches, "to")?);
    let mut file = new_file(&to)?;
    let written = write(ctx, user, &mut file).await.inspect_err(|_| {
        // A part of a copy would look like all of it.
        let _ = std::fs::remove_file(&to);
    })?;
    ctx.out.say(&format!("{written} bytes in {to}."));
    Ok(Exit::Ok)
}

async fn write(ctx: &Ctx, user: UserId, file: &mut std::fs::File) -> Done<u64> {
    use std::io::Write as _;
    let mut pieces = std::pin::pin!(ctx.client()?.download::<ExportUserData>(user).await?);
    let mut written = 0;
    while let Some(piece) = pieces.try_next().await? {
        file.write_all(&piece)?;
        written += piece.len() as u64;
    }
    Ok(written)
}
