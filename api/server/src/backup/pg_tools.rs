//! PostgreSQL's own programs: finds `pg_dump`, `pg_restore` and `psql`, and configures their connection to the database.
//!
//! The database URL is never an argument of a program, because every user of the machine can read arguments. The URL and the
//! password are passed in the environment.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use url::Url;

use panel_platform::db::postgres_options;

/// Folders below which each version of PostgreSQL has its own `bin`.
const ROOTS: [&str; 5] =
    ["/usr/lib/postgresql", "/usr/local/pgsql", "/usr/pgsql", "/opt/homebrew/opt", "/usr/local/opt"];
/// Usual files with the system's trusted certificate authorities.
const ROOT_FILES: [&str; 3] =
    ["/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem"];
/// Variables that would make the programs connect differently from the server, which does not read them.
const NOT_INHERITED: [&str; 4] = ["PGSERVICE", "PGSERVICEFILE", "PGOPTIONS", "PGHOSTADDR"];

/// The programs of one version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PgTools {
    folder: PathBuf,
    /// Major version.
    pub(super) version: u32,
}

impl PgTools {
    /// Finds programs of at least version `needed`, only in `configured` if it is set. Chooses the lowest sufficient version,
    /// because an older server may not read the output of a newer one.
    pub(super) fn find(configured: Option<&Path>, needed: u32) -> Result<Self, String> {
        let folders = configured.map_or_else(usual_folders, |folder| vec![folder.to_owned()]);
        Self::find_in(&folders, needed)
    }

    fn find_in(folders: &[PathBuf], needed: u32) -> Result<Self, String> {
        let mut found: Vec<Self> = folders.iter().filter_map(|folder| Self::in_folder(folder)).collect();
        found.sort_by_key(|tools| tools.version);
        let newest = found.last().map(|tools| tools.version);
        found.into_iter().find(|tools| tools.version >= needed).ok_or_else(|| match newest {
            Some(newest) => format!(
                "PostgreSQL's programs of version {needed} or newer are needed, and the newest that were found have version {newest}: install them (Debian: apt-get install postgresql-client-{needed}), or name their folder in backup.postgres_tools"
            ),
            None => format!(
                "pg_dump, pg_restore and psql were not found: install them (Debian: apt-get install postgresql-client-{needed}), or name their folder in backup.postgres_tools"
            ),
        })
    }

    fn in_folder(folder: &Path) -> Option<Self> {
        let has = |tool: &str| folder.join(tool).is_file();
        if !(has("pg_dump") && has("pg_restore") && has("psql")) {
            return None;
        }
        let output =
            Command::new(folder.join("pg_dump")).arg("--version").stdin(Stdio::null()).output().ok()?;
        let version = version_of(&String::from_utf8_lossy(&output.stdout))?;
        Some(Self { folder: folder.to_owned(), version })
    }

    /// The command of a program that connects to the database at `url`.
    pub(super) fn command(&self, tool: &str, url: &str) -> Result<Command, String> {
        let mut command = Command::new(self.folder.join(tool));
        for name in NOT_INHERITED {
            command.env_remove(name);
        }
        let environment = environment(url)?;
        if postgres_options::verifies_by_default(url) {
            command.env("PGSSLMODE", "verify-full");
            if std::env::var_os("PGSSLROOTCERT").is_none()
                && let Some(roots) = self.trusted_roots()
            {
                command.env("PGSSLROOTCERT", roots);
            }
        }
        command.envs(environment).env("PGCONNECT_TIMEOUT", "15").env("PGAPPNAME", "panel-backup");
        Ok(command)
    }

    /// The certificate authorities for verifying a server if the URL names none: the system's, which only libpq 16 and newer
    /// finds by itself.
    fn trusted_roots(&self) -> Option<&'static str> {
        if self.version >= 16 {
            return Some("system");
        }
        ROOT_FILES.into_iter().find(|file| Path::new(file).is_file())
    }
}

/// The major version in `pg_dump (PostgreSQL) 15.14 (Debian 15.14-0+deb12u1)`.
fn version_of(text: &str) -> Option<u32> {
    let number = text.split_once("(PostgreSQL)")?.1.trim_start();
    let digits: String = number.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().ok()
}

fn usual_folders() -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> =
        std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()).collect();
    for root in ROOTS {
        for entry in std::fs::read_dir(root).into_iter().flatten().flatten() {
            folders.push(entry.path().join("bin"));
        }
    }
    folders
}

/// Converts the URL to libpq's environment variables. Like the server's driver, parameters after `?` override the parts before it.
fn environment(url: &str) -> Result<Vec<(&'static str, OsString)>, String> {
    // The URL contains the password, so the message does not repeat it.
    let url = Url::parse(url).map_err(|error| format!("database_url is not a valid URL: {error}"))?;
    let mut all: Vec<(&'static str, OsString)> = Vec::new();
    let mut set = |name: &'static str, value: &str| {
        all.retain(|(other, _)| *other != name);
        if !value.is_empty() {
            all.push((name, value.into()));
        }
    };
    set("PGHOST", &percent_decode(url.host_str().unwrap_or_default().trim_matches(['[', ']']))?);
    set("PGPORT", &url.port().map(|port| port.to_string()).unwrap_or_default());
    set("PGUSER", &percent_decode(url.username())?);
    set("PGPASSWORD", &percent_decode(url.password().unwrap_or_default())?);
    set("PGDATABASE", &percent_decode(url.path().trim_start_matches('/'))?);
    for (key, value) in url.query_pairs() {
        let name = match &*key {
            "host" | "hostaddr" => "PGHOST",
            "port" => "PGPORT",
            "user" => "PGUSER",
            "password" => "PGPASSWORD",
            "dbname" => "PGDATABASE",
            "sslmode" | "ssl-mode" => "PGSSLMODE",
            "sslrootcert" | "ssl-root-cert" | "ssl-ca" => "PGSSLROOTCERT",
            "sslcert" | "ssl-cert" => "PGSSLCERT",
            "sslkey" | "ssl-key" => "PGSSLKEY",
            _ => continue,
        };
        set(name, &value);
    }
    Ok(all)
}

/// Percent-decodes a part of a URL.
fn percent_decode(part: &str) -> Result<String, String> {
    let mut bytes = Vec::with_capacity(part.len());
    let mut rest = part.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let pair = after.get(..2).and_then(|pair| std::str::from_utf8(pair).ok());
        match pair.and_then(|pair| u8::from_str_radix(pair, 16).ok()) {
            Some(byte) if *first == b'%' => {
                bytes.push(byte);
                rest = &after[2..];
            }
            _ => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8(bytes).map_err(|_| "database_url is not valid UTF-8".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(url: &str) -> Vec<(&'static str, String)> {
        let mut all: Vec<_> =
            environment(url).unwrap().into_iter().map(|(k, v)| (k, v.into_string().unwrap())).collect();
        all.sort();
        all
    }

    fn pairs(expected: &[(&'static str, &str)]) -> Vec<(&'static str, String)> {
        expected.iter().map(|(name, value)| (*name, (*value).to_owned())).collect()
    }

    #[test]
    fn urls_are_parsed_as_the_server_parses_them() {
        assert_eq!(
            read(
                "postgres://panel:p%40ss%25@db.example:5433/shop?sslmode=verify-full&sslrootcert=/etc/ca.pem"
            ),
            pairs(&[
                ("PGDATABASE", "shop"),
                ("PGHOST", "db.example"),
                ("PGPASSWORD", "p@ss%"),
                ("PGPORT", "5433"),
                ("PGSSLMODE", "verify-full"),
                ("PGSSLROOTCERT", "/etc/ca.pem"),
                ("PGUSER", "panel"),
            ])
        );
        let socket = pairs(&[("PGDATABASE", "shop"), ("PGHOST", "/var/run/postgresql"), ("PGUSER", "panel")]);
        assert_eq!(read("postgres://panel@%2Fvar%2Frun%2Fpostgresql/shop"), socket);
        assert_eq!(read("postgres:///shop?host=/var/run/postgresql&user=panel"), socket);
        assert_eq!(
            read("postgres://panel@[::1]/shop?port=7&application_name=x"),
            pairs(&[("PGDATABASE", "shop"), ("PGHOST", "::1"), ("PGPORT", "7"), ("PGUSER", "panel")])
        );
    }

    #[test]
    fn no_argument_holds_the_password() {
        let tools = PgTools { folder: "/bin".into(), version: 15 };
        let command = tools.command("pg_dump", "postgres://panel:hidden@db/shop").unwrap();
        assert_eq!(command.get_args().count(), 0);
        assert!(
            command.get_envs().any(|(name, value)| name == "PGPASSWORD" && value == Some("hidden".as_ref()))
        );
    }

    #[test]
    fn verifies_the_certificate_of_a_remote_server() {
        let tools = PgTools { folder: "/bin".into(), version: 16 };
        let set = |url: &str, variable: &str| {
            let command = tools.command("pg_dump", url).unwrap();
            let value = command.get_envs().find(|(name, _)| *name == variable).and_then(|(_, value)| value);
            value.map(|value| value.to_str().unwrap().to_owned())
        };
        let far = "postgres://panel@db.example/shop";
        assert_eq!(set(far, "PGSSLMODE").as_deref(), Some("verify-full"));
        assert_eq!(set(far, "PGSSLROOTCERT").as_deref(), Some("system"));
        let named = "postgres://panel@db.example/shop?sslrootcert=/etc/ca.pem";
        assert_eq!(set(named, "PGSSLMODE").as_deref(), Some("verify-full"));
        assert_eq!(set(named, "PGSSLROOTCERT").as_deref(), Some("/etc/ca.pem"));
        let plain = "postgres://panel@db.example/shop?sslmode=disable";
        assert_eq!(set(plain, "PGSSLMODE").as_deref(), Some("disable"));
        assert_eq!(set("postgres://panel@127.0.0.1/shop", "PGSSLMODE"), None);
    }

    #[test]
    fn chooses_the_lowest_sufficient_version() {
        let home = tempfile::tempdir().unwrap();
        let folder = |version: &str| {
            let folder = home.path().join(version);
            std::fs::create_dir(&folder).unwrap();
            for tool in ["pg_dump", "pg_restore", "psql"] {
                let file = folder.join(tool);
                let script = format!("#!/bin/sh\necho 'pg_dump (PostgreSQL) {version} (Debian)'\n");
                // Written by a separate program: a file that is open for writing, even in a process that another test is just
                // starting, cannot be executed.
                let mut shell = Command::new("/bin/sh");
                shell.args(["-ec", "printf %s \"$2\" >\"$1\"; chmod 755 \"$1\"", "sh"]);
                assert!(shell.arg(&file).arg(script).status().unwrap().success());
            }
            folder
        };
        let folders = [folder("17.2"), folder("13.9"), folder("16beta1"), home.path().join("none")];
        let find = |needed| PgTools::find_in(&folders, needed);
        assert_eq!(find(15).unwrap().version, 16);
        assert_eq!(find(17).unwrap().folder, folders[0]);
        let older = find(18).unwrap_err();
        assert!(older.contains("version 18 or newer") && older.contains("have version 17"), "{older}");
        let missing = PgTools::find(Some(home.path()), 15).unwrap_err();
        assert!(missing.contains("not found") && missing.contains("backup.postgres_tools"), "{missing}");
    }
}
