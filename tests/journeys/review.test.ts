import { test } from 'node:test';
import { createBuilders, createSequences, expectStatus } from '#testing/builders.ts';
import { createRawFile } from '#testing/lab-by-hand.ts';
import { testService } from '#testing/service.ts';
const service = await testService();
const { ask } = service;
const build = await createBuilders(service);
test('probe', async () => {
  const { id } = await build.createReviewed();
  const a = await ask('GET', `/lab/experiments/${id}/results`);
  console.log(a.status, a.text.slice(0, 3000));
  console.log((await ask('GET', `/lab/experiments/${id}/review`)).text);
  console.log((await ask('GET', `/experiments/${id}/results`)).text);
});
