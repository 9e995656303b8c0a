import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { describe, it } from 'node:test';
import { formatBytes, Progress } from './progress.ts';
import { runInTerminal } from './terminal.ts';

/** Draws every 100 ms of a clock that the test moves, in a terminal of so many columns. */
function draw(
  columns: number | undefined,
  report: (progress: Progress, advance: (ms: number) => void) => void,
  unit = 'bytes',
): string[] {
  const stderr = Object.assign(new PassThrough(), columns === undefined ? {} : { isTTY: true, columns });
  let written = '';
  stderr.setEncoding('utf8').on('data', (text: string) => (written += text));
  const terminal = {
    stdin: new PassThrough(),
    stdout: new PassThrough(),
    stderr,
    environment: { NO_COLOR: '1' },
  };
  let nowMs = 0;
  runInTerminal(terminal, () => {
    const progress = new Progress({ label: 'plate-1.frd', unit, readNowMs: () => nowMs });
    report(progress, (ms) => (nowMs += ms));
    progress.clear();
  });
  written += String(stderr.read() ?? '');
  return written.split('\r\u001B[2K').slice(1);
}

function sendHalf(progress: Progress, advance: (ms: number) => void): void {
  for (let second = 0; second <= 4; second += 1) {
    progress.report(second * 1_000_000, 8_000_000);
    advance(1_000);
  }
}

describe('progress', () => {
  it('Progress: half of a file has gone → amount, rate and remaining time on one line that is cleared at the end', () => {
    const drawn = draw(100, sendHalf);
    assert.equal(drawn.at(-2), 'plate-1.frd  ██████████░░░░░░░░░░  4.0 MB of 8.0 MB · 1.0 MB/s · 0:04 left');
    assert.equal(drawn.at(-1), '');
  });

  it('Progress: a count without bytes → the count, its noun and the remaining time', () => {
    const drawn = draw(
      100,
      (progress, advance) => {
        for (const done of [0, 10, 20]) {
          progress.report(done, 60);
          advance(2_000);
        }
      },
      'results',
    );
    assert.match(drawn.at(-2) ?? '', /^plate-1\.frd {2}█+▋?░+ {2}20 of 60 results · 0:08 left$/);
  });

  it('Progress: a narrow terminal → no bar, and never more than its width', () => {
    for (const columns of [20, 40, 60])
      for (const line of draw(columns, sendHalf)) assert.ok(line.length < columns, `${columns}: ${line}`);
  });

  it('Progress: no terminal, or work that ends at once → nothing', () => {
    assert.deepEqual(draw(undefined, sendHalf), []);
    assert.deepEqual(
      draw(100, (progress) => progress.report(1, 2)),
      [],
    );
  });

  it('formatBytes: powers of ten → with their unit', () => {
    assert.deepEqual([999, 12_345, 12_345_678, 2_500_000_000].map(formatBytes), [
      '999 B',
      '12 kB',
      '12.3 MB',
      '2.50 GB',
    ]);
  });
});
