//! Anything at all, the format found by content; gzip too.
#![no_main]

use bayplan_formats::read;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| bayplan_fuzz::readable(read(bytes, &bayplan_fuzz::bounded())));
