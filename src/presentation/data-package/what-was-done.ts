/**
 * Counts what the analysis did in each replicate of an experiment: settings may say `auto`, and the records show the
 * outcome.
 */
import type { Outcome } from '#domain/results/contract.ts';
import { findShownAssay } from '../assays/registry.ts';
import { formatConcentrationBriefly } from '../words/results.ts';
import { Counts, countWords, type FactCollector } from './facts.ts';
import { listReplicates, type PackagedResult } from './packaged.ts';

export const OUTCOMES: Readonly<Record<Outcome, string>> = {
  measured: 'measured',
  non_binder: 'without detected binding',
  inconclusive: 'inconclusive',
  not_expressed: 'not expressed',
  failed_qc: 'failed quality control',
  not_tested: 'not tested',
};

/** `3 measured, 1 not expressed` */
export function formatOutcomeCounts(results: readonly Pick<PackagedResult, 'outcome'>[]): string {
  const counts = new Counts();
  for (const { outcome } of results) counts.add(OUTCOMES[outcome]);
  return counts.writeText();
}

const countReplicates = countWords('Replicates', (result) =>
  listReplicates(result).map(({ outcome }) =>
    typeof outcome === 'string' ? (findOutcome(outcome) ?? outcome.replaceAll('_', ' ')) : null,
  ),
);

function findOutcome(outcome: string): string | undefined {
  return Object.entries(OUTCOMES).find(([name]) => name === outcome)?.[1];
}

/** Takes results one by one, so that the size of a package does not matter. */
export class WhatWasDone {
  private readonly outcomes = new Counts();
  private readonly facts: readonly FactCollector[];
  private readonly exclusions: string[] = [];

  constructor(experimentType: string) {
    const own = findShownAssay(experimentType)?.facts ?? [];
    this.facts = [countReplicates, ...own].map((create) => create());
  }

  take(result: PackagedResult): void {
    this.outcomes.add(OUTCOMES[result.outcome]);
    for (const fact of this.facts) fact.take(result);
    for (const { replicate, plate, concentration_m: dose = null, reason } of result.excluded_replicates) {
      const curve = dose === null ? '' : ` at ${formatConcentrationBriefly(dose)}`;
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
