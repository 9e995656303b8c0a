/** What the order adds to a file that is silent, through the entry that the worker uses. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { analyzeHere } from '#analysis/assays/assay.ts';
import type { AssayRun } from '#analysis/assays/assay.ts';
import { affinity } from '../../affinity/engine/assay.ts';
import { AnalysisError } from '#analysis/failures/errors.ts';
import { createNormals, toFile } from '#testing/analysis/synthetic.ts';

const RATES = { kon: 1e5, koff: 5e-3, rmax: 80 };
const ASSOCIATION_S = 120;
const DOSES_NM = [200, 100, 50, 25];

function bind(doseNm: number, t: number): number {
  const kobs = RATES.kon * doseNm * 1e-9 + RATES.koff;
  const plateau = (RATES.rmax * (kobs - RATES.koff)) / kobs;
  const bound = plateau * (1 - Math.exp(-kobs * Math.min(t, ASSOCIATION_S)));
  return t <= 0 ? 0 : bound * Math.exp(-RATES.koff * Math.max(0, t - ASSOCIATION_S));
}

interface Title {
  readonly name: string;
  readonly doseNm: number;
}

function createXyText(titles: readonly Title[]) {
  const normal = createNormals(3);
  const head = titles.map(({ name, doseNm }, i) => {
    const title = `Cycle: ${i + 1} ${name === '' ? '' : `${name} `}${doseNm} nM`;
    return `${title}_X\t${title}_Y`;
  });
  const rows = Array.from({ length: 400 }, (_, k) =>
    titles.map(({ doseNm }) => `${k - 40}\t${(bind(doseNm, k - 40) + 0.2 * normal()).toFixed(4)}`).join('\t'),
  );
  return toFile('curves.txt', `${[head.join('\t'), ...rows].join('\n')}\n`);
}

function analyze(titles: readonly Title[], run: Partial<AssayRun>, method: string | null = 'spr') {
  return analyzeHere(affinity, {
    files: [createXyText(titles)],
    ordered: { method, concentrationsM: null },
    ...run,
    settings: { associationS: ASSOCIATION_S, ...run.settings },
  });
}

const name = (sample: string): Title[] => DOSES_NM.map((doseNm) => ({ name: sample, doseNm }));

describe('technique of a file that states none', () => {
  test('technique: X–Y text ordered as SPR → RU, one Rmax for the surface, the valves left out, and a notice', () => {
    const { plates, notices, sequences, analysis } = analyze(name('mAb'), {});
    assert.deepEqual([plates[0].technique, plates[0].signalUnit], ['spr', 'RU']);
    const [replicate] = sequences[0].replicates;
    assert.deepEqual(
      [replicate.fit?.rmaxRule, replicate.rmax?.unit],
      ['global', 'RU'],
      replicate.flags.map(({ message }) => message).join(' '),
    );
    assert.deepEqual(
      [
        analysis.settings.trimAssociationS,
        analysis.settings.trimDissociationS,
        analysis.settings.trimBeforeS,
      ],
      [2, 2, 1],
    );
    assert.ok(notices.some((notice) => /was analyzed as SPR, as ordered, with signals in RU/.test(notice)));
    assert.ok(Math.abs((sequences[0].kd?.value ?? 0) / 5e-8 - 1) < 0.05);
  });

  test('technique: the same text ordered as BLI → nm, one Rmax for each sensor, nothing left out', () => {
    const { plates, sequences, analysis } = analyze(name('mAb'), {}, 'bli');
    assert.deepEqual([plates[0].technique, plates[0].signalUnit], ['bli', 'nm']);
    assert.equal(sequences[0].replicates[0].fit?.rmaxRule, 'local');
    assert.equal(analysis.settings.trimAssociationS, 0);
  });

  test('technique: trims asked for → used instead of those of SPR; fitted times → none, because the ends show the times', () => {
    const untrimmed = analyze(name('mAb'), { settings: { trimAssociationS: 0, trimBeforeS: 0 } });
    assert.deepEqual(
      [untrimmed.analysis.settings.trimAssociationS, untrimmed.analysis.settings.trimDissociationS],
      [0, 2],
    );
    const fitted = analyze(name('mAb'), { settings: { timeZero: 'fitted' } });
    assert.equal(fitted.analysis.settings.trimDissociationS, 0);
  });

  test('technique: a dose twice on an SPR surface → a second curve of one replicate; on BLI sensors → a second replicate', () => {
    const twice = [...name('mAb'), { name: 'mAb', doseNm: 100 }];
    const [spr] = analyze(twice, {}).sequences;
    assert.equal(spr.replicates.length, 1);
    assert.deepEqual([spr.replicates[0].traceIds.length, spr.replicates[0].fit?.rmaxRule], [5, 'global']);
    const [bli] = analyze(twice, {}, 'bli').sequences;
    assert.equal(bli.replicates.length, 2);
  });
});

describe('sample of a file that names none', () => {
  const one = { sequences: { 'design-1': 'QVQLV' } };
  const two = { sequences: { 'design-1': 'QVQLV', 'design-2': 'QVQLE' } };

  test('unnamed traces: an experiment of one sequence → that sequence, with a notice', () => {
    const { sequences, notices } = analyze(name(''), one);
    assert.deepEqual(
      sequences.map(({ sample, outcome }) => [sample, outcome]),
      [['design-1', 'measured']],
    );
    assert.ok(
      notices.includes('The file names no sample: taken as design-1, the only sequence of the experiment.'),
    );
  });

  test('nothing_to_analyze: unnamed traces in an experiment of several sequences → refused with what to assign', () => {
    assert.throws(
      () => analyze(name(''), two),
      (error) =>
        error instanceof AnalysisError &&
        error.code === 'nothing_to_analyze' &&
        /^The files name no sample for .*, and the order has the sequences design-1, design-2: state which sequence each trace is, as in assign\["Cycle: 1 200 nM"\]\.sample\.$/.test(
          error.message,
        ),
    );
  });

  test('unnamed traces: all assigned → measured, and nothing is taken from the order', () => {
    const assign = Object.fromEntries(
      DOSES_NM.map((doseNm, i) => [`Cycle: ${i + 1} ${doseNm} nM`, { sample: 'design-2' }]),
    );
    const { sequences, notices } = analyze(name(''), { ...two, settings: { assign } });
    assert.deepEqual(
      sequences.map(({ sample }) => sample),
      ['design-2'],
    );
    assert.ok(!notices.some((notice) => /no sample|No trace has/.test(notice)));
  });

  test('unnamed traces: some assigned in an experiment of several → measured, and the others are listed', () => {
    const assign = Object.fromEntries(
      DOSES_NM.slice(0, 3).map((doseNm, i) => [`Cycle: ${i + 1} ${doseNm} nM`, { sample: 'design-2' }]),
    );
    const { notices } = analyze(name(''), { ...two, settings: { assign } });
    assert.ok(notices.some((notice) => notice.startsWith('The files name no sample for Cycle: 4 25 nM,')));
  });

  test('named traces: the name of an ordered sequence → no notice; another name → what the files and the order have', () => {
    const matched = analyze(name('design-1'), one);
    assert.ok(!matched.notices.some((notice) => /No trace has|no sample/.test(notice)));
    const other = analyze(name('mAb'), one);
    assert.deepEqual(
      other.sequences.map(({ sample }) => sample),
      ['mAb'],
    );
    assert.ok(
      other.notices.some((notice) =>
        notice.startsWith(
          'No trace has the name of an ordered sequence: the files have mAb, the order has the sequence design-1.',
        ),
      ),
    );
  });
});
