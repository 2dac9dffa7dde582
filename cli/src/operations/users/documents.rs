//! Verification documents of customers.

use clap::{Arg, ArgMatches};
use panel_contract::documents::{DocumentGroup, VerificationDocumentInput};
use panel_contract::endpoint::{EmptyBody, EmptyQuery, Endpoint as _};
use panel_contract::endpoints::documents::*;

use crate::command::call::{Call, Write, arg, id, id_arg, id_value, of, word};
use crate::command::confirm::Danger;
use crate::command::{Cmd, Custom, Noun, picture};
use crate::ctx::Ctx;
use crate::exit::Exit;
use crate::failure::{CmdResult, Failure};
use crate::output::column::{Column, Kind};
use crate::output::new_file::new_file;

pub(crate) const DOCUMENTS: Noun = Noun {
    name: "documents",
    alias: Some("document"),
    about: "Manage the verification documents of a customer",
    verbs: &[Cmd::Call(&LIST), Cmd::Call(&ADD), Cmd::Custom(&SAVE)],
};

const LIST: Call = Call {
    name: "list",
    about: "List a customer's documents by group",
    examples: &[("users documents list 42 --jq '.[].documents[].id'", "print their ids")],
    op: ListVerificationDocuments::OP,
    args: |command| command.arg(id_arg().help("Id of the customer")),
    request: |_, matches| of::<ListVerificationDocuments>(id(matches)?, &EmptyQuery {}, &EmptyBody {}),
    pointer: "/data",
    columns: &[Column::new("group", Kind::Word), Column::new("documents", Kind::Text)],
    write: None,
};

const ADD: Call = Call {
    name: "add",
    about: "Add a document that was received another way, such as by email",
    examples: &[("users documents add 42 id --picture passport.jpg", "add a picture of a passport")],
    op: AddVerificationDocument::OP,
    args: |command| {
        let words = clap::builder::PossibleValuesParser::new(DocumentGroup::VALUES.texts);
        let group = Arg::new("group").value_name("GROUP").required(true).help("Kind of document");
        let group = group.value_parser(words);
        let command = command.args([id_arg().help("Id of the customer"), group]);
        picture::args(command, "picture", "no-picture")
    },
    request: |_, matches| {
        let body = VerificationDocumentInput {
            group: word(matches, "group").ok_or_else(|| Failure::usage("Specify the kind of document."))?,
            picture: picture::read(matches, "picture", "no-picture")?,
        };
        of::<AddVerificationDocument>(id(matches)?, &EmptyQuery {}, &body)
    },
    columns: &[],
    write: Some(Write {
        question: |matches| format!("Add a document to customer {}?", id_value(matches)),
        danger: Danger::Final,
        success: |matches| format!("Document added to customer {}.", id_value(matches)),
        has_dry_run: false,
    }),
    ..LIST
};

const SAVE: Custom = Custom {
    name: "save",
    about: "Save a document's picture to a new file that only you can read; recorded in the audit log",
    examples: &[("users documents save 42 7 --to passport.jpg", "save document 7 of customer 42")],
    ops: &[ShowVerificationDocument::OP],
    args: |command| {
        let document = Arg::new("document").value_name("DOCUMENT").value_parser(clap::value_parser!(i64));
        command.args([
            id_arg().help("Id of the customer"),
            document.required(true).help("Id of the document"),
            Arg::new("to").long("to").value_name("FILE").required(true).help("New file; must not exist yet"),
        ])
    },
    run: |ctx, matches| Box::pin(save(ctx, matches)),
};

async fn save(ctx: &Ctx, matches: &ArgMatches) -> CmdResult {
    use std::io::Write as _;
    let path = (id(matches)?, arg(matches, "document")?);
    let path_to_file: String = arg(matches, "to")?;
    let mut file = new_file(&path_to_file)?;
    let response = ctx.client()?.show_verification_document(path, &EmptyQuery {}, &EmptyBody {}).await;
    let picture = response.inspect_err(|_| {
        // Do not leave an empty file behind.
        let _ = std::fs::remove_file(&path_to_file);
    })?;
    file.write_all(&picture.0)?;
    ctx.out.print_message(&format!("Saved {} bytes to {path_to_file}.", picture.0.len()));
    Ok(Exit::Ok)
}
