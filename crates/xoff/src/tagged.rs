//! Tables that name their kind: `{ kind = "red", minimum = ... }` becomes the variant `Red` with its own keys.

/// Declares an enum that is read from a table whose tag key names the variant.
#[macro_export]
#[doc(hidden)]
macro_rules! tagged {
    ($(#[$doc:meta])* pub enum $enum:ident by $tag:literal {
        $($(#[$variant_doc:meta])* $spelling:ident => $name:ident($settings:ty),)*
    }) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, serde::Deserialize, serde::Serialize, schemars::JsonSchema)]
        #[serde(tag = $tag, rename_all = "snake_case")]
        #[allow(missing_docs)]
        pub enum $enum { $($(#[$variant_doc])* $name($settings),)* }

        impl $enum {
            /// The spellings of the tag, in the order of the list.
            pub const NAMES: &[&str] = &[$(stringify!($spelling)),*];
        }
    };
}
