import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parquetMetadata } from 'hyparquet';
import type { ResultCurves } from '../store.ts';
import { writeParquet } from './parquet.ts';

const POINTS = 50;

async function* yieldResults(count: number): AsyncGenerator<ResultCurves> {
  const times = Array.from({ length: POINTS }, (_, index) => index);
  const curve = {
    kind: 'capture',
    replicate: 1,
    well: 'A1',
    time_s: times,
    signal: times,
    fit: times,
  };
  for (let index = 0; index < count; index += 1) {
    const result = { experiment_type: 'expression', experiment_code: 'X-1', curves: [curve] };
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the table of curves reads of a result
    yield { ...result, sequence_name: `design-${index}` } as unknown as ResultCurves;
  }
}

async function readGroups(count: number): Promise<number[]> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of writeParquet('expression', yieldResults(count), {})) chunks.push(chunk);
  const bytes = new Uint8Array(Buffer.concat(chunks));
  return parquetMetadata(bytes.buffer).row_groups.map(({ num_rows: rows }) => Number(rows));
}

test('curves.parquet: results up to 500 → a row group each; further ones → groups of more than 20,000 rows, and every point is there', async () => {
  const few = await readGroups(3);
  assert.deepEqual(few, [POINTS, POINTS, POINTS]);
  const many = await readGroups(1_000);
  assert.deepEqual(many.slice(500), [401 * POINTS, 99 * POINTS]);
  assert.equal(
    many.reduce((sum, rows) => sum + rows, 0),
    1_000 * POINTS,
  );
});
