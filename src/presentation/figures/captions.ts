/** What captions share: by which settings, from how many replicates and in which experiment a number came about. */
import type { ResultCurves } from '#domain/results/store.ts';

type Settings = Readonly<Record<string, unknown>>;

export function readSettings({ analysis }: ResultCurves): Settings {
  const { settings } = analysis;
  return typeof settings === 'object' && settings !== null
    ? Object.fromEntries(Object.entries(settings))
    : {};
}

/** `DEMO-001-001, assayer-analysis 1.0.0.` */
export function writeSource({ experiment_code: code, analysis }: ResultCurves): string {
  const { engine } = analysis;
  const said: Readonly<Record<string, unknown>> =
    typeof engine === 'object' && engine !== null ? Object.fromEntries(Object.entries(engine)) : {};
  const name = typeof said.name === 'string' ? `; ${said.name} ${toTextOrEmpty(said.version)}`.trimEnd() : '';
  return `Experiment ${code}${name}.`;
}

function toTextOrEmpty(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

export function writeReplicates({ replicates }: ResultCurves): string {
  return replicates.length === 0 ? '' : `n = ${replicates.length} replicates.`;
}

/** Describes a mean and its interval. */
export function writeMean(
  kind: 'geometric' | 'arithmetic',
  n: number | undefined,
  hasInterval: boolean,
): string {
  const mean =
    n === undefined
      ? `${kind} mean over replicates`
      : n === 1
        ? 'n = 1 replicate'
        : `${kind} mean of n = ${n} replicates`;
  if (!hasInterval) return `${mean}.`;
  const interval =
    n === 1
      ? 'of the fit of this replicate'
      : 'the wider of the intervals from the fits and from the spread of the replicates';
  return `${mean}; 95% CI: ${interval}.`;
}
