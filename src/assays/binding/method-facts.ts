/** What the methods of a binding experiment count in its records. */
import { findSignalUnit, listReplicates, type PackagedResult } from '#features/results/package/packaged.ts';
import { countNames, Counts, countWords, type FactCollector } from '#features/results/package/facts.ts';
import { listRecords } from '#documents/records.ts';
import { formatDriftSource, formatModel, formatReferenceRule } from '#features/results/words/models.ts';
import { formatDriftRate, listReplicateFacts, RMAX_RULES, type ReplicateFacts } from './replicate-facts.ts';

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
