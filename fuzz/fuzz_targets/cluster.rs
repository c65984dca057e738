//! Importer `cluster`: an error, or a problem that is written and read back.
#![no_main]

use bayplan_formats::Format;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| bayplan_fuzz::importer(bytes, Format::Cluster));
