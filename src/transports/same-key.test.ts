import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SameKey } from './same-key.ts';

const refused = new Error('refused');
const refuse = (): Promise<string> => Promise.reject(refused);

test('same key: one is refused while its twin runs → the answer of the twin', async () => {
  const sameKey = new SameKey();
  const stored: string[] = [];
  const twin = Promise.withResolvers<string>();
  const findAnswer = async (): Promise<string | undefined> => stored[0];
  const first = sameKey.run('a', () => twin.promise, findAnswer);
  const second = sameKey.run('a', refuse, findAnswer);
  stored.push('done');
  twin.resolve('done');
  assert.deepEqual(await Promise.all([first, second]), ['done', 'done']);
});

test('same key: one is refused after its twin succeeded, while a third runs → the answer of the twin', async () => {
  const sameKey = new SameKey();
  const third = Promise.withResolvers<string>();
  const running = sameKey.run(
    'a',
    () => third.promise,
    async () => 'stored',
  );
  assert.equal(
    await sameKey.run(
      'a',
      async () => 'done',
      async () => 'stored',
    ),
    'done',
  );
  assert.equal(await sameKey.run('a', refuse, async () => 'stored'), 'stored');
  third.resolve('late');
  assert.equal(await running, 'late');
});

test('same key: all are refused, or one alone, or another key succeeds → each fails with its own reason', async () => {
  const sameKey = new SameKey();
  const asked: string[] = [];
  const findNothing = async (): Promise<string | undefined> => void asked.push('asked');
  await assert.rejects(sameKey.run('a', refuse, findNothing), refused);
  assert.deepEqual(asked, []);
  const both = [sameKey.run('a', refuse, findNothing), sameKey.run('a', refuse, findNothing)];
  const other = sameKey.run('b', async () => 'done', findNothing);
  for (const { status } of await Promise.allSettled(both)) assert.equal(status, 'rejected');
  assert.equal(await other, 'done');
});
