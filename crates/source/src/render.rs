//! Renderings of diagnostics: text for people, JSON and SARIF for machines.
