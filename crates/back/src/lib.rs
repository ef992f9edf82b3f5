//! back
