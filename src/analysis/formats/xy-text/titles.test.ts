/** Titles of curves that consist of fields: each field is read as what it is. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toFile } from '#testing/analysis/synthetic.ts';
import { analyzeHere } from '../../assays/assay.ts';
import { affinity } from '#assays/affinity/engine/assay.ts';
import { FormatError } from '../../failures/errors.ts';
import { parseTraces } from '../parse.ts';

const KON = 1e5;
const KOFF = 1e-3;
const ASSOCIATION_S = 120;
const RMAX_RU = 100;
const DOSES_NM = [100, 33.3, 11.1, 3.7, 1.23];

/** The signal of a 1:1 binder that is injected at 0 s. */
function computeSignal(timeS: number, concentrationM: number): number {
  const rate = KON * concentrationM + KOFF;
  const bind = (s: number): number => ((RMAX_RU * KON * concentrationM) / rate) * (1 - Math.exp(-rate * s));
  if (timeS <= 0) return 0;
  return timeS <= ASSOCIATION_S
    ? bind(timeS)
    : bind(ASSOCIATION_S) * Math.exp(-KOFF * (timeS - ASSOCIATION_S));
}

/** An export of the titles; the curves have the doses in turn. */
function createExport(titles: readonly string[]) {
  const noise = [0.11, -0.07, 0.02, -0.13, 0.09, 0.05, -0.04];
  const rows = Array.from({ length: 660 }, (_, i) => {
    const timeS = i / 2 - 20;
    return titles.map((_, k) => {
      const signal = computeSignal(timeS, DOSES_NM[k % DOSES_NM.length] * 1e-9);
      return `${timeS.toFixed(1)} \t${(signal + noise[(3 * i + k) % noise.length]).toFixed(4)} `;
    });
  });
  const header = titles.map((title) => `${title}_X \t${title}_Y `);
  return toFile('run.txt', `\ufeff${[header, ...rows].map((cells) => cells.join('\t')).join('\r\n')}\r\n`);
}

const FIELDS = DOSES_NM.map((nm, k) => `Run 1; Ch 1; Fc 2-1; Cy ${k + 4}; design-1; Conc ${nm} nM`);

function readTitles(titles: readonly string[]) {
  const [{ traces }] = parseTraces([createExport(titles)]);
  return traces.map(({ sample, replicate, concentrationM }) => [sample, replicate, concentrationM]);
}

test('X–Y text: titles of fields between semicolons → the sample and the concentration of each cycle', () => {
  assert.deepEqual(
    readTitles(FIELDS),
    DOSES_NM.map((nm) => ['design-1', 1, Number((nm * 1e-9).toPrecision(12))]),
  );
});

test('X–Y text: titles of fields → the KD of the sample that they name', () => {
  const { sequences } = analyzeHere(affinity, {
    files: [createExport(FIELDS)],
    settings: { associationS: ASSOCIATION_S },
    ordered: { method: 'spr', concentrationsM: null },
  });
  const [design] = sequences;
  assert.equal(design.sample, 'design-1');
  assert.ok(Math.abs((design.kd?.value ?? 0) / 1e-8 - 1) < 0.1, JSON.stringify(design.kd));
});

test('X–Y text: one sample in several channels → a replicate for each', () => {
  const titles = [1, 2].flatMap((ch) => FIELDS.slice(0, 2).map((title) => title.replace('Ch 1', `Ch ${ch}`)));
  assert.deepEqual(
    readTitles(titles).map(([sample, replicate]) => [sample, replicate]),
    [
      ['design-1', 1],
      ['design-1', 1],
      ['design-1', 2],
      ['design-1', 2],
    ],
  );
});

test('X–Y text: curves of several flow cells → refused, with what to export', () => {
  const titles = [FIELDS[0], FIELDS[1].replace('Fc 2-1', 'Fc 1')];
  assert.throws(
    () => readTitles(titles),
    (error) =>
      error instanceof FormatError &&
      error.message.includes('the curves of one flow cell') &&
      error.found === 'Fc 2-1, 1',
  );
});

test('X–Y text: fields without a sample or without a concentration → neither is made up', () => {
  assert.deepEqual(
    readTitles(['Run 1; Ch 1; Fc 2-1; Cy 4; Conc 10 nM', 'Run 1; Ch 1; Fc 2-1; Cy 5; design-1']),
    [
      ['sample', 1, 1e-8],
      ['design-1', 1, null],
    ],
  );
  assert.deepEqual(readTitles(['mAb; 100 nM', 'Cycle: 2 mAb 50 nM']), [
    ['mAb;', 1, 1e-7],
    ['mAb', 1, 5e-8],
  ]);
});
