/** The methods text of a data package: what was done, in sentences for a supplement, from the recorded settings alone. */
import { isRecord, type PackagedExperiment, type PackagedResult } from './packaged.ts';

const ASSAYS: Readonly<Record<string, string>> = {
  affinity:
    'Binding kinetics were measured on immobilised designs at a series of analyte concentrations. Traces were referenced, aligned and fitted with the model named below; the association rate constant kon, the dissociation rate constant koff and their ratio KD = koff / kon come from one fit over all concentrations of a replicate.',
  screening:
    'Designs were screened for binding at one or two analyte concentrations. The response is the mean signal at the end of association after subtraction of the reference. The threshold of a plate is the median of its negative controls plus three times their scaled median absolute deviation, and never below three times the noise.',
  thermostability:
    'Thermal unfolding was followed over a temperature ramp. The melting temperature Tm is the midpoint of the transition; a curve without a transition that passes the recorded limits has no Tm, and says why.',
  expression:
    'The amount of expressed protein was quantified against a standard curve measured on the same plate, after subtraction of the control without DNA. Amounts outside the range of quantification are reported as limits.',
  fluorescence:
    'Fluorescence was read on a plate with blanks and a reference protein. Intensities are corrected for the blank and normalised to the reference; the quality of a plate is stated as Z′.',
};

const AGGREGATION =
  'Every replicate is reported on its own. Aggregates of quantities that span orders of magnitude are geometric means with the standard deviation of log10 over replicates; their 95 % interval is the wider of what the fit and what the spread of the replicates allow. A value carries a relation: `=` is measured, `<` and `>` are limits of what the assay resolves, `~` is an estimate. A quantity that could not be measured is absent; it is never zero.';

/** Markdown. `results` are the released results; the settings of the first that has an analysis stand for all. */
export function methodsText(experiment: PackagedExperiment, result: PackagedResult | undefined): string {
  const analysis = result?.analysis ?? {};
  const parts = [
    `# Methods of ${experiment.code}`,
    ASSAYS[experiment.experimentType] ?? `Assay: ${experiment.experimentType}.`,
    materialText(experiment),
    analysisText(analysis),
    AGGREGATION,
    settingsText(analysis.settings),
    inputsText(analysis.input_sha256),
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

function materialText({ target, method, sequences }: PackagedExperiment): string {
  const controls = sequences.filter((sequence) => sequence.isControl).length;
  const designs = `${sequences.length - controls} designs${controls === 0 ? '' : ` and ${controls} controls`}`;
  const how = method === null ? '' : ` by ${method.toUpperCase()}`;
  if (target === null) return `Measured: ${designs}${how}.`;
  const name = typeof target.name === 'string' ? target.name : 'the target';
  return `Measured: ${designs} against ${name}${how}. The exact construct of the target, with its sequence, is in \`targets.json\`. A dimeric or Fc-fused target gives an apparent KD.`;
}

function analysisText({ engine, model }: Readonly<Record<string, unknown>>): string {
  const engineName = isRecord(engine) ? `${String(engine.name)} ${String(engine.version)}` : engine;
  const sentences = [
    typeof engineName === 'string' ? `Analysis engine: ${engineName}.` : '',
    model === undefined || model === null ? '' : `Model: ${textOf(model)}.`,
  ];
  return sentences.filter((sentence) => sentence !== '').join(' ');
}

/** Every setting that shaped the numbers, so that another program can repeat them. */
function settingsText(settings: unknown): string {
  if (!isRecord(settings)) return '';
  const rows = leaves(settings).map(([name, value]) => `| \`${name}\` | ${value} |`);
  return ['## Settings of the analysis', '', '| Setting | Value |', '|---|---|', ...rows].join('\n');
}

function leaves(record: Readonly<Record<string, unknown>>, prefix = ''): [string, string][] {
  return Object.entries(record).flatMap(([key, value]): [string, string][] => {
    const name = prefix === '' ? key : `${prefix}.${key}`;
    return isRecord(value) ? leaves(value, name) : [[name, textOf(value).replaceAll('|', '\\|')]];
  });
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return 'none';
  if (Array.isArray(value)) return value.map((item) => textOf(item)).join(', ') || 'none';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function inputsText(digests: unknown): string {
  if (!Array.isArray(digests) || digests.length === 0) return '';
  const rows = digests.map((digest) => `- \`${String(digest)}\``);
  return ['## Raw files', '', 'SHA-256 of the instrument files behind the numbers:', '', ...rows].join('\n');
}
