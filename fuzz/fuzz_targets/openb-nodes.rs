//! The node list of the openb trace, beside a pod.
#![no_main]

use bayplan_formats::{ReadOptions, read};
use libfuzzer_sys::fuzz_target;

const PODS: &[u8] = b"name,cpu_milli,memory_mib,creation_time,deletion_time\np,1,1,0,1\n";

fuzz_target!(|bytes: &[u8]| {
    let options = ReadOptions { nodes: Some(bytes.to_vec()), ..bayplan_fuzz::bounded() };
    bayplan_fuzz::readable(read(PODS, &options));
});
