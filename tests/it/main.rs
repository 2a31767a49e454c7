//! Sentences about behaviour, in one binary: through real HTTP, on a real store on disk, with the real command line.

mod house;
mod quota;
