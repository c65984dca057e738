//! Dense ids: positions in the arrays of a problem.

macro_rules! id {
    ($(#[$doc:meta] $name:ident),* $(,)?) => {$(
        #[$doc]
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
        pub struct $name(pub u32);

        impl $name {
            /// The id as a position in an array.
            pub const fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl From<usize> for $name {
            /// Positions come from arrays whose length was checked to fit 32 bits.
            fn from(index: usize) -> Self {
                Self(u32::try_from(index).expect("more than 2^32 objects"))
            }
        }
    )*};
}

id! {
    /// A service: homogeneous replicas.
    ServiceId,
    /// A node. In a plan, ids from the number of existing nodes on are new nodes.
    NodeId,
    /// A pool: nodes of one kind.
    PoolId,
    /// A resource, such as CPU or memory.
    ResourceId,
    /// An application whose load can be divided.
    ApplicationId,
    /// A timed request.
    RequestId,
}
