/** The names of models, referencing rules and techniques, for captions, methods and reports. */
import { joinWords } from '#core/words.ts';

const MODELS: Readonly<Record<string, string>> = {
  '1:1': '1:1 binding',
  '1:1_drift': '1:1 binding with free drift',
  '1:1_bulk_shift': '1:1 binding with a refractive-index step',
  mass_transport: '1:1 binding with mass transport',
  heterogeneous_ligand: 'two kinds of site',
  bivalent_analyte: 'bivalent analyte',
  steady_state: 'steady state',
  two_state: 'two-state unfolding',
  boltzmann: 'Boltzmann sigmoid',
  derivative: 'maximum of the first derivative',
};

/** A model without a name here is shown as the record spells it. */
export function formatModel(model: string): string {
  return MODELS[model] ?? model.replaceAll('_', ' ');
}

const BRIEF_MODELS: Readonly<Record<string, string>> = {
  '1:1_drift': '1:1 with free drift',
  '1:1_bulk_shift': '1:1 with bulk step',
  mass_transport: 'mass transport',
};

/** For a narrow column. */
export function formatModelBriefly(model: string): string {
  return BRIEF_MODELS[model] ?? formatModel(model);
}

/** `failed QC`. */
export function formatReplicateOutcome(outcome: string): string {
  return outcome.replaceAll('_', ' ').replace(/\bqc\b/, 'QC');
}

const RULES: Readonly<Record<string, string>> = {
  double: 'reference and blank subtracted (double referenced)',
  reference: 'reference subtracted',
  blank: 'blank subtracted, no reference',
  none: 'no reference subtracted',
};

export function formatReferenceRule(rule: string): string {
  return RULES[rule] ?? rule.replaceAll('_', ' ');
}

const SOURCES: Readonly<Record<string, string>> = {
  baseline: 'the baseline before association',
  reference: 'reference sensors',
  blank: 'blanks',
  reference_and_blank: 'reference sensors and blanks',
};

/** Says what shows a drift; a combination keeps the words of the record. */
export function formatDriftSource(source: string): string {
  if (source === 'fit') return 'fitted freely';
  if (source === 'none') return 'not known from any measurement';
  return `known from ${SOURCES[source] ?? source.replaceAll('_', ' ')}`;
}

/** `replicate 2`, `replicates 1 and 3`. */
export function nameReplicates(numbers: readonly number[]): string {
  return `replicate${numbers.length === 1 ? '' : 's'} ${joinWords(numbers.map(String), 'and')}`;
}
