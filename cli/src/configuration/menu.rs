//! The menu of the customers' site, and custom items that staff add.

use clap::{Arg, ArgMatches, Command};
use panel_contract::common::Patch;
use panel_contract::endpoint::{EmptyBody, EmptyQuery, Endpoint as _};
use panel_contract::endpoints::menu::{
    ArchiveMenuItem, CreateCustomMenuItem, CreateMenuItem, DeleteCustomMenuItem, ListCustomMenuItems,
    SortMenuItems, UnarchiveMenuItem, UpdateCustomMenuItem, UpdateMenuItem,
};
use panel_contract::ids::MenuItemId;
use panel_contract::lists;
use panel_contract::menu::{CustomMenuItemInput, MenuItemInput, PlacedMenuItem, SortMenuInput};

use crate::command::archiving::archiving;
use crate::command::call::{Call, Write, id, id_arg, id_value, of, on_off_arg, opt, patch_arg};
use crate::command::confirm::{Danger, dry_run};
use crate::command::filter::Filter;
use crate::command::list::List;
use crate::command::text::{patch, text_arg, translations_arg, translations_of};
use crate::command::{Cmd, Noun};
use crate::failure::{CmdResult, Failure};
use crate::output::column::{Column, Kind};

pub(crate) const NOUN: Noun = Noun {
    name: "menu",
    alias: None,
    about: "Manage the menu of the customers' site",
    verbs: &[
        Cmd::List(&LIST),
        Cmd::Call(&CREATE),
        Cmd::Call(&UPDATE),
        Cmd::Call(&SORT),
        Cmd::Call(&ARCHIVE),
        Cmd::Call(&UNARCHIVE),
        Cmd::Nested(&CUSTOM),
        Cmd::Export(&LIST),
    ],
};

const CUSTOM: Noun = Noun {
    name: "custom",
    alias: None,
    about: "Manage custom items of the menu",
    verbs: &[
        Cmd::Call(&CUSTOM_LIST),
        Cmd::Call(&CUSTOM_CREATE),
        Cmd::Call(&CUSTOM_UPDATE),
        Cmd::Call(&CUSTOM_DELETE),
    ],
};

const LIST: List = List {
    declaration: &lists::menu::MENU_ITEMS,
    noun: "menu items",
    one: "menu item",
    about: "List the items of the menu",
    filters: &[
        Filter::new("name", "name", "Filter by part of the name"),
        Filter::new("status", "status", "Filter by status"),
        Filter::new("archived", "is_archived", "Archived or not"),
    ],
    since: "created_at",
    examples: &[("menu list --archived 0 --sort sorting", "the menu as customers see it")],
};

const CREATE: Call = Call {
    name: "create",
    about: "Create a menu item at the last position",
    examples: &[("menu create --name Blog --url /blog --parent 3", "create an item below item 3")],
    op: CreateMenuItem::OP,
    args: item_args,
    request: |_, matches| of::<CreateMenuItem>((), &EmptyQuery {}, &item(matches)?),
    pointer: "/data",
    columns: &[],
    write: Some(Write {
        question: |_| "Create this menu item?".to_owned(),
        danger: Danger::Reversible("panelctl menu archive"),
        success: |_| "Menu item created.".to_owned(),
        has_dry_run: false,
    }),
};

const UPDATE: Call = Call {
    name: "update",
    about: "Update a menu item; fields without an option keep their values",
    examples: &[("menu update 3 --guests off --parent none", "show it to customers only, at the top level")],
    op: UpdateMenuItem::OP,
    args: |command| item_args(command.arg(id_arg())),
    request: |_, matches| of::<UpdateMenuItem>(id(matches)?, &EmptyQuery {}, &item(matches)?),
    write: Some(Write {
        question: |matches| format!("Update menu item {}?", id_value(matches)),
        danger: Danger::Reversible("run the command again with the old values"),
        success: |matches| format!("Menu item {} updated.", id_value(matches)),
        has_dry_run: false,
    }),
    ..CREATE
};

const SORT: Call = Call {
    name: "sort",
    about: "Set the order of all menu items",
    examples: &[("menu sort 3 1:3 2", "list all items that are not archived: 3 first, 1 below it, then 2")],
    op: SortMenuItems::OP,
    args: |command| {
        command.arg(
            Arg::new("menu-items")
                .value_name("ID[:PARENT]")
                .num_args(1..)
                .required(true)
                .help("All items in order, each with its parent"),
        )
    },
    request: |_, matches| of::<SortMenuItems>((), &EmptyQuery {}, &order(matches)?),
    write: Some(Write {
        question: |_| "Change the order of the menu?".to_owned(),
        danger: Danger::Reversible("run the command again with the old order"),
        success: |_| "Order of the menu updated.".to_owned(),
        has_dry_run: false,
    }),
    ..CREATE
};

const ARCHIVE: Call = archiving!("archive", ArchiveMenuItem, {
    about: "Archive a menu item; refused while it has items below it",
    example: ("menu archive 3", "archive one item"),
    question: "Archive menu item {}?",
    success: "Menu item {} archived.",
});

const UNARCHIVE: Call = archiving!("unarchive", UnarchiveMenuItem, {
    about: "Restore an archived menu item at the last position",
    example: ("menu unarchive 3", "restore one item"),
    question: "Restore menu item {}?",
    success: "Menu item {} restored.",
});

const CUSTOM_LIST: Call = Call {
    name: "list",
    about: "List custom menu items",
    examples: &[("menu custom list", "list all custom items")],
    op: ListCustomMenuItems::OP,
    args: |command| command,
    request: |_, _| of::<ListCustomMenuItems>((), &EmptyQuery {}, &EmptyBody {}),
    columns: &[
        Column::new("id", Kind::Id),
        Column::new("name", Kind::Text),
        Column::new("url", Kind::Text),
        Column::new("is_enabled", Kind::Word).titled("enabled"),
        Column::new("show_in_internal", Kind::Word).titled("customers' area"),
        Column::new("show_in_public", Kind::Word).titled("public site"),
        Column::extra("is_blank", Kind::Word),
        Column::extra("is_allowed_for_authorized", Kind::Word),
        Column::extra("is_allowed_for_guest", Kind::Word),
        Column::extra("icon", Kind::Text),
    ],
    write: None,
    ..CREATE
};

const CUSTOM_CREATE: Call = Call {
    name: "create",
    about: "Create a custom menu item",
    examples: &[(
        "menu custom create --name Blog --url https://blog.example --blank on",
        "create an item that opens a new tab",
    )],
    op: CreateCustomMenuItem::OP,
    args: custom_args,
    request: |_, matches| of::<CreateCustomMenuItem>((), &EmptyQuery {}, &custom_item(matches)?),
    write: Some(Write {
        question: |_| "Create this custom menu item?".to_owned(),
        danger: Danger::Reversible("panelctl menu custom delete"),
        success: |_| "Custom menu item created.".to_owned(),
        has_dry_run: false,
    }),
    ..CREATE
};

const CUSTOM_UPDATE: Call = Call {
    name: "update",
    about: "Update a custom menu item; fields without an option keep their values",
    examples: &[("menu custom update 3 --public on", "show it on the public site")],
    op: UpdateCustomMenuItem::OP,
    args: |command| custom_args(command.arg(id_arg())),
    request: |_, matches| of::<UpdateCustomMenuItem>(id(matches)?, &EmptyQuery {}, &custom_item(matches)?),
    write: Some(Write {
        question: |matches| format!("Update custom menu item {}?", id_value(matches)),
        danger: Danger::Reversible("run the command again with the old values"),
        success: |matches| format!("Custom menu item {} updated.", id_value(matches)),
        has_dry_run: false,
    }),
    ..CREATE
};

const CUSTOM_DELETE: Call = Call {
    name: "delete",
    about: "Delete a custom menu item",
    examples: &[("menu custom delete 3", "delete one item")],
    op: DeleteCustomMenuItem::OP,
    args: |command| command.arg(id_arg()),
    request: |_, matches| of::<DeleteCustomMenuItem>(id(matches)?, &dry_run(matches), &EmptyBody {}),
    write: Some(Write {
        question: |matches| format!("Delete custom menu item {}?", id_value(matches)),
        danger: Danger::Final,
        success: |matches| format!("Custom menu item {} deleted.", id_value(matches)),
        has_dry_run: true,
    }),
    ..CREATE
};

fn shared_args(command: Command) -> Command {
    command.args([
        text_arg("name", "English name"),
        text_arg("url", "Path that starts with /, or an absolute URL"),
        text_arg("icon", "Name of the icon, such as home, or none"),
        flag("is-enabled", "enabled", "Show the item"),
        flag("is-allowed-for-authorized", "authorized", "Show it to signed-in customers"),
        flag("is-allowed-for-guest", "guests", "Show it to visitors who are not signed in"),
        flag("is-blank", "blank", "Open it in a new tab"),
        translations_arg(),
    ])
}

fn flag(name: &'static str, long: &'static str, help: &'static str) -> Arg {
    on_off_arg(name).long(long).help(help)
}

fn item_args(command: Command) -> Command {
    let parent = Arg::new("parent-id")
        .long("parent")
        .value_name("ID")
        .help("Id of the parent item, or none for the top level");
    shared_args(command).arg(parent)
}

fn custom_args(command: Command) -> Command {
    shared_args(command).args([
        flag("show-in-internal", "internal", "Show it in the customers' area"),
        flag("show-in-public", "public", "Show it on the public site"),
    ])
}

fn item(matches: &ArgMatches) -> CmdResult<MenuItemInput> {
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

fn parent(matches: &ArgMatches) -> CmdResult<Patch<MenuItemId>> {
    patch_arg(matches, "parent-id")
}

fn custom_item(matches: &ArgMatches) -> CmdResult<CustomMenuItemInput> {
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

fn order(matches: &ArgMatches) -> CmdResult<SortMenuInput> {
    let mut menu_items = Vec::new();
    for value in matches.get_many::<String>("menu-items").into_iter().flatten() {
        let invalid = |_| Failure::usage(format!("{value}: expected ID or ID:PARENT."));
        let (id, parent) =
            value.split_once(':').map_or((value.as_str(), None), |(id, parent)| (id, Some(parent)));
        let parent_id = parent.map(str::parse).transpose().map_err(invalid)?;
        menu_items.push(PlacedMenuItem { id: id.parse().map_err(invalid)?, parent_id });
    }
    Ok(SortMenuInput { menu_items })
}
