//! Commands that archive one record and restore it.

/// A `Call` on one record that takes only its id, supports a dry run, and is undone by `panelctl undo`. The id replaces `{}`
/// in `question` and `success`.
macro_rules! archiving {
    ($name:literal, $endpoint:ty, {
        about: $about:literal,
        example: ($line:literal, $why:literal),
        question: $question:literal,
        success: $success:literal,
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
                $crate::command::call::of::<$endpoint>(id, &query, &panel_contract::endpoint::EmptyBody {})
            },
            pointer: "/data",
            columns: &[],
            write: Some($crate::command::call::Write {
                question: |matches| format!($question, $crate::command::call::id_value(matches)),
                danger: $crate::command::confirm::Danger::Reversible("panelctl undo"),
                success: |matches| format!($success, $crate::command::call::id_value(matches)),
                has_dry_run: true,
            }),
        }
    };
}
pub(crate) use archiving;
