//! `passkeys`: manages one's own passkeys. Adding and using a passkey requires a browser, so only the console does it.

use clap::{Arg, ArgMatches};
use panel_contract::endpoint::{EmptyBody, EmptyQuery, Endpoint as _};
use panel_contract::endpoints::passkeys::{ListPasskeys, RemovePasskey, RenamePasskey};
use panel_contract::passkeys::RenamePasskeyInput;

use crate::command::call::{Call, Write, arg, id, id_arg, id_value, of};
use crate::command::confirm::Danger;
use crate::command::{Cmd, Noun};
use crate::output::column::{Column, Kind};
use crate::session::second_factor::{proof, proof_args};

pub(crate) const NOUN: Noun = Noun {
    name: "passkeys",
    alias: Some("passkey"),
    about: "Manage your passkeys; add and use them in a browser",
    verbs: &[Cmd::Call(&LIST), Cmd::Call(&RENAME), Cmd::Call(&REMOVE)],
};

const COLUMNS: &[Column] = &[
    Column::new("id", Kind::Id),
    Column::new("name", Kind::Text),
    Column::new("created_at", Kind::Time).titled("added"),
    Column::new("last_used_at", Kind::Time).titled("last used"),
];

const LIST: Call = Call {
    name: "list",
    about: "List your passkeys, oldest first",
    examples: &[("passkeys list", "list passkeys and when each was last used")],
    op: ListPasskeys::OP,
    args: |command| command,
    request: |_, _| of::<ListPasskeys>((), &EmptyQuery {}, &EmptyBody {}),
    pointer: "/data",
    columns: COLUMNS,
    write: None,
};

const RENAME: Call = Call {
    name: "rename",
    about: "Rename a passkey",
    examples: &[("passkeys rename 7 'Work laptop'", "set a new name, which only you see")],
    op: RenamePasskey::OP,
    args: |command| command.arg(id_arg()).arg(name_arg()),
    request: |_, matches| {
        let body = RenamePasskeyInput { name: Some(arg(matches, "name")?) };
        of::<RenamePasskey>(id(matches)?, &EmptyQuery {}, &body)
    },
    write: Some(Write {
        question: |matches| format!("Rename passkey {}?", id_value(matches)),
        danger: Danger::Reversible("panelctl passkeys rename"),
        success: |matches| format!("Passkey {} renamed.", id_value(matches)),
        has_dry_run: false,
    }),
    ..LIST
};

const REMOVE: Call = Call {
    name: "remove",
    about: "Remove a passkey; asks for your password or reads it from standard input",
    examples: &[(
        "passkeys remove 7 123456",
        "confirm with a code of your authenticator app, or a recovery code",
    )],
    op: RemovePasskey::OP,
    args: |command| proof_args(command.arg(id_arg())),
    request: |_, matches| of::<RemovePasskey>(id(matches)?, &EmptyQuery {}, &proof(matches)?),
    pointer: "",
    columns: &[],
    write: Some(Write {
        question: removal_question,
        danger: Danger::Final,
        success: |matches| format!("Passkey {} removed.", id_value(matches)),
        has_dry_run: false,
    }),
};

fn removal_question(matches: &ArgMatches) -> String {
    format!("Remove passkey {}?", id_value(matches))
}

fn name_arg() -> Arg {
    Arg::new("name").value_name("NAME").required(true).help("New name, at most 60 characters")
}
