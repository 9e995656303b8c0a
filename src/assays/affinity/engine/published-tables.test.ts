/**
 * Published result tables, read from ../shared/data beside the project: aggregation compared with the published
 * values.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test, type TestContext } from 'node:test';
import type { ReplicateAffinity, SequenceAffinity } from './types.ts';
import { findPublished } from '#testing/analysis/published-data.ts';
import { aggregateSequence } from './aggregate.ts';
import { createMeasuredQuantity } from '#analysis/quantities/quantity.ts';
import { resolveSettings } from '../../binding/engine/settings.ts';

const FOLDER = 'egfr_round_1/';

type Row = Readonly<Record<string, string>>;

/** Rows of a table with quoted fields, or null after marking the test as skipped. */
function readRows(context: TestContext, file: string): Row[] | null {
  const path = findPublished(context, `${FOLDER}${file}`);
  if (path === null) return null;
  const [header = [], ...rows] = readFileSync(path, 'utf8').trimEnd().split(/\r?\n/).map(parseFields);
  return rows.map((row) => Object.fromEntries(header.map((name, index) => [name, row[index] ?? ''])));
}

function parseFields(line: string): string[] {
  return [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(
    ([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain ?? '',
  );
}

function parseReplicate(row: Row): ReplicateAffinity {
  const kd = row.kd === '' ? null : createMeasuredQuantity(Number(row.kd), 'M', null);
  return {
    sample: row.name,
    role: 'sample',
    replicate: Number(row.replicate),
    plate: 'P1',
    wells: [],
    traceIds: [],
    concentrationsM: [],
    outcome: kd === null ? 'non_binder' : 'measured',
    binding: kd === null ? 'non_binder' : 'binder',
    expression: 'expressed',
    referenceRule: null,
    response: null,
    responseThreshold: null,
    bindingScore: null,
    noise: null,
    loading: null,
    fitKind: null,
    kd,
    kon: null,
    koff: null,
    rmax: null,
    kdSteadyState: null,
    fit: null,
    fitQuality: null,
    confidence: 'high',
    flags: [],
    curves: [],
    kdDetectableM: null,
    kdDetectableBasis: null,
    packedCurves: null,
  };
}

/** Returns each design with a published KD, aggregated from its published replicates. */
function readDesigns(context: TestContext): { published: number; ours: SequenceAffinity }[] | null {
  const summaries = readRows(context, 'result_summary.csv');
  const replicates = readRows(context, 'replicate_summary.csv');
  if (summaries === null || replicates === null) return null;
  return summaries
    .filter(({ kd }) => kd !== '')
    .map(({ name, kd }) => {
      const own = replicates.filter((row) => row.name === name && row.kd !== '').map(parseReplicate);
      return { published: Number(kd), ours: aggregateSequence(own, resolveSettings()) };
    });
}

test('published tables: arithmetic mean of the replicates → the printed KD within 0.1 % for all 8 designs', (context) => {
  const found = readDesigns(context);
  if (found === null) return;
  assert.equal(found.length, 8);
  for (const { published, ours } of found) {
    assert.ok(ours.kdArithmeticMeanM !== null);
    assert.ok(Math.abs(ours.kdArithmeticMeanM / published - 1) < 1e-3, `${ours.sample} ${published}`);
  }
});

test('published tables: geometric mean → equals the printed KD only where replicates agree', (context) => {
  const found = readDesigns(context);
  if (found === null) return;
  const same = found.filter(({ published, ours }) => Math.abs((ours.kd?.value ?? 0) / published - 1) < 1e-3);
  assert.equal(same.length, 3);
  const control = found.find(({ ours }) => ours.sample === 'Cetuximab_scFv')?.ours;
  assert.ok(Math.abs((control?.kd?.value ?? 0) / 5.757e-9 - 1) < 1e-3);
});

/** Returns the value at the upper rank; the published numbers of eight designs follow this rule. */
function computeUpperRank(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * share)];
}

test('published tables: spread of replicates in log10 → median 0.05 and 90th percentile 0.34', (context) => {
  const found = readDesigns(context);
  if (found === null) return;
  const spreads = found.flatMap(({ ours }) => ours.kd?.log10Sd ?? []);
  assert.ok(Math.abs(computeUpperRank(spreads, 0.5) - 0.05) < 0.01);
  assert.ok(Math.abs(computeUpperRank(spreads, 0.9) - 0.34) < 0.01);
});
