/**
 * The methods text of a data package: what was done, in sentences for a supplement, from the recorded settings alone.
 */
import { findShownAssay } from '../assays/registry.ts';
import { isRecord, type PackagedExperiment, type PackagedResult } from './packaged.ts';
import { code, prose, writeMarkdown, writePlain, type Prose } from '../words/prose.ts';
import { settingText, unitOfSetting } from './setting-values.ts';
import type { WhatWasDone } from './what-was-done.ts';

const AGGREGATION = prose`Every replicate is reported on its own. Aggregates of quantities that span orders of magnitude are geometric means with the standard deviation of log10 over replicates; their 95 % interval is the wider of the intervals from the fit and from the spread of the replicates. A value carries a relation: ${code('=')} is measured, ${code('<')} and ${code('>')} are limits of what the assay resolves, ${code('~')} is an estimate. A quantity that could not be measured is absent; it is never zero.`;

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
export function methodsOf(
  experiment: PackagedExperiment,
  result: PackagedResult | undefined,
  done: WhatWasDone,
): Methods {
  const analysis = result?.analysis ?? {};
  const { input_sha256: inputs, settings } = analysis;
  return {
    paragraphs: [
      [findShownAssay(experiment.experimentType)?.about ?? `Assay: ${experiment.experimentType}.`],
      materialText(experiment),
      [processingText(experiment.experimentType, isRecord(settings) ? settings : {})],
      [analysisText(analysis)],
      [done.sentences().join(' ')],
      AGGREGATION,
    ].filter((paragraph) => writePlain(paragraph) !== ''),
    settings: isRecord(settings) ? leaves(settings) : [],
    inputs: Array.isArray(inputs) ? inputs.map((digest) => String(digest)) : [],
  };
}

/** Returns the methods as Markdown. */
export function methodsText(
  experiment: PackagedExperiment,
  result: PackagedResult | undefined,
  done: WhatWasDone,
): string {
  const { paragraphs, settings, inputs } = methodsOf(experiment, result, done);
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
  ].join('\n\n');
}

function materialText({ target, method, sequences }: PackagedExperiment): Prose {
  const controls = sequences.filter((sequence) => sequence.isControl).length;
  const designs = `${counted(sequences.length - controls, 'design')}${controls === 0 ? '' : ` and ${counted(controls, 'control')}`}`;
  const how = method === null ? '' : ` by ${method.toUpperCase()}`;
  if (target === null) return prose`Ordered: ${designs}${how}.`;
  const name = typeof target.name === 'string' ? target.name : 'the target';
  return prose`Ordered: ${designs} against ${name}${how}. The exact construct of the target, with its sequence, is in ${code('targets.json')}. A dimeric or Fc-fused target gives an apparent KD.`;
}

/**
 * Describes what the settings did to the traces, in order of processing; empty for settings that are not recorded.
 */
function processingText(experimentType: string, settings: Readonly<Record<string, unknown>>): string {
  const sentences = findShownAssay(experimentType)?.processing(settings) ?? [];
  return sentences.filter((sentence) => sentence !== undefined).join(' ');
}

const MODEL_WORDS: Readonly<Record<string, string>> = {
  two_state: 'two-state unfolding (van ’t Hoff enthalpy)',
  boltzmann: 'Boltzmann sigmoid up to the maximum',
  derivative: 'maximum of the first derivative',
};

function analysisText({ engine, model }: Readonly<Record<string, unknown>>): string {
  const engineName = isRecord(engine) ? `${String(engine.name)} ${String(engine.version)}` : engine;
  const sentences = [
    typeof engineName === 'string' ? `Analysis engine: ${engineName}.` : '',
    model === undefined || model === null || model === 'auto'
      ? ''
      : `Model: ${MODEL_WORDS[settingText(model, null)] ?? settingText(model, null)}.`,
  ];
  return sentences.filter((sentence) => sentence !== '').join(' ');
}

/** If a setting has a value for each name (`control_kd_m`), the numbers under the names have its unit. */
function leaves(
  record: Readonly<Record<string, unknown>>,
  { prefix = '', unit = null }: { prefix?: string; unit?: string | null } = {},
): [string, string][] {
  return Object.entries(record).flatMap(([key, value]): [string, string][] => {
    const name = prefix === '' ? key : `${prefix}.${key}`;
    const own = unit ?? unitOfSetting(key);
    if (!isRecord(value)) return [[name, settingText(value, own)]];
    return Object.keys(value).length === 0 ? [[name, 'none']] : leaves(value, { prefix: name, unit: own });
  });
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
