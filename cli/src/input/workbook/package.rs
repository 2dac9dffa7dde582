//! The ZIP archive of a workbook: reads its parts by name, and the relationships between them.

use std::io::{Read, Seek, SeekFrom};

use memchr::memmem;
use zip::ZipArchive;

use super::WorkbookError;
use super::part::{XmlToken, damaged_part_error, read_part};

/// Maximum number of parts in an archive. Excel writes about ten, and a few more for each sheet.
const MAX_PARTS: usize = 1_000;
/// The signature of a directory entry in a ZIP archive.
const DIRECTORY_ENTRY: &[u8] = b"PK\x01\x02";
/// Maximum inflated size in bytes of a part that lists other parts.
const MAX_LIST_BYTES: u64 = 1 << 20;

pub(super) struct Package<R> {
    archive: ZipArchive<R>,
}

/// A reference from one part to another.
#[derive(Debug)]
pub(super) struct Relationship {
    /// The id that the referring part uses.
    pub(super) id: String,
    /// A URI; its last segment is the kind of the part.
    kind: String,
    /// The name of the part in the archive.
    pub(super) target: String,
}

impl Relationship {
    /// Whether the part has a kind such as `worksheet`.
    pub(super) fn has_kind(&self, kind: &str) -> bool {
        self.kind.rsplit('/').next() == Some(kind)
    }
}

impl<R: Read + Seek> Package<R> {
    pub(super) fn open(mut file: R) -> Result<Self, WorkbookError> {
        // The number of entries is checked first, because `ZipArchive::new` reads the whole directory of the archive into memory.
        let entry_count =
            count_entries(&mut file).map_err(|error| WorkbookError::NotAWorkbook(error.to_string()))?;
        if entry_count > MAX_PARTS {
            return Err(WorkbookError::TooManyParts { limit: MAX_PARTS });
        }
        let archive =
            ZipArchive::new(file).map_err(|error| WorkbookError::NotAWorkbook(error.to_string()))?;
        Ok(Self { archive })
    }

    /// Reads the part with this name. Ignores case, and accepts the backslashes of older programs. `limit` is the maximum inflated
    /// size.
    pub(super) fn read(
        &mut self,
        name: &str,
        limit: u64,
        visit: impl FnMut(XmlToken<'_>) -> Result<(), WorkbookError>,
    ) -> Result<(), WorkbookError> {
        let is_match = |stored_name: &[u8]| {
            let normalized_name = stored_name.iter().map(|byte| if *byte == b'\\' { b'/' } else { *byte });
            normalized_name
                .map(|byte| byte.to_ascii_lowercase())
                .eq(name.bytes().map(|byte| byte.to_ascii_lowercase()))
        };
        let index = self.archive.file_names_raw().position(is_match);
        let index = index.ok_or_else(|| damaged_part_error(name, "the part is missing"))?;
        let source =
            self.archive.by_index(index).map_err(|error| damaged_part_error(name, error.to_string()))?;
        read_part(name, source, limit, visit)
    }

    /// The relationships that a part lists; targets are relative to `folder`.
    pub(super) fn read_relationships(
        &mut self,
        name: &str,
        folder: &str,
    ) -> Result<Vec<Relationship>, WorkbookError> {
        let mut relationships = Vec::new();
        self.read(name, MAX_LIST_BYTES, |token| {
            if let XmlToken::Start(tag) = token
                && tag.name() == "Relationship"
            {
                let attribute = |name| tag.attribute(name).unwrap_or_default();
                let target = attribute("Target").replace('\\', "/");
                let target = match target.strip_prefix('/') {
                    Some(absolute_path) => absolute_path.to_owned(),
                    None => format!("{folder}{target}"),
                };
                let (id, kind) = (attribute("Id").into_owned(), attribute("Type").into_owned());
                relationships.push(Relationship { id, kind, target });
            }
            Ok(())
        })?;
        Ok(relationships)
    }

    /// The relationship ids of the sheets, in order.
    pub(super) fn read_sheet_ids(&mut self, workbook: &str) -> Result<Vec<String>, WorkbookError> {
        let mut ids = Vec::new();
        self.read(workbook, MAX_LIST_BYTES, |token| {
            if let XmlToken::Start(tag) = token
                && tag.name() == "sheet"
            {
                ids.extend(tag.attribute("id").map(std::borrow::Cow::into_owned));
            }
            Ok(())
        })?;
        Ok(ids)
    }
}

/// Counts the signatures of directory entries. The file may contain the signature elsewhere, so the count is an upper bound.
fn count_entries(file: &mut (impl Read + Seek)) -> std::io::Result<usize> {
    let mut buffer = vec![0; 64 << 10];
    let (mut overlap, mut count) = (0, 0);
    loop {
        let read_bytes = file.read(&mut buffer[overlap..])?;
        if read_bytes == 0 {
            break;
        }
        let filled_bytes = overlap + read_bytes;
        count += memmem::find_iter(&buffer[..filled_bytes], DIRECTORY_ENTRY).count();
        // Keeps the last bytes, because a signature may span two reads. They are too few to count a signature twice.
        overlap = filled_bytes.min(DIRECTORY_ENTRY.len() - 1);
        buffer.copy_within(filled_bytes - overlap..filled_bytes, 0);
    }
    file.seek(SeekFrom::Start(0))?;
    Ok(count)
}

/// The folder of a part, with a trailing slash unless it is empty.
pub(super) fn folder_of(part: &str) -> &str {
    part.rfind('/').map_or("", |slash| &part[..=slash])
}

/// The name of the part that lists another part's relationships.
pub(super) fn relationships_part_of(part: &str) -> String {
    let folder = folder_of(part);
    format!("{folder}_rels/{}.rels", &part[folder.len()..])
}
