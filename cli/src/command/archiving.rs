//! The commands that archive one record and restore it.

/// A `Call` on one record that takes nothing but its id, rehearses, and is taken back by `panelctl undo`. In `question` and
/// `said` the id takes the place of `{}`.
macro_rules! archiving {
    ($name:literal, $endpoint:ty, {
        about: $about:literal,
        example: ($line:literal, $why:literal),
        question: $question:literal,
        said: $said:literal,
    }) => {
        $crate::command::call::Call {
            name: $name,
            about: $about,
            examples: &[($line, $why)],
            op: <$endpoint as panel_contract::endpoint::Endpoint>::OP,
            args: |command| command.arg($crate::command::call::id_arg()),
            request: |_, matches| {
                let query = $crate::command::confirm::dry_run(matches);
                let id = $crate::command::call::id(matches)?;
                $crate::command::call::of::<$endpoint>(id, &query, &panel_contract::endpoint::NoBody {})
            },
            at: "/data",
            columns: &[],
            write: Some($crate::command::call::Write {
                question: |matches| format!($question, $crate::command::call::given_id(matches)),
                danger: $crate::command::confirm::Danger::Reversible("panelctl undo"),
                said: |matches| format!($said, $crate::command::call::given_id(matches)),
                rehearses: true,
            }),
        }
    };
}
pub(crate) use archiving;
