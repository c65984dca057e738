//! Limits in the Tianchi form, beside a base table.
#![no_main]

use bayplan_formats::{ReadOptions, read};
use libfuzzer_sys::fuzz_target;

const BASE: &[u8] = b"app_id\tnb_instances\tcore\tmemory\n1\t2\t1\t1\n2\t2\t1\t1\napp_3\t1\t1\t1\n";

fuzz_target!(|bytes: &[u8]| {
    let options = ReadOptions { limits: Some(bytes.to_vec()), ..bayplan_fuzz::bounded() };
    bayplan_fuzz::readable(read(BASE, &options));
});
