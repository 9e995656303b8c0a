import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import type { PackagedResult } from './packaged.ts';
import { createPackaged, KD } from '#testing/report-tables.ts';
import { buildRanking } from '../report/ranking.ts';
import { holdResults } from './build-data-package.ts';

/** Records as they come from the store: each parsed on its own. */
async function* readRecords(plates: readonly string[]): AsyncGenerator<PackagedResult> {
  for (const [index, plate] of plates.entries()) {
    const record = { id: `r${index}`, rows: [{ kd: index }], analysis: { plates: [{ plate }] } };
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the fields that this test reads
    yield JSON.parse(JSON.stringify({ ...record, summary: record.rows })) as PackagedResult;
  }
}

test('data package: results of one analysis are held together → they share it, and another keeps its own', async () => {
  const [first, second, other] = await holdResults(readRecords(['P1', 'P1', 'P2']));
  assert.equal(first?.analysis, second?.analysis);
  assert.deepEqual(other?.analysis, { plates: [{ plate: 'P2' }] });
  assert.deepEqual(
    [first, second, other].map((result) => [result?.id, result?.rows]),
    [0, 1, 2].map((index) => [`r${index}`, [{ kd: index }]]),
  );
});

test('assessment: a report is made of held results → its first column has their grades, its last words what passed is of', async () => {
  const result = createPackaged({
    outcome: 'measured',
    quantities: { kd: KD },
    assessment: { grade: 'indicative', reasons: ['The value is an estimate.'] },
  });
  const held = await holdResults(Readable.from([result]));
  assert.deepEqual(held[0]?.assessment, result.assessment);
  const [, table, note] = buildRanking('affinity', held, held);
  assert.ok(table?.kind === 'table' && note?.kind === 'paragraph');
  assert.equal(table.rows[0]?.[0], 'indicative');
  assert.match(note.text, /of those ordered, or of those measured where they are more/);
});
