/**
 * Counts what the analysis did in each replicate of an experiment: settings may say `auto`, and the records show the
 * outcome.
 */
import { formatConcentration } from '#core/number-words.ts';
import { formatCountedOutcome, findShownAssay } from '#assays/shown.ts';
import { isOutcome } from '../words/outcomes.ts';
import { Counts, countWords, type FactCollector } from './sentences.ts';
import { listReplicates, type PackagedResult } from './packaged.ts';
import { hasFailedPlate, listPlateFailures } from '../words/failed-plate.ts';

/** Says how many results come from plates on which a control failed, and why it did. */

export const tellFailedPlates = (): FactCollector => {
  const reasons = new Set<string>();
  let all = 0;
  let failed = 0;
  return {
    take({ qc }) {
      all += 1;
      if (!hasFailedPlate(qc.flags)) return;
      failed += 1;
      for (const reason of listPlateFailures(qc.details)) reasons.add(reason);
    },
    writeSentence: () =>
      failed === 0
        ? undefined
        : [
            `Results from a plate on which a control failed: ${failed} of ${all}. Measure them on another plate before you rely on them.`,
            ...reasons,
          ].join(' '),
  };
};

/** `3 measured, 1 with no transition, 1 not expressed` */
export function formatOutcomeCounts(
  results: readonly Pick<PackagedResult, 'outcome' | 'rows'>[],
  experimentType: string,
): string {
  const counts = new Counts();
  for (const {
    outcome,
    rows: [row = {}],
  } of results)
    counts.add(formatCountedOutcome({ outcome, row }, experimentType));
  return counts.writeText();
}

const countReplicates = (experimentType: string): FactCollector =>
  countWords('Replicates', (result) =>
    listReplicates(result).map((row) => {
      const { outcome } = row;
      if (isOutcome(outcome)) return formatCountedOutcome({ outcome, row }, experimentType);
      return typeof outcome === 'string' ? outcome.replaceAll('_', ' ') : null;
    }),
  )();

/** Takes results one by one, so that the size of a package does not matter. */
export class WhatWasDone {
  private readonly experimentType: string;
  private readonly outcomes = new Counts();
  private readonly facts: readonly FactCollector[];
  private readonly exclusions: string[] = [];

  constructor(experimentType: string) {
    this.experimentType = experimentType;
    const own = findShownAssay(experimentType)?.facts ?? [];
    this.facts = [tellFailedPlates(), countReplicates(experimentType), ...own.map((create) => create())];
  }

  take(result: PackagedResult): void {
    const {
      outcome,
      rows: [row = {}],
    } = result;
    this.outcomes.add(formatCountedOutcome({ outcome, row }, this.experimentType));
    for (const fact of this.facts) fact.take(result);
    for (const { replicate, plate, concentration_m: dose = null, reason } of result.excluded_replicates) {
      const curve = dose === null ? '' : ` at ${formatConcentration(dose)}`;
      this.exclusions.push(`${result.sequence_name}, replicate ${replicate} on ${plate}${curve} (${reason})`);
    }
  }

  /** Returns one sentence for each kind of record that some result has. */
  writeSentences(): string[] {
    return [
      `Outcomes of the sequences: ${this.outcomes.writeText()}.`,
      ...this.facts.flatMap((fact) => fact.writeSentence() ?? []),
      ...this.writeExclusions(),
    ];
  }

  /** A report has to name what was excluded, and why (ISO/IEC 17025, 7.8.2). */
  private writeExclusions(): string[] {
    const { length } = this.exclusions;
    if (length === 0) return [];
    const measurements = length === 1 ? '1 measurement' : `${length} measurements`;
    return [`The lab left out ${measurements}: ${this.exclusions.join('; ')}.`];
  }
}
