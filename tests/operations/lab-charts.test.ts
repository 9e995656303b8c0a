import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createBuilders, expectFailure, expectStatus, createSequences } from '#testing/builders.ts';
import { proveCoverage, createRecordedService } from '#testing/recorder.ts';
import { getItems, getNumber, getText } from '#testing/service.ts';

const service = await createRecordedService();
const { ask, issueToken } = service;
const { worker } = service.service;
const { createBody, createReviewed, createReleased } = await createBuilders(service);

const readCharts = async (query = '') =>
  getItems(expectStatus(await ask('GET', `/lab/control-charts${query}`), 200).body.charts);
const settle = async () => {
  while ((await worker.runDue()) > 0);
};

test('list_control_charts: no run was analyzed → no chart', async () => {
  assert.deepEqual(await readCharts(), []);
});

test('list_control_charts: a screening by hand → a provisional chart of each control, of the instrument of the run', async () => {
  const { id, code } = await createReviewed();
  const charts = await readCharts();
  assert.ok(charts.length > 0);
  for (const chart of charts) {
    assert.equal(Boolean(chart.is_provisional), true);
    assert.equal(chart.experiment_type, 'screening');
    assert.equal(chart.instrument, 'Octet R8', 'as the run names it, not as the files do');
    assert.equal(getText(getItems(chart.points)[0]?.experiment_code), code);
  }
  assert.ok(charts.some((chart) => getText(chart.role) === 'positive_control'));
  const body = { reason: 'again' };
  expectStatus(await ask('POST', `/lab/experiments/${id}/send-back`, { body }), 200);
  await settle();
  assert.deepEqual(
    (await readCharts()).map(({ n_values: count }) => getNumber(count)),
    charts.map(({ n_values: count }) => getNumber(count)),
    'the latest analysis of a run replaces the one before',
  );
});

test('list_control_charts: a released affinity → KD as log10 M; the filters choose by control and quantity', async () => {
  await createReleased(createBody({ experiment_type: 'affinity', sequences: createSequences(1) }));
  const kd = await readCharts('?quantity=kd&experiment_type=affinity');
  assert.equal(kd.length, 1);
  assert.equal(getText(kd[0]?.unit), 'log10 M');
  assert.equal(kd[0]?.instrument, 'Simulated BLI');
  const value = getNumber(getItems(kd[0]?.points)[0]?.value);
  assert.ok(value < -6 && value > -12, `${value}`);
  const control = getText(kd[0]?.control);
  const own = await readCharts(`?control=${encodeURIComponent(control)}`);
  assert.ok(own.every((chart) => getText(chart.control) === control));
  assert.deepEqual(await readCharts('?lot=unknown'), []);
});

test('get_control_chart_plot: a chart → its figure; an unknown id → 404', async () => {
  const [chart] = await readCharts();
  const answer = expectStatus(await ask('GET', getText(chart?.plot_path)), 200);
  assert.match(answer.text, /^<svg/);
  const unknown = await ask('GET', `/lab/control-charts/${'0'.repeat(32)}/plot.svg`);
  expectFailure(unknown, 404, 'control_chart_not_found');
});

test('permission_denied: a client asks for control charts → 403', async () => {
  const token = await issueToken({ role: 'admin', ownOrganization: true });
  expectFailure(await ask('GET', '/lab/control-charts', { token }), 403, 'permission_denied');
  const plot = `/lab/control-charts/${'0'.repeat(32)}/plot.svg`;
  expectFailure(await ask('GET', plot, { token }), 403, 'permission_denied');
});

proveCoverage('lab-charts');
