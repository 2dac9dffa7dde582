//! The archive that a workbook is: its parts by name, and how they refer to each other.

use std::io::{Read, Seek, SeekFrom};

use memchr::memmem;
use zip::ZipArchive;

use super::WorkbookError;
use super::part::{Piece, damaged, read_part};

/// Parts of an archive; Excel writes about ten and a few for each sheet.
const MAX_PARTS: usize = 1_000;
/// How an entry of an archive's directory begins.
const DIRECTORY_ENTRY: &[u8] = b"PK\x01\x02";
/// Bytes of a part that lists other parts.
const MAX_LIST_BYTES: u64 = 1 << 20;

/// An open archive.
pub(super) struct Package<R> {
    archive: ZipArchive<R>,
}

/// A part that another refers to.
#[derive(Debug)]
pub(super) struct Relationship {
    /// What the referring part calls it.
    pub(super) id: String,
    /// A URI; its last segment says what the part is.
    kind: String,
    /// Its name in the archive.
    pub(super) target: String,
}

impl Relationship {
    /// Whether the part is of a kind such as `worksheet`.
    pub(super) fn is(&self, kind: &str) -> bool {
        self.kind.rsplit('/').next() == Some(kind)
    }
}

impl<R: Read + Seek> Package<R> {
    pub(super) fn open(mut file: R) -> Result<Self, WorkbookError> {
        // Opening an archive reads its whole directory into memory.
        let entries =
            count_entries(&mut file).map_err(|error| WorkbookError::NotAWorkbook(error.to_string()))?;
        if entries > MAX_PARTS {
            return Err(WorkbookError::TooManyParts { limit: MAX_PARTS });
        }
        let archive =
            ZipArchive::new(file).map_err(|error| WorkbookError::NotAWorkbook(error.to_string()))?;
        Ok(Self { archive })
    }

    /// Reads the part of a name, whatever its case; older programs write backslashes. `limit` is the bytes that it may
    /// inflate to.
    pub(super) fn read(
        &mut self,
        name: &str,
        limit: u64,
        visit: impl FnMut(Piece<'_>) -> Result<(), WorkbookError>,
    ) -> Result<(), WorkbookError> {
        let is_it = |stored: &[u8]| {
            let slashed = stored.iter().map(|byte| if *byte == b'\\' { b'/' } else { *byte });
            slashed
                .map(|byte| byte.to_ascii_lowercase())
                .eq(name.bytes().map(|byte| byte.to_ascii_lowercase()))
        };
        let place = self.archive.file_names_raw().position(is_it);
        let place = place.ok_or_else(|| damaged(name, "it is missing"))?;
        let source = self.archive.by_index(place).map_err(|error| damaged(name, error.to_string()))?;
        read_part(name, source, limit, visit)
    }

    /// What a part of relationships lists; targets are relative to `folder`.
    pub(super) fn relationships(
        &mut self,
        name: &str,
        folder: &str,
    ) -> Result<Vec<Relationship>, WorkbookError> {
        let mut found = Vec::new();
        self.read(name, MAX_LIST_BYTES, |piece| {
            if let Piece::Start(tag) = piece
                && tag.name() == "Relationship"
            {
                let attribute = |name| tag.attribute(name).unwrap_or_default();
                let target = attribute("Target").replace('\\', "/");
                let target = match target.strip_prefix('/') {
                    Some(absolute) => absolute.to_owned(),
                    None => format!("{folder}{target}"),
                };
                let (id, kind) = (attribute("Id").into_owned(), attribute("Type").into_owned());
                found.push(Relationship { id, kind, target });
            }
            Ok(())
        })?;
        Ok(found)
    }

    /// The ids of the relationships to the sheets, in the order of the sheets.
    pub(super) fn sheet_ids(&mut self, workbook: &str) -> Result<Vec<String>, WorkbookError> {
        let mut found = Vec::new();
        self.read(workbook, MAX_LIST_BYTES, |piece| {
            if let Piece::Start(tag) = piece
                && tag.name() == "sheet"
            {
                found.extend(tag.attribute("id").map(std::borrow::Cow::into_owned));
            }
            Ok(())
        })?;
        Ok(found)
    }
}

/// The entries that the file's directory can have at most: none comes without its mark.
fn count_entries(file: &mut (impl Read + Seek)) -> std::io::Result<usize> {
    let mut piece = vec![0; 64 << 10];
    let (mut kept, mut count) = (0, 0);
    loop {
        let read = file.read(&mut piece[kept..])?;
        if read == 0 {
            break;
        }
        let filled = kept + read;
        count += memmem::find_iter(&piece[..filled], DIRECTORY_ENTRY).count();
        // A mark may stand across two pieces, and never wholly in what is kept.
        kept = filled.min(DIRECTORY_ENTRY.len() - 1);
        piece.copy_within(filled - kept..filled, 0);
    }
    file.seek(SeekFrom::Start(0))?;
    Ok(count)
}

/// The folder of a part, with a slash at its end unless it is empty.
pub(super) fn folder_of(part: &str) -> &str {
    part.rfind('/').map_or("", |slash| &part[..=slash])
}

/// The part that lists what another part refers to.
pub(super) fn relationships_of(part: &str) -> String {
    let folder = folder_of(part);
    format!("{folder}_rels/{}.rels", &part[folder.len()..])
}
