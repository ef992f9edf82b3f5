//! Faults that lowering could have: each changes a lowered machine as a wrong rule would.

use vproto_ir::grammar::Until;
use vproto_ir::machine::{
    Action, Bound, ErrorKind, Form, Handler, Kind, Machine, Op, Predicate, Site, Status,
};

/// A fault: its name, and what it does to a machine.
pub struct Fault {
    pub name: &'static str,
    pub plant: fn(&mut Machine),
}

pub const fn fault(name: &'static str, plant: fn(&mut Machine)) -> Fault {
    Fault { name, plant }
}

/// All of them.
pub const FAULTS: &[Fault] = &[
    fault("a handler does not end spans", |m| keep_ops(m, |op| !matches!(op, Op::Unspan(_)))),
    fault("homes are not entered", |m| keep_ops(m, |op| !matches!(op, Op::Home(_)))),
    fault("homes of called trees are not entered", |m| {
        keep_ops(m, |op| !matches!(op, Op::Home(t) if t.0 > 0))
    }),
    fault("nobody catches", |m| each_site(m, |s| s.handler = Handler::Stop)),
    fault("a catch: line is passed by", |m| {
        each_site(m, |s| {
            if let Handler::Catch(_) = s.handler {
                s.handler = Handler::Up;
            }
        });
    }),
    fault("exceptions do not leave calls", |m| {
        each_site(m, |s| {
            if s.handler == Handler::Up {
                s.handler = Handler::Stop;
            }
        });
    }),
    fault("a place reports the next line", |m| each_site(m, |s| s.line += 1)),
    fault("what a branching expected is not told", |m| each_site(m, |s| s.wants = None)),
    fault("a lone maximum is no minimum", |m| {
        each_op(m, |op| {
            if *op == Op::SetLoToHi {
                *op = Op::SetLoFixed(0);
            }
        });
    }),
    fault("a minimum of the moment is forgotten", |m| {
        each_op(m, |op| {
            if let Op::SetLo(_) = op {
                *op = Op::SetLoFixed(0);
            }
        });
    }),
    fault("captures are not ended", |m| keep_ops(m, |op| !matches!(op, Op::Commit(_)))),
    fault("actions of an edge run in reverse", |m| each_actions(m, |actions| actions.reverse())),
    fault("a sign is not part of the number", |m| {
        each_actions(m, |actions| {
            if let Some(at) = actions.iter().position(|a| a.op == Op::Take) {
                actions.remove(at);
            }
        });
    }),
    fault("the end of input is an error at a dispatch", |m| {
        each_kind(m, |kind| {
            if let Kind::Dispatch { eof, .. } = kind {
                *eof = None;
            }
        });
    }),
    fault("only the first alternative is looked at", |m| {
        each_kind(m, |kind| {
            if let Kind::Dispatch { alts, .. } = kind {
                alts.truncate(1);
            }
        });
    }),
    fault("a leaf goes outward although bytes were taken", |m| {
        each_test(m, |what, then, other| {
            if let Predicate::Moved(_) = what {
                then.clone_from(other);
            }
        });
    }),
    fault("a confined call has no fence", |m| each_call(m, |c| *c.fence = false)),
    fault("a confined call of no bytes is always made", |m| each_call(m, |c| *c.needs = false)),
    fault("a confined call of no bytes is never made", |m| each_call(m, |c| *c.needs = *c.fence)),
    fault("a repeated call is made once", |m| each_call(m, |c| *c.times = false)),
    fault("a call keeps nothing", |m| each_call(m, |c| c.keep.clear())),
    fault("threads have the reverse priority", |m| {
        each_kind(m, |kind| {
            if let Kind::Par { forks } = kind {
                forks.reverse();
            }
        });
    }),
    fault("a break in < > ends all", |m| {
        each_kind(m, |kind| {
            if let Kind::Drop = kind {
                *kind = Kind::Raise(ErrorKind::Condition);
            } else if let Kind::End(Status::Stopped) = kind {
                *kind = Kind::Raise(ErrorKind::Mismatch);
            }
        });
    }),
    fault("case is ignored", |m| {
        each_kind(m, |kind| {
            if let Kind::Literal { fold, .. } = kind {
                *fold = true;
            }
        });
    }),
    fault("the last letter of an until text is not needed", |m| {
        each_kind(m, |kind| {
            if let Kind::Scan { until: Some(Until::Text(text)), .. } = kind
                && text.len() > 1
            {
                text.pop();
            }
        });
    }),
    fault("an optional byte is needed", |m| {
        each_kind(m, |kind| {
            if let Kind::Scan { lo, hi: Bound::Fixed(1), .. } = kind {
                *lo = Bound::Fixed(1);
            }
        });
    }),
    fault("a run takes one byte at least", |m| {
        each_kind(m, |kind| {
            if let Kind::Scan { lo, hi: Bound::Unbounded, until: None, .. } = kind
                && *lo == Bound::Fixed(0)
            {
                *lo = Bound::Fixed(1);
            }
        });
    }),
    fault("a joined module is one token's", |m| {
        each_kind(m, |kind| {
            if let Kind::Module { join, .. } = kind {
                *join = false;
            }
        });
    }),
    fault("a finish: line ends in break", |m| {
        each_kind(m, |kind| {
            if let Kind::End(status) = kind {
                *status = Status::Stopped;
            }
        });
    }),
    fault("a false condition is a mismatch", |m| {
        each_kind(m, |kind| {
            if let Kind::Raise(what @ ErrorKind::Condition) = kind {
                *what = ErrorKind::Mismatch;
            }
        });
    }),
    fault("if= is not asked", |m| {
        each_test(m, |what, then, other| {
            if let Predicate::If(_) = what {
                other.clone_from(then);
            }
        });
    }),
    fault("a bound of 0 is not seen", |m| {
        each_test(m, |what, then, other| {
            if let Predicate::Zero(_) = what {
                then.clone_from(other);
            }
        });
    }),
    fault("append clears", |m| {
        each_form(m, |form| {
            if let Form::String { append, .. } | Form::View { append, .. } | Form::Array { append, .. } = form
            {
                *append = false;
            }
        });
    }),
    fault("blanks are not trimmed", |m| {
        for (_, span) in m.spans.iter_mut() {
            span.trim = false;
        }
    }),
    fault("byte order is the other one", |m| {
        each_form(m, |form| {
            if let Form::Binary { big, .. } = form {
                *big = !*big;
            }
        });
    }),
];

pub fn each_site(m: &mut Machine, change: impl Fn(&mut Site)) {
    m.sites.iter_mut().for_each(|(_, site)| change(site));
}

fn each_form(m: &mut Machine, change: impl Fn(&mut Form)) {
    m.spans.iter_mut().for_each(|(_, span)| change(&mut span.form));
}

pub fn each_kind(m: &mut Machine, change: impl Fn(&mut Kind)) {
    m.states.iter_mut().filter_map(|(_, s)| s.as_mut()).for_each(|state| change(&mut state.kind));
}

pub fn each_actions(m: &mut Machine, change: impl Fn(&mut Vec<Action>)) {
    each_kind(m, |kind| kind.edges_mut().into_iter().for_each(|edge| change(&mut edge.actions)));
}

fn each_op(m: &mut Machine, change: impl Fn(&mut Op)) {
    each_actions(m, |actions| actions.iter_mut().for_each(|a| change(&mut a.op)));
}

pub fn keep_ops(m: &mut Machine, keep: impl Fn(&Op) -> bool) {
    each_actions(m, |actions| actions.retain(|a| keep(&a.op)));
}

fn each_test(
    m: &mut Machine,
    change: impl Fn(&Predicate, &mut vproto_ir::machine::Edge, &mut vproto_ir::machine::Edge),
) {
    each_kind(m, |kind| {
        if let Kind::Test { what, then, other } = kind {
            change(what, then, other);
        }
    });
}

/// The fields of a call.
struct Call<'a> {
    fence: &'a mut bool,
    times: &'a mut bool,
    needs: &'a mut bool,
    keep: &'a mut Vec<vproto_ir::ids::VarId>,
}

fn each_call(m: &mut Machine, change: impl Fn(&mut Call<'_>)) {
    each_kind(m, |kind| {
        if let Kind::Call { fence, times, needs, keep, .. } = kind {
            change(&mut Call { fence, times, needs, keep });
        }
    });
}
