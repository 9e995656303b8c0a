/** A table without the name of its channel that holds a ratio of two wavelengths, whose midpoint the brightness moves. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toFile } from '#testing/analysis/synthetic.ts';
import { createMeltTrace } from '#testing/analysis/melts.ts';
import { analyzeHere } from '#analysis/assays/assay.ts';
import { thermostability } from './assay.ts';
import type { SequenceMelting } from './types.ts';

const TM_C = 58;

/** A table of one well: `read` makes its signal of the light at 330 and at 350 nm. */
function analyzeTable(read: (at330: number, at350: number) => number): SequenceMelting {
  return analyze(createTable(read)).sequences[0];
}

function analyze(text: string, settings = {}) {
  return analyzeHere(thermostability, { files: [toFile('table.csv', text)], settings }).found;
}

function createTable(read: (at330: number, at350: number) => number): string {
  const transitions = [{ tmC: TM_C, dhKcalPerMol: 110, amplitude: 1 }];
  const { temperatureC, signal: unfolded } = createMeltTrace({ well: 'A1', transitions, offset: 0 });
  const noise = createMeltTrace({ well: 'A1', transitions: [], offset: 0, noiseSd: 0.001, seed: 3 });
  const step = Math.abs(read(1, 0.7) - read(0.5, 0.5));
  const rows = Array.from(unfolded, (f, i) => {
    // Unfolding takes half of the light at 330 nm.
    const [at330, at350] = [1 - 0.5 * f, 0.7 * (1 - f) + 0.5 * f];
    const value = read(at330, at350) + step * noise.signal[i];
    return `${temperatureC[i].toFixed(2)},${value.toPrecision(7)}`;
  });
  return ['Temperature,A1', ...rows, ''].join('\n');
}

const RATIO = createTable((at330, at350) => at350 / at330);

/** The table in our own format, which names the channel. */
function nameChannel(table: string): string {
  const rows = table.trimEnd().split('\n').slice(1);
  const head = ['# assayer-melts: 1', 'well,role,sample,replicate,concentration_m,concentration_ng_per_ul'];
  const lines = rows.map((row) => `A1,ratio,${row}`);
  return [...head, 'A1,sample,A1,1,,', '', 'well,channel,temperature_c,signal', ...lines, ''].join('\n');
}

test('channel: a table without one whose values are a ratio → the Tm and the interval of the file that says so', () => {
  const { analysis, sequences, notices } = analyze(RATIO);
  const named = analyze(nameChannel(RATIO));
  assert.equal(analysis.model, 'two_state');
  assert.deepEqual(sequences[0].tm, named.sequences[0].tm);
  assert.ok(
    notices.some((notice) => /names no channel.* 1 curve as a ratio.* set channel/.test(notice)),
    notices.join(' '),
  );
});

test('channel: the setting names that of a table without one → read as this channel, without a guess', () => {
  const { sequences, notices } = analyze(RATIO, { channel: 'ratio' });
  assert.equal(sequences[0].replicates[0]?.channel, 'ratio');
  assert.ok(!sequences[0].flags.some(({ message }) => message.startsWith('The file names no channel')));
  assert.ok(!notices.some((notice) => notice.includes('names no channel')), notices.join(' '));
  assert.equal(analyze(RATIO, { channel: 'dye' }).analysis.model, 'boltzmann');
});

test('TM_UNCERTAIN: a table without a channel whose values are a ratio → told, and the interval holds the Tm that its midpoint is not', () => {
  const { tm, flags, replicates } = analyzeTable((at330, at350) => at350 / at330);
  const flag = flags.find(({ code }) => code === 'TM_UNCERTAIN');
  assert.match(flag?.message ?? '', /^The file names no channel/);
  assert.equal(flag?.severity, 'warning');
  assert.equal(tm?.relation, '=');
  const { value, ci95Low, ci95High } = tm;
  assert.ok(Math.abs(value - TM_C) > 0.7, `the midpoint is elsewhere: ${value}`);
  assert.ok((ci95Low ?? 99) <= TM_C && TM_C <= (ci95High ?? 0), JSON.stringify(tm));
  assert.equal(replicates[0]?.channel, 'unnamed');
});

for (const [what, read] of [
  ['counts of a detector', (_: number, at350: number) => 9_000 - 5_000 * at350],
  ['a signal between 0 and 1', (at330: number) => 2.02 - 2 * at330],
] as const)
  test(`TM_UNCERTAIN: a table without a channel whose values are ${what} → not told, Tm firm and narrow`, () => {
    const { tm, flags, replicates } = analyzeTable(read);
    assert.ok(!flags.some(({ code }) => code === 'TM_UNCERTAIN'), JSON.stringify(flags));
    assert.equal(tm?.relation, '=');
    assert.ok(Math.abs((tm?.value ?? 0) - TM_C) < 0.3 && (tm?.ci95High ?? 99) - (tm?.ci95Low ?? 0) < 1);
    assert.equal(replicates[0]?.channel, 'dye');
  });
