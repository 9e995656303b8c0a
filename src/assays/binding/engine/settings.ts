/**
 * Settings of the binding assays. They are part of every result, because a KD means nothing without its windows and
 * rules.
 */
import { createSettingError, createUnknownSettingError } from '#analysis/assays/settings.ts';
import { assertAssignments } from './assignments.ts';
import type { TraceAssignment } from './assignments.ts';
import type { Technique } from '#analysis/curves/trace.ts';

export interface BindingSettings {
  /** `auto`: 1:1 unless the evidence for another model is very strong; see `kinetics/evidence.ts`. */
  model: 'auto' | '1:1' | 'mass_transport' | 'heterogeneous_ligand' | 'bivalent_analyte' | 'steady_state';
  /** The analyte has several binding sites (dimer, Fc fusion), so `auto` also considers the bivalent model. */
  bivalentAnalyte: boolean;
  /**
   * `measured`: all cycles use one surface, and the signal left in the baseline of a cycle is the start of the next;
   * `check`: so for SPR where the curves show it, else as `complete`.
   */
  regeneration: 'check' | 'complete' | 'measured';
  /** `auto`: one Rmax for SPR, one per sensor otherwise. */
  rmax: 'auto' | 'local' | 'global';
  /** Fit a refractive-index step during association. */
  bulkShift: boolean;
  /**
   * `held`: a linear drift per curve, held to what the sensors without analyte and the baselines of its plate show;
   * `free`: without that bound; `none`: no drift.
   */
  drift: 'held' | 'free' | 'none';
  /** Fit a constant per curve, for baselines too noisy for alignment. */
  offset: boolean;
  /** `auto`: the most complete rule that every curve of a replicate allows. */
  reference: 'auto' | 'none' | 'blank' | 'reference' | 'double';
  /**
   * Length of the baseline before association that is set to zero, in s, or its last 5 s if it slopes; 0 for data that
   * are already aligned.
   */
  baselineS: number;
  /** Length of the end of association whose mean is the response, in s. */
  responseS: number;
  /** Join dissociation to association. `auto`: for BLI with enough samples, unless dissociation is too fast. */
  interStep: 'auto' | 'on' | 'off';
  /** Time left out at the start of each step, in s; see `getTechniqueDefaults`. */
  trimAssociationS: number;
  trimDissociationS: number;
  /** Time left out before each start and end of an injection, in s. */
  trimBeforeS: number;
  /** Start of association on the trace's clock; only for files that do not state their steps. */
  associationStartS: number | null;
  /** Length of association used, in s; needed for files that do not state their steps. */
  associationS: number | null;
  /** Length of dissociation used, in s; all of it when null. */
  dissociationS: number | null;
  /** `mean_1hz`: means over seconds; `whole_seconds`: the samples at whole seconds; `none`: all samples. */
  thinning: 'mean_1hz' | 'whole_seconds' | 'none';
  /** `check`: nominal times, tested when residuals are correlated; `fitted`: fitted and used. */
  timeZero: 'fixed' | 'check' | 'fitted';
  timeZeroWindowS: number;
  /** By trace id, or `<plate>/<trace id>`. */
  assign: Record<string, TraceAssignment>;
  /** Expected KD in M of positive controls, by sample name. It overrides the value of the catalog. */
  controlKdM: Record<string, number>;
  /** Known KD in M of the positive control of the target, from the catalog; null where the catalog has none. */
  targetControlKdM: number | null;
  /** Molar masses in Da for the theoretical Rmax; screening only. */
  analyteMassDa: number | null;
  ligandMassDa: Record<string, number>;
  stoichiometry: number;
  /** Divide screening responses by loading. */
  normalizeToLoading: boolean;
  /** Keep processed curves in the result. */
  curves: boolean;
  limits: BindingLimits;
}

/** Thresholds of the quality rules. */
export interface BindingLimits {
  /** Response and Rmax below this multiple of the noise are no signal. */
  signalToNoise: number;
  rmaxToNoise: number;
  r2Min: number;
  rmsPctRmaxMax: number;
  durbinWatsonMin: number;
  koffWindowRatioMax: number;
  /** Fraction of the complex that must dissociate within the window for koff to be a value and not a limit. */
  dissociatedFractionMin: number;
  konMax: number;
  nsbFractionMax: number;
  /** Loading below this fraction of the median of the plate is low. */
  loadingLowFraction: number;
  /** Loading below this fraction of the positive control's loading is no expression. */
  loadingExpressedFraction: number;
  /** Signal at which the detector saturates, in its unit; unknown when null. */
  saturationSignal: number | null;
  /** Fraction of Rmax by which the baseline may drift over the measurement. */
  driftFractionMax: number;
  replicateLog10SdMax: number;
  /** log10 distance of a positive control from its known KD beyond which no result of its plate is firm. */
  controlLog10Max: number;
  /** A spike stands out by more than this many SD of the local scatter. */
  spikeSd: number;
  negativeControlsMin: number;
}

const DEFAULT_LIMITS: BindingLimits = {
  signalToNoise: 3,
  rmaxToNoise: 5,
  r2Min: 0.95,
  rmsPctRmaxMax: 5,
  durbinWatsonMin: 1,
  koffWindowRatioMax: 1.5,
  dissociatedFractionMin: 0.05,
  konMax: 1e7,
  nsbFractionMax: 0.2,
  loadingLowFraction: 0.3,
  loadingExpressedFraction: 0.1,
  saturationSignal: null,
  driftFractionMax: 0.05,
  replicateLog10SdMax: 0.3,
  controlLog10Max: 0.5,
  spikeSd: 12,
  negativeControlsMin: 8,
};

const DEFAULT_SETTINGS: BindingSettings = {
  model: 'auto',
  bivalentAnalyte: false,
  regeneration: 'check',
  rmax: 'auto',
  bulkShift: false,
  drift: 'held',
  offset: false,
  reference: 'auto',
  baselineS: 5,
  responseS: 5,
  interStep: 'auto',
  trimAssociationS: 0,
  trimDissociationS: 0,
  trimBeforeS: 0,
  associationStartS: null,
  associationS: null,
  dissociationS: null,
  thinning: 'mean_1hz',
  timeZero: 'check',
  timeZeroWindowS: 5,
  assign: {},
  controlKdM: {},
  targetControlKdM: null,
  analyteMassDa: null,
  ligandMassDa: {},
  stoichiometry: 1,
  normalizeToLoading: false,
  curves: true,
  limits: DEFAULT_LIMITS,
};

/**
 * What a technique changes. An SPR instrument switches valves at both ends of an injection; its flow cell resolves a
 * faster association than a dipped sensor does. Both are measured in `docs/decisions/spr-switches.md`.
 */
function getTechniqueDefaults(
  technique: Technique | null,
  hasKnownTimes: boolean,
): { settings: Partial<BindingSettings>; limits: Partial<BindingLimits> } {
  if (technique !== 'spr') return { settings: {}, limits: {} };
  return {
    settings: {
      // Where the times of the valves are not known, the samples around them are what shows the times.
      ...(hasKnownTimes ? { trimAssociationS: 2, trimDissociationS: 2, trimBeforeS: 1 } : {}),
      baselineS: 20,
    },
    limits: { konMax: 3e7 },
  };
}

export type BindingSettingsInput = Partial<Omit<BindingSettings, 'limits' | 'drift'>> & {
  /** `true` is short for `free`, `false` for `none`. */
  drift?: BindingSettings['drift'] | boolean;
  limits?: Partial<BindingLimits>;
};

const CHOICES: Partial<Record<keyof BindingSettings, readonly string[]>> = {
  model: ['auto', '1:1', 'mass_transport', 'heterogeneous_ligand', 'bivalent_analyte', 'steady_state'],
  regeneration: ['check', 'complete', 'measured'],
  rmax: ['auto', 'local', 'global'],
  drift: ['held', 'free', 'none'],
  reference: ['auto', 'none', 'blank', 'reference', 'double'],
  interStep: ['auto', 'on', 'off'],
  thinning: ['mean_1hz', 'whole_seconds', 'none'],
  timeZero: ['fixed', 'check', 'fitted'],
};

const SECONDS_MAX = 1e6;
const TIME_ZERO_WINDOW_MAX_S = 60;

/**
 * Merges the given settings into the defaults, those of the technique first; throws `settings_invalid` naming the first
 * wrong one.
 */
export function resolveSettings(
  input: BindingSettingsInput = {},
  technique: Technique | null = null,
): BindingSettings {
  const own = getTechniqueDefaults(technique, input.timeZero !== 'fitted');
  const settings: BindingSettings = {
    ...DEFAULT_SETTINGS,
    ...own.settings,
    ...input,
    drift: resolveDrift(input.drift),
    limits: { ...DEFAULT_LIMITS, ...own.limits, ...input.limits },
  };
  assertKnown(input, DEFAULT_SETTINGS, '');
  assertKnown(input.limits ?? {}, DEFAULT_LIMITS, 'limits.');
  for (const [key, value] of Object.entries(settings)) assertValue(key, value);
  assertAssignments(settings.assign);
  for (const [key, value] of Object.entries(settings.limits)) {
    if (value !== null && !(Number.isFinite(value) && value >= 0))
      throw createSettingError(`limits.${key}`, 'a number of 0 or more');
  }
  if (settings.timeZeroWindowS > TIME_ZERO_WINDOW_MAX_S) {
    throw createSettingError('timeZeroWindowS', `at most ${TIME_ZERO_WINDOW_MAX_S} s`);
  }
  return settings;
}

function resolveDrift(drift: BindingSettingsInput['drift']): BindingSettings['drift'] {
  if (typeof drift === 'boolean') return drift ? 'free' : 'none';
  return drift ?? DEFAULT_SETTINGS.drift;
}

function assertKnown(settings: object, known: object, prefix: string): void {
  for (const key of Object.keys(settings)) {
    if (!Object.hasOwn(known, key)) throw createUnknownSettingError(`${prefix}${key}`);
  }
}

function assertValue(key: string, value: unknown): void {
  const choices = Object.entries(CHOICES).find(([name]) => name === key)?.[1];
  if (choices !== undefined && !choices.some((choice) => choice === value))
    throw createSettingError(key, choices.join(', '));
  if (key === 'targetControlKdM' && value !== null && !(typeof value === 'number' && value > 0 && value < 1))
    throw createSettingError(key, 'a KD in M, above 0 and below 1, or null');
  const isLength = /(S|Da)$/.test(key) || key === 'stoichiometry';
  const fallback: unknown = Object.entries(DEFAULT_SETTINGS).find(([name]) => name === key)?.[1];
  if (typeof fallback === 'boolean' && typeof value !== 'boolean')
    throw createSettingError(key, 'true or false');
  if (typeof fallback === 'object' && fallback !== null && (typeof value !== 'object' || value === null)) {
    throw createSettingError(key, 'an object');
  }
  if (!isLength || (typeof fallback === 'object' && (fallback !== null || value === null))) return;
  const inside = typeof value === 'number' && value >= 0 && value <= SECONDS_MAX;
  if (!inside) throw createSettingError(key, `a number from 0 to ${SECONDS_MAX}`);
}
