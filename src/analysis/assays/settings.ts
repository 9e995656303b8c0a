/** Settings of an assay: how they are merged, what they may name, and which of them a result says were changed. */
import { AnalysisError } from '../failures/errors.ts';
import { isRecord } from '#core/records.ts';
import { createFlag, removeDuplicateFlags, type Flag } from '../quality/flags.ts';

interface SettingRules {
  /** Settings whose value is text or null. */
  readonly texts?: readonly string[];
  /** Allowed words of settings with a fixed vocabulary. */
  readonly choices?: Readonly<Record<string, readonly string[]>>;
  /** Lowest and highest value of numbers; 0 to 1e9 where none is stated. */
  readonly ranges?: Readonly<Record<string, readonly [number, number]>>;
}

const RANGE: readonly [number, number] = [0, 1e9];

/** Merges `input` into the defaults; throws `settings_invalid` naming the first wrong one. */
export function mergeSettings<Settings extends object>(
  defaults: Settings,
  input: Partial<Settings>,
  rules: SettingRules = {},
): Settings {
  const known = new Map<string, unknown>(Object.entries(defaults));
  for (const [key, value] of Object.entries(input)) {
    if (!known.has(key)) throw createUnknownSettingError(key);
    assertKind(key, value, known.get(key), rules);
  }
  return { ...defaults, ...input };
}

function assertKind(key: string, value: unknown, fallback: unknown, rules: SettingRules): void {
  const choices = rules.choices?.[key];
  if (choices !== undefined) {
    if (!choices.some((choice) => choice === value)) throw createSettingError(key, choices.join(', '));
    return;
  }
  if (rules.texts?.includes(key) === true) {
    if (value !== null && typeof value !== 'string') throw createSettingError(key, 'a text or null');
    return;
  }
  if (typeof fallback === 'boolean') {
    if (typeof value !== 'boolean') throw createSettingError(key, 'true or false');
    return;
  }
  const [low, high] = rules.ranges?.[key] ?? RANGE;
  const isInside = (number: unknown): boolean =>
    typeof number === 'number' && number >= low && number <= high;
  if (typeof fallback === 'object' && fallback !== null) {
    if (typeof value !== 'object' || value === null || !Object.values(value).every(isInside))
      throw createSettingError(key, `an object of numbers from ${low} to ${high}`);
    return;
  }
  if (value === null && fallback === null) return;
  if (!isInside(value)) throw createSettingError(key, `a number from ${low} to ${high}`);
}

export function createUnknownSettingError(key: string): AnalysisError {
  return new AnalysisError('settings_invalid', `Unknown setting ${key}.`);
}

export function createSettingError(key: string, expected: string): AnalysisError {
  return new AnalysisError('settings_invalid', `Setting ${key} has to be ${expected}.`);
}

/**
 * Settings that differ from the usual ones. A limit that is loosened, a window that is chosen and a check that is
 * switched off can make a result look better than it is, so they are warnings; other choices are information.
 */

/** What people know of samples, controls and instrument, or want to see: no choice of how values are computed. */
const FACTS: ReadonlySet<string> = new Set([
  'analyteMassDa',
  'assign',
  'associationS',
  'associationStartS',
  'bivalentAnalyte',
  'channel',
  'classLowMaxNgPerUl',
  'classMediumMaxNgPerUl',
  'controlKdM',
  'controlNgPerUl',
  'controlTmC',
  'curves',
  'cystines',
  'dilutionFactor',
  'emNm',
  'exNm',
  'gain',
  'ligandMassDa',
  'pathCm',
  'reactionVolumeUl',
  'saturationSignal',
  'stoichiometry',
  'targetControlKdM',
]);

const WINDOWS: ReadonlySet<string> = new Set([
  'dissociationS',
  'rateFromS',
  'rateToS',
  'temperatureMaxC',
  'temperatureMinC',
]);

/** Values of settings that switch a check off. */
const SWITCHED_OFF: Readonly<Record<string, unknown>> = {
  plateEffects: 'off',
  reference: 'none',
  subtractNoDna: false,
  timeZero: 'fixed',
};

/** Limits without `Max` or `Min` in their names; below the usual value they let more pass, or above it. */
const LOOSER_BELOW: ReadonlySet<string> = new Set([
  'amplitudeToRms',
  'blankSd',
  'fromEndC',
  'loadingExpressedFraction',
  'loadingLowFraction',
  'rmaxToNoise',
  'signalToNoise',
]);
const LOOSER_ABOVE: ReadonlySet<string> = new Set(['spikeSd', 'taggSd']);

interface Change {
  readonly name: string;
  readonly value: unknown;
  readonly usual: unknown;
}

/** Flags every sequence whose values rest on other settings than usual; both are complete, in the form of the engine. */
export function flagChangedSettings(
  sequences: readonly { flags: Flag[] }[],
  settings: object,
  usual: object,
): void {
  const changes = listChanges(settings, usual);
  if (changes.length === 0) return;
  const severity = changes.some(isLenient) ? 'warning' : 'info';
  const message = `Analyzed with other settings than usual: ${changes.map(formatChange).join(', ')}.`;
  const flag = createFlag('SETTINGS_CHANGED', severity, message);
  for (const each of sequences) each.flags = removeDuplicateFlags([...each.flags, flag]);
}

function listChanges(settings: object, usual: object): Change[] {
  const usualValues = flatten(usual);
  const changes = [...flatten(settings)].flatMap(([name, value]) =>
    FACTS.has(name) || JSON.stringify(value) === JSON.stringify(usualValues.get(name))
      ? []
      : [{ name, value, usual: usualValues.get(name) }],
  );
  return [...changes, ...listCatalogChanges(flatten(settings))];
}

/** Lists the setting `control_kd_m` where it expects another KD than the catalog states. */
function listCatalogChanges(settings: ReadonlyMap<string, unknown>): Change[] {
  const [value, usual] = [settings.get('controlKdM'), settings.get('targetControlKdM')];
  if (typeof usual !== 'number' || !isRecord(value)) return [];
  return Object.values(value).every((kdM) => kdM === usual) ? [] : [{ name: 'controlKdM', value, usual }];
}

/** The limits stand beside the other settings. */
function flatten(settings: object): Map<string, unknown> {
  const entries = Object.entries(settings).flatMap(([name, value]): [string, unknown][] =>
    name === 'limits' && isRecord(value) ? Object.entries(value) : [[name, value]],
  );
  return new Map(entries);
}

function isLenient({ name, value, usual }: Change): boolean {
  if (WINDOWS.has(name) || name === 'controlKdM') return true;
  if (Object.hasOwn(SWITCHED_OFF, name)) return SWITCHED_OFF[name] === value;
  if (typeof value !== 'number' || typeof usual !== 'number') return false;
  if (LOOSER_ABOVE.has(name) || /Max(?![a-z])/.test(name)) return value > usual;
  return (LOOSER_BELOW.has(name) || /Min(?![a-z])/.test(name)) && value < usual;
}

/** In the spelling of the wire. */
function formatChange({ name, value, usual }: Change): string {
  const wireName = name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return `${wireName} ${formatValue(value)} (usually ${formatValue(usual)})`;
}

function formatValue(value: unknown): string {
  if (value === null || value === undefined) return 'not set';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Settings that say something of samples and controls by their names. */

const LISTED_MAX = 10;

interface Named {
  readonly sample: string;
  readonly role: string;
}

/**
 * Throws `settings_invalid` where `setting`, which names positive controls, names one that the files lack; otherwise
 * the plate would pass without the requested check.
 */
export function assertPositiveControls(
  setting: string,
  settings: Readonly<Record<string, unknown>>,
  measured: readonly Named[],
): void {
  const controls = measured.filter(({ role }) => role === 'positive_control').map(({ sample }) => sample);
  const unknown = Object.keys(settings).find((name) => !controls.includes(name));
  if (unknown === undefined) return;
  const found = measured.find(({ sample }) => sample === unknown);
  const description = found === undefined ? 'which the files do not have' : `a ${found.role} in the files`;
  const known = controls.length === 0 ? 'The files have none' : `The files have ${formatNames(controls)}`;
  const message = `Setting ${setting} names ${unknown}, ${description}; it has to name positive controls. ${known}.`;
  throw new AnalysisError('settings_invalid', message);
}

/** Throws `settings_invalid` where `setting`, which names samples, names one that no file has. */
export function assertSamples(
  setting: string,
  settings: Readonly<Record<string, unknown>>,
  measured: readonly Named[],
): void {
  const names = new Set(measured.map(({ sample }) => sample));
  const unknown = Object.keys(settings).filter((name) => !names.has(name));
  if (unknown.length === 0) return;
  const message = `Setting ${setting} has names that no file contains: ${formatNames(unknown)}. The files have ${formatNames([...names])}.`;
  throw new AnalysisError('settings_invalid', message);
}

/** Lists the first few names, each once. */
export function formatNames(names: readonly string[]): string {
  const distinct = [...new Set(names)];
  return distinct.slice(0, LISTED_MAX).join(', ') + (distinct.length > LISTED_MAX ? ', …' : '');
}

/** Finds what the setting `assign` says of a trace or a well; `plate` is its name in results. */
export function findAssignment<Assignment>(
  assign: Readonly<Record<string, Assignment>>,
  plate: string,
  name: string,
): Assignment | undefined {
  const key = [`${plate}/${name}`, name].find((each) => Object.hasOwn(assign, each));
  return key === undefined ? undefined : assign[key];
}
