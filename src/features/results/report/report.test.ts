import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPackaged, KD } from '#testing/report-tables.ts';
import type { PdfBlock } from '#documents/document.ts';
import { buildReport } from './report.ts';

const experiment = {
  id: 'e1',
  code: 'X-1',
  name: 'many',
  experimentType: 'affinity',
  method: 'bli',
  createdAt: '2026-03-02T09:00:00.000Z',
  releasedAt: new Date('2026-03-02T09:00:00.000Z'),
  isSandbox: false,
  target: null,
  sequences: [],
};

async function buildBlocks(count: number): Promise<PdfBlock[]> {
  const results = Array.from({ length: count }, (_, index) =>
    createPackaged({ outcome: 'measured', place: index + 1, quantities: { kd: KD }, rows: [{ kd: 9e-9 }] }),
  );
  const { blocks } = buildReport({
    experiment,
    results,
    pictures: [],
    shownCount: 0,
    picturesCount: 0,
    smallPictures: [],
    overlays: [],
    plates: [],
    overviews: [],
    issuer: 'Lab',
    paper: 'a4',
  });
  const all: PdfBlock[] = [];
  for await (const block of blocks) all.push(block);
  return all;
}

const NOTE = /^The first 1,000 of 1,001 rows are shown/;

test('report: a table has more than 1,000 rows → the first 1,000 and the number of all; with 1,000 → whole, without a word', async () => {
  for (const [count, isCut] of [
    [1_001, true],
    [1_000, false],
  ] as const) {
    const blocks = await buildBlocks(count);
    const ranking = blocks.find((block) => block.kind === 'table');
    assert.equal(ranking?.kind === 'table' && ranking.rows.length, 1_000);
    const notes = blocks.filter((block) => block.kind === 'paragraph' && NOTE.test(block.text));
    assert.equal(notes.length, isCut ? 1 : 0);
  }
});
