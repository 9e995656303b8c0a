/** A clock of the service that is set back: what was issued before is from its future. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { createAccessTokenReader } from '#adapters/people/access-token.ts';
import { expectFailure, expectStatus, UNKNOWN_ID } from '#testing/builders.ts';
import { openSignedIn } from '#testing/browser.ts';
import { testService, getText } from '#testing/service.ts';

const service = await testService();
const { ask, clock, issueToken } = service;
const MINUTE_MS = 60_000;

test('token_not_yet_valid: the clock is set back five minutes → 401 says so, until the clock is within a minute', async () => {
  const token = await issueToken();
  const attenuation = { token, name: 'derived', attenuation: {} };
  const child = getText((await ask('POST', '/tokens/attenuate', { token, body: attenuation })).body.token);
  clock.advance(-5 * MINUTE_MS);
  for (const each of [token, child]) {
    const refused = expectFailure(await ask('GET', '/whoami', { token: each }), 401, 'token_not_yet_valid');
    assert.equal(
      refused.body.error,
      'The clock of the service is 5 minutes behind the time at which this access token was issued. The token is good; whoever runs the service must check its clock.',
    );
    const tool = await service.service.app.inject({
      method: 'POST',
      url: '/mcp/',
      headers: { authorization: `Bearer ${each}`, accept: 'application/json, text/event-stream' },
      payload: { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} },
    });
    assert.equal(tool.statusCode, 401);
    assert.match(tool.body, /token_not_yet_valid/);
  }
  clock.advance(4 * MINUTE_MS);
  for (const each of [token, child]) expectStatus(await ask('GET', '/whoami', { token: each }), 200);
  clock.advance(MINUTE_MS);
});

test('token_not_yet_valid: the clock is set back a minute → accepted; a second more → 401', async () => {
  const token = await issueToken();
  clock.advance(-MINUTE_MS);
  expectStatus(await ask('GET', '/whoami', { token }), 200);
  clock.advance(-1_000);
  expectFailure(await ask('GET', '/whoami', { token }), 401, 'token_not_yet_valid');
  clock.advance(MINUTE_MS + 1_000);
});

test('invalid_attenuation: a token from the future in the body → 400 says how far the clock is behind', async () => {
  const own = await issueToken();
  clock.advance(5 * MINUTE_MS);
  const late = await ask('POST', '/tokens', {
    token: own,
    body: { name: 'x', role: 'admin', expires_in: '7d' },
  });
  clock.advance(-5 * MINUTE_MS);
  const body = { token: getText(late.body.token), name: 'x', attenuation: {} };
  const refused = await ask('POST', '/tokens/attenuate', { token: own, body });
  expectFailure(refused, 400, 'invalid_attenuation');
  assert.match(getText(refused.body.error), /5 minutes behind/);
});

test('clock: set back → earlier sessions, signed links and cursors still work', async () => {
  const browser = await openSignedIn(service);
  const token = await issueToken();
  const page = expectStatus(await ask('GET', '/targets?limit=1'), 200);
  clock.advance(-5 * MINUTE_MS);
  assert.equal((await browser.open('/account')).status, 200);
  clock.advance(4 * MINUTE_MS);
  const cursor = encodeURIComponent(getText(page.body.next));
  expectStatus(await ask('GET', `/targets?limit=1&cursor=${cursor}`, { token }), 200);
  clock.advance(MINUTE_MS);
});

test('token_not_yet_valid: an OAuth access token → the same tolerance of a minute', async () => {
  const { publicKey, privateKey } = await generateKeyPair('EdDSA');
  const key = { id: 'one', public_key: JSON.stringify(await exportJWK(publicKey)) };
  const base = 'http://127.0.0.1:8080';
  const read = createAccessTokenReader({ getBaseUrl: () => base, loadKeys: async () => [key] });
  const issuedAt = new Date('2026-03-02T09:00:00.000Z');
  const token = await new SignJWT({ sid: UNKNOWN_ID, program: UNKNOWN_ID, client_id: 'c', scope: 'read' })
    .setProtectedHeader({ alg: 'EdDSA', typ: 'at+jwt', kid: 'one' })
    .setSubject(UNKNOWN_ID)
    .setIssuer(`${base}/auth`)
    .setAudience(`${base}/mcp/`)
    .setIssuedAt(issuedAt)
    .setExpirationTime(new Date(issuedAt.getTime() + 5 * MINUTE_MS))
    .sign(privateKey);
  assert.equal((await read(token, issuedAt)).userId, UNKNOWN_ID);
  assert.equal((await read(token, new Date(issuedAt.getTime() - MINUTE_MS))).userId, UNKNOWN_ID);
  await assert.rejects(read(token, new Date(issuedAt.getTime() - 5 * MINUTE_MS)), {
    code: 'token_not_yet_valid',
  });
});
