/**
 * Counts what the analysis did in each replicate of an experiment: settings may say `auto`, and the records show the
 * outcome.
 */
import type { Outcome } from '#domain/results/contract.ts';
import { listReplicates, type PackagedResult } from './packaged.ts';

export const OUTCOMES: Readonly<Record<Outcome, string>> = {
  measured: 'measured',
  non_binder: 'without detected binding',
  inconclusive: 'inconclusive',
  not_expressed: 'not expressed',
  failed_qc: 'failed quality control',
  not_tested: 'not tested',
};

const RULES: Readonly<Record<string, string>> = {
  double: 'double referenced (reference sensor and blank)',
  reference: 'referenced to an empty sensor',
  blank: 'blank subtracted',
  none: 'not referenced',
};

/** `3 measured, 1 not expressed` */
export function formatOutcomeCounts(results: readonly Pick<PackagedResult, 'outcome'>[]): string {
  const counts = new Counts();
  for (const { outcome } of results) counts.add(OUTCOMES[outcome]);
  return counts.writeText();
}

/** Takes results one by one, so that the size of a package does not matter. */
export class WhatWasDone {
  private readonly outcomes = new Counts();
  private readonly models = new Counts();
  private readonly rules = new Counts();
  private readonly drifts = new Counts();

  take(result: PackagedResult): void {
    this.outcomes.add(OUTCOMES[result.outcome]);
    for (const { model, reference_rule: rule, drift } of listReplicates(result)) {
      if (typeof model === 'string') this.models.add(model.replaceAll('_', ' '));
      if (typeof rule === 'string') this.rules.add(RULES[rule] ?? rule);
      if (typeof drift === 'boolean') this.drifts.add(drift ? 'with a linear drift' : 'without drift');
    }
  }

  /** Returns one sentence for each kind of record that some replicate has. */
  writeSentences(): string[] {
    return [
      `Outcomes of the sequences: ${this.outcomes.writeText()}.`,
      ...(this.rules.isEmpty ? [] : [`Replicates by referencing: ${this.rules.writeText()}.`]),
      ...(this.models.isEmpty ? [] : [`Fitted replicates by model: ${this.models.writeText()}.`]),
      ...(this.drifts.isEmpty ? [] : [`Fitted replicates by drift: ${this.drifts.writeText()}.`]),
    ];
  }
}

class Counts {
  private readonly found = new Map<string, number>();

  get isEmpty(): boolean {
    return this.found.size === 0;
  }

  add(name: string): void {
    this.found.set(name, (this.found.get(name) ?? 0) + 1);
  }

  writeText(): string {
    return [...this.found].map(([name, count]) => `${count} ${name}`).join(', ') || 'none';
  }
}
