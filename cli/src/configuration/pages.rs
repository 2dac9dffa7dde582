//! Pages of the customers' site.

use clap::{ArgMatches, Command};
use panel_contract::endpoint::{Endpoint as _, NoQuery};
use panel_contract::endpoints::pages::{
    ArchivePanelPage, CreatePanelPage, UnarchivePanelPage, UpdatePanelPage,
};
use panel_contract::lists;
use panel_contract::pages::PanelPageInput;

use crate::command::archiving::archiving;
use crate::command::call::{Call, Write, given_id, id, id_arg, of, opt};
use crate::command::confirm::Danger;
use crate::command::filter::Filter;
use crate::command::list::List;
use crate::command::text::{text_arg, translations_arg, translations_of};
use crate::command::{Cmd, Noun};
use crate::failure::Done;

/// `pages`.
pub(crate) const NOUN: Noun = Noun {
    name: "pages",
    alias: Some("page"),
    about: "Pages of the customers' site, and what search engines read of them",
    verbs: &[
        Cmd::List(&LIST),
        Cmd::Call(&CREATE),
        Cmd::Call(&UPDATE),
        Cmd::Call(&ARCHIVE),
        Cmd::Call(&UNARCHIVE),
        Cmd::Export(&LIST),
    ],
};

const LIST: List = List {
    of: &lists::pages::PANEL_PAGES,
    noun: "pages",
    one: "page",
    about: "Pages, newest first",
    filters: &[
        Filter::new("name", "name", "Part of the name"),
        Filter::new("route", "route_name", "Part of the route"),
        Filter::new("status", "status", "Where it stands"),
    ],
    since: "created_at",
    examples: &[("pages list --status active", "what customers can open")],
};

const CREATE: Call = Call {
    name: "create",
    about: "Makes a page",
    examples: &[("pages create --name Services --route-name services.index", "one page")],
    op: CreatePanelPage::OP,
    args: page_args,
    request: |_, matches| of::<CreatePanelPage>((), &NoQuery {}, &page(matches)?),
    at: "/data",
    columns: &[],
    write: Some(Write {
        question: |_| "Make this page?".to_owned(),
        danger: Danger::Reversible("panelctl pages archive"),
        said: |_| "The page is made.".to_owned(),
        rehearses: false,
    }),
};

const UPDATE: Call = Call {
    name: "update",
    about: "Changes a page; only what is named",
    examples: &[("pages update 3 --translations texts.json", "its texts in all languages")],
    op: UpdatePanelPage::OP,
    args: |command| page_args(command.arg(id_arg())),
    request: |_, matches| of::<UpdatePanelPage>(id(matches)?, &NoQuery {}, &page(matches)?),
    write: Some(Write {
        question: |matches| format!("Change page {}?", given_id(matches)),
        danger: Danger::Reversible("The same command with the old values"),
        said: |matches| format!("Page {} is changed.", given_id(matches)),
        rehearses: false,
    }),
    ..CREATE
};

const ARCHIVE: Call = archiving!("archive", ArchivePanelPage, {
    about: "Puts a page away",
    example: ("pages archive 3", "one page"),
    question: "Archive page {}?",
    said: "Page {} is archived.",
});

const UNARCHIVE: Call = archiving!("unarchive", UnarchivePanelPage, {
    about: "Takes a page back",
    example: ("pages unarchive 3", "one page"),
    question: "Take page {} back?",
    said: "Page {} is back.",
});

fn page_args(command: Command) -> Command {
    command.args([
        text_arg("name", "English name"),
        text_arg("route-name", "What the site calls it, such as services.show"),
        translations_arg(),
    ])
}

fn page(matches: &ArgMatches) -> Done<PanelPageInput> {
    Ok(PanelPageInput {
        page_id: None,
        name: opt(matches, "name"),
        route_name: opt(matches, "route-name"),
        translations: translations_of(matches)?,
        updated_at: None,
    })
}
