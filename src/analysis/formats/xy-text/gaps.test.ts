/** X–Y text that lacks points. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FormatError } from '../../failures/errors.ts';
import { xyText } from './xy-text.ts';

const HEAD = 'Cycle: 1 mAb 100 nM_X\tCycle: 1 mAb 100 nM_Y\tCycle: 2 mAb 50 nM_X\tCycle: 2 mAb 50 nM_Y';

function parse(...rows: string[]) {
  const text = `${[HEAD, ...rows].join('\r\n')}\r\n`;
  return readSet(text);
}

function readSet(text: string) {
  const { traces, notices } = xyText.grouping === 'file' ? xyText.parse(toInput(text)) : assert.fail();
  const points = traces.map(({ steps }) =>
    steps.flatMap(({ timeS, signal }) => [...timeS].map((t, i) => [t, signal[i]])),
  );
  return { points, gaps: notices.filter((notice) => notice.includes('left out')) };
}

function toInput(text: string) {
  return { name: 'curves.txt', bytes: new TextEncoder().encode(text) };
}

test('X–Y text: every pair complete, and one column shorter → all points, and no notice of gaps', () => {
  const { points, gaps } = parse('0\t1\t0\t2', '1\t3\t1\t4', '2\t5\t\t', '3\t6');
  assert.deepEqual(points, [
    [
      [0, 1],
      [1, 3],
      [2, 5],
      [3, 6],
    ],
    [
      [0, 2],
      [1, 4],
    ],
  ]);
  assert.deepEqual(gaps, []);
});

test('X–Y text: empty cells, NaN and points missing in the middle → left out and counted by curve', () => {
  const { points, gaps } = parse('0\t1\t0\t2', '1\tNaN\t\t', '\t4\t2\t#N/A', '3\t\t3\t6', '4\t7\t4\t8');
  assert.deepEqual(points, [
    [
      [0, 1],
      [4, 7],
    ],
    [
      [0, 2],
      [3, 6],
      [4, 8],
    ],
  ]);
  assert.deepEqual(gaps, [
    '5 pairs of the X–Y text without a time or a signal were left out (Cycle: 1 mAb 100 nM: 3, Cycle: 2 mAb 50 nM: 2).',
  ]);
});

test('X–Y text: a curve without any complete pair → refused with the curve and its column', () => {
  for (const [cell, found] of [
    ['', 'none'],
    ['NaN', '2 pairs that lack their time or their signal'],
  ] as const) {
    const row = (t: number): string => `${t}\t1\t${cell === '' ? '' : t}\t${cell}`;
    assert.throws(
      () => parse(row(0), row(1)),
      (error) =>
        error instanceof FormatError &&
        error.message ===
          `curves.txt, line 1, column 45: expected points of the curve Cycle: 2 mAb 50 nM, found ${found}`,
    );
  }
});

test('X–Y text: any other text in a cell, or a line that was cut off → still refused', () => {
  for (const rows of [
    ['0\t1\t0\t2', '1\tabc\t1\t2'],
    ['0\t1\t0\t2', '1\t2\t1'],
    ['0\t1\t0\t2', '0\t2\t1\t2'],
  ])
    assert.throws(() => parse(...rows), FormatError, rows.join(' | '));
});
