/**
 * What the report says of the method of a binding experiment: what its records count, and what its settings did to the
 * traces, in order of processing.
 */
import { findSignalUnit, listReplicates, type PackagedResult } from '#features/results/package/packaged.ts';
import {
  countNames,
  Counts,
  countWords,
  type FactCollector,
  withNumber,
  type Sentences,
} from '#features/results/package/sentences.ts';
import { listRecords } from '#documents/records.ts';
import { formatDriftSource, formatModel, formatReferenceRule } from '#features/results/words/models.ts';
import { formatDriftRate, listReplicateFacts, RMAX_RULES, type ReplicateFacts } from './replicate-facts.ts';
import { isRecord } from '#core/records.ts';

function listFacts(result: PackagedResult): ReplicateFacts[] {
  return listReplicateFacts({ replicates: listReplicates(result), details: result.details });
}

/** Counts each plate once, however many results it has. */
const tellPlates = (): FactCollector => {
  const methods = new Map<string, string>();
  return {
    take({ analysis }) {
      for (const { plate, technique, signal_unit: unit } of listRecords(analysis.plates)) {
        const how =
          typeof technique === 'string'
            ? technique.toUpperCase()
            : 'a technique that the file does not state';
        const of = typeof unit === 'string' ? `, in ${unit}` : '';
        methods.set(String(plate), `by ${how}${of}`);
      }
    },
    writeSentence() {
      const groups = [...Map.groupBy([...methods.values()], (words) => words)];
      if (groups.length === 0) return undefined;
      return `Plates as the files state them: ${groups.map(([words, members]) => `${members.length} ${words}`).join(', ')}.`;
    },
  };
};

const countRules = countWords('Replicates by referencing', (result) =>
  listFacts(result).map(({ referenceRule: rule }) => (rule === null ? null : formatReferenceRule(rule))),
);

const countModels = countNames('Models of the fitted replicates', (result) =>
  listFacts(result).map(({ model }) => (model === null ? null : formatModel(model))),
);

const countRmaxRules = countWords('Fitted replicates by Rmax', (result) =>
  listFacts(result).map(({ rmaxRule: rule }) =>
    rule === null || RMAX_RULES[rule] === undefined ? null : `with ${RMAX_RULES[rule]}`,
  ),
);

/** Counts a drift once, with what shows it, and the largest of all. */
const countDrifts = (): FactCollector => {
  const counts = new Counts();
  let largest: number | undefined;
  let unit = 'signal unit';
  return {
    take(result) {
      unit = findSignalUnit(result) ?? unit;
      for (const { hasDrift, driftPerS, driftSource } of listFacts(result)) {
        if (hasDrift === null) continue;
        const source = driftSource === null ? '' : ` (${formatDriftSource(driftSource)})`;
        counts.add(hasDrift ? `with a linear drift${source}` : 'without drift');
        if (driftPerS !== null && Math.abs(driftPerS) >= Math.abs(largest ?? 0)) largest = driftPerS;
      }
    },
    writeSentence() {
      if (counts.isEmpty) return undefined;
      const size = largest === undefined ? '' : `; the largest is ${formatDriftRate(largest, unit)}`;
      return `Fitted replicates by drift: ${counts.writeText()}${size}.`;
    },
  };
};

const countSteps = countWords('Fitted replicates by refractive-index step', (result) =>
  listFacts(result).map(({ hasBulkShift }) =>
    hasBulkShift === null ? null : hasBulkShift ? 'with a step' : 'without a step',
  ),
);

export const BINDING_FACTS = [tellPlates, countRules];
export const FIT_FACTS = [countModels, countRmaxRules, countDrifts, countSteps];

/** What the settings of a binding analysis did to the traces, in order of processing. */

type Settings = Readonly<Record<string, unknown>>;

/** Sentences about traces and responses. */
export const TRACE_PROCESSING: Sentences = ({ settings }) => [
  describeAssignments(settings),
  withNumber(settings.baseline_s, (seconds) =>
    seconds === 0
      ? 'Signals were taken as aligned: no baseline was subtracted.'
      : `The mean of the last ${seconds} s before association is zero.`,
  ),
  withNumber(
    settings.response_s,
    (seconds) => `The response is the mean of the last ${seconds} s of association.`,
  ),
];

/** Traces that somebody excluded by hand are part of what was done. */
function describeAssignments({ assign }: Settings): string | undefined {
  const left = Object.values(isRecord(assign) ? assign : {}).filter(
    (assignment) => isRecord(assignment) && assignment.exclude === true,
  ).length;
  return left === 0
    ? undefined
    : `${left} ${left === 1 ? 'trace was' : 'traces were'} left out by the settings.`;
}

const THINNING: Readonly<Record<string, string>> = {
  mean_1hz: 'Traces were averaged to one point per second for the fit.',
  whole_seconds: 'Of the traces the samples at whole seconds were fitted.',
  none: 'Every sample of the traces was fitted.',
};

const TIME_ZERO: Readonly<Record<string, string>> = {
  fixed: 'Injections begin and end at the stated times.',
  check:
    'Injections begin and end at the stated times, unless the curves show others within the window of the settings, which are then fitted.',
};

const JOINS: Readonly<Record<string, string>> = {
  on: 'Dissociation was joined to the end of association.',
  off: 'Dissociation was not joined to the end of association.',
};

const REGENERATION: Readonly<Record<string, string>> = {
  check: 'Complex that the curves of one surface show to be left before an injection is part of the fit.',
  measured: 'The signal that is left before an injection is the start of its curve.',
};

/** Sentences about the fit of kinetics. */
export const FIT_PROCESSING: Sentences = ({ settings }) => [
  ...TRACE_PROCESSING({ settings, model: null }),
  describeTrim(settings),
  pick(JOINS, settings.inter_step),
  pick(THINNING, settings.thinning),
  settings.time_zero === 'fitted'
    ? `The start and the end of injections were fitted${typeof settings.time_zero_window_s === 'number' ? `, within ${settings.time_zero_window_s} s of the stated ones` : ''}.`
    : pick(TIME_ZERO, settings.time_zero),
  pick(REGENERATION, settings.regeneration),
  settings.offset === true ? 'A constant was fitted for each curve.' : undefined,
  describeModelRule(settings),
];

function pick(words: Readonly<Record<string, string>>, setting: unknown): string | undefined {
  return typeof setting === 'string' ? words[setting] : undefined;
}

function describeTrim({
  trim_association_s: first,
  trim_dissociation_s: second,
}: Settings): string | undefined {
  const parts = [
    ...(typeof first === 'number' && first > 0 ? [`${first} s of association`] : []),
    ...(typeof second === 'number' && second > 0 ? [`${second} s of dissociation`] : []),
  ];
  return parts.length === 0
    ? undefined
    : `The first ${parts.join(' and the first ')} were left out of the fit.`;
}

function describeModelRule(settings: Settings): string | undefined {
  const { model, bivalent_analyte: isBivalent, drift, bulk_shift: bulkShift } = settings;
  if (typeof model !== 'string') return undefined;
  const isFree = drift === true || drift === 'free';
  const required = [
    ...(isFree ? ['a linear drift, without a bound,'] : []),
    ...(bulkShift === true ? ['a refractive-index step'] : []),
  ];
  const always =
    required.length === 0
      ? ''
      : ` The settings required ${required.join(' and ')} of each curve in every fit.`;
  const driftSentence =
    drift === 'held'
      ? ' A linear drift of each curve is fitted where the plate shows one, held to what its sensors without analyte and its baselines show.'
      : '';
  if (model !== 'auto')
    return `The settings required the model of every replicate: ${formatModel(model)}.${driftSentence}${always}`;
  const alternatives = [
    ...(isFree ? [] : ['a drift that is not held']),
    ...(bulkShift === true ? [] : ['a refractive-index step']),
    'mass transport',
    'a second kind of site',
    ...(isBivalent === true ? ['a bivalent analyte'] : []),
  ];
  const last = alternatives.at(-1) ?? '';
  return `The model of each replicate is 1:1 binding; ${alternatives.slice(0, -1).join(', ')} or ${last} is used instead only on very strong evidence (ΔBIC below −10).${driftSentence}${always} Flat curves are fitted by their plateaus (steady state).`;
}
