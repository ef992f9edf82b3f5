//! What can be found out about a machine. Each file answers one question; none changes the machine.

pub mod captures;
pub mod chain;
pub mod effects;
pub mod empty;
pub mod forks;
pub mod progress;
pub mod steps;
