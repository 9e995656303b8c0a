/** A request asks a question once: the answer it has is handed on. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { builders } from '#testing/builders.ts';
import { testService, type TestAnswer } from '#testing/service.ts';
import { recordStatements, type Asked } from '#testing/statements.ts';

const service = await testService();
const { ask } = service;
const { body, create, quoted } = await builders(service);

async function reads(request: () => Promise<TestAnswer>): Promise<Asked[]> {
  const recording = recordStatements(service.service.database);
  try {
    const answer = await request();
    assert.ok(answer.status < 300, answer.text);
  } finally {
    recording.stop();
  }
  return recording.asked.filter(({ text }) => /^\s*select\s/.test(text));
}

function repeated(asked: readonly Asked[]): string[] {
  const keys = asked.map(({ text, values }) => JSON.stringify([text, values]));
  return keys.filter((key, index) => keys.indexOf(key) !== index);
}

const countOf = (asked: readonly Asked[], table: RegExp): number =>
  asked.filter(({ text }) => table.test(text)).length;

test('repeated reads: confirm_quote → reads its quote once, and its invoice once', async () => {
  const { quoteId } = await quoted();
  const asked = await reads(() => ask('POST', `/quotes/${quoteId}/confirm`, { body: {} }));
  assert.equal(countOf(asked, /^[^(]* from quotes where/), 1);
  assert.equal(countOf(asked, /from invoices i join/), 1);
});

test('repeated reads: any write → no query is sent twice', async () => {
  const draft = await create();
  const [byQuote, byExperiment, rejected] = [await quoted(), await quoted(), await quoted()];
  const requests: Record<string, () => Promise<TestAnswer>> = {
    create_exp: () => ask('POST', '/experiments', { body: body() }),
    modify_exp: () => ask('PATCH', `/experiments/${draft.id}`, { body: { name: 'another name' } }),
    confirm_quote: () => ask('POST', `/quotes/${byQuote.quoteId}/confirm`, { body: {} }),
    confirm_experiment_quote: () =>
      ask('POST', `/experiments/${byExperiment.id}/quote/confirm`, { body: {} }),
    reject_quote: () => ask('POST', `/quotes/${rejected.quoteId}/reject`, { body: { reason: 'price' } }),
    cancel_exp: () => ask('POST', `/experiments/${draft.id}/cancel`, { body: { reason: 'no need' } }),
  };
  for (const [name, request] of Object.entries(requests))
    assert.deepEqual(repeated(await reads(request)), [], name);
});
