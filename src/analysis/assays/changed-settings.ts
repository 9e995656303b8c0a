/**
 * Settings that differ from the usual ones. A limit that is loosened, a window that is chosen and a check that is
 * switched off can make a result look better than it is, so they are warnings; other choices are information.
 */
import { isRecord } from '#core/records.ts';
import { createFlag, removeDuplicateFlags } from '../quality/flags.ts';
import type { Flag } from '../quality/flags.ts';

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
