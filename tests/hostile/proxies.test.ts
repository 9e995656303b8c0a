/** Where a request comes from: the connection, unless a proxy that the operator named says otherwise. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { createBuilders } from '#testing/builders.ts';
import { openRaw, formatRequest } from '#testing/raw-http.ts';
import { getItems, testService } from '#testing/service.ts';
import { readSettings } from '#settings/settings.ts';

const CLAIMED = '203.0.113.7';

async function readAuditedAddress(variables: Record<string, string>, forwarded: string): Promise<unknown> {
  const host = await testService(variables);
  const { createBody } = await createBuilders(host);
  await host.ask('POST', '/experiments', { body: createBody(), headers: { 'x-forwarded-for': forwarded } });
  const { items } = (await host.ask('GET', '/audit?filter=eq(operation,create_exp)')).body;
  return getItems(items)[0]?.address;
}

test('client address: a forwarded address without a trusted proxy → ignored', async () => {
  assert.equal(await readAuditedAddress({}, CLAIMED), '127.0.0.1');
  assert.equal(await readAuditedAddress({ TRUSTED_PROXIES: '10.0.0.0/8' }, CLAIMED), '127.0.0.1');
});

test('client address: a forwarded address from a trusted proxy → the last one counts, earlier ones are ignored', async () => {
  const trusted = { TRUSTED_PROXIES: '127.0.0.1' };
  assert.equal(await readAuditedAddress(trusted, CLAIMED), CLAIMED);
  assert.equal(await readAuditedAddress(trusted, `198.51.100.1, ${CLAIMED}`), CLAIMED);
});

test('TRUSTED_PROXIES: anything but an address or network → the start is refused with a sentence', () => {
  for (const wrong of ['true', '*', '10.0.0.0/33', 'proxy.example.org', '1.2.3.4/8/8'])
    assert.throws(() => readSettings({ TRUSTED_PROXIES: wrong }), /TRUSTED_PROXIES must list addresses/);
  assert.deepEqual(readSettings({ TRUSTED_PROXIES: ' 10.0.0.5 ,fd00::/8' }).trustedProxies, [
    '10.0.0.5',
    'fd00::/8',
  ]);
});

/** How many of twenty connections the service keeps open. */
async function countKept(variables: Record<string, string>): Promise<number> {
  const { service } = await testService({ MAX_CONNECTIONS_PER_ADDRESS: '10', ...variables });
  const address = await service.app.listen({ host: '127.0.0.1', port: 0 });
  const port = Number(new URL(address).port);
  const connections = Array.from({ length: 20 }, () => openRaw(port));
  const state = { kept: 0 };
  const answered = connections.map(async ({ socket, closed }) => {
    const isAnswered = once(socket, 'data').then(
      () => true,
      () => false,
    );
    socket.write(formatRequest('GET /api/v1/info/health', []));
    if (await Promise.race([isAnswered, closed.then(() => false)])) state.kept += 1;
  });
  await Promise.all(answered);
  for (const { socket } of connections) socket.destroy();
  return state.kept;
}

test('MAX_CONNECTIONS_PER_ADDRESS: 20 connections with a limit of 10 → 10 are kept; from a trusted proxy → all', async () => {
  assert.equal(await countKept({}), 10);
  assert.equal(await countKept({ TRUSTED_PROXIES: '10.0.0.0/8' }), 10);
  assert.equal(await countKept({ TRUSTED_PROXIES: '127.0.0.0/8' }), 20);
});

test('MAX_BODIES_BYTES: a share smaller than the largest body → the start is refused with a sentence', () => {
  for (const name of ['MAX_BODIES_BYTES', 'MAX_BODIES_BYTES_PER_ADDRESS', 'MAX_BODIES_BYTES_PER_TOKEN'])
    assert.throws(
      () => readSettings({ [name]: '1000000' }),
      new RegExp(`${name} must be at least MAX_BODY_BYTES`),
    );
  const { bodyBudget } = readSettings({ MAX_BODY_BYTES: '100000000' });
  assert.deepEqual(bodyBudget, { processBytes: 4e8, addressBytes: 3e8, tokenBytes: 2e8 });
});
