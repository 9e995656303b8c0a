/**
 * Quality flags that are reported with a value. Codes are stable; the messages are written for the reader of a
 * report.
 * This folder: flags. Not here: values.
 */

/** Every flag; `docs/guide/results.md` explains each. */
export const FLAG_CODES = [
  'LOW_SIGNAL',
  'TOP_C_BELOW_KD',
  'DOSES_ABOVE_KD',
  'NO_PLATEAU',
  'KOFF_BELOW_LIMIT',
  'KON_ABOVE_LIMIT',
  'MASS_TRANSPORT',
  'HETEROGENEOUS_LIGAND',
  'BIVALENT_ANALYTE',
  'MODEL_EXTENDED',
  'DRIFT_FITTED',
  'MODEL_IN_DOUBT',
  'OTHER_MECHANISM',
  'POOR_FIT',
  'POORLY_IDENTIFIED',
  'WINDOW_DEPENDENT',
  'AUTOCORRELATED_RESIDUALS',
  'TIME_ZERO_OFFSET',
  'NSB',
  'LOADING_LOW',
  'NOT_LOADED',
  'DRIFT',
  'SLOPE_NOT_DRIFT',
  'RMAX_DIFFERS',
  'REGENERATION_INCOMPLETE',
  'DOSE_INFLUENTIAL',
  'SPIKE',
  'SATURATED',
  'NON_MONOTONIC_DOSE',
  'NO_DOSE_RESPONSE',
  'BINDING_NOT_EXCLUDED',
  'BULK_STEP',
  'BASELINE_JUMP',
  'TOO_FEW_CURVES',
  'STEPS_UNUSABLE',
  'NO_REFERENCE',
  'REPLICATES_DISAGREE',
  'REPLICATES_SPLIT',
  'MIXED_RELATIONS',
  'UNITS_DIFFER',
  'FEW_NEGATIVE_CONTROLS',
  'BELOW_THEORETICAL_RMAX',
  'NO_TRANSITION',
  'SEVERAL_TRANSITIONS',
  'TM_METHODS_DISAGREE',
  'TM_UNCERTAIN',
  'AGGREGATES_EARLY',
  'BLANK_MELTS',
  'STANDARD_CURVE_FAILED',
  'FEW_STANDARDS',
  'STANDARD_LEFT_OUT',
  'BLANK_LEFT_OUT',
  'BELOW_LLOQ',
  'ABOVE_ULOQ',
  'BACKGROUND_HIGH',
  'NO_DNA_CONTROL_MISSING',
  'A280_BLIND',
  'BELOW_DETECTION',
  'BLANK_MISSING',
  'FEW_REFERENCES',
  'LOW_Z_PRIME',
  'ROW_EFFECT',
  'COLUMN_EFFECT',
  'EDGE_EFFECT',
  'LAYOUT_BLIND',
  'READS_DIFFER',
  'CONCENTRATIONS_DIFFER',
  'TECHNIQUE_DIFFERS',
  'CONTROL_FAILED',
  'CONTROL_MISSING',
  'CONTROL_VALUE_UNKNOWN',
  'SETTINGS_CHANGED',
  'REPLICATES_MISSING',
  'CURVES_MISSING',
] as const;

export type FlagCode = (typeof FLAG_CODES)[number];

export type FlagSeverity = 'info' | 'warning' | 'error';

export interface Flag {
  code: FlagCode;
  severity: FlagSeverity;
  message: string;
  /** The number that the rule checked and its limit, where there is one. */
  value: number | null;
  limit: number | null;
}

/** `numbers` are the measured value and the limit it was compared with. */
export function createFlag(
  code: FlagCode,
  severity: FlagSeverity,
  message: string,
  numbers: { value?: number; limit?: number } = {},
): Flag {
  return { code, severity, message, value: toFinite(numbers.value), limit: toFinite(numbers.limit) };
}

function toFinite(value: number | undefined): number | null {
  return value !== undefined && Number.isFinite(value) ? value : null;
}

export function hasFlag(flags: readonly Flag[], code: FlagCode): boolean {
  return flags.some((each) => each.code === code);
}

/** Returns one flag per code, keeping the first. */
export function removeDuplicateFlags(flags: readonly Flag[]): Flag[] {
  const seen = new Set<FlagCode>();
  return flags.filter((each) => {
    if (seen.has(each.code)) return false;
    seen.add(each.code);
    return true;
  });
}
