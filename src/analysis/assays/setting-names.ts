/** Settings that say something of samples and controls by their names. */
import { AnalysisError } from '../failures/errors.ts';

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
