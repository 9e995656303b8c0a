import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Failure } from '#core/failures.ts';
import { createWebhook } from '#features/webhooks/contract.ts';
import { createValidator } from './validate.ts';

async function refuse(body: Readonly<Record<string, unknown>>): Promise<Failure> {
  const validator = await createValidator(createWebhook);
  return validator.check({ params: {}, query: {}, body, headers: {} }, 0).then(
    () => assert.fail('the body was accepted'),
    (error: unknown) => (error instanceof Failure ? error : assert.fail(String(error))),
  );
}

test('invalid_request: a field is unknown and another one missing or wrong → that one is named first', async () => {
  const missing = await refuse({ link: 'https://a.example' });
  assert.equal(missing.message, 'The request is not valid: url: is required (and 1 more).');
  const wrong = await refuse({ color: 'red', size: 1, url: 7, headers: 'none' });
  assert.deepEqual(
    wrong.problems.map(({ path }) => path),
    ['url', 'headers', 'color', 'size'],
  );
});

test('invalid_request: more unknown fields than a refusal lists → the wrong one is among the listed', async () => {
  for (const length of [150, 3_000]) {
    const unknown = Object.fromEntries(Array.from({ length }, (_, index) => [`color_${index}`, 1]));
    const { problems } = await refuse({ ...unknown, url: 7 });
    assert.deepEqual([problems.length, problems[0]?.path], [100, 'url']);
  }
});
