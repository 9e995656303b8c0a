/** The meaning of each quality flag, in one line for a supplement, with the limits of the settings. */
import { isRecord } from '#core/records.ts';

const MEANINGS: Readonly<Record<string, string>> = {
  KON_ABOVE_LIMIT: 'association is faster than the assay resolves: kon is a lower, KD an upper limit',
  MASS_TRANSPORT: 'the analyte does not reach the surface fast enough: kon and koff are lower limits',
  HETEROGENEOUS_LIGAND: 'two kinds of site; KD is that of the larger fraction',
  BIVALENT_ANALYTE: 'the analyte binds with two sites; KD is that of the first',
  MODEL_IN_DOUBT:
    'the model is too simple for the curves: KD is an estimate, and the candidates stand side by side',
  OTHER_MECHANISM:
    'another mechanism that the curves do not exclude would move KD by more than 30 %; the interval contains it',
  MODEL_EXTENDED: 'a refractive-index step was fitted in addition to 1:1 binding, on very strong evidence',
  DRIFT_FITTED:
    'a drift that neither blanks nor references show was fitted in addition to 1:1 binding, on very strong evidence',
  TOP_C_BELOW_KD: 'every concentration is below KD: the value is extrapolated',
  NO_PLATEAU: 'no curve approaches saturation: the value is extrapolated',
  WINDOW_DEPENDENT:
    'early and late dissociation disagree: the model is too simple, and KD depends on the window',
  POORLY_IDENTIFIED: 'the data determine the value only within a factor of two or more',
  POOR_FIT: 'the model does not describe the curve',
  AUTOCORRELATED_RESIDUALS: 'the residuals are correlated; the intervals are widened to account for it',
  TIME_ZERO_OFFSET:
    'the injection starts or ends at another time than stated: the times found were used, or KD is an estimate',
  SLOPE_NOT_DRIFT: 'the curves ask for slopes that are no drift of the sensors; none was fitted',
  DOSE_INFLUENTIAL:
    'one curve alone moves KD by more than 30 % and more than the errors explain: KD is an estimate, or its limit is that without the curve',
  REGENERATION_INCOMPLETE: 'complex of the cycle before was left on the surface: it was part of the fit',
  RMAX_DIFFERS: 'the cycles on one surface have different Rmax: each was fitted with its own',
  LOW_SIGNAL: 'little signal above the noise',
  LOADING_LOW: 'little protein on the sensor',
  NOT_LOADED: 'no protein on the sensor',
  NSB: 'the empty reference sensor responds too',
  NO_REFERENCE: 'there was no reference sensor: non-specific binding was not subtracted',
  FEW_NEGATIVE_CONTROLS: 'the plate has few negative controls for its threshold',
  BELOW_THEORETICAL_RMAX: 'the response is below a tenth of the theoretical Rmax',
  STEPS_UNUSABLE: 'traces that lack a step or a reference were left out',
  REPLICATES_SPLIT: 'sensors numbered as one replicate repeat concentrations; they were treated as several',
  CONCENTRATIONS_DIFFER: 'measured at other concentrations than ordered',
  TECHNIQUE_DIFFERS: 'measured by another technique than ordered',
  REPLICATES_DISAGREE: 'replicates differ by more than the assay allows',
  MIXED_RELATIONS:
    'some replicates give only a limit: the bound that all allow is stated, or the mean as an estimate',
  UNITS_DIFFER: 'the signals of the replicates are in different units: no common Rmax',
  TOO_FEW_CURVES: 'KD rests on one concentration',
  SPIKE: 'curves with spikes were left out',
  SATURATED: 'the signal reached a limit of the sensor or the detector',
  NON_MONOTONIC_DOSE: 'a higher concentration gave a lower response',
  DOSES_ABOVE_KD: 'every concentration is more than ten times KD: all saturate the surface',
  BINDING_NOT_EXCLUDED: 'there is no response, but the run would not have shown one',
  BULK_STEP: 'the signals come and go with the injection and do not saturate, as the refractive index does',
  BASELINE_JUMP: 'the signal jumps within a second; without the jump there is no response',
  NO_DOSE_RESPONSE: 'the response does not depend on the concentration, and no kinetics are visible',
  CONTROL_FAILED:
    'a control of the plate failed: measure its results on another plate before you rely on them',
  CONTROL_MISSING: 'the plate has no positive control, or a control of it was left out',
  CONTROL_VALUE_UNKNOWN:
    'the KD of the positive control is not known, or its curves give none: only its binding was checked',
  SETTINGS_CHANGED: 'the analysis had other settings than usual, which its message names',
  REPLICATES_MISSING: 'fewer replicates were measured than were ordered',
  CURVES_MISSING: 'fewer curves were measured than were planned',
  NO_TRANSITION: 'no transition within the range of temperatures that gives a Tm',
  SEVERAL_TRANSITIONS: 'more than one transition; Tm is the lowest',
  TM_UNCERTAIN: 'the curve determines Tm poorly',
  TM_METHODS_DISAGREE: 'fit and derivative give different Tm',
  AGGREGATES_EARLY: 'aggregation begins before unfolding: Tm is apparent',
  BLANK_MELTS: 'the buffer alone shows a transition',
  STANDARD_CURVE_FAILED: 'the standards of the plate do not allow a yield',
  FEW_STANDARDS: 'few standards of this plate are usable',
  STANDARD_LEFT_OUT: 'a standard that does not lie on the curve of the others was left out',
  BLANK_LEFT_OUT: 'a blank that lies far from the others was left out',
  NO_DNA_CONTROL_MISSING: 'the plate has no control without DNA',
  BACKGROUND_HIGH: 'the control without DNA has a high signal',
  ABOVE_ULOQ: 'above the upper limit of quantification',
  BELOW_LLOQ: 'below the lower limit of quantification',
  BELOW_DETECTION: 'not distinguishable from the blanks',
  A280_BLIND: 'no tryptophan and no tyrosine: absorbance at 280 nm cannot measure the protein',
  BLANK_MISSING: 'the plate lacks blanks',
  ROW_EFFECT: 'values depend on the row of the plate',
  COLUMN_EFFECT: 'values depend on the column of the plate',
  EDGE_EFFECT: 'wells at the edge of the plate differ',
  LAYOUT_BLIND: 'the layout cannot tell an effect of the plate from the sample; the interval covers one',
  FEW_REFERENCES: 'the plate has a single reference well: normalized intensities have no interval',
  READS_DIFFER:
    'plates were read at different wavelengths or gains; only normalized intensities are combined',
};

type Settings = Readonly<Record<string, unknown>>;

/** Meanings with a limit of the settings; without a record of it the limit is not named. */
const LIMITED: Readonly<Record<string, (settings: Settings) => string>> = {
  KOFF_BELOW_LIMIT: (settings) =>
    `${describePercent('less than ', readLimit(settings, 'dissociated_fraction_min'), '', 'too little')} dissociated within the window, or too little to measure above drift and noise: koff and KD are upper limits`,
  DRIFT: (settings) =>
    `the baseline moves by ${describePercent('more than ', readLimit(settings, 'drift_fraction_max'), ' of Rmax', 'a large part of Rmax')}, or a drift of the sensor may explain the response or hide one`,
  LOW_Z_PRIME: ({ z_prime_min: least }) =>
    `the plate separates its controls poorly${typeof least === 'number' ? ` (Z′ below ${least})` : ''}`,
};

function readLimit({ limits }: Settings, name: string): number | undefined {
  const value = isRecord(limits) ? limits[name] : undefined;
  return typeof value === 'number' ? value : undefined;
}

function describePercent(
  before: string,
  fraction: number | undefined,
  after: string,
  without: string,
): string {
  return fraction === undefined ? without : `${before}${Number((100 * fraction).toPrecision(3))} %${after}`;
}

/** Returns the known ones of `flags` with their meanings. */
export function findMeanings(
  flags: Iterable<string>,
  settings: Settings,
): (readonly [flag: string, meaning: string])[] {
  return [...new Set(flags)].sort().flatMap((flag) => {
    const meaning = LIMITED[flag]?.(settings) ?? MEANINGS[flag];
    return meaning === undefined ? [] : [[flag, meaning] as const];
  });
}
