macro_rules! id {
    ($(#[$doc:meta])* $name:ident($int:ty)) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
        pub struct $name(pub $int);

        impl $name {
            /// The number as an index into a slice.
            pub const fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}

id!(
    /// Number of a joint within one skeleton.
    JointId(u16)
);
id!(
    /// Number of a vertex within one mesh.
    VertexId(u32)
);
id!(
    /// Level of detail, 0 = most detailed.
    LodId(u16)
);
