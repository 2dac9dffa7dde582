//! The commands `archive` and `unarchive` of a record.

/// Expands to a `Call` with the id of one record as its only argument. The call supports a dry run, and `panelctl undo` undoes it.
/// The id replaces `{}` in `question` and `success`.
macro_rules! archive_command {
    ($name:literal, $endpoint:ty, {
        about: $about:literal,
        example: ($line:literal, $explanation:literal),
        question: $question:literal,
        success: $success:literal,
    }) => {
        $crate::command::call::Call {
            name: $name,
            about: $about,
            examples: &[($line, $explanation)],
            op: <$endpoint as panel_contract::endpoint::Endpoint>::OP,
            args: |command| command.arg($crate::command::call::id_arg()),
            request: |_, matches| {
                let query = $crate::command::confirm::dry_run_query(matches);
                let id = $crate::command::call::required_id(matches)?;
                $crate::command::call::request_for::<$endpoint>(
                    id,
                    &query,
                    &panel_contract::endpoint::EmptyBody {},
                )
            },
            pointer: "/data",
            columns: &[],
            write: Some($crate::command::call::WriteSpec {
                question: |matches| format!($question, $crate::command::call::id_for_message(matches)),
                reversibility: $crate::command::confirm::Reversibility::Reversible("panelctl undo"),
                success: |matches| format!($success, $crate::command::call::id_for_message(matches)),
                has_dry_run: true,
            }),
        }
    };
}
pub(crate) use archive_command;
