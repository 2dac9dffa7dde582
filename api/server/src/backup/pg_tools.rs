//! PostgreSQL's client programs: finds `pg_dump`, `pg_restore` and `psql`, and configures their connection to the database.
//!
//! The database URL is never an argument of a program, because every user of the machine can read arguments. The URL and the
//! password are passed in the environment.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use url::Url;

use panel_platform::db::postgres_options;

/// Folders below which each version of PostgreSQL has its own `bin`.
const INSTALL_FOLDERS: [&str; 5] =
    ["/usr/lib/postgresql", "/usr/local/pgsql", "/usr/pgsql", "/opt/homebrew/opt", "/usr/local/opt"];
/// Common files with the system's trusted certificate authorities.
const CA_FILES: [&str; 3] =
    ["/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem"];
/// Variables that would make the programs connect differently from the server, which does not read them.
const REMOVED_VARIABLES: [&str; 4] = ["PGSERVICE", "PGSERVICEFILE", "PGOPTIONS", "PGHOSTADDR"];

/// The programs of one version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PgTools {
    folder: PathBuf,
    pub(super) version: u32,
}

impl PgTools {
    /// Finds programs of at least version `min_version`, only in `configured` if it is set. Chooses the lowest sufficient version,
    /// because an older server may not read the output of a newer one.
    pub(super) fn find(configured: Option<&Path>, min_version: u32) -> Result<Self, String> {
        let folders = configured.map_or_else(list_default_folders, |folder| vec![folder.to_owned()]);
        Self::find_in(&folders, min_version)
    }

    fn find_in(folders: &[PathBuf], min_version: u32) -> Result<Self, String> {
        let mut tools_by_version: Vec<Self> =
            folders.iter().filter_map(|folder| Self::in_folder(folder)).collect();
        tools_by_version.sort_by_key(|tools| tools.version);
        let newest_version = tools_by_version.last().map(|tools| tools.version);
        tools_by_version.into_iter().find(|tools| tools.version >= min_version).ok_or_else(|| match newest_version {
            Some(newest_version) => format!(
                "PostgreSQL's programs of version {min_version} or newer are needed, and the newest that were found have version {newest_version}: install them (Debian: apt-get install postgresql-client-{min_version}), or name their folder in backup.postgres_tools"
            ),
            None => format!(
                "pg_dump, pg_restore and psql were not found: install them (Debian: apt-get install postgresql-client-{min_version}), or name their folder in backup.postgres_tools"
            ),
        })
    }

    fn in_folder(folder: &Path) -> Option<Self> {
        let has_program = |tool: &str| folder.join(tool).is_file();
        if !(has_program("pg_dump") && has_program("pg_restore") && has_program("psql")) {
            return None;
        }
        let output =
            Command::new(folder.join("pg_dump")).arg("--version").stdin(Stdio::null()).output().ok()?;
        let version = parse_version(&String::from_utf8_lossy(&output.stdout))?;
        Some(Self { folder: folder.to_owned(), version })
    }

    /// Builds the command of a program that connects to the database at `url`.
    pub(super) fn build_command(&self, tool: &str, url: &str) -> Result<Command, String> {
        let mut command = Command::new(self.folder.join(tool));
        for name in REMOVED_VARIABLES {
            command.env_remove(name);
        }
        let environment = parse_environment(url)?;
        if postgres_options::verifies_by_default(url) {
            command.env("PGSSLMODE", "verify-full");
            if std::env::var_os("PGSSLROOTCERT").is_none()
                && let Some(roots) = self.find_trusted_roots()
            {
                command.env("PGSSLROOTCERT", roots);
            }
        }
        command.envs(environment).env("PGCONNECT_TIMEOUT", "15").env("PGAPPNAME", "panel-backup");
        Ok(command)
    }

    /// The certificate authorities for verifying a server if the URL names none: the system's, which only libpq 16 and newer
    /// finds by itself.
    fn find_trusted_roots(&self) -> Option<&'static str> {
        if self.version >= 16 {
            return Some("system");
        }
        CA_FILES.into_iter().find(|file| Path::new(file).is_file())
    }
}

/// The major version in `pg_dump (PostgreSQL) 15.14 (Debian 15.14-0+deb12u1)`.
fn parse_version(text: &str) -> Option<u32> {
    let number = text.split_once("(PostgreSQL)")?.1.trim_start();
    let digits: String = number.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().ok()
}

fn list_default_folders() -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> =
        std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()).collect();
    for root in INSTALL_FOLDERS {
        for entry in std::fs::read_dir(root).into_iter().flatten().flatten() {
            folders.push(entry.path().join("bin"));
        }
    }
    folders
}

/// Converts the URL to libpq's environment variables. Like the server's driver, parameters after `?` override the parts before it.
fn parse_environment(url: &str) -> Result<Vec<(&'static str, OsString)>, String> {
    // The URL contains the password, so the message does not repeat it.
    let url = Url::parse(url).map_err(|error| format!("database_url is not a valid URL: {error}"))?;
    let mut variables: Vec<(&'static str, OsString)> = Vec::new();
    let mut set_variable = |name: &'static str, value: &str| {
        variables.retain(|(other, _)| *other != name);
        if !value.is_empty() {
            variables.push((name, value.into()));
        }
    };
    set_variable("PGHOST", &percent_decode(url.host_str().unwrap_or_default().trim_matches(['[', ']']))?);
    set_variable("PGPORT", &url.port().map(|port| port.to_string()).unwrap_or_default());
    set_variable("PGUSER", &percent_decode(url.username())?);
    set_variable("PGPASSWORD", &percent_decode(url.password().unwrap_or_default())?);
    set_variable("PGDATABASE", &percent_decode(url.path().trim_start_matches('/'))?);
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
        set_variable(name, &value);
    }
    Ok(variables)
}

/// Percent-decodes a part of a URL.
fn percent_decode(part: &str) -> Result<String, String> {
    let mut bytes = Vec::with_capacity(part.len());
    let mut remaining = part.as_bytes();
    while let Some((first, following)) = remaining.split_first() {
        let hex_digits = following.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
        match hex_digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) if *first == b'%' => {
                bytes.push(byte);
                remaining = &following[2..];
            }
            _ => {
                bytes.push(*first);
                remaining = following;
            }
        }
    }
    String::from_utf8(bytes).map_err(|_| "database_url is not valid UTF-8".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sorted_environment(url: &str) -> Vec<(&'static str, String)> {
        let mut variables: Vec<_> =
            parse_environment(url).unwrap().into_iter().map(|(k, v)| (k, v.into_string().unwrap())).collect();
        variables.sort();
        variables
    }

    fn to_owned_pairs(expected: &[(&'static str, &str)]) -> Vec<(&'static str, String)> {
        expected.iter().map(|(name, value)| (*name, (*value).to_owned())).collect()
    }

    #[test]
    fn urls_are_parsed_as_the_server_parses_them() {
        assert_eq!(
            sorted_environment(
                "postgres://panel:p%40ss%25@db.example:5433/shop?sslmode=verify-full&sslrootcert=/etc/ca.pem"
            ),
            to_owned_pairs(&[
                ("PGDATABASE", "shop"),
                ("PGHOST", "db.example"),
                ("PGPASSWORD", "p@ss%"),
                ("PGPORT", "5433"),
                ("PGSSLMODE", "verify-full"),
                ("PGSSLROOTCERT", "/etc/ca.pem"),
                ("PGUSER", "panel"),
            ])
        );
        let socket =
            to_owned_pairs(&[("PGDATABASE", "shop"), ("PGHOST", "/var/run/postgresql"), ("PGUSER", "panel")]);
        assert_eq!(sorted_environment("postgres://panel@%2Fvar%2Frun%2Fpostgresql/shop"), socket);
        assert_eq!(sorted_environment("postgres:///shop?host=/var/run/postgresql&user=panel"), socket);
        assert_eq!(
            sorted_environment("postgres://panel@[::1]/shop?port=7&application_name=x"),
            to_owned_pairs(&[
                ("PGDATABASE", "shop"),
                ("PGHOST", "::1"),
                ("PGPORT", "7"),
                ("PGUSER", "panel")
            ])
        );
    }

    #[test]
    fn no_argument_contains_the_password() {
        let tools = PgTools { folder: "/bin".into(), version: 15 };
        let command = tools.build_command("pg_dump", "postgres://panel:hidden@db/shop").unwrap();
        assert_eq!(command.get_args().count(), 0);
        assert!(
            command.get_envs().any(|(name, value)| name == "PGPASSWORD" && value == Some("hidden".as_ref()))
        );
    }

    #[test]
    fn verifies_the_certificate_of_a_remote_server() {
        let tools = PgTools { folder: "/bin".into(), version: 16 };
        let variable_value = |url: &str, variable: &str| {
            let command = tools.build_command("pg_dump", url).unwrap();
            let value = command.get_envs().find(|(name, _)| *name == variable).and_then(|(_, value)| value);
            value.map(|value| value.to_str().unwrap().to_owned())
        };
        let remote_url = "postgres://panel@db.example/shop";
        assert_eq!(variable_value(remote_url, "PGSSLMODE").as_deref(), Some("verify-full"));
        assert_eq!(variable_value(remote_url, "PGSSLROOTCERT").as_deref(), Some("system"));
        let url_with_certificate = "postgres://panel@db.example/shop?sslrootcert=/etc/ca.pem";
        assert_eq!(variable_value(url_with_certificate, "PGSSLMODE").as_deref(), Some("verify-full"));
        assert_eq!(variable_value(url_with_certificate, "PGSSLROOTCERT").as_deref(), Some("/etc/ca.pem"));
        let url_without_tls = "postgres://panel@db.example/shop?sslmode=disable";
        assert_eq!(variable_value(url_without_tls, "PGSSLMODE").as_deref(), Some("disable"));
        assert_eq!(variable_value("postgres://panel@127.0.0.1/shop", "PGSSLMODE"), None);
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
        let find = |min_version| PgTools::find_in(&folders, min_version);
        assert_eq!(find(15).unwrap().version, 16);
        assert_eq!(find(17).unwrap().folder, folders[0]);
        let version_error = find(18).unwrap_err();
        assert!(
            version_error.contains("version 18 or newer") && version_error.contains("have version 17"),
            "{version_error}"
        );
        let missing_error = PgTools::find(Some(home.path()), 15).unwrap_err();
        assert!(
            missing_error.contains("not found") && missing_error.contains("backup.postgres_tools"),
            "{missing_error}"
        );
    }
}
