/**
 * The simulated SPR sensorgrams of anabel. They are published as a table of an R package, which no instrument writes; a
 * lab brings such curves as the X–Y text of its evaluation software, on the same clock.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getItems, getText, type Json } from '#testing/service.ts';
import {
  encode,
  expectQuantity,
  getResult,
  listFlags,
  readPublished,
  type Doors,
  type PublishedFile,
} from './doors.ts';

interface Sensorgram {
  readonly timeS: readonly string[];
  readonly columns: readonly (readonly string[])[];
}

function readWide({ bytes }: PublishedFile): Sensorgram {
  const lines = Buffer.from(bytes).toString('utf8').trim().split('\n').slice(1);
  const rows = lines.map((line) => line.split(','));
  return {
    timeS: rows.map((row) => row[0] ?? ''),
    columns: (rows[0] ?? []).slice(1).map((_, c) => rows.map((row) => row[c + 1] ?? '')),
  };
}

/** Writes the columns that have a title, one pair of columns each. */
function writeXyText({ timeS, columns }: Sensorgram, titles: readonly (string | null)[]): string {
  const shown = columns.flatMap((column, c) => {
    const title = titles[c] ?? null;
    return title === null ? [] : [{ column, head: `Cycle: ${c + 1} ${title}` }];
  });
  const lines = [
    shown.map(({ head }) => `${head}_X\t${head}_Y`),
    ...timeS.map((t, i) => shown.map(({ column }) => `${t}\t${column[i] ?? ''}`)),
  ];
  return `${lines.map((cells) => cells.join('\t')).join('\n')}\n`;
}

const MCK_NM = [50, 16.7, 5.56, 1.85, 0.617];
const MCK_TITLES = MCK_NM.map((dose) => `protein ${dose} nM`);
const MCK = { experimentType: 'affinity', method: 'spr', sequences: ['protein'], dosesNm: MCK_NM } as const;

const SINGLE = [
  { sample: 'B', kon: 1e6, kd: 5e-8, within: 0.03 },
  { sample: 'C', kon: 1e6, kd: 1e-9, within: 0.02 },
] as const;

function expectResponseUnits(result: Json): void {
  assert.equal(getText(result.quantities?.rmax?.unit), 'RU');
}

export function testAnabel(doors: Doors): void {
  test('anabel MCK: five curves, start and end fitted → the truth within 2 %, measured, in RU', async (context) => {
    const files = readPublished(context, 'anabel/MCK_dataset.csv');
    if (files === null) return;
    const text = encode('mck.txt', writeXyText(readWide(files[0]), MCK_TITLES));
    const stated = { association_start_s: 50, association_s: 100, time_zero: 'fitted' };
    const result = getResult(await doors.measure(MCK, [text], stated), 'protein');
    expectQuantity(result, 'kon', { value: 1e7, within: 0.05, relation: '=' });
    expectQuantity(result, 'kd', { value: 1e-9, within: 0.02, relation: '=' });
    expectResponseUnits(result);
    assert.match(listFlags(result), /TIME_ZERO_OFFSET/);
  });

  test('TIME_ZERO_OFFSET: the times that anabel states, which are early → told, and an estimate or a KD that they hardly bias', async (context) => {
    const files = readPublished(context, 'anabel/MCK_dataset.csv');
    if (files === null) return;
    const text = encode('mck.txt', writeXyText(readWide(files[0]), MCK_TITLES));
    for (const startS of [45, 50]) {
      const stated = { association_start_s: startS, association_s: 100 };
      const result = getResult(await doors.measure(MCK, [text], stated), 'protein');
      const isWarned = getItems(result.qc?.flags).map(getText).includes('TIME_ZERO_OFFSET');
      assert.match(listFlags(result), /TIME_ZERO_OFFSET/);
      expectQuantity(result, 'kd', {
        value: 1e-9,
        within: isWarned ? 0.5 : 0.05,
        relation: isWarned ? '~' : '=',
      });
      assert.ok(isWarned || startS === 50, 'an offset of seven seconds is a warning');
    }
  });

  for (const { sample, kon, kd, within } of SINGLE)
    test(`anabel SCA ${sample}: one curve, start and end fitted → the truth within ${100 * within} %, an estimate of one dose, in RU`, async (context) => {
      const files = readPublished(context, 'anabel/SCA_dataset.csv');
      if (files === null) return;
      const text = encode('sca.txt', writeXyText(readWide(files[0]), ['A 50 nM', 'B 50 nM', 'C 50 nM']));
      const order = {
        experimentType: 'affinity',
        method: 'spr',
        sequences: ['A', 'B', 'C'],
        dosesNm: [50],
      } as const;
      const stated = { association_start_s: 50, association_s: 150, time_zero: 'fitted' };
      const result = getResult(await doors.measure(order, [text], stated), sample);
      // One dose cannot show that the response follows it, so nothing is stated firmly.
      expectQuantity(result, 'kon', { value: kon, within: 0.05, relation: '~' });
      expectQuantity(result, 'kd', { value: kd, within, relation: '~' });
      expectResponseUnits(result);
      assert.match(listFlags(result), /TOO_FEW_CURVES/);
    });

  test('raw_file_refused: the tables of anabel as published → refused with what the file is not', async (context) => {
    for (const name of ['anabel/MCK_dataset.csv', 'anabel/SCA_dataset.csv']) {
      const files = readPublished(context, name);
      if (files === null) return;
      const id = await doors.order(MCK);
      const answer = await doors.upload(id, files[0]);
      assert.equal(answer.status, 422, answer.text);
      assert.match(getText(getItems(answer.body.problems)[0]?.message), /line 1.*expected a trace file \(/);
    }
  });
}
