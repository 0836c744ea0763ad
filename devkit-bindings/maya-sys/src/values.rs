//! Numbers of enumerations. The checked-in ones are compared with the headers in use by `static_assert`s in the shim
//! (`mhrig-maya/cpp/syntax.cpp`), whichever headers those are.

#[cfg(feature = "bindgen")]
#[allow(non_upper_case_globals, unreachable_pub, dead_code, missing_docs, reason = "generated")]
mod generated {
    include!(concat!(env!("OUT_DIR"), "/values.rs"));
}

macro_rules! values {
    ($($(#[$doc:meta])* $name:ident = $value:literal, $header:ident;)*) => {
        $(
            $(#[$doc])*
            #[cfg(not(feature = "bindgen"))]
            pub const $name: i32 = $value;
            $(#[$doc])*
            #[cfg(feature = "bindgen")]
            pub const $name: i32 = super::generated::$header;
        )*

        /// Number in use, number checked in.
        #[cfg(test)]
        pub(super) const PAIRS: &[(&str, i32, i32)] = &[$((stringify!($name), $name, $value)),*];
    };
}

/// Types of flag arguments (`MSyntax::MArgType`).
pub mod argument {
    values! {
        /// A flag without argument.
        NONE = 1, MSyntax_MArgType_kNoArg;
        /// `on`, `off`, `true`, `false`, `1`, `0`.
        BOOLEAN = 2, MSyntax_MArgType_kBoolean;
        /// A whole number.
        LONG = 3, MSyntax_MArgType_kLong;
        /// A number.
        DOUBLE = 4, MSyntax_MArgType_kDouble;
        /// A text.
        STRING = 5, MSyntax_MArgType_kString;
    }
}

/// What a command takes besides its flags (`MSyntax::MObjectFormat`).
pub mod object_format {
    values! {
        /// Nothing.
        NONE = 1, MSyntax_MObjectFormat_kNone;
        /// Texts that the command makes sense of by itself.
        STRINGS = 2, MSyntax_MObjectFormat_kStringObjects;
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn headers_and_checked_in_numbers_agree() {
        for (name, in_use, checked_in) in super::argument::PAIRS.iter().chain(super::object_format::PAIRS) {
            assert_eq!(in_use, checked_in, "{name}");
        }
    }
}
