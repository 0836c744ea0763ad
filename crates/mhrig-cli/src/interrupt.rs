//! Ctrl-C asks the running job to stop; a second one ends the program at once.

use std::sync::atomic::{AtomicBool, Ordering};

use mhrig::Cancel;

/// The cancel flag that Ctrl-C raises from now on.
pub(crate) fn cancel_on_ctrl_c() -> Cancel {
    let cancel = Cancel::default();
    let raised = cancel.clone();
    let again = AtomicBool::new(false);
    let handler = move || {
        if again.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
        raised.cancel();
    };
    // Without a handler Ctrl-C still ends the program; outputs are moved into place whole in any case.
    let _ = ctrlc::set_handler(handler);
    cancel
}
