/** What each quality flag says, in a line for a supplement. */

const MEANINGS: Readonly<Record<string, string>> = {
  KOFF_BELOW_LIMIT:
    'less dissociated within the window than 5 %, or than drift and noise allow to tell: koff and KD are upper limits',
  KON_ABOVE_LIMIT: 'association is faster than the assay resolves: kon is a lower, KD an upper limit',
  MASS_TRANSPORT: 'the analyte does not reach the surface fast enough: kon and koff are lower limits',
  HETEROGENEOUS_LIGAND: 'two kinds of site; KD is that of the larger part',
  BIVALENT_ANALYTE: 'the analyte binds with two sites; KD is that of the first',
  MODEL_IN_DOUBT: 'the model is too simple for the curves: KD is an estimate',
  MODEL_EXTENDED: 'a drift or a refractive-index step was fitted beside 1:1 binding',
  TOP_C_BELOW_KD: 'every concentration is below KD: the value rests on extrapolation',
  NO_PLATEAU: 'no curve bends towards a plateau: the value rests on extrapolation',
  WINDOW_DEPENDENT: 'early and late dissociation disagree: the model is too simple',
  POORLY_IDENTIFIED: 'the curves leave KD open by a factor of four or more',
  POOR_FIT: 'the curve is not that of the model',
  AUTOCORRELATED_RESIDUALS: 'the residuals are correlated; intervals are widened for it',
  TIME_ZERO_OFFSET: 'the injection seems to start or end at another time than stated, and KD depends on it',
  DRIFT: 'the baseline moves by more than 5 % of Rmax',
  LOW_SIGNAL: 'little signal above the noise',
  LOADING_LOW: 'little protein on the sensor',
  NOT_LOADED: 'no protein on the sensor',
  NSB: 'the empty reference sensor responds too',
  NO_REFERENCE: 'there was no reference sensor: non-specific binding was not subtracted',
  FEW_NEGATIVE_CONTROLS: 'the plate has few negative controls for its threshold',
  BELOW_THEORETICAL_RMAX: 'the response is below a tenth of what the surface could bind',
  STEPS_UNUSABLE: 'traces that lack a step or a reference were left out',
  REPLICATES_SPLIT: 'sensors numbered as one replicate repeat concentrations; they were taken as several',
  CONCENTRATIONS_DIFFER: 'measured at other concentrations than ordered',
  TECHNIQUE_DIFFERS: 'measured by another technique than ordered',
  REPLICATES_DISAGREE: 'replicates differ by more than the assay allows',
  MIXED_RELATIONS: 'some replicates only bound the value; the mean is an estimate',
  UNITS_DIFFER: 'the signals of the replicates are in different units: no common Rmax',
  TOO_FEW_CURVES: 'KD rests on one concentration',
  SPIKE: 'curves with spikes were left out',
  SATURATED: 'the detector had no more to give',
  NON_MONOTONIC_DOSE: 'a higher concentration gave a lower response',
  NO_DOSE_RESPONSE: 'the response does not follow the concentration, and no kinetics are seen',
  CONTROL_FAILED: 'the control of the plate is off',
  NO_TRANSITION: 'no transition within the range of temperatures',
  SEVERAL_TRANSITIONS: 'more than one transition; Tm is the lowest',
  TM_UNCERTAIN: 'the curve hardly settles Tm',
  TM_METHODS_DISAGREE: 'fit and derivative give different Tm',
  AGGREGATES_EARLY: 'aggregation begins before unfolding: Tm is apparent',
  BLANK_MELTS: 'the buffer alone shows a transition',
  STANDARD_CURVE_FAILED: 'the standards of the plate do not allow a yield',
  FEW_STANDARDS: 'few standards count on this plate',
  NO_DNA_CONTROL_MISSING: 'the plate has no control without DNA',
  BACKGROUND_HIGH: 'the control without DNA gives a signal of its own',
  ABOVE_ULOQ: 'above the upper limit of quantification',
  BELOW_LLOQ: 'below the lower limit of quantification',
  BELOW_DETECTION: 'not told from the blanks',
  A280_BLIND: 'no tryptophan and no tyrosine: 280 nm says nothing',
  LOW_Z_PRIME: 'the plate separates its controls badly (Z′ below 0.5)',
  BLANK_MISSING: 'the plate lacks blanks',
  ROW_EFFECT: 'values depend on the row of the plate',
  COLUMN_EFFECT: 'values depend on the column of the plate',
  EDGE_EFFECT: 'wells at the edge of the plate differ',
  FEW_REFERENCES: 'the plate has a single reference well: normalised intensities have no interval',
  READS_DIFFER:
    'plates were read at different wavelengths or gains; only normalised intensities are combined',
};

/** Those among `flags` that are known, with what they mean. */
export function meaningsOf(flags: Iterable<string>): (readonly [flag: string, meaning: string])[] {
  return [...new Set(flags)].sort().flatMap((flag) => {
    const meaning = MEANINGS[flag];
    return meaning === undefined ? [] : [[flag, meaning] as const];
  });
}
