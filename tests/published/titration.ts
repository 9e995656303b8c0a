/** The published Octet titration: both rows of its report, by the rules that the report states. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getNumber, type Json } from '#testing/service.ts';
import { expectQuantity, getResult, listFlags, readPublished, type Doors } from './doors.ts';

const FOLDER = 'titrationanalysis/bli_tray1/BLI Example Tray 1';
/** Analyte on the sensors that the publication fits. */
const MOLAR: Readonly<Record<string, number>> = { A2: 1e-6, B2: 6e-7, C2: 3e-7, D2: 1.5e-7, F2: 4e-8 };
const ORDER = {
  experimentType: 'affinity',
  method: 'bli',
  dosesNm: [1000, 600, 300, 150, 40],
  sequences: ['antibody'],
} as const;
const ROWS = [
  { dissociationS: 300, kon: 4990.240930316442, koff: 5.154370447381543e-4, kd: 1.0328900987661716e-7 },
  { dissociationS: 600, kon: 5682.375632275209, koff: 2.93994894543961e-4, kd: 5.173802535582221e-8 },
] as const;
/** The text export names neither samples nor the length of association; the report states both. */
const REPORT = {
  association_s: 300,
  model: '1:1',
  rmax: 'local',
  bulk_shift: false,
  reference: 'none',
  inter_step: 'off',
  thinning: 'whole_seconds',
  time_zero: 'fixed',
};

function assignSensors(names: readonly string[]): Readonly<Record<string, object>> {
  const sensors = names.map((name) => name.replace('Results.txt', ''));
  return Object.fromEntries(
    sensors.map((sensor) => [
      sensor,
      Object.hasOwn(MOLAR, sensor)
        ? { sample: 'antibody', concentration_m: MOLAR[sensor] }
        : { exclude: true },
    ]),
  );
}

function getInterval(result: Json): [number, number] {
  return [getNumber(result.quantities?.kd?.ci95_low), getNumber(result.quantities?.kd?.ci95_high)];
}

export function testTitration(doors: Doors): void {
  for (const { dissociationS, kon, koff, kd } of ROWS) {
    test(`titrationanalysis: dissociation of ${dissociationS} s, the rules of the report → the published rates within 0.1 %, measured`, async (context) => {
      const files = readPublished(context, FOLDER);
      if (files === null) return;
      const assign = assignSensors(files.map(({ name }) => name));
      const stated = { ...REPORT, dissociation_s: dissociationS, assign };
      const result = getResult(await doors.measure(ORDER, files, stated), 'antibody');
      expectQuantity(result, 'kon', { value: kon, within: 1e-3, relation: '=' });
      expectQuantity(result, 'koff', { value: koff, within: 1e-3, relation: '=' });
      expectQuantity(result, 'kd', { value: kd, within: 1e-3, relation: '=' });
    });

    test(`titrationanalysis: dissociation of ${dissociationS} s, the rules of the service → an estimate that the window decides, and the interval holds the published KD`, async (context) => {
      const files = readPublished(context, FOLDER);
      if (files === null) return;
      const assign = assignSensors(files.map(({ name }) => name));
      const stated = { association_s: 300, dissociation_s: dissociationS, assign };
      const result = getResult(await doors.measure(ORDER, files, stated), 'antibody');
      expectQuantity(result, 'kd', { value: kd, within: 0.5, relation: '~' });
      const [low, high] = getInterval(result);
      assert.ok(low < kd && kd < high, `${low} to ${high}; ${listFlags(result)}`);
      assert.match(listFlags(result), /AUTOCORRELATED_RESIDUALS/);
      assert.match(listFlags(result), /WINDOW_DEPENDENT/);
      assert.doesNotMatch(listFlags(result), /TOP_C_BELOW_KD/);
    });
  }

  test('titrationanalysis: the archive of the sensor files → read as the files themselves', async (context) => {
    const files = readPublished(context, 'titrationanalysis/bli_tray1.zip');
    const unpacked = readPublished(context, FOLDER);
    if (files === null || unpacked === null) return;
    const assign = assignSensors(unpacked.map(({ name }) => name));
    const [row] = ROWS;
    const stated = { ...REPORT, dissociation_s: row.dissociationS, assign };
    const result = getResult(await doors.measure(ORDER, files, stated), 'antibody');
    expectQuantity(result, 'kd', { value: row.kd, within: 1e-3, relation: '=' });
  });

  test('titrationanalysis: no association length in file or settings → completing is refused and names the missing setting', async (context) => {
    const files = readPublished(context, FOLDER);
    if (files === null) return;
    const id = await doors.order(ORDER);
    for (const file of files) await doors.upload(id, file);
    const problem = await doors.readProblem(id, { assign: assignSensors(files.map(({ name }) => name)) });
    assert.match(problem, /does not state how long association lasted.*association_s/i);
  });
}
