//! Creates files for customers' data. Never overwrites a file, and only the current user can read the new file.

use std::fs::File;
use std::io::ErrorKind;

use crate::failure::{CommandResult, Failure};

/// Creates the file of `--to`. Rejects an existing file, which may be the only copy of other data.
pub(crate) fn create_private_file(path: &str) -> CommandResult<File> {
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).map_err(|error| {
        if error.kind() == ErrorKind::AlreadyExists {
            Failure::usage(format!("--to {path}: the file already exists. Choose another name."))
        } else {
            Failure::usage(format!("--to {path}: {error}."))
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rejects_an_existing_file_and_keeps_its_content() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("export.json");
        let path = path.to_str().unwrap();
        drop(create_private_file(path).unwrap());
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            assert_eq!(std::fs::metadata(path).unwrap().permissions().mode() & 0o777, 0o600);
        }
        std::fs::write(path, "first").unwrap();
        let failure = create_private_file(path).unwrap_err();
        assert!(failure.message.contains("already exists"), "{}", failure.message);
        assert_eq!(std::fs::read_to_string(path).unwrap(), "first");
        assert!(create_private_file("/nowhere/export.json").is_err());
    }
}
