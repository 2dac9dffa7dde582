//! Pages of the customers' site.

use clap::{ArgMatches, Command};
use panel_contract::endpoint::{EmptyQuery, Endpoint as _};
use panel_contract::endpoints::pages::{
    ArchivePanelPage, CreatePanelPage, UnarchivePanelPage, UpdatePanelPage,
};
use panel_contract::lists;
use panel_contract::pages::PanelPageInput;

use crate::command::archiving::archiving;
use crate::command::call::{Call, Write, id, id_arg, id_value, of, opt};
use crate::command::confirm::Danger;
use crate::command::filter::Filter;
use crate::command::list::List;
use crate::command::text::{text_arg, translations_arg, translations_of};
use crate::command::{Cmd, Noun};
use crate::failure::CmdResult;

pub(crate) const NOUN: Noun = Noun {
    name: "pages",
    alias: Some("page"),
    about: "Manage pages of the customers' site and their texts for search engines",
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
    declaration: &lists::pages::PANEL_PAGES,
    noun: "pages",
    one: "page",
    about: "List pages, newest first",
    filters: &[
        Filter::new("name", "name", "Filter by part of the name"),
        Filter::new("route", "route_name", "Filter by part of the route"),
        Filter::new("status", "status", "Filter by status"),
    ],
    since: "created_at",
    examples: &[("pages list --status active", "pages that customers can open")],
};

const CREATE: Call = Call {
    name: "create",
    about: "Create a page",
    examples: &[("pages create --name Services --route-name services.index", "create a page")],
    op: CreatePanelPage::OP,
    args: page_args,
    request: |_, matches| of::<CreatePanelPage>((), &EmptyQuery {}, &page(matches)?),
    pointer: "/data",
    columns: &[],
    write: Some(Write {
        question: |_| "Create this page?".to_owned(),
        danger: Danger::Reversible("panelctl pages archive"),
        success: |_| "Page created.".to_owned(),
        has_dry_run: false,
    }),
};

const UPDATE: Call = Call {
    name: "update",
    about: "Update a page; fields without an option keep their values",
    examples: &[("pages update 3 --translations texts.json", "replace its texts in all languages")],
    op: UpdatePanelPage::OP,
    args: |command| page_args(command.arg(id_arg())),
    request: |_, matches| of::<UpdatePanelPage>(id(matches)?, &EmptyQuery {}, &page(matches)?),
    write: Some(Write {
        question: |matches| format!("Update page {}?", id_value(matches)),
        danger: Danger::Reversible("run the command again with the old values"),
        success: |matches| format!("Page {} updated.", id_value(matches)),
        has_dry_run: false,
    }),
    ..CREATE
};

const ARCHIVE: Call = archiving!("archive", ArchivePanelPage, {
    about: "Archive a page",
    example: ("pages archive 3", "archive one page"),
    question: "Archive page {}?",
    success: "Page {} archived.",
});

const UNARCHIVE: Call = archiving!("unarchive", UnarchivePanelPage, {
    about: "Restore an archived page",
    example: ("pages unarchive 3", "restore one page"),
    question: "Restore page {}?",
    success: "Page {} restored.",
});

fn page_args(command: Command) -> Command {
    command.args([
        text_arg("name", "English name"),
        text_arg("route-name", "Route name in the site, such as services.show"),
        translations_arg(),
    ])
}

fn page(matches: &ArgMatches) -> CmdResult<PanelPageInput> {
    Ok(PanelPageInput {
        page_id: None,
        name: opt(matches, "name"),
        route_name: opt(matches, "route-name"),
        translations: translations_of(matches)?,
        updated_at: None,
    })
}
