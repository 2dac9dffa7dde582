//! PostgreSQL's own programs: which `pg_dump`, `pg_restore` and `psql` are used, and how they reach the database.
//!
//! The address of the database is never an argument of a program, because every user of the machine can read those: the
//! environment passes it, the password too.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use url::Url;

use panel_platform::db::postgres_options;

/// Folders below which each version of PostgreSQL has its own `bin`.
const ROOTS: [&str; 5] =
    ["/usr/lib/postgresql", "/usr/local/pgsql", "/usr/pgsql", "/opt/homebrew/opt", "/usr/local/opt"];
/// Where systems keep the authorities that they trust, in one file.
const ROOT_FILES: [&str; 3] =
    ["/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem"];
/// Variables that would lead the programs elsewhere than the server, which does not read them.
const NOT_INHERITED: [&str; 4] = ["PGSERVICE", "PGSERVICEFILE", "PGOPTIONS", "PGHOSTADDR"];

/// The programs of one version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PgTools {
    folder: PathBuf,
    /// Their major version.
    pub(super) version: u32,
}

impl PgTools {
    /// Finds programs that are not older than `needed`, in `configured` only where it is set. The nearest version is taken:
    /// what a newer one writes, an older server may not read.
    pub(super) fn find(configured: Option<&Path>, needed: u32) -> Result<Self, String> {
        let folders = configured.map_or_else(usual_folders, |folder| vec![folder.to_owned()]);
        Self::among(&folders, needed)
    }

    fn among(folders: &[PathBuf], needed: u32) -> Result<Self, String> {
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

    /// A program that talks to the database at `url`.
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

    /// What libpq verifies a server with, where the address names no authority: the system's roots, which only libpq 16 and newer
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

/// The address as libpq reads it from the environment. It is read as the server's driver reads it: parameters after `?` win
/// over the parts before it.
fn environment(url: &str) -> Result<Vec<(&'static str, OsString)>, String> {
    // The address holds the password, so the sentence does not repeat it.
    let url = Url::parse(url).map_err(|error| format!("database_url cannot be read: {error}"))?;
    let mut all: Vec<(&'static str, OsString)> = Vec::new();
    let mut set = |name: &'static str, value: &str| {
        all.retain(|(known, _)| *known != name);
        if !value.is_empty() {
            all.push((name, value.into()));
        }
    };
    set("PGHOST", &decoded(url.host_str().unwrap_or_default().trim_matches(['[', ']']))?);
    set("PGPORT", &url.port().map(|port| port.to_string()).unwrap_or_default());
    set("PGUSER", &decoded(url.username())?);
    set("PGPASSWORD", &decoded(url.password().unwrap_or_default())?);
    set("PGDATABASE", &decoded(url.path().trim_start_matches('/'))?);
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

/// A part of an address without its percent signs.
fn decoded(part: &str) -> Result<String, String> {
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
    fn addresses_are_read_as_the_server_reads_them() {
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
    fn the_server_is_verified_beyond_this_machine() {
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
    fn the_nearest_version_that_is_new_enough_is_taken() {
        let home = tempfile::tempdir().unwrap();
        let folder = |version: &str| {
            let folder = home.path().join(version);
            std::fs::create_dir(&folder).unwrap();
            for tool in ["pg_dump", "pg_restore", "psql"] {
                let file = folder.join(tool);
                let script = format!("#!/bin/sh\necho 'pg_dump (PostgreSQL) {version} (Debian)'\n");
                // By a program of its own: a file that is open for writing, also in a program that another test is
                // just starting, cannot be run.
                let mut shell = Command::new("/bin/sh");
                shell.args(["-ec", "printf %s \"$2\" >\"$1\"; chmod 755 \"$1\"", "sh"]);
                assert!(shell.arg(&file).arg(script).status().unwrap().success());
            }
            folder
        };
        let folders = [folder("17.2"), folder("13.9"), folder("16beta1"), home.path().join("none")];
        let find = |needed| PgTools::among(&folders, needed);
        assert_eq!(find(15).unwrap().version, 16);
        assert_eq!(find(17).unwrap().folder, folders[0]);
        let older = find(18).unwrap_err();
        assert!(older.contains("version 18 or newer") && older.contains("have version 17"), "{older}");
        let missing = PgTools::find(Some(home.path()), 15).unwrap_err();
        assert!(missing.contains("not found") && missing.contains("backup.postgres_tools"), "{missing}");
    }
}
