//! The menu of the customers' site, and items that staff add to it.

use clap::{Arg, ArgMatches, Command};
use panel_contract::common::Patch;
use panel_contract::endpoint::{Endpoint as _, NoBody, NoQuery};
use panel_contract::endpoints::menu::{
    ArchiveMenuItem, CreateCustomMenuItem, CreateMenuItem, DeleteCustomMenuItem, ListCustomMenuItems,
    SortMenuItems, UnarchiveMenuItem, UpdateCustomMenuItem, UpdateMenuItem,
};
use panel_contract::ids::MenuItemId;
use panel_contract::lists;
use panel_contract::menu::{CustomMenuItemInput, MenuItemInput, PlacedMenuItem, SortMenuInput};

use crate::command::archiving::archiving;
use crate::command::call::{Call, Write, given_id, id, id_arg, of, on_off_arg, opt, wish};
use crate::command::confirm::{Danger, dry_run};
use crate::command::filter::Filter;
use crate::command::list::List;
use crate::command::text::{patch, text_arg, translations_arg, translations_of};
use crate::command::{Cmd, Noun};
use crate::failure::{Done, Failure};
use crate::output::column::{Column, Kind};

/// `menu`.
pub(crate) const NOUN: Noun = Noun {
    name: "menu",
    alias: None,
    about: "The menu of the customers' site",
    verbs: &[
        Cmd::List(&LIST),
        Cmd::Call(&CREATE),
        Cmd::Call(&UPDATE),
        Cmd::Call(&SORT),
        Cmd::Call(&ARCHIVE),
        Cmd::Call(&UNARCHIVE),
        Cmd::Nested(&ADDED),
        Cmd::Export(&LIST),
    ],
};

const ADDED: Noun = Noun {
    name: "custom",
    alias: None,
    about: "Items that staff add to the menu",
    verbs: &[Cmd::Call(&ADDED_LIST), Cmd::Call(&ADD), Cmd::Call(&CHANGE), Cmd::Call(&DELETE)],
};

const LIST: List = List {
    of: &lists::menu::MENU_ITEMS,
    noun: "menu",
    one: "menu item",
    about: "Items of the menu",
    filters: &[
        Filter::new("name", "name", "Part of the name"),
        Filter::new("status", "status", "Where it stands"),
        Filter::new("archived", "is_archived", "Whether it is put away"),
    ],
    since: "created_at",
    examples: &[("menu list --archived 0 --sort sorting", "the menu as customers see it")],
};

const CREATE: Call = Call {
    name: "create",
    about: "Makes an item; it stands last",
    examples: &[("menu create --name Blog --url /blog --parent 3", "below another")],
    op: CreateMenuItem::OP,
    args: item_args,
    request: |_, matches| of::<CreateMenuItem>((), &NoQuery {}, &item(matches)?),
    at: "/data",
    columns: &[],
    write: Some(Write {
        question: |_| "Make this menu item?".to_owned(),
        danger: Danger::Reversible("panelctl menu archive"),
        said: |_| "The menu item is made.".to_owned(),
        rehearses: false,
    }),
};

const UPDATE: Call = Call {
    name: "update",
    about: "Changes an item; only what is named",
    examples: &[("menu update 3 --guests off --parent none", "for customers only, at the top")],
    op: UpdateMenuItem::OP,
    args: |command| item_args(command.arg(id_arg())),
    request: |_, matches| of::<UpdateMenuItem>(id(matches)?, &NoQuery {}, &item(matches)?),
    write: Some(Write {
        question: |matches| format!("Change menu item {}?", given_id(matches)),
        danger: Danger::Reversible("The same command with the old values"),
        said: |matches| format!("Menu item {} is changed.", given_id(matches)),
        rehearses: false,
    }),
    ..CREATE
};

const SORT: Call = Call {
    name: "sort",
    about: "Puts the whole menu in order",
    examples: &[("menu sort 3 1:3 2", "3 first, 1 below it, then 2: every item that is not archived")],
    op: SortMenuItems::OP,
    args: |command| {
        command.arg(
            Arg::new("menu-items")
                .value_name("ID[:PARENT]")
                .num_args(1..)
                .required(true)
                .help("Every item in order, with what it stands below"),
        )
    },
    request: |_, matches| of::<SortMenuItems>((), &NoQuery {}, &order(matches)?),
    write: Some(Write {
        question: |_| "Change the order of the menu?".to_owned(),
        danger: Danger::Reversible("The same command with the old order"),
        said: |_| "The menu is in order.".to_owned(),
        rehearses: false,
    }),
    ..CREATE
};

const ARCHIVE: Call = archiving!("archive", ArchiveMenuItem, {
    about: "Puts an item away; refused while others stand below it",
    example: ("menu archive 3", "one item"),
    question: "Archive menu item {}?",
    said: "Menu item {} is archived.",
});

const UNARCHIVE: Call = archiving!("unarchive", UnarchiveMenuItem, {
    about: "Takes an item back; it stands last",
    example: ("menu unarchive 3", "one item"),
    question: "Take menu item {} back?",
    said: "Menu item {} is back.",
});

const ADDED_LIST: Call = Call {
    name: "list",
    about: "Items that staff added",
    examples: &[("menu custom list", "all of them")],
    op: ListCustomMenuItems::OP,
    args: |command| command,
    request: |_, _| of::<ListCustomMenuItems>((), &NoQuery {}, &NoBody {}),
    columns: &[
        Column::new("id", Kind::Id),
        Column::new("name", Kind::Text),
        Column::new("url", Kind::Text),
        Column::new("is_enabled", Kind::Word).titled("shown"),
        Column::new("show_in_internal", Kind::Word).titled("customers' area"),
        Column::new("show_in_public", Kind::Word).titled("public site"),
        Column::more("is_blank", Kind::Word),
        Column::more("is_allowed_for_authorized", Kind::Word),
        Column::more("is_allowed_for_guest", Kind::Word),
        Column::more("icon", Kind::Text),
    ],
    write: None,
    ..CREATE
};

const ADD: Call = Call {
    name: "create",
    about: "Adds an item",
    examples: &[(
        "menu custom create --name Blog --url https://blog.example --blank on",
        "in a tab of its own",
    )],
    op: CreateCustomMenuItem::OP,
    args: added_args,
    request: |_, matches| of::<CreateCustomMenuItem>((), &NoQuery {}, &added(matches)?),
    write: Some(Write {
        question: |_| "Add this item to the menu?".to_owned(),
        danger: Danger::Reversible("panelctl menu custom delete"),
        said: |_| "The item is added.".to_owned(),
        rehearses: false,
    }),
    ..CREATE
};

const CHANGE: Call = Call {
    name: "update",
    about: "Changes an added item; only what is named",
    examples: &[("menu custom update 3 --public on", "shown to everybody")],
    op: UpdateCustomMenuItem::OP,
    args: |command| added_args(command.arg(id_arg())),
    request: |_, matches| of::<UpdateCustomMenuItem>(id(matches)?, &NoQuery {}, &added(matches)?),
    write: Some(Write {
        question: |matches| format!("Change added item {}?", given_id(matches)),
        danger: Danger::Reversible("The same command with the old values"),
        said: |matches| format!("Added item {} is changed.", given_id(matches)),
        rehearses: false,
    }),
    ..CREATE
};

const DELETE: Call = Call {
    name: "delete",
    about: "Deletes an added item",
    examples: &[("menu custom delete 3", "one item")],
    op: DeleteCustomMenuItem::OP,
    args: |command| command.arg(id_arg()),
    request: |_, matches| of::<DeleteCustomMenuItem>(id(matches)?, &dry_run(matches), &NoBody {}),
    write: Some(Write {
        question: |matches| format!("Delete added item {}?", given_id(matches)),
        danger: Danger::Final,
        said: |matches| format!("Added item {} is deleted.", given_id(matches)),
        rehearses: true,
    }),
    ..CREATE
};

fn shared_args(command: Command) -> Command {
    command.args([
        text_arg("name", "English name"),
        text_arg("url", "A path that begins with /, or an absolute address"),
        text_arg("icon", "The name of its icon, such as home, or none"),
        flag("is-enabled", "enabled", "Whether it is shown"),
        flag("is-allowed-for-authorized", "authorized", "Whether it is shown to who is signed in"),
        flag("is-allowed-for-guest", "guests", "Whether it is shown to who is not"),
        flag("is-blank", "blank", "Whether it opens a tab of its own"),
        translations_arg(),
    ])
}

fn flag(name: &'static str, long: &'static str, help: &'static str) -> Arg {
    on_off_arg(name).long(long).help(help)
}

fn item_args(command: Command) -> Command {
    let parent = Arg::new("parent-id").long("parent").value_name("ID").help("What it stands below, or none");
    shared_args(command).arg(parent)
}

fn added_args(command: Command) -> Command {
    shared_args(command).args([
        flag("show-in-internal", "internal", "Whether the customers' area shows it"),
        flag("show-in-public", "public", "Whether the public site shows it"),
    ])
}

fn item(matches: &ArgMatches) -> Done<MenuItemInput> {
    Ok(MenuItemInput {
        name: opt(matches, "name"),
        icon: patch(matches, "icon"),
        url: opt(matches, "url"),
        parent_id: parent(matches)?,
        is_enabled: opt(matches, "is-enabled"),
        is_allowed_for_authorized: opt(matches, "is-allowed-for-authorized"),
        is_allowed_for_guest: opt(matches, "is-allowed-for-guest"),
        is_blank: opt(matches, "is-blank"),
        translations: translations_of(matches)?,
        updated_at: None,
    })
}

fn parent(matches: &ArgMatches) -> Done<Patch<MenuItemId>> {
    wish(matches, "parent-id")
}

fn added(matches: &ArgMatches) -> Done<CustomMenuItemInput> {
    Ok(CustomMenuItemInput {
        name: opt(matches, "name"),
        icon: patch(matches, "icon"),
        url: opt(matches, "url"),
        is_blank: opt(matches, "is-blank"),
        is_enabled: opt(matches, "is-enabled"),
        is_allowed_for_authorized: opt(matches, "is-allowed-for-authorized"),
        is_allowed_for_guest: opt(matches, "is-allowed-for-guest"),
        show_in_internal: opt(matches, "show-in-internal"),
        show_in_public: opt(matches, "show-in-public"),
        translations: translations_of(matches)?,
        updated_at: None,
    })
}

fn order(matches: &ArgMatches) -> Done<SortMenuInput> {
    let mut menu_items = Vec::new();
    for said in matches.get_many::<String>("menu-items").into_iter().flatten() {
        let wrong = |_| Failure::usage(format!("{said}: say ID, or ID:PARENT."));
        let (id, parent) =
            said.split_once(':').map_or((said.as_str(), None), |(id, parent)| (id, Some(parent)));
        let parent_id = parent.map(str::parse).transpose().map_err(wrong)?;
        menu_items.push(PlacedMenuItem { id: id.parse().map_err(wrong)?, parent_id });
    }
    Ok(SortMenuInput { menu_items })
}
