/** Records of results, and statements that a text about them makes or does not make. */
import assert from 'node:assert/strict';
import { listAssayNames } from '#assays/registry.ts';
import type { ResultCurves } from '#features/results/store.ts';
import { buildMethods } from '#features/results/package/methods.ts';
import type { PackagedExperiment } from '#features/results/package/packaged.ts';
import { WhatWasDone } from '#features/results/package/what-was-done.ts';
import { writePlain } from '#documents/prose.ts';
import fc from './properties.ts';
import { createPackaged } from './report-tables.ts';

export const EVERY_ASSAY: readonly string[] = listAssayNames();

export function createRecord(type: string, changes: Partial<ResultCurves>): ResultCurves {
  return {
    experiment_type: type,
    experiment_code: 'DEMO-001-001',
    sequence_name: 'design-1',
    is_control: false,
    place: null,
    target_name: null,
    title: `${type} of design-1`,
    method: null,
    analysis: {},
    outcome: 'measured',
    flags: [],
    signal_unit: 'counts',
    summary: {},
    quantities: {},
    replicates: [],
    curves: [],
    ...changes,
  };
}

export function assertStatements(caption: string, statements: readonly (readonly [string, boolean])[]): void {
  for (const [phrase, isTrue] of statements)
    assert.equal(caption.includes(phrase), isTrue, `"${phrase}" in: ${caption}`);
}

/** Which of the replicates have a value; at least one. */
export const someMeasured = fc
  .array(fc.boolean(), { minLength: 1, maxLength: 5 })
  .filter((each) => each.some(Boolean));

export function listCounts(found: readonly boolean[]): (readonly [string, boolean])[] {
  const n = found.filter(Boolean).length;
  const isPart = n < found.length;
  return [
    [`n = ${n} of ${found.length} replicates`, isPart],
    [`n = ${n} replicate`, !isPart],
    ['; left out: replicate', isPart],
  ];
}

type Row = Readonly<Record<string, unknown>>;

interface Given {
  readonly type: string;
  readonly settings?: Row;
  readonly model?: string;
  readonly plates?: readonly Row[];
  /** Replicates of each result. */
  readonly results?: readonly (readonly Row[])[];
  readonly row?: Row;
}

/** Writes the methods of an experiment with these results as plain text. */
export function writeMethodsText({
  type,
  settings = {},
  model = 'auto',
  plates = [],
  results = [[]],
  row = {},
}: Given): string {
  const experiment: PackagedExperiment = {
    id: 'e1',
    code: 'DEMO-001-001',
    name: 'Demo',
    experimentType: type,
    method: null,
    createdAt: '2026-01-01T00:00:00Z',
    releasedAt: new Date(0),
    isSandbox: false,
    target: { name: 'EGFR' },
    sequences: [{ name: 'design-1', aaString: 'MK', isControl: false }],
  };
  const records = results.map((replicates, index) =>
    createPackaged({
      id: `r${index}`,
      outcome: 'measured',
      n_replicates: replicates.length,
      n_replicates_passed: replicates.length,
      rows: [{ ...row, replicates }],
      analysis: { engine: { name: 'engine', version: '9' }, model, settings, plates },
    }),
  );
  const done = new WhatWasDone(type);
  for (const record of records) done.take(record);
  return buildMethods(experiment, records[0], done).paragraphs.map(writePlain).join('\n');
}
