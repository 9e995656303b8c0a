import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getItems, testService, getText } from '#testing/service.ts';

const VHH =
  'QVQLVESGGGLVQAGGSLRLSCAASGRTFSSYAMGWFRQAPGKEREFVAAISWSGGSTYYADSVKGRFTISRDNAKNTVYLQMNSLKPEDTAVYYCAAGDY';

test('affinity: draft, quote, payment and run → results for every sequence', async () => {
  const { ask, runLab } = await testService();
  const targets = await ask('GET', '/targets?search=EGFR&selfservice_only=true');
  const [target] = getItems(targets.body.items);
  const created = await ask('POST', '/experiments', {
    body: {
      name: 'story',
      experiment_spec: {
        experiment_type: 'affinity',
        method: 'bli',
        target_id: target?.id,
        n_replicates: 2,
        sequences: { one: VHH, two: `${VHH}W` },
        parameters: { sandbox: { force: 'binder' } },
      },
    },
  });
  assert.equal(created.status, 201, created.text);
  const code = getText(created.body.experiment_code);
  assert.equal((await ask('POST', `/experiments/${code}/submit`)).body.status, 'quote_sent');
  const confirmed = await ask('POST', `/experiments/${code}/quote/confirm`, { body: {} });
  assert.equal(confirmed.status, 200, confirmed.text);
  const paid = await ask('POST', `/lab/invoices/${getText(confirmed.body.invoice_id)}/bank-transfer`);
  assert.equal(paid.status, 201, paid.text);
  await runLab();
  const detail = await ask('GET', `/experiments/${code}`);
  assert.equal(detail.body.status, 'done');
  assert.equal(detail.body.results_status, 'all');
  const results = await ask('GET', `/experiments/${code}/results`);
  assert.equal(results.body.total, 2);
  assert.deepEqual(
    getItems(results.body.items).map((item) => item.outcome),
    ['measured', 'measured'],
  );
});
