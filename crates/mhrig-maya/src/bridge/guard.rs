use std::cell::RefCell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

use super::host::{Host, Level};
use crate::messages;

thread_local! {
    /// Where the panic that is being handled began.
    static PLACE: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// What a function of the border did.
pub(crate) const DONE: i32 = 0;
/// It failed and has said why.
pub(crate) const FAILED: i32 = 1;

/// Keeps panics from being printed, and their places for the message. The hook belongs to this library's own copy of
/// the runtime.
pub(crate) fn install_hook() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        panic::set_hook(Box::new(|info| {
            let place = info.location().map(|at| format!("{}:{}", at.file(), at.line()));
            PLACE.with(|slot| *slot.borrow_mut() = place);
        }));
    });
}

/// Runs what C++ called; a panic ends here, as a message that names `call`, and a failure.
pub(crate) fn guard(call: &str, host: &Host, work: impl FnOnce() -> i32) -> i32 {
    match panic::catch_unwind(AssertUnwindSafe(work)) {
        Ok(result) => result,
        Err(payload) => {
            let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
            let text = text.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_default();
            let place = PLACE.with(|slot| slot.borrow_mut().take());
            let place = place.map(|place| format!(" at {place}")).unwrap_or_default();
            host.display(Level::Error, &messages::internal(call, &format!("{text}{place}")));
            FAILED
        }
    }
}
