//! `passkey`: one's own passkeys. Adding and using one needs a browser, so that is the console's.

use clap::{Arg, ArgMatches};
use panel_contract::endpoint::{Endpoint as _, NoBody, NoQuery};
use panel_contract::endpoints::passkeys::{ListPasskeys, RemovePasskey, RenamePasskey};
use panel_contract::passkeys::RenamePasskeyInput;

use crate::command::call::{Call, Write, arg, given_id, id, id_arg, of};
use crate::command::confirm::Danger;
use crate::command::{Cmd, Noun};
use crate::output::column::{Column, Kind};
use crate::session::second_factor::{proof, proof_args};

/// `passkey`.
pub(crate) const NOUN: Noun = Noun {
    name: "passkeys",
    alias: Some("passkey"),
    about: "Your passkeys, which your sign-in accepts as second factor; add and use them in a browser",
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
    about: "Lists your passkeys, the oldest first",
    examples: &[("passkeys list", "with when each was used last")],
    op: ListPasskeys::OP,
    args: |command| command,
    request: |_, _| of::<ListPasskeys>((), &NoQuery {}, &NoBody {}),
    at: "/data",
    columns: COLUMNS,
    write: None,
};

const RENAME: Call = Call {
    name: "rename",
    about: "Renames one of your passkeys",
    examples: &[("passkeys rename 7 'Work laptop'", "the name is only for you")],
    op: RenamePasskey::OP,
    args: |command| command.arg(id_arg()).arg(name_arg()),
    request: |_, matches| {
        let body = RenamePasskeyInput { name: Some(arg(matches, "name")?) };
        of::<RenamePasskey>(id(matches)?, &NoQuery {}, &body)
    },
    write: Some(Write {
        question: |matches| format!("Rename passkey {}?", given_id(matches)),
        danger: Danger::Reversible("panelctl passkeys rename"),
        said: |matches| format!("Passkey {} is renamed.", given_id(matches)),
        rehearses: false,
    }),
    ..LIST
};

const REMOVE: Call = Call {
    name: "remove",
    about: "Removes one of your passkeys; asks for your password, or reads it from standard input",
    examples: &[(
        "passkeys remove 7 123456",
        "with six digits of your authenticator app, or a recovery code",
    )],
    op: RemovePasskey::OP,
    args: |command| proof_args(command.arg(id_arg())),
    request: |_, matches| of::<RemovePasskey>(id(matches)?, &NoQuery {}, &proof(matches)?),
    at: "",
    columns: &[],
    write: Some(Write {
        question: removal,
        danger: Danger::Final,
        said: |matches| format!("Passkey {} is removed.", given_id(matches)),
        rehearses: false,
    }),
};

fn removal(matches: &ArgMatches) -> String {
    format!("Remove passkey {}?", given_id(matches))
}

fn name_arg() -> Arg {
    Arg::new("name").value_name("NAME").required(true).help("Its new name, at most 60 characters")
}
