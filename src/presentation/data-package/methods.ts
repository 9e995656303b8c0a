/** The methods text of a data package: what was done, in sentences for a supplement, from the recorded settings alone. */
import { isRecord, type PackagedExperiment, type PackagedResult } from './packaged.ts';
import { code, prose, writeMarkdown, writePlain, type Prose } from '../words/prose.ts';
import { settingText, unitOfSetting } from './setting-values.ts';
import type { WhatWasDone } from './what-was-done.ts';

const ASSAYS: Readonly<Record<string, string>> = {
  affinity:
    'Binding kinetics were measured on immobilised designs at a series of analyte concentrations. Traces were referenced, aligned and fitted; the association rate constant kon, the dissociation rate constant koff and their ratio KD = koff / kon come from one fit over all concentrations of a replicate.',
  screening:
    'Designs were screened for binding at one or two analyte concentrations. The response is the mean signal at the end of association after subtraction of the reference. The threshold of a plate is the median of its negative controls plus three times their scaled median absolute deviation, and never below three times the noise.',
  thermostability:
    'Thermal unfolding was followed over a temperature ramp. The melting temperature Tm is the midpoint of the transition; a curve without a transition that passes the recorded limits has no Tm, and says why.',
  expression:
    'The amount of expressed protein was quantified against a standard curve measured on the same plate, after subtraction of the control without DNA. Amounts outside the range of quantification are reported as limits.',
  fluorescence:
    'Fluorescence was read on a plate with blanks and a reference protein. Intensities are corrected for the blank and normalised to the reference; the quality of a plate is stated as Z′.',
};

const AGGREGATION = prose`Every replicate is reported on its own. Aggregates of quantities that span orders of magnitude are geometric means with the standard deviation of log10 over replicates; their 95 % interval is the wider of what the fit and what the spread of the replicates allow. A value carries a relation: ${code('=')} is measured, ${code('<')} and ${code('>')} are limits of what the assay resolves, ${code('~')} is an estimate. A quantity that could not be measured is absent; it is never zero.`;

export interface Methods {
  readonly paragraphs: readonly Prose[];
  /** Every setting that shaped the numbers, so that another program can repeat them. */
  readonly settings: readonly (readonly [name: string, value: string])[];
  /** SHA-256 of the instrument files. */
  readonly inputs: readonly string[];
}

/**
 * The methods of an experiment; the settings of `result`, one of its results, stand for all of them, and `done` has seen every
 * one.
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
      [ASSAYS[experiment.experimentType] ?? `Assay: ${experiment.experimentType}.`],
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

/** The same as Markdown. */
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

/** What the settings did to the traces, in the order it was done; empty where a setting is not recorded. */
function processingText(experimentType: string, settings: Readonly<Record<string, unknown>>): string {
  const sentences = PROCESSING[experimentType]?.(settings) ?? [];
  return sentences.filter((sentence) => sentence !== undefined).join(' ');
}

type Sentences = (settings: Readonly<Record<string, unknown>>) => (string | undefined)[];

/** The sentence of a setting that is a number. */
function withNumber(value: unknown, sentence: (number: number) => string): string | undefined {
  return typeof value === 'number' ? sentence(value) : undefined;
}

const REFERENCING: Sentences = ({ baseline_s: baseline, response_s: response }) => [
  withNumber(baseline, (seconds) => `The mean of the last ${seconds} s before association is zero.`),
  withNumber(response, (seconds) => `The response is the mean of the last ${seconds} s of association.`),
];

const PROCESSING: Readonly<Record<string, Sentences>> = {
  screening: REFERENCING,
  affinity: (settings) => [
    ...REFERENCING(settings),
    settings.thinning === 'mean_1hz'
      ? 'Traces were averaged to one point per second for the fit.'
      : undefined,
    settings.model === 'auto'
      ? 'The model of each replicate is 1:1 binding; drift, a bulk step, mass transport, a second kind of site or (dimeric targets) a bivalent analyte are taken instead only on very strong evidence (ΔBIC below −10). Flat curves are fitted by their plateaus (steady state). The model and the time that was fitted stand under each figure.'
      : undefined,
  ],
  thermostability: ({ baseline, derivative_half_window_c: window, limits }) => [
    typeof baseline === 'string' ? `Baselines of the fit: ${baseline}.` : undefined,
    withNumber(window, (celsius) => `The derivative is a local quadratic over ±${celsius} °C.`),
    withNumber(
      isRecord(limits) ? limits.bic_gain_min : undefined,
      (gain) => `A further transition is taken when it lowers the BIC by ${gain} or more.`,
    ),
  ],
  expression: ({ rate_from_s: from, rate_to_s: to, recovery_min_pct: low, recovery_max_pct: high }) => [
    typeof from === 'number' && typeof to === 'number'
      ? `The initial rate is the slope from ${from} to ${to} s.`
      : undefined,
    typeof low === 'number' && typeof high === 'number'
      ? `The standard curve is a four-parameter logistic; the limits of quantification are the lowest and the highest standard that is read back within ${low} to ${high} %.`
      : undefined,
  ],
  fluorescence: ({ z_prime_min: least, plate_effects: effects }) => [
    withNumber(
      least,
      (z) => `Z′ = 1 − 3(SD + SD)/difference of reference and dark control; a plate below ${z} is flagged.`,
    ),
    effects === 'correct'
      ? 'Row and column effects were divided out (median polish).'
      : 'Row and column effects (median polish) are flagged and not corrected.',
  ],
};

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

/** Where a setting says something of each name (`control_kd_m`), the numbers under the names have its unit. */
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
