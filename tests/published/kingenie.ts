/** The sets of kingenie: a simulated multi-cycle CSV, a Gator run, the sensors of an Octet run. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectStatus } from '#testing/builders.ts';
import { createZip } from '#testing/analysis/archive.ts';
import { getItems, getText } from '#testing/service.ts';
import { expectQuantity, getResult, listFlags, listNotices, readPublished, type Doors } from './doors.ts';

const CSV_DOSES_NM = [0.400905, 0.883, 1.943, 4.278, 9.418, 20.73, 45.65, 100];
const OCTET = { experimentType: 'affinity', method: 'bli', sequences: ['design'] } as const;

export function testKingenie(doors: Doors): void {
  for (const method of ['bli', 'spr'] as const) {
    test(`kingenie multi-cycle CSV: ordered as ${method} → the truth within 1e-6, measured, doses below KD told`, async (context) => {
      const files = readPublished(context, 'kingenie/multi_cycle_kingenie.csv');
      if (files === null) return;
      const order = {
        experimentType: 'affinity',
        method,
        sequences: ['simulated'],
        dosesNm: CSV_DOSES_NM,
      } as const;
      const result = getResult(await doors.measure(order, files), 'simulated');
      expectQuantity(result, 'kon', { value: 2e4, within: 1e-6, relation: '=' });
      expectQuantity(result, 'koff', { value: 1e-2, within: 1e-6, relation: '=' });
      expectQuantity(result, 'kd', { value: 5e-7, within: 1e-6, relation: '=' });
      assert.match(listFlags(result), /TOP_C_BELOW_KD/);
      assert.ok(listNotices(result).some((notice) => notice.includes('simulated')));
    });
  }

  test('kingenie Gator run: dissociation of 100 s as in its report → within 10 % of the instrument software, measured', async (context) => {
    const files = readPublished(context, 'kingenie/gator_assay_1');
    if (files === null) return;
    const zip = createZip(files.map(({ name, bytes }) => ({ name, bytes: Buffer.from(bytes) })));
    const order = {
      experimentType: 'affinity',
      method: 'bli',
      sequences: ['Cetuximab'],
      dosesNm: [100, 50, 25, 12.5, 6.25, 3.125, 0],
    } as const;
    const result = getResult(await doors.measure(order, [zip], { dissociation_s: 100 }), 'Cetuximab');
    expectQuantity(result, 'kon', { value: 1.6432e5, within: 0.1, relation: '=' });
    expectQuantity(result, 'koff', { value: 1.4942e-3, within: 0.1, relation: '=' });
    expectQuantity(result, 'kd', { value: 9.093e-9, within: 0.1, relation: '=' });
    assert.deepEqual(
      listNotices(result).filter((notice) => notice.includes('has no trace files')),
      [2, 3, 4].map((assay) => `Assay ${assay} is listed in ExperimentStep.ini but has no trace files.`),
    );
  });

  testOctet(doors);
}

function testOctet(doors: Doors): void {
  test('kingenie Octet run: no molar concentration in the files → read, and every trace that needs one is named', async (context) => {
    const files = readPublished(context, 'kingenie/octet_230309');
    if (files === null) return;
    const sensors = files.filter(({ name }) => name.startsWith('230309'));
    const id = await doors.order(OCTET);
    for (const file of sensors) {
      const { body } = expectStatus(await doors.upload(id, file), 201);
      const [set] = getItems(body.file?.understood?.sets);
      assert.deepEqual([set?.format, set?.instrument, set?.n_traces], ['octet-frd', 'OctetRED384', 9]);
    }
    const unnamed = getResult(await doors.analyze(id), 'design');
    assert.equal(getText(unnamed.outcome), 'not_tested');
    const sentence = listNotices(unnamed).find((notice) => notice.startsWith('No trace has the name'));
    assert.match(sentence ?? '', /the files have .*wt.*, the order has the sequence design\. State which/);
  });

  test('kingenie Octet run: traces assigned without their molar concentrations → the setting that each needs is named', async (context) => {
    const files = readPublished(context, 'kingenie/octet_230309');
    if (files === null) return;
    const sensors = files.filter(({ name }) => name.startsWith('230309'));
    const assign = Object.fromEntries(
      ['A1', 'C1', 'E1', 'G1', 'H1'].map((sensor) => [`${sensor} cycle 1`, { sample: 'design' }]),
    );
    const result = getResult(await doors.measure(OCTET, sensors, { assign }), 'design');
    assert.equal(getText(result.outcome), 'failed_qc');
    const reasons = getItems(result.qc?.details).map(({ message }) => getText(message));
    assert.ok(
      reasons.some((reason) =>
        reason.includes('has no concentration: set assign["A1 cycle 1"].concentration_m.'),
      ),
      reasons.join(' '),
    );
  });

  test('kingenie Octet sensor: a step that failed on the instrument → reported, and the rest is read', async (context) => {
    const files = readPublished(context, 'kingenie/octet_230309/different_sensor_metadata.frd');
    if (files === null) return;
    const id = await doors.order(OCTET);
    const { body } = expectStatus(await doors.upload(id, files[0]), 201);
    const [set] = getItems(body.file?.understood?.sets);
    assert.equal(set?.n_traces, 9);
    assert.ok(getItems(set?.notices).some((notice) => getText(notice).includes('failed on the instrument')));
  });
}
