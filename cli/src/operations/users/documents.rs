//! Verification documents of customers.

use clap::{Arg, ArgMatches};
use panel_contract::documents::{DocumentGroup, VerificationDocumentInput};
use panel_contract::endpoint::{Endpoint as _, NoBody, NoQuery};
use panel_contract::endpoints::documents::*;

use crate::command::call::{Call, Write, arg, given_id, id, id_arg, of, word};
use crate::command::confirm::Danger;
use crate::command::{Cmd, Noun, Own, picture};
use crate::ctx::Ctx;
use crate::exit::Exit;
use crate::failure::{Done, Failure};
use crate::output::column::{Column, Kind};
use crate::output::new_file::new_file;

/// `users documents`.
pub(crate) const DOCUMENTS: Noun = Noun {
    name: "documents",
    alias: Some("document"),
    about: "Verification documents of a customer; each look at one is audited",
    verbs: &[Cmd::Call(&LIST), Cmd::Call(&ADD), Cmd::Own(&SAVE)],
};

const LIST: Call = Call {
    name: "list",
    about: "A customer's documents by group",
    examples: &[("users documents list 42 --jq '.[].documents[].id'", "their ids")],
    op: ListVerificationDocuments::OP,
    args: |command| command.arg(id_arg().help("The customer")),
    request: |_, matches| of::<ListVerificationDocuments>(id(matches)?, &NoQuery {}, &NoBody {}),
    at: "/data",
    columns: &[Column::new("group", Kind::Word), Column::new("documents", Kind::Text)],
    write: None,
};

const ADD: Call = Call {
    name: "add",
    about: "Adds a document that came another way, such as by mail",
    examples: &[("users documents add 42 id --picture passport.jpg", "what they sent")],
    op: AddVerificationDocument::OP,
    args: |command| {
        let words = clap::builder::PossibleValuesParser::new(DocumentGroup::WORDS.texts);
        let group = Arg::new("group").value_name("GROUP").required(true).help("What it shows");
        let group = group.value_parser(words);
        let command = command.args([id_arg().help("The customer"), group]);
        picture::args(command, "picture", "no-picture")
    },
    request: |_, matches| {
        let body = VerificationDocumentInput {
            group: word(matches, "group").ok_or_else(|| Failure::usage("Say what it shows."))?,
            picture: picture::read(matches, "picture", "no-picture")?,
        };
        of::<AddVerificationDocument>(id(matches)?, &NoQuery {}, &body)
    },
    columns: &[],
    write: Some(Write {
        question: |matches| format!("Add a document to user {}?", given_id(matches)),
        danger: Danger::Final,
        said: |matches| format!("User {} has a document more.", given_id(matches)),
        rehearses: false,
    }),
    ..LIST
};

const SAVE: Own = Own {
    name: "save",
    about: "Writes a document's picture to a new file that only you can read",
    examples: &[("users documents save 42 7 --to passport.jpg", "document 7 of customer 42")],
    reaches: &[ShowVerificationDocument::OP],
    args: |command| {
        let document = Arg::new("document").value_name("DOCUMENT").value_parser(clap::value_parser!(i64));
        command.args([
            id_arg().help("The customer"),
            document.required(true).help("The document's id"),
            Arg::new("to").long("to").value_name("FILE").required(true).help("Must not exist yet"),
        ])
    },
    run: |ctx, matches| Box::pin(save(ctx, matches)),
};

async fn save(ctx: &Ctx, matches: &ArgMatches) -> Done {
    use std::io::Write as _;
    let path = (id(matches)?, arg(matches, "document")?);
    let to: String = arg(matches, "to")?;
    let mut file = new_file(&to)?;
    let shown = ctx.client()?.show_verification_document(path, &NoQuery {}, &NoBody {}).await;
    let picture = shown.inspect_err(|_| {
        // Nothing came: no empty file stays behind.
        let _ = std::fs::remove_file(&to);
    })?;
    file.write_all(&picture.0)?;
    ctx.out.say(&format!("{} bytes in {to}.", picture.0.len()));
    Ok(Exit::Ok)
}
