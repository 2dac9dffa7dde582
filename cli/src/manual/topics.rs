//! `help TOPIC`: what no single command can tell.

/// The topics.
pub(super) const NAMES: [&str; 5] = ["exit-codes", "formatting", "filters", "environment", "bulk"];

/// The text of a topic.
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

  0    ok: all done
  1    failed: nothing done, or a check found something
  2    usage: the command line is wrong, or nobody could be asked; nothing was done
  3    partial: some records moved, others did not
  4    not signed in, or no longer
  5    signed in, and not allowed
  130  interrupted: Ctrl-C, or SIGTERM

With -o json and jsonl an error is one JSON object on standard error:
  {\"error\": {\"message\", \"code\", \"errors\", \"hint\", \"status\", \"request_id\", \"exit\"}}
The code is stable and made for programs, such as order_not_cancelable.
";

const FORMATTING: &str = "\
Formatting

  -o table   for people: as wide as the terminal; tab-separated when piped (the default)
  -o json    one JSON value; a list is one array, with --all as well
  -o jsonl   one JSON value a line, as rows come
  -o csv     all columns, for spreadsheets
  -o yaml    YAML
  -o ids     only ids, one a line, for --ids-from -

  --columns id,status,user.email   chooses columns; a dot goes into a record
  --no-header                      leaves the titles out
  --jq FILTER                      a jq filter over what -o json would write; texts are bare

Data is on standard output, words are on standard error. Names are the API's; money is a
decimal text, times are UTC. Text of customers is cleaned of control characters before a
terminal sees it; JSON and CSV that go to a file or pipe hold it as it is.
";

const FILTERS: &str = "\
Filters

  --status in_moderation,stopped   words of a closed set, with commas
  --cost 10..25   --cost 10..      from and to; either may be left out
  --user-id 7,9                    any of a list
  --created 2026-11-01..2026-11-20 days; the last one is included
  --since 7d   --until yesterday   30m, 12h, 7d, 2w ago; now, today, yesterday; a day; a UTC time
  --search TEXT                    the list's usual places
  --filter column=value            any column; may be repeated

All filters must hold. Times are UTC; -v tells what a relative one came to. An empty value, an
unknown column, and two filters on one column are refused before anything is sent (exit code 2).
";

const ENVIRONMENT: &str = "\
Environment

  PANELCTL_PROFILE   the profile, as --profile
  PANELCTL_SERVER    the panel's address, as --server
  PANELCTL_TOKEN     a token, used as it is; never kept or extended
  PANELCTL_PASSWORD  your password, for what asks you to confirm who you are
  PANELCTL_OUTPUT    the format, as -o
  PANELCTL_HOME      a folder for all files, instead of those below
  PANELCTL_ALLOW_HTTP  1 allows http:// beyond this machine, in plain text
  An empty one of these is refused (exit code 2): unset it instead.

  NO_COLOR, CLICOLOR_FORCE, FORCE_COLOR, TERM=dumb   colours

Files: ~/.config/panelctl/config.toml (profiles), ~/.config/panelctl/tokens (mode 0600),
~/.local/state/panelctl/runs (journals of bulk runs, mode 0600).
";

const BULK: &str = "\
Bulk

An action takes ids as arguments, from a file or standard input (--ids-from FILE|-: one a
line, CSV with --id-column, JSON lines), or everything that filters leave (--all-matching).
The ids of a filter are frozen before the first of them is written to.

  --dry-run        asks the panel what would happen; nothing is written
  --yes            does not ask
  --confirm 412    does not ask, if there are exactly so many; else nothing is done (exit code 2)
  --chunk 500      ids of one request
  --max-failures 9 ends when more are skipped; can be resumed

Without any filter, --all-matching means every record that there is: it needs --confirm with
their exact count, or that count typed in a terminal; --yes is refused. A protected profile
wants its name as well: --profile NAME beside --yes or --confirm, or the name typed.

What cannot be taken back is rehearsed before the question, which then tells how many
would move and how much money goes back; above 100 records the count is typed.

Every run has a journal that is written before anything is sent. When it is cut (Ctrl-C, the
network, a crash), panelctl runs resume RUN goes on: what was sent and not answered is sent
again under its old key, and the panel does nothing twice.

Exit codes: 0 all moved, 3 some did, 1 none did, 130 interrupted.
";
