//! Writes and reads the files of a backup: unencrypted, or encrypted with a key that is derived from the panel's key.
//!
//! An encrypted file is a header (format, key id, salt) and chunks of 64 KiB, each XChaCha20-Poly1305. The nonce of a chunk is
//! its number and whether it is the last one, so that changed, moved, repeated and missing chunks are rejected. The key of a
//! file is derived from the salt of its backup and its path, so no two files share a key and none can be decrypted under another
//! name. At most two chunks are in memory.

use std::io::{self, Read, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use chacha20poly1305::aead::{Aead as _, Payload};
use chacha20poly1305::{KeyInit as _, XChaCha20Poly1305, XNonce};
use panel_kernel::random::Random;
use sha2::{Digest as _, Sha256};

use panel_platform::db::sql::hex;
use panel_platform::secrets::{KEY_ID_LEN, Secrets};

/// First bytes of an encrypted file: its format.
const MAGIC: &[u8; 8] = b"PNLBAK01";
/// Unencrypted bytes in a chunk.
const CHUNK_BYTES: usize = 64 << 10;
/// Bytes that encryption adds to a chunk.
const TAG_BYTES: usize = 16;
const SALT_BYTES: usize = 32;
/// Bytes of the header.
const HEADER_BYTES: usize = MAGIC.len() + KEY_ID_LEN + SALT_BYTES;

/// Size and digest of a stored file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileDigest {
    /// Bytes on the disk.
    pub bytes: u64,
    /// SHA-256 of these bytes, in hexadecimal.
    pub sha256: String,
}

/// Cancels work on another thread, when the process stops during a backup.
#[derive(Debug, Clone, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// A guard that cancels when it is dropped.
    #[must_use]
    pub fn on_drop(&self) -> CancelOnDrop {
        CancelOnDrop(self.clone())
    }

    fn check(&self) -> io::Result<()> {
        if self.0.load(Ordering::Relaxed) {
            Err(io::Error::other("the backup was interrupted"))
        } else {
            Ok(())
        }
    }
}

/// See [`Cancel::on_drop`].
#[derive(Debug)]
pub struct CancelOnDrop(Cancel);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.0.store(true, Ordering::Relaxed);
    }
}

/// Encryption of the files of one backup.
#[derive(Clone)]
pub struct Sealing {
    secrets: Secrets,
    salt: [u8; SALT_BYTES],
}

impl Sealing {
    /// Creates the encryption for one backup, with this panel's key and a new salt.
    #[must_use]
    pub fn new(secrets: &Secrets, random: &Random) -> Self {
        Self { secrets: secrets.clone(), salt: random.bytes() }
    }
}

/// Copies `source` to the new file `target`, readable by its owner only, and syncs it to disk. `path` is its name in the backup.
pub fn store_file(
    source: &mut dyn Read,
    target: &Path,
    path: &str,
    sealing: Option<&Sealing>,
    cancel: &Cancel,
) -> io::Result<FileDigest> {
    use std::os::unix::fs::OpenOptionsExt as _;
    let file = std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(target)?;
    let mut writer = DigestingFile { file, digest: Sha256::new(), bytes: 0 };
    match sealing {
        Some(sealing) => seal_stream(source, &mut writer, path, sealing, cancel)?,
        None => {
            let mut buffer = vec![0; CHUNK_BYTES];
            loop {
                cancel.check()?;
                let bytes_read = source.read(&mut buffer)?;
                if bytes_read == 0 {
                    break;
                }
                writer.write_all(&buffer[..bytes_read])?;
            }
        }
    }
    writer.file.sync_all()?;
    Ok(FileDigest { bytes: writer.bytes, sha256: hex(&writer.digest.finalize()) })
}

/// Copies the file `source`, named `path` in its backup, to `target`; decrypts it if `secrets` is given.
pub fn extract_file(
    source: &Path,
    target: &mut dyn Write,
    path: &str,
    secrets: Option<&Secrets>,
) -> io::Result<()> {
    let mut file = std::fs::File::open(source)?;
    match secrets {
        Some(secrets) => open_stream(&mut file, target, path, secrets),
        None => io::copy(&mut file, target).map(drop),
    }
}

/// Computes size and digest of the file at `path`.
pub fn compute_digest(path: &Path) -> io::Result<FileDigest> {
    let mut file = std::fs::File::open(path)?;
    let (mut digest, mut bytes, mut buffer) = (Sha256::new(), 0, vec![0; CHUNK_BYTES]);
    loop {
        let bytes_read = file.read(&mut buffer)?;
        if bytes_read == 0 {
            return Ok(FileDigest { bytes, sha256: hex(&digest.finalize()) });
        }
        digest.update(&buffer[..bytes_read]);
        bytes += bytes_read as u64;
    }
}

/// A file writer that also computes size and digest.
struct DigestingFile {
    file: std::fs::File,
    digest: Sha256,
    bytes: u64,
}

impl Write for DigestingFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.write(bytes)?;
        self.digest.update(&bytes[..written]);
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

fn derive_cipher(secrets: &Secrets, salt: &[u8], path: &str) -> XChaCha20Poly1305 {
    let key = secrets.mac("backup_file", &[salt, path.as_bytes()].concat());
    XChaCha20Poly1305::new(&key.into())
}

/// The nonce of a chunk. Each file has its own key, so a chunk number is used only once per key.
fn chunk_nonce(number: u64, is_last: bool) -> [u8; 24] {
    let mut nonce = [0; 24];
    nonce[..8].copy_from_slice(&number.to_le_bytes());
    nonce[8] = u8::from(is_last);
    nonce
}

fn seal_stream(
    source: &mut dyn Read,
    target: &mut dyn Write,
    path: &str,
    sealing: &Sealing,
    cancel: &Cancel,
) -> io::Result<()> {
    let header = [MAGIC.as_slice(), &sealing.secrets.key_id().bytes(), &sealing.salt].concat();
    target.write_all(&header)?;
    let cipher = derive_cipher(&sealing.secrets, &sealing.salt, path);
    let (mut chunk, mut next_chunk) = (Vec::new(), Vec::new());
    read_chunk(source, CHUNK_BYTES, &mut chunk)?;
    for number in 0.. {
        cancel.check()?;
        read_chunk(source, CHUNK_BYTES, &mut next_chunk)?;
        let payload = Payload { msg: &chunk, aad: &header };
        let sealed = cipher
            .encrypt(XNonce::from_slice(&chunk_nonce(number, next_chunk.is_empty())), payload)
            .map_err(|_| io::Error::other("a chunk cannot be encrypted"))?;
        target.write_all(&sealed)?;
        if next_chunk.is_empty() {
            break;
        }
        std::mem::swap(&mut chunk, &mut next_chunk);
    }
    Ok(())
}

fn open_stream(
    source: &mut dyn Read,
    target: &mut dyn Write,
    path: &str,
    secrets: &Secrets,
) -> io::Result<()> {
    let mut header = Vec::new();
    read_chunk(source, HEADER_BYTES, &mut header)?;
    if header.len() != HEADER_BYTES || !header.starts_with(MAGIC) {
        return Err(invalid_data("this is not an encrypted backup file that this program can read"));
    }
    let (key_id, salt) = header[MAGIC.len()..].split_at(KEY_ID_LEN);
    if key_id != secrets.key_id().bytes() {
        return Err(invalid_data("the file was encrypted with another key"));
    }
    let cipher = derive_cipher(secrets, salt, path);
    let (mut chunk, mut next_chunk) = (Vec::new(), Vec::new());
    read_chunk(source, CHUNK_BYTES + TAG_BYTES, &mut chunk)?;
    for number in 0.. {
        read_chunk(source, CHUNK_BYTES + TAG_BYTES, &mut next_chunk)?;
        let payload = Payload { msg: &chunk, aad: &header };
        let decrypted = cipher
            .decrypt(XNonce::from_slice(&chunk_nonce(number, next_chunk.is_empty())), payload)
            .map_err(|_| invalid_data("the file was changed or cut off"))?;
        target.write_all(&decrypted)?;
        if next_chunk.is_empty() {
            break;
        }
        std::mem::swap(&mut chunk, &mut next_chunk);
    }
    Ok(())
}

fn invalid_data(message: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, message)
}

/// Reads `size` bytes into `chunk`, fewer only at the end of `source`.
fn read_chunk(source: &mut dyn Read, size: usize, chunk: &mut Vec<u8>) -> io::Result<()> {
    chunk.clear();
    source.take(size as u64).read_to_end(chunk).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seal_bytes(plain: &[u8], path: &str) -> Vec<u8> {
        let sealing = Sealing::new(&Secrets::new(&[7; 32]), &Random::seeded(1));
        let mut out = Vec::new();
        seal_stream(&mut &*plain, &mut out, path, &sealing, &Cancel::default()).unwrap();
        out
    }

    fn open_bytes(sealed: &[u8], path: &str, key: u8) -> io::Result<Vec<u8>> {
        let mut out = Vec::new();
        open_stream(&mut &*sealed, &mut out, path, &Secrets::new(&[key; 32])).map(|()| out)
    }

    #[test]
    fn decrypts_files_of_every_length() {
        for length in [0, 1, CHUNK_BYTES - 1, CHUNK_BYTES, CHUNK_BYTES + 1, 3 * CHUNK_BYTES] {
            let plain = vec![5; length];
            let sealed = seal_bytes(&plain, "a");
            assert_eq!(open_bytes(&sealed, "a", 7).unwrap(), plain, "{length}");
        }
    }

    #[test]
    fn rejects_changed_truncated_and_reordered_files() {
        let file = seal_bytes(&vec![5; 3 * CHUNK_BYTES + 10], "a");
        let sealed_chunk_bytes = CHUNK_BYTES + TAG_BYTES;
        for length in [
            0,
            7,
            HEADER_BYTES,
            HEADER_BYTES + 20,
            HEADER_BYTES + sealed_chunk_bytes,
            HEADER_BYTES + 3 * sealed_chunk_bytes,
            file.len() - 1,
        ] {
            assert!(open_bytes(&file[..length], "a", 7).is_err(), "cut at {length}");
        }
        for index in [
            0,
            MAGIC.len(),
            HEADER_BYTES - 1,
            HEADER_BYTES,
            HEADER_BYTES + sealed_chunk_bytes,
            file.len() - 1,
        ] {
            let mut changed = file.clone();
            changed[index] ^= 1;
            assert!(open_bytes(&changed, "a", 7).is_err(), "changed at {index}");
        }
        let mut swapped = file.clone();
        swapped[HEADER_BYTES..HEADER_BYTES + 2 * sealed_chunk_bytes].rotate_left(sealed_chunk_bytes);
        assert!(open_bytes(&swapped, "a", 7).is_err());
        let longer = [file.as_slice(), &file[file.len() - 26..]].concat();
        assert!(open_bytes(&longer, "a", 7).is_err());
        assert!(open_bytes(&file, "b", 7).is_err(), "another name");
        assert!(open_bytes(&file, "a", 8).unwrap_err().to_string().contains("another key"));
    }

    #[test]
    fn stops_when_canceled() {
        let home = tempfile::tempdir().unwrap();
        let cancel = Cancel::default();
        drop(cancel.on_drop());
        assert!(store_file(&mut &[1_u8; 9][..], &home.path().join("a"), "a", None, &cancel).is_err());
    }
}
