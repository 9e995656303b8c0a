/** Fits of replicates as the record of an affinity result has them. */

/** The fit of a replicate as the record has it; every second one drifts. */
export function createFitRow(index: number, kd: number): Readonly<Record<string, unknown>> {
  const [kon, koff] = [2e5, kd * 2e5];
  const around = (value: number) => ({ value, ci_low: value / 1.1, ci_high: value * 1.1 });
  return {
    kd,
    kd_relation: '=',
    kd_app: around(kd),
    kon,
    kon_relation: '=',
    kon_1to1: around(kon),
    koff,
    koff_relation: '=',
    koff_1to1: around(koff),
    rmax: 2.4,
    rmax_relation: '=',
    rmax_rule: 'local',
    chi2: 1.6e-5,
    model: index % 2 === 0 ? '1:1' : '1:1_drift',
    drift: index % 2 === 1,
    drift_per_s: index % 2 === 0 ? null : -3.1e-5,
    drift_source: index % 2 === 0 ? 'none' : 'baseline',
    reference_rule: index % 3 === 2 ? 'blank' : 'reference',
  };
}

/** Wide intervals, limits, and words as long as the record allows. */
export function createWideRow(index: number): Readonly<Record<string, unknown>> {
  const wide = (value: number) => ({ value, ci_low: value / 60, ci_high: value * 60 });
  return {
    ...createFitRow(index, 4.4e-7),
    kd_relation: '~',
    kd_app: wide(4.4e-7),
    kon_relation: '>',
    kon_1to1: wide(1e7),
    koff_relation: '<',
    koff_1to1: wide(1.7e-4),
    rmax_relation: '~',
    model: '1:1_bulk_shift',
    drift: true,
    drift_per_s: -3.1e-5,
    drift_source: 'baseline_and_reference',
  };
}

/** Replicates for which another model describes the curves far better. */
export const DOUBTED = {
  models: [1, 2, 3].map((replicate) => ({
    replicate,
    plate: 'P1',
    model: '1:1',
    candidates: [
      { model: '1:1', delta_bic: 0, kd_m: 9.1e-9, accepted: true, reason: null },
      { model: 'heterogeneous_ligand', delta_bic: -210, kd_m: 4.2e-9, accepted: false, reason: 'koff' },
      { model: 'mass_transport', delta_bic: -31, kd_m: 1.4e-7, accepted: false, reason: 'rates' },
      { model: 'bivalent_analyte', delta_bic: null, kd_m: null, accepted: false, reason: 'no fit' },
    ],
  })),
};
