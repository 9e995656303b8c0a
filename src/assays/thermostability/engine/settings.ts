/**
 * Settings of the melting analysis. They are part of every result, because a Tm means nothing without its baseline
 * rule.
 */
import { createSettingError, createUnknownSettingError } from '#analysis/assays/settings.ts';
import type { WellRole } from '#analysis/curves/trace.ts';

/** The content of a well, where the file does not state it or states it wrongly. */
export interface WellAssignment {
  sample?: string;
  replicate?: number;
  role?: WellRole;
  concentrationM?: number;
  exclude?: boolean;
}

export type TmMethod = 'two_state' | 'boltzmann' | 'derivative';
export type BaselineRule = 'auto' | 'free' | 'shared' | 'fixed';

export interface MeltingSettings {
  /** `auto`: ratio, else 350nm, 330nm, dye, else the first channel that is not scattering. */
  channel: string;
  /**
   * `auto`: two-state (Boltzmann for dye data) where its median R² reaches the limit; else derivative. One method for
   * all curves.
   */
  method: 'auto' | TmMethod;
  /**
   * Slopes of the two-state baselines: per curve, one pair for all curves (titrations of one protein), or given. `auto`:
   * one pair for the wells of a titration (one sample at three or more concentrations on one plate), else per curve.
   */
  baseline: BaselineRule;
  /** Slopes per °C; required for `fixed`. */
  fixedSlopes: { foldedPerC: number; unfoldedPerC: number } | null;
  deltaCpKcalPerMolK: number;
  /** Number of transitions, 1 to 3. */
  transitionsMax: number;
  /** Half-width of the derivative window, 2 to 4 °C. */
  derivativeHalfWindowC: number;
  /** Temperature range that is used; the whole range when null. */
  temperatureMinC: number | null;
  temperatureMaxC: number | null;
  /** Length of the scattering baseline from the first temperature, in °C. */
  taggBaselineC: number;
  /** Keys are wells, or `<plate>/<well>`. */
  assign: Record<string, WellAssignment>;
  /** Expected Tm in °C of positive controls, by sample name. */
  controlTmC: Record<string, number>;
  /** Keep curves in the result. */
  curves: boolean;
  limits: MeltingLimits;
}

export interface MeltingLimits {
  /** A transition below this multiple of the residual RMS is not accepted. */
  amplitudeToRms: number;
  /** A Tm closer than this to an end of the range is not enclosed by data. */
  fromEndC: number;
  /** R² above which the two-state or Boltzmann model becomes the method of the experiment. */
  r2Min: number;
  seTmMaxC: number;
  /** BIC gain over a cubic baseline that a transition must reach. */
  bicGainMin: number;
  /** Scattering that exceeds its baseline by this many SD is aggregation. */
  taggSd: number;
  methodsDifferMaxC: number;
  replicateSdMaxC: number;
  controlMaxC: number;
}

const DEFAULT_LIMITS: MeltingLimits = {
  amplitudeToRms: 3,
  fromEndC: 3,
  r2Min: 0.98,
  seTmMaxC: 2,
  bicGainMin: 10,
  taggSd: 5,
  methodsDifferMaxC: 2,
  replicateSdMaxC: 1,
  controlMaxC: 2,
};

const DEFAULT_SETTINGS: MeltingSettings = {
  channel: 'auto',
  method: 'auto',
  baseline: 'auto',
  fixedSlopes: null,
  deltaCpKcalPerMolK: 0,
  transitionsMax: 3,
  derivativeHalfWindowC: 3,
  temperatureMinC: null,
  temperatureMaxC: null,
  taggBaselineC: 10,
  assign: {},
  controlTmC: {},
  curves: true,
  limits: DEFAULT_LIMITS,
};

export type MeltingSettingsInput = Partial<Omit<MeltingSettings, 'limits'>> & {
  limits?: Partial<MeltingLimits>;
};

const METHODS = ['auto', 'two_state', 'boltzmann', 'derivative'];
const BASELINES = ['auto', 'free', 'shared', 'fixed'];

/** Merges the given settings into the defaults; throws `settings_invalid` naming the first wrong one. */
export function resolveMeltingSettings(input: MeltingSettingsInput = {}): MeltingSettings {
  const limits = { ...DEFAULT_LIMITS, ...input.limits };
  const settings: MeltingSettings = { ...DEFAULT_SETTINGS, ...input, limits };
  for (const key of Object.keys(input))
    if (!Object.hasOwn(DEFAULT_SETTINGS, key)) throw createUnknownSettingError(key);
  for (const [key, value] of Object.entries(limits)) {
    if (!Object.hasOwn(DEFAULT_LIMITS, key)) throw createUnknownSettingError(`limits.${key}`);
    if (!(Number.isFinite(value) && value >= 0))
      throw createSettingError(`limits.${key}`, 'a number of 0 or more');
  }
  assertRules(settings);
  assertNumbers(settings);
  return settings;
}

function assertRules(settings: MeltingSettings): void {
  const { method, baseline, fixedSlopes, assign, controlTmC } = settings;
  if (typeof settings.channel !== 'string' || settings.channel === '')
    throw createSettingError('channel', 'auto or the name of a channel');
  if (!METHODS.includes(method)) throw createSettingError('method', METHODS.join(', '));
  if (!BASELINES.includes(baseline)) throw createSettingError('baseline', BASELINES.join(', '));
  const slopes = [fixedSlopes?.foldedPerC, fixedSlopes?.unfoldedPerC];
  if (baseline === 'fixed' ? !slopes.every(Number.isFinite) : fixedSlopes !== null)
    throw createSettingError(
      'fixedSlopes',
      'foldedPerC and unfoldedPerC with baseline fixed, and null otherwise',
    );
  if (typeof settings.curves !== 'boolean') throw createSettingError('curves', 'true or false');
  for (const [key, value] of Object.entries({ assign, controlTmC }))
    if (typeof value !== 'object' || value === null) throw createSettingError(key, 'an object');
}

function assertNumbers(settings: MeltingSettings): void {
  const requireWithin = (key: keyof MeltingSettings, min: number, max: number): void => {
    const value = settings[key];
    if (!(typeof value === 'number' && value >= min && value <= max))
      throw createSettingError(key, `a number from ${min} to ${max}`);
  };
  requireWithin('deltaCpKcalPerMolK', 0, 20);
  requireWithin('transitionsMax', 1, 3);
  requireWithin('derivativeHalfWindowC', 2, 4);
  requireWithin('taggBaselineC', 2, 50);
  if (!Number.isInteger(settings.transitionsMax)) throw createSettingError('transitionsMax', '1, 2 or 3');
  if (settings.temperatureMinC !== null) requireWithin('temperatureMinC', -100, 200);
  if (settings.temperatureMaxC !== null) requireWithin('temperatureMaxC', -100, 200);
}
