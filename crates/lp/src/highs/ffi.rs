//! The HiGHS C interface behind safe methods. All `unsafe` of the workspace is here.
//!
//! HiGHS checks indices and numbers itself and answers with an error, which is
//! a panic here: [`crate::Model`] has checked them before.
#![allow(unsafe_code)]

use crate::Options;
use highs_sys::*;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr::{NonNull, null, null_mut};

/// An owned HiGHS instance.
#[derive(Debug)]
pub(super) struct Highs(NonNull<c_void>);

// SAFETY: an instance has no ties to the thread that made it. What HiGHS keeps
// per thread (its scheduler) it sets up again in each run.
unsafe impl Send for Highs {}

impl Drop for Highs {
    fn drop(&mut self) {
        // SAFETY: made by `Highs_create`, and never used again.
        unsafe { Highs_destroy(self.0.as_ptr()) }
    }
}

/// Values and duals of columns and rows, in the order of the C interface.
#[derive(Default)]
pub(super) struct RawSolution {
    pub col_values: Vec<f64>,
    pub col_duals: Vec<f64>,
    pub row_duals: Vec<f64>,
}

/// The basis status of columns and rows.
#[derive(Debug, Default)]
pub(super) struct Basis {
    pub cols: Vec<HighsInt>,
    pub rows: Vec<HighsInt>,
}

/// What the callback watches while HiGHS runs.
struct Watch<'a> {
    options: &'a Options,
    /// HiGHS limits the iterations of linear programs itself, not of integer ones.
    lp_iterations: i64,
}

/// Panics unless HiGHS accepted a call; a warning (as for tiny entries) is acceptance.
fn accepted(status: HighsInt) {
    assert_ne!(status, STATUS_ERROR, "HiGHS refused a change to the model");
}

/// A length or index as HiGHS wants it.
pub(super) fn int(n: usize) -> HighsInt {
    HighsInt::try_from(n).expect("HiGHS counts in 32 bits")
}

impl Highs {
    pub(super) fn new() -> Self {
        // SAFETY: no preconditions.
        Self(NonNull::new(unsafe { Highs_create() }).expect("HiGHS instance"))
    }

    pub(super) fn maximise(&mut self) {
        // SAFETY: live instance.
        accepted(unsafe { Highs_changeObjectiveSense(self.0.as_ptr(), OBJECTIVE_SENSE_MAXIMIZE) });
    }

    pub(super) fn add_row(
        &mut self,
        (lower, upper): (f64, f64),
        index: &[HighsInt],
        value: &[f64],
    ) {
        assert_eq!(index.len(), value.len());
        let n = int(index.len());
        let (at, values) = (index.as_ptr(), value.as_ptr());
        // SAFETY: live instance; both arrays hold `n` elements and are only read.
        accepted(unsafe { Highs_addRow(self.0.as_ptr(), lower, upper, n, at, values) });
    }

    pub(super) fn add_col(
        &mut self,
        cost: f64,
        (lower, upper): (f64, f64),
        index: &[HighsInt],
        value: &[f64],
    ) {
        assert_eq!(index.len(), value.len());
        let n = int(index.len());
        let (at, values) = (index.as_ptr(), value.as_ptr());
        // SAFETY: live instance; both arrays hold `n` elements and are only read.
        accepted(unsafe { Highs_addCol(self.0.as_ptr(), cost, lower, upper, n, at, values) });
    }

    pub(super) fn set_cost(&mut self, col: HighsInt, cost: f64) {
        // SAFETY: live instance; HiGHS checks the index.
        accepted(unsafe { Highs_changeColCost(self.0.as_ptr(), col, cost) });
    }

    pub(super) fn set_bounds(&mut self, col: HighsInt, (lower, upper): (f64, f64)) {
        // SAFETY: live instance; HiGHS checks the index.
        accepted(unsafe { Highs_changeColBounds(self.0.as_ptr(), col, lower, upper) });
    }

    pub(super) fn set_row_bounds(&mut self, row: HighsInt, (lower, upper): (f64, f64)) {
        // SAFETY: live instance; HiGHS checks the index.
        accepted(unsafe { Highs_changeRowBounds(self.0.as_ptr(), row, lower, upper) });
    }

    pub(super) fn set_kinds(&mut self, cols: &[HighsInt], kinds: &[HighsInt]) {
        assert_eq!(cols.len(), kinds.len());
        let n = int(cols.len());
        let (set, kinds) = (cols.as_ptr(), kinds.as_ptr());
        // SAFETY: live instance; both arrays hold `n` elements and are only read.
        accepted(unsafe { Highs_changeColsIntegralityBySet(self.0.as_ptr(), n, set, kinds) });
    }

    pub(super) fn set_start(&mut self, values: &[f64]) {
        assert_eq!(values.len(), self.num_cols());
        let values = values.as_ptr();
        // SAFETY: live instance; one value per column, only read; null is "not given".
        accepted(unsafe { Highs_setSolution(self.0.as_ptr(), values, null(), null(), null()) });
    }

    pub(super) fn num_cols(&self) -> usize {
        // SAFETY: live instance.
        unsafe { Highs_getNumCol(self.0.as_ptr()) as usize }
    }

    pub(super) fn num_rows(&self) -> usize {
        // SAFETY: live instance.
        unsafe { Highs_getNumRow(self.0.as_ptr()) as usize }
    }

    pub(super) fn set_bool(&mut self, option: &CStr, value: bool) {
        // SAFETY: live instance; the name ends in a zero byte.
        accepted(unsafe {
            Highs_setBoolOptionValue(self.0.as_ptr(), option.as_ptr(), value.into())
        });
    }

    pub(super) fn set_int(&mut self, option: &CStr, value: HighsInt) {
        // SAFETY: live instance; the name ends in a zero byte.
        accepted(unsafe { Highs_setIntOptionValue(self.0.as_ptr(), option.as_ptr(), value) });
    }

    pub(super) fn set_float(&mut self, option: &CStr, value: f64) {
        // SAFETY: live instance; the name ends in a zero byte.
        accepted(unsafe { Highs_setDoubleOptionValue(self.0.as_ptr(), option.as_ptr(), value) });
    }

    pub(super) fn set_text(&mut self, option: &CStr, value: &CStr) {
        let (option, value) = (option.as_ptr(), value.as_ptr());
        // SAFETY: live instance; both texts end in a zero byte.
        accepted(unsafe { Highs_setStringOptionValue(self.0.as_ptr(), option, value) });
    }

    pub(super) fn int_info(&self, name: &CStr) -> HighsInt {
        let mut value = 0;
        // SAFETY: live instance; the name ends in a zero byte; `value` is ours to write.
        accepted(unsafe { Highs_getIntInfoValue(self.0.as_ptr(), name.as_ptr(), &mut value) });
        value
    }

    pub(super) fn int64_info(&self, name: &CStr) -> i64 {
        let mut value = 0;
        // SAFETY: live instance; the name ends in a zero byte; `value` is ours to write.
        accepted(unsafe { Highs_getInt64InfoValue(self.0.as_ptr(), name.as_ptr(), &mut value) });
        value
    }

    pub(super) fn float_info(&self, name: &CStr) -> f64 {
        let mut value = 0.0;
        // SAFETY: live instance; the name ends in a zero byte; `value` is ours to write.
        accepted(unsafe { Highs_getDoubleInfoValue(self.0.as_ptr(), name.as_ptr(), &mut value) });
        value
    }

    pub(super) fn solution(&self) -> RawSolution {
        let (cols, rows) = (self.num_cols(), self.num_rows());
        let (mut col_values, mut col_duals) = (vec![0.0; cols], vec![0.0; cols]);
        let (mut row_values, mut row_duals) = (vec![0.0; rows], vec![0.0; rows]);
        // SAFETY: live instance; each array has the length HiGHS writes at most.
        accepted(unsafe {
            Highs_getSolution(
                self.0.as_ptr(),
                col_values.as_mut_ptr(),
                col_duals.as_mut_ptr(),
                row_values.as_mut_ptr(),
                row_duals.as_mut_ptr(),
            )
        });
        RawSolution {
            col_values,
            col_duals,
            row_duals,
        }
    }

    /// The basis of the last linear program, if it is still valid.
    pub(super) fn basis(&self) -> Option<Basis> {
        if self.int_info(c"basis_validity") != kHighsBasisValidityValid {
            return None;
        }
        let mut basis = Basis {
            cols: vec![0; self.num_cols()],
            rows: vec![0; self.num_rows()],
        };
        let (cols, rows) = (basis.cols.as_mut_ptr(), basis.rows.as_mut_ptr());
        // SAFETY: live instance; each array has the length HiGHS writes.
        accepted(unsafe { Highs_getBasis(self.0.as_ptr(), cols, rows) });
        Some(basis)
    }

    /// Puts a basis back; one that no longer fits is ignored.
    pub(super) fn set_basis(&mut self, basis: &Basis) {
        assert_eq!(
            (basis.cols.len(), basis.rows.len()),
            (self.num_cols(), self.num_rows())
        );
        let (cols, rows) = (basis.cols.as_ptr(), basis.rows.as_ptr());
        // SAFETY: live instance; one status per column and row, only read.
        unsafe { Highs_setBasis(self.0.as_ptr(), cols, rows) };
    }

    /// Forgets basis, factors and solution, and keeps the model.
    pub(super) fn forget(&mut self) {
        // SAFETY: live instance.
        accepted(unsafe { Highs_clearSolver(self.0.as_ptr()) });
    }

    /// Solves, watching the stop flag and, for integer programs, the iterations.
    /// Returns the model status; a failed run has one too.
    pub(super) fn run(&mut self, options: &Options, lp_iterations: i64) -> HighsInt {
        let highs = self.0.as_ptr();
        let watch = Watch {
            options,
            lp_iterations,
        };
        let data = (&raw const watch).cast_mut().cast::<c_void>();
        // SAFETY: live instance. The callback only reads `watch`, which outlives
        // the run; afterwards the callback is replaced by none.
        unsafe {
            // Time limits count from the first run of an instance unless reset.
            accepted(Highs_zeroAllClocks(highs));
            if options.stop.is_some() || lp_iterations < i64::MAX {
                accepted(Highs_setCallback(highs, Some(interrupt), data));
                accepted(Highs_startCallback(highs, kHighsCallbackSimplexInterrupt));
                accepted(Highs_startCallback(highs, kHighsCallbackMipInterrupt));
            }
            Highs_run(highs);
            accepted(Highs_setCallback(highs, None, null_mut()));
            Highs_getModelStatus(highs)
        }
    }
}

/// Tells a running HiGHS to stop.
unsafe extern "C" fn interrupt(
    _kind: c_int,
    _message: *const c_char,
    out: *const HighsCallbackDataOut,
    answer: *mut HighsCallbackDataIn,
    data: *mut c_void,
) {
    // SAFETY: HiGHS passes valid structures for the length of the call, and
    // `data` is the `Watch` that `run` registered and keeps alive.
    unsafe {
        let watch = &*data.cast_const().cast::<Watch<'_>>();
        let spent = (*out).mip_total_lp_iterations >= watch.lp_iterations;
        if spent || watch.options.stop_requested() {
            (*answer).user_interrupt = 1;
        }
    }
}
