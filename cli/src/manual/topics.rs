//! The texts of `help TOPIC`. Each topic explains something that several commands share.

pub(super) const TOPIC_NAMES: [&str; 5] = ["exit-codes", "formatting", "filters", "environment", "bulk"];

pub(super) fn find(name: &str) -> Option<&'static str> {
    match name {
        "exit-codes" => Some(EXIT_CODES),
        "formatting" => Some(FORMATTING),
        "filters" => Some(FILTERS),
        "environment" => Some(ENVIRONMENT),
        "bulk" => Some(BULK),
        _ => None,
    }
}

const EXIT_CODES: &str = "\
Exit codes

  0    success
  1    failure: nothing changed, or a check failed
  2    usage error: invalid command line, or no terminal to ask for confirmation; nothing changed
  3    partial success: some records were changed, others were not
  4    not signed in, or the session has expired
  5    not permitted
  130  interrupted by Ctrl-C or SIGTERM

With -o json and jsonl an error is one JSON object on standard error:
  {\"error\": {\"message\", \"code\", \"errors\", \"hint\", \"status\", \"request_id\", \"exit\"}}
The code is stable and meant for programs, such as order_not_cancelable.
";

const FORMATTING: &str = "\
Formatting

  -o table   for people: fits the terminal; tab-separated in a pipe (default)
  -o json    one JSON value; a list is one array, even with --all
  -o jsonl   one JSON value per line, streamed
  -o csv     CSV with all columns, for spreadsheets
  -o yaml    YAML
  -o ids     only ids, one per line, for --ids-from -

  --columns id,status,user.email   selects columns; a dot selects a nested field
  --no-header                      prints no column headers
  --jq FILTER                      applies a jq filter to the JSON output; strings have no quotes

Data goes to standard output, messages go to standard error. Column names are the field names
of the API; money is decimal text, times are UTC. On a terminal panelctl removes control
characters from customers' texts; JSON and CSV in a file or pipe contain the original text.
";

const FILTERS: &str = "\
Filters

  --status in_moderation,stopped   enum values, separated by commas
  --cost 10..25   --cost 10..      a range; either bound may be omitted
  --user-id 7,9                    one of several values
  --created 2026-11-01..2026-11-20 days; the last day is included
  --since 7d   --until yesterday   age (30m, 12h, 7d, 2w), now, today, yesterday, a day, a UTC time
  --search TEXT                    search in the list's main columns
  --filter column=value            any column; may be repeated

A record must match all filters. Times are UTC; -v prints the absolute time of a relative one.
panelctl rejects empty values, unknown columns, and two filters on one column before it sends
a request (exit code 2).
";

const ENVIRONMENT: &str = "\
Environment

  PANELCTL_PROFILE   profile, like --profile
  PANELCTL_SERVER    address of the server, like --server
  PANELCTL_TOKEN     token; used unchanged, never stored or refreshed
  PANELCTL_PASSWORD  your password, for actions that ask you to confirm it
  PANELCTL_OUTPUT    output format, like -o
  PANELCTL_HOME      folder for all files, instead of those below
  PANELCTL_ALLOW_HTTP  1 allows unencrypted http:// to other machines
  panelctl rejects an empty variable (exit code 2). Unset it instead.

  NO_COLOR, CLICOLOR_FORCE, FORCE_COLOR, TERM=dumb   colors

Files: ~/.config/panelctl/config.toml (profiles), ~/.config/panelctl/tokens (mode 0600),
~/.local/state/panelctl/runs (journals of bulk runs, mode 0600).
";

const BULK: &str = "\
Bulk

A bulk action selects records by ids as arguments, by ids from a file or standard input
(--ids-from FILE|-: one per line, CSV with --id-column, JSON lines), or by filters
(--all-matching). The matching ids are fetched once, before the first change.

  --dry-run        show what would happen, without changing anything
  --yes            do not ask for confirmation
  --confirm 412    do not ask if exactly 412 records match; otherwise do nothing (exit code 2)
  --chunk 500      ids per request
  --max-skipped 9  stop when more than 9 records have been skipped; the run can be resumed

Without a filter, --all-matching selects every record. It then requires --confirm with the exact
count, or the count typed in a terminal; --yes is rejected. A protected profile also requires its
name: --profile NAME together with --yes or --confirm, or the name typed in a terminal.

Before an action that cannot be undone, panelctl shows how many records would change and how much
money would be refunded. Above 100 records you confirm by typing the count.

panelctl writes a journal of the run before it sends the first request. If a run is interrupted
(Ctrl-C, network, crash), continue it with: panelctl runs resume RUN. It sends requests without a
response again with the same idempotency key, so that the server processes no record twice.

Exit codes: 0 all records changed, 3 some changed, 1 none changed, 130 interrupted.
";
