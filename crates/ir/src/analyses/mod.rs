//! What can be found out about a machine. Each file answers one question; none changes the machine.

pub mod captures;
pub mod chain;
pub mod closers;
pub mod effects;
pub mod empty;
pub mod filled;
pub mod first;
pub mod forks;
pub mod heat;
pub mod live;
pub mod loops;
pub mod memory;
pub mod numbers;
pub mod progress;
pub mod proves;
pub mod record;
pub mod row;
pub mod shape;
pub mod steps;
pub mod threads;
pub mod time;
