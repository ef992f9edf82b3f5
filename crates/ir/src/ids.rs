//! Typed ids and the tables they index.
//!
//! An id is a dense index into one table. Ids live for ever: nothing renumbers them.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

/// A typed index of a [`Table`].
pub trait Id: Copy + Eq + std::hash::Hash + fmt::Debug {
    /// The id of an index.
    fn from_index(index: usize) -> Self;
    /// The index of this id.
    fn index(self) -> usize;
}

/// Declares ids: a type of 32 bits whose `Debug` and `Display` is its prefix and number.
macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident $prefix:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub u32);

        impl Id for $name {
            fn from_index(index: usize) -> $name {
                $name(u32::try_from(index).expect("a table never has 2^32 entries"))
            }
            fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Debug::fmt(self, f)
            }
        }
    )*};
}

ids! {
    /// A module of the program; the root is a module too.
    ModuleId "module";
    /// A tree: the lines of depth 0 up to the next tree, and what lies below them.
    TreeId "t";
    /// A branching: lines of one depth below one parent.
    BranchingId "b";
    /// A line.
    LineId "line";
    /// A token.
    TokenId "token";
    /// A label.
    LabelId "label";
    /// A variable of the user's object.
    VarId "v";
    /// A function of the user's object.
    FunctionId "f";
    /// An enum type.
    EnumId "enum";
    /// A portable expression.
    ExprId "e";
    /// A code block or condition.
    CodeId "code";
    /// A state of a machine.
    StateId "s";
    /// A span of a machine: a capture, between `open` and `commit`.
    SpanId "p";
    /// A progress mark of a machine.
    MarkId "m";
    /// A site of a machine: a place in the description with its handler.
    SiteId "site";
}

/// A dense table indexed by one type of id.
#[derive(Clone, PartialEq, Eq)]
pub struct Table<I, T> {
    rows: Vec<T>,
    id: PhantomData<fn(I) -> I>,
}

impl<I: Id, T> Table<I, T> {
    /// An empty table.
    pub fn new() -> Table<I, T> {
        Table { rows: Vec::new(), id: PhantomData }
    }

    /// Appends a row and names it.
    pub fn push(&mut self, row: T) -> I {
        self.rows.push(row);
        I::from_index(self.rows.len() - 1)
    }

    /// The id that the next row will have.
    pub fn next_id(&self) -> I {
        I::from_index(self.rows.len())
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// All ids, ascending.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = I> + use<I, T> {
        (0..self.rows.len()).map(I::from_index)
    }

    /// All rows with their ids.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (I, &T)> {
        self.rows.iter().enumerate().map(|(i, row)| (I::from_index(i), row))
    }

    /// All rows with their ids, to be changed.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (I, &mut T)> {
        self.rows.iter_mut().enumerate().map(|(i, row)| (I::from_index(i), row))
    }

    /// All rows.
    pub fn rows(&self) -> &[T] {
        &self.rows
    }

    /// The row, if the id is one of this table.
    pub fn get(&self, id: I) -> Option<&T> {
        self.rows.get(id.index())
    }
}

impl<I: Id, T> Default for Table<I, T> {
    fn default() -> Table<I, T> {
        Table::new()
    }
}

impl<I: Id, T> FromIterator<T> for Table<I, T> {
    fn from_iter<A: IntoIterator<Item = T>>(rows: A) -> Table<I, T> {
        Table { rows: rows.into_iter().collect(), id: PhantomData }
    }
}

impl<I: Id, T> Index<I> for Table<I, T> {
    type Output = T;
    fn index(&self, id: I) -> &T {
        &self.rows[id.index()]
    }
}

impl<I: Id, T> IndexMut<I> for Table<I, T> {
    fn index_mut(&mut self, id: I) -> &mut T {
        &mut self.rows[id.index()]
    }
}

impl<I: Id, T: fmt::Debug> fmt::Debug for Table<I, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}
