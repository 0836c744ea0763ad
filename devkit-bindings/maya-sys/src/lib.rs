//! What a build of the plug-in has to know about Maya: which year, whose headers, and the numbers of the enumerations
//! that Rust names.
//!
//! Rust calls nothing of Maya's. Classes with virtual functions, destructors or overloads are the business of the C++
//! shim in `mhrig-maya`; what crosses to Rust are plain C types and these numbers.
#![forbid(unsafe_code)]

mod values;

pub use values::{argument, object_format};

/// The Maya year that the headers speak to.
pub const YEAR: &str = env!("MHRIG_MAYA_YEAR");

/// The C++ namespace of that year, the same for all its updates.
pub const NAMESPACE: &str = concat!("Autodesk::Maya::OpenMaya", env!("MHRIG_MAYA_YEAR"), "0000");

/// Whether the build takes its headers from a devkit; otherwise from `devkit-bindings/include`.
pub const FROM_DEVKIT: bool = matches!(env!("MHRIG_MAYA_DEVKIT").as_bytes(), b"1");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn namespace_is_that_of_the_year() {
        assert_eq!(NAMESPACE, format!("Autodesk::Maya::OpenMaya{YEAR}0000"));
        assert_eq!(YEAR.len(), 4);
    }
}
