import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createClient, http } from 'viem';
import { createNonces, type Nonces } from './nonces.ts';

const wallet = {
  address: '0x0000000000000000000000000000000000000001',
  chainId: 84_532,
  client: createClient({ transport: http('http://127.0.0.1:9') }),
} as const;

/** A chain that has counted five transactions of the wallet. */
function createChain(): Nonces {
  return createNonces({ get: async () => 5, set: async () => undefined });
}

const succeed = async () => ({ success: true });

test('nonces: several transactions at once → consecutive numbers', async () => {
  const nonces = createChain();
  const numbers: number[] = [];
  const send = () =>
    nonces.send(async () => {
      numbers.push(await nonces.manager.consume(wallet));
      return succeed();
    });
  await Promise.all([send(), send(), send()]);
  assert.deepEqual(
    numbers.toSorted((a, b) => a - b),
    [5, 6, 7],
  );
});

test('nonces: a number was counted and its transaction never sent → it is used by the next one', async () => {
  const nonces = createChain();
  const fail = async (): Promise<{ success: boolean }> => {
    await nonces.manager.consume(wallet);
    throw new Error('the node does not answer');
  };
  await assert.rejects(nonces.send(fail));
  await nonces.send(async () => {
    assert.equal(await nonces.manager.consume(wallet), 5);
    return { success: false };
  });
  await nonces.send(async () => {
    assert.equal(await nonces.manager.consume(wallet), 5);
    return succeed();
  });
});

test('nonces: one failed while another is in flight → the next one waits for that', async () => {
  const nonces = createChain();
  const held = Promise.withResolvers<{ success: boolean }>();
  const first = nonces.send(() => held.promise);
  await nonces.send(async () => ({ success: false }));
  let hasBegun = false;
  const next = nonces.send(() => {
    hasBegun = true;
    return succeed();
  });
  await new Promise(setImmediate);
  assert.equal(hasBegun, false);
  held.resolve({ success: true });
  await Promise.all([first, next]);
  assert.equal(hasBegun, true);
});
