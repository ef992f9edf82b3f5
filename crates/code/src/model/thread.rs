//! Undecided `< >`.

use super::r#gen::{Found, Gen};
use super::state::Rests;
use vproto_ir::ids::StateId;
use vproto_ir::machine::ErrorKind;

impl Gen<'_> {
    /// A group of threads.
    pub fn par(&mut self, id: StateId, rests: &mut Rests) {
        let (site, captures) = (self.own_site(), self.facts.at(id));
        let number = self.number_of(id);
        let failure = self.failure(ErrorKind::Mismatch, site, "", Found::Nothing, &captures);
        self.out.extend(failure.clone());
        rests.resume.push((number, id, failure.clone()));
        rests.ends.push((number, failure));
    }
}
