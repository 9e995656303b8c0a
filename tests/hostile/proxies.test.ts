/** Where a request comes from: the connection, unless a proxy that the operator named says otherwise. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { builders } from '#testing/builders.ts';
import { itemsOf, testService } from '#testing/service.ts';
import { readSettings } from '../../src/settings.ts';

const CLAIMED = '203.0.113.7';

async function auditedAddress(variables: Record<string, string>, forwarded: string): Promise<unknown> {
  const host = await testService(variables);
  const { body } = await builders(host);
  await host.ask('POST', '/experiments', { body: body(), headers: { 'x-forwarded-for': forwarded } });
  const { items } = (await host.ask('GET', '/audit?filter=eq(operation,create_exp)')).body;
  return itemsOf(items)[0]?.address;
}

test('client address: without a trusted proxy a forwarded address is only a claim', async () => {
  assert.equal(await auditedAddress({}, CLAIMED), '127.0.0.1');
  assert.equal(await auditedAddress({ TRUSTED_PROXIES: '10.0.0.0/8' }, CLAIMED), '127.0.0.1');
});

test('client address: a trusted proxy is believed, and what its client claims before it is not', async () => {
  const trusted = { TRUSTED_PROXIES: '127.0.0.1' };
  assert.equal(await auditedAddress(trusted, CLAIMED), CLAIMED);
  assert.equal(await auditedAddress(trusted, `198.51.100.1, ${CLAIMED}`), CLAIMED);
});

test('TRUSTED_PROXIES: what is no address or network stops the start with a sentence', () => {
  for (const wrong of ['true', '*', '10.0.0.0/33', 'proxy.example.org', '1.2.3.4/8/8'])
    assert.throws(() => readSettings({ TRUSTED_PROXIES: wrong }), /TRUSTED_PROXIES must list addresses/);
  assert.deepEqual(readSettings({ TRUSTED_PROXIES: ' 10.0.0.5 ,fd00::/8' }).trustedProxies, [
    '10.0.0.5',
    'fd00::/8',
  ]);
});
