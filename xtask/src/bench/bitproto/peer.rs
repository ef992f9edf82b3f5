//! bitproto 1.3.2 and its library for Python, in a virtual environment below `target/`.

use crate::bench::pin::output;
use crate::sh::root;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Compiler and library, by the versions that the figures are about.
const PACKAGES: [&str; 2] = ["bitproto==1.3.2", "bitprotolib==1.0.1"];

/// The installed peer.
pub(super) struct Peer {
    folder: PathBuf,
}

impl Peer {
    /// Installs it where it is not yet.
    pub(super) fn install() -> Result<Peer, String> {
        let peer = Peer { folder: root().join("target/bench/venv") };
        if !peer.program("bitproto").exists() {
            output(Command::new("python3").args(["-m", "venv"]).arg(&peer.folder))?;
            output(Command::new(peer.program("pip")).args(["install", "--quiet"]).args(PACKAGES))?;
        }
        Ok(peer)
    }

    /// A program of the environment.
    pub(super) fn program(&self, name: &str) -> PathBuf {
        self.folder.join("bin").join(name)
    }

    /// Compiles a schema of the repository into a folder.
    pub(super) fn generate(
        &self,
        language: &str,
        schema: &str,
        to: &Path,
        options: &[&str],
    ) -> Result<(), String> {
        std::fs::create_dir_all(to).map_err(|e| format!("{}: {e}", to.display()))?;
        let mut command = Command::new(self.program("bitproto"));
        command.current_dir(root()).args([language, schema]).arg(to).arg("-q").args(options);
        output(&mut command).map(drop)
    }
}
