/**
 * The methods text of a data package: what was done, in sentences for a supplement, from the recorded settings alone.
 */
import { formatCount } from '#core/words.ts';
import { isRecord } from '#core/records.ts';
import { findShownAssay } from '#assays/shown.ts';
import type { PackagedExperiment, PackagedResult } from './packaged.ts';
import { markCode, prose, writeMarkdown, writePlain, type Prose } from '#documents/prose.ts';
import type { SharedFiles } from './shared-files.ts';
import type { WhatWasDone } from './what-was-done.ts';
import { formatWholePower, MOLAR_UNITS, writeMinusSigns } from '#core/number-words.ts';

/** Endings of setting names, longer ones first, and the unit of their numbers. */
const UNITS: readonly (readonly [end: RegExp, unit: string])[] = [
  [/^kon_max$/, '1/(M·s)'],
  [/_kcal_per_mol_k$/, 'kcal/(mol·K)'],
  [/_ng_per_ul$/, 'ng/µL'],
  [/_per_c$/, 'per °C'],
  [/pct_rmax_max$/, '% of Rmax'],
  [/_pct$/, '%'],
  [/_da$/, 'Da'],
  [/_ul$/, 'µL'],
  [/_cm$/, 'cm'],
  [/_nm$/, 'nm'],
  [/_sd$/, 'SD'],
  [/_m$/, 'M'],
  [/_c$/, '°C'],
  [/_s$/, 's'],
];

/** Returns the unit of numbers with this name; null if it has none. */
export function findSettingUnit(name: string): string | null {
  return UNITS.find(([end]) => end.test(name))?.[1] ?? null;
}

/** `10000000`, 1/(M·s) → `1×10⁷ 1/(M·s)`; `6.6e-9`, M → `6.6 nM`. */
export function formatSetting(value: unknown, unit: string | null): string {
  if (value === null || value === undefined) return 'none';
  if (Array.isArray(value)) return value.map((item) => formatSetting(item, unit)).join(', ') || 'none';
  if (typeof value === 'string') return value;
  if (typeof value !== 'number') return JSON.stringify(value);
  if (unit === 'M') return formatMolar(value);
  return unit === null ? formatNumber(value) : `${formatNumber(value)} ${unit}`;
}

const PLAIN = { from: 1e-3, below: 1e6 } as const;

/** Writes powers of ten instead of long rows of zeros. */
function formatNumber(value: number): string {
  const size = Math.abs(value);
  if (size === 0 || (size >= PLAIN.from && size < PLAIN.below)) return writeMinusSigns(String(value));
  return formatWholePower(value);
}

function formatMolar(molar: number): string {
  if (molar === 0) return '0 nM';
  // A value within rounding error below a unit gets that unit, so that 1e-9 is 1 nM.
  const unit = MOLAR_UNITS.findLast(({ factor }) => molar >= factor * (1 - 1e-9)) ?? MOLAR_UNITS[0];
  return `${formatNumber(Number((molar / unit.factor).toPrecision(12)))} ${unit.name}`;
}

export interface Methods {
  readonly paragraphs: readonly Prose[];
  /** Every setting that affects the numbers, so that another program can reproduce them. */
  readonly settings: readonly (readonly [name: string, value: string])[];
  /** SHA-256 of the instrument files. */
  readonly inputs: readonly string[];
}

/**
 * Returns the methods of an experiment. The settings of `result`, one of its results, represent all of them; `done`
 * has counted every one.
 */
export function buildMethods(
  experiment: PackagedExperiment,
  result: PackagedResult | undefined,
  done: WhatWasDone,
): Methods {
  const analysis = result?.analysis ?? {};
  const { input_sha256: inputs, settings } = analysis;
  return {
    paragraphs: [
      [findShownAssay(experiment.experimentType)?.about ?? `Assay: ${experiment.experimentType}.`],
      describeMaterial(experiment, isRecord(settings) ? settings : {}),
      [describeProcessing(experiment.experimentType, analysis)],
      [describeAnalysis(analysis)],
      [done.writeSentences().join(' ')],
      findShownAssay(experiment.experimentType)?.aggregation ?? [],
    ].filter((paragraph) => writePlain(paragraph) !== ''),
    settings: isRecord(settings) ? flattenSettings(settings) : [],
    inputs: Array.isArray(inputs) ? inputs.map((digest) => String(digest)) : [],
  };
}

/** Returns the methods as Markdown. `shared` is null without shared files. */
export function writeMethods(
  experiment: PackagedExperiment,
  result: PackagedResult | undefined,
  done: WhatWasDone,
  shared: SharedFiles | null,
): string {
  const { paragraphs, settings, inputs } = buildMethods(experiment, result, done);
  const settingRows = settings.map(([name, value]) => `| \`${name}\` | ${value.replaceAll('|', '\\|')} |`);
  const inputRows = inputs.map((digest) => `- \`${digest}\``);
  return [
    `# Methods of ${experiment.code}`,
    ...paragraphs.map(writeMarkdown),
    '## Settings of the analysis',
    ['| Setting | Value |', '|---|---|', ...settingRows].join('\n'),
    '## Raw files',
    'SHA-256 of the instrument files behind the numbers:',
    `${inputRows.join('\n')}\n`,
    ...describeWithheld(shared),
  ].join('\n\n');
}

function describeWithheld(shared: SharedFiles | null): string[] {
  if (shared === null) return [];
  const rows = shared.withheld.map(({ sha256 }) => `- \`${sha256}\``);
  return [
    'They are the part of this experiment in files that the lab keeps, because those hold wells of other orders too. SHA-256 of the files that the lab keeps:',
    `${rows.join('\n')}\n`,
  ];
}

function describeMaterial(
  { target, method, sequences }: PackagedExperiment,
  settings: Readonly<Record<string, unknown>>,
): Prose {
  const controls = sequences.filter((sequence) => sequence.isControl).length;
  const designs = `${formatCount(sequences.length - controls, 'design')}${controls === 0 ? '' : ` and ${formatCount(controls, 'control')}`}`;
  const how = method === null ? '' : ` by ${method.toUpperCase()}`;
  if (target === null) return prose`Ordered: ${designs}${how}.`;
  const name = typeof target.name === 'string' ? target.name : 'the target';
  return prose`Ordered: ${designs} against ${name}${how}. The exact construct of the target, with its sequence, is in ${markCode('targets.json')}.${settings.bivalent_analyte === true ? ' The target has several binding sites, so KD is apparent.' : ''}`;
}

/**
 * Describes what the settings did to the traces, in order of processing; empty for settings that are not recorded.
 */
export function describeProcessing(
  experimentType: string,
  { settings, model, shared_slopes: sharedSlopes }: Readonly<Record<string, unknown>>,
): string {
  const record = {
    settings: isRecord(settings) ? settings : {},
    model: typeof model === 'string' ? model : null,
    sharedSlopes,
  };
  const sentences = findShownAssay(experimentType)?.processing(record) ?? [];
  return sentences.filter((sentence) => sentence !== undefined).join(' ');
}

/** The sentences on processing and on fits name the model. */
export function describeAnalysis({ engine }: Readonly<Record<string, unknown>>): string {
  const engineName = isRecord(engine) ? `${String(engine.name)} ${String(engine.version)}` : engine;
  return typeof engineName === 'string' ? `Analysis engine: ${engineName}.` : '';
}

/** If a setting has a value for each name (`control_kd_m`), the numbers under the names have its unit. */
export function flattenSettings(
  record: Readonly<Record<string, unknown>>,
  { prefix = '', unit = null }: { prefix?: string; unit?: string | null } = {},
): [string, string][] {
  return Object.entries(record).flatMap(([key, value]): [string, string][] => {
    const name = prefix === '' ? key : `${prefix}.${key}`;
    const own = unit ?? findSettingUnit(key);
    if (!isRecord(value)) return [[name, formatSetting(value, own)]];
    return Object.keys(value).length === 0
      ? [[name, 'none']]
      : flattenSettings(value, { prefix: name, unit: own });
  });
}
