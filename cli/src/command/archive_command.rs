//! The commands `archive` and `unarchive` of a record.

/// Expands to a `RequestCommand` whose only argument is the id of one record. The command supports a dry run, and `panelctl undo` undoes
/// it. The id of the record replaces `{}` in `question` and `success`.
macro_rules! archive_command {
    ($name:literal, $endpoint:ty, {
        about: $about:literal,
        example: ($line:literal, $explanation:literal),
        question: $question:literal,
        success: $success:literal,
    }) => {
        $crate::command::request_command::RequestCommand {
            name: $name,
            about: $about,
            examples: &[($line, $explanation)],
            op: <$endpoint as panel_contract::endpoint::Endpoint>::OP,
            args: |command| command.arg($crate::command::request_command::id_arg()),
            request: |_, matches| {
                let query = $crate::command::confirm::dry_run_query(matches);
                let id = $crate::command::request_command::required_id(matches)?;
                $crate::command::request_command::build_request::<$endpoint>(
                    id,
                    &query,
                    &panel_contract::endpoint::EmptyBody {},
                )
            },
            json_pointer: "/data",
            columns: &[],
            write: Some($crate::command::request_command::WriteSpec {
                question: |matches| {
                    format!($question, $crate::command::request_command::id_for_message(matches))
                },
                reversibility: $crate::command::confirm::Reversibility::Reversible("panelctl undo"),
                success: |matches| {
                    format!($success, $crate::command::request_command::id_for_message(matches))
                },
                has_dry_run: true,
            }),
        }
    };
}
pub(crate) use archive_command;
