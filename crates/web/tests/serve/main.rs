//! The server over a real socket.

mod answers;
mod bounds;
mod client;
mod hostile;
mod load;
mod openapi;
mod security;
