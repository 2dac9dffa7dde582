//! Files that a command writes data of customers to: they are new, and only their owner can read them.

use std::fs::File;
use std::io::ErrorKind;

use crate::failure::{Done, Failure};

/// Creates the file of `--to`; refuses a file that exists, which may be the only copy of other data.
pub(crate) fn new_file(path: &str) -> Done<File> {
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).map_err(|error| {
        if error.kind() == ErrorKind::AlreadyExists {
            Failure::usage(format!("--to {path}: this file exists already. Choose a new name."))
        } else {
            Failure::usage(format!("--to {path}: {error}."))
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_exists_is_refused_and_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("copy.json");
        let path = path.to_str().unwrap();
        drop(new_file(path).unwrap());
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            assert_eq!(std::fs::metadata(path).unwrap().permissions().mode() & 0o777, 0o600);
        }
        std::fs::write(path, "first").unwrap();
        let refused = new_file(path).unwrap_err();
        assert!(refused.what.contains("exists already"), "{}", refused.what);
        assert_eq!(std::fs::read_to_string(path).unwrap(), "first");
        assert!(new_file("/nowhere/copy.json").is_err());
    }
}
