//! Reading descriptions and writing outputs.

use crate::failure::Failure;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use vproto::{FileId, Files, LoadKind, Loader};

/// Largest description that is read, in bytes.
const MAX_DESCRIPTION: u64 = 64 << 20;

/// Finds imported modules and included files: beside the file that names them, then in the folders of `-I`.
pub struct Folders {
    /// The folders of `-I`, in order.
    pub include: Vec<PathBuf>,
    /// Every file that was read, for `-MD`.
    pub read: Vec<PathBuf>,
}

impl Folders {
    /// With these folders of `-I`.
    pub fn new(include: &[PathBuf]) -> Folders {
        Folders { include: include.to_vec(), read: Vec::new() }
    }
}

impl Loader for Folders {
    fn load(
        &mut self,
        name: &str,
        kind: LoadKind,
        from: FileId,
        files: &mut Files,
    ) -> Result<FileId, String> {
        let is_module = kind == LoadKind::Module && !name.ends_with(".vproto");
        let name = if is_module { format!("{name}.vproto") } else { name.to_owned() };
        let beside = Path::new(&files.get(from).name).parent().unwrap_or(Path::new("")).to_path_buf();
        for folder in std::iter::once(&beside).chain(&self.include) {
            let path = folder.join(&name);
            let shown = path.to_string_lossy().into_owned();
            if let Some(known) = files.find(&shown) {
                return Ok(known);
            }
            if path.is_file() {
                let text = read_text(&path).map_err(|e| format!("cannot read {shown}: {e}"))?;
                self.read.push(path);
                return Ok(files.add(vproto::File::new(shown, text)));
            }
        }
        Err(format!("there is no {name} beside {} nor in the folders of -I", files.get(from).name))
    }
}

/// Reads a description and adds it to the files.
///
/// # Errors
/// The file cannot be read, is too large, or is not UTF-8.
pub fn read_description(path: &Path, files: &mut Files) -> Result<FileId, Failure> {
    let shown = path.to_string_lossy().into_owned();
    let text = read_text(path).map_err(|e| Failure::io("read", &shown, &e))?;
    Ok(files.add(vproto::File::new(shown, text)))
}

fn read_text(path: &Path) -> io::Result<String> {
    let other = |text: &str| io::Error::other(text.to_owned());
    let meta = fs::metadata(path)?;
    if meta.is_dir() {
        return Err(other("it is a folder"));
    }
    if meta.len() > MAX_DESCRIPTION {
        return Err(other("it is larger than 64 MiB"));
    }
    let bytes = fs::read(path)?;
    String::from_utf8(bytes).map_err(|e| {
        other(&format!("it is not UTF-8 (byte {}); write other bytes as \\xHH", e.utf8_error().valid_up_to()))
    })
}

/// Refuses an output that is one of the files that were read: writing it would destroy the description.
///
/// # Errors
/// It is one of them: wrong usage.
pub fn refuse_overwriting(output: &Path, read: &[PathBuf]) -> Result<(), Failure> {
    let same = |path: &PathBuf| match (fs::canonicalize(path), fs::canonicalize(output)) {
        (Ok(a), Ok(b)) => a == b,
        _ => false,
    };
    if read.iter().any(same) {
        let shown = output.display();
        return Err(Failure::Usage(format!("-o {shown} would overwrite a description that was read")));
    }
    Ok(())
}

/// Writes a file as a whole or not at all; an unchanged file is not touched.
///
/// # Errors
/// The file cannot be written.
pub fn write_file(path: &Path, text: &str) -> Result<(), Failure> {
    // A device may have no end: only a file of the right size is read.
    let same_size = fs::metadata(path).is_ok_and(|m| m.is_file() && m.len() == text.len() as u64);
    if same_size && fs::read(path).is_ok_and(|old| old == text.as_bytes()) {
        return Ok(());
    }
    let shown = path.to_string_lossy().into_owned();
    write_beside(path, text).map_err(|e| Failure::io("write", &shown, &e))
}

/// Devices and pipes are written directly, files through a temporary file beside them.
fn write_beside(path: &Path, text: &str) -> io::Result<()> {
    let is_special = fs::metadata(path).is_ok_and(|m| !m.is_file());
    if is_special {
        return fs::write(path, text);
    }
    let folder = match path.parent() {
        Some(p) if !p.as_os_str().is_empty() => p,
        _ => Path::new("."),
    };
    let mut builder = tempfile::Builder::new();
    builder.prefix(".vproto-");
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut file = builder.tempfile_in(folder)?;
    file.write_all(text.as_bytes())?;
    file.persist(path).map(drop).map_err(|e| e.error)
}

/// Writes to standard output.
///
/// # Errors
/// The pipe is closed, or the device is full.
pub fn write_stdout(text: &str) -> Result<(), Failure> {
    let mut out = anstream::stdout().lock();
    out.write_all(text.as_bytes())
        .and_then(|()| out.flush())
        .map_err(|e| Failure::io("write", "standard output", &e))
}

/// Writes to a file, or to standard output where the path is `-` or absent.
///
/// # Errors
/// As of the two ways.
pub fn write_output(path: Option<&Path>, text: &str) -> Result<(), Failure> {
    match path {
        Some(path) if path != Path::new("-") => write_file(path, text),
        _ => write_stdout(text),
    }
}
