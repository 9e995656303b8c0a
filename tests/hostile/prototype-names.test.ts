/** Sequences named like what every object has: ordered, measured, analyzed and read like any other. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createBuilders, expectStatus, createSequences } from '#testing/builders.ts';
import { getItems, testService, getText } from '#testing/service.ts';

const NAMES = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf', 'length'];
const service = await testService({ PROVIDER_FIELD_ALIAS: 'acme' });
const { ask } = service;
const { createBody, create, targets } = await createBuilders(service);
const texts = Object.values(createSequences(NAMES.length));
const entries = NAMES.map((name, index) => ({ name, aa_string: texts[index] }));
const binding = { method: 'bli', target_id: targets.perSequence };

for (const [type, spec] of [
  ['screening', binding],
  ['affinity', binding],
  ['thermostability', { method: null, target_id: null }],
  ['expression', { method: null, target_id: null }],
  ['fluorescence', { method: null, target_id: null }],
] as const)
  test(`names of prototypes: sequences of ${type}, from draft to released results → each name once`, async () => {
    const { id } = await create(createBody({ experiment_type: type, n_replicates: 1, ...spec }));
    expectStatus(await ask('PATCH', `/experiments/${id}`, { body: { sequences: entries } }), 200);
    expectStatus(await ask('POST', `/experiments/${id}/submit`), 200);
    const quote = expectStatus(await ask('GET', `/experiments/${id}/quote`), 200);
    const accepted = await ask('POST', `/quotes/${getText(quote.body.quote_id)}/confirm`, { body: {} });
    const page = new URL(getText(expectStatus(accepted, 200).body.hosted_invoice_url)).pathname;
    await service.service.app.inject({ method: 'POST', url: `${page}/test-payment` });
    await service.runLab();
    const { body: detail, text } = expectStatus(await ask('GET', `/experiments/${id}`), 200);
    assert.equal(detail.status, 'done', text.slice(0, 300));
    const keys = Object.keys(detail.experiment_spec?.sequences ?? {});
    assert.deepEqual(keys.sort(), [...NAMES].sort());
    const results = expectStatus(await ask('GET', `/experiments/${id}/results?limit=100`), 200);
    assert.equal(getItems(results.body.items).length, NAMES.length);
    if (type === 'screening' || type === 'affinity')
      expectStatus(await ask('GET', `/experiments/${id}/plot.svg`), 200);
    const led = expectStatus(await ask('GET', `/experiments/${id}/data-package`), 307);
    const { pathname, search } = new URL(led.headers.location ?? '');
    assert.equal((await ask('GET', `/${pathname}${search}`)).status, 200);
    for (const { id: resultId } of getItems(results.body.items))
      for (const part of ['', '/curves', '/plot.svg'])
        assert.equal((await ask('GET', `/results/${getText(resultId)}${part}`)).status, 200);
  });
