/** Tokens that nobody issued: altered, mis-spelled, mis-signed, or signed with claims that do not hold together. */
import assert from 'node:assert/strict';
import { createHmac, generateKeyPairSync, sign as signBytes } from 'node:crypto';
import { test } from 'node:test';
import { crc32 } from 'node:zlib';
import { exportJWK } from 'jose';
import type { TokenClaims } from '#core/capability.ts';
import { Failure } from '#core/failures.ts';
import { createKeyring, type SigningKey } from '#features/tokens/capability.ts';

const NOW = new Date('2026-03-02T09:00:00.000Z');
const NOW_S = NOW.getTime() / 1000;
const ID = '01980000-0000-7000-8000-000000000001';
const CHILD = '01980000-0000-7000-8000-000000000002';
const PREFIX = 'asy_test_';

const pair = generateKeyPairSync('ed25519');
const key: SigningKey = {
  kid: 'first',
  public_jwk: await exportJWK(pair.publicKey),
  private_jwk: await exportJWK(pair.privateKey),
  retired: false,
};
const keyring = await createKeyring('sandbox', [key]);
const root: TokenClaims = {
  v: 1,
  env: 'sandbox',
  tid: ID,
  path: [ID],
  sub: ID,
  org: ID,
  role: 'admin',
  iat: NOW_S,
  exp: NOW_S + 1_000,
};
const child: TokenClaims = { ...root, tid: CHILD, path: [ID, CHILD], cav: [{ read_only: true }] };
const token = await keyring.sign(child);

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

function addChecksum(body: string): string {
  let value = crc32(body);
  let digits = '';
  for (let place = 0; place < 6; place++) {
    digits = BASE62.charAt(value % 62) + digits;
    value = Math.floor(value / 62);
  }
  return body + digits;
}

const encodeJson = (value: unknown): string =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');

/** Signed with the right key, whatever the header and the claims are. */
function signClaims(
  claims: unknown,
  header: unknown = { alg: 'EdDSA', kid: 'first', typ: 'asy+jws' },
): string {
  const text = `${encodeJson(header)}.${encodeJson(claims)}`;
  return addChecksum(
    `${PREFIX}${text}.${signBytes(null, Buffer.from(text), pair.privateKey).toString('base64url')}`,
  );
}

async function getRefusal(text: string, now = NOW): Promise<string> {
  const outcome = await createKeyring('sandbox', [key])
    .then((fresh) => fresh.verify(text, now))
    .catch((error: unknown) => error);
  assert.ok(outcome instanceof Failure, `accepted: ${text}`);
  assert.equal(outcome.status, 401);
  return outcome.code;
}

test('flips: any changed byte, also with a corrected checksum → refused', async () => {
  const body = token.slice(0, -6);
  const fresh = await createKeyring('sandbox', [key]);
  assert.deepEqual(await fresh.verify(token, NOW), child);
  const isRefused = (text: string) =>
    fresh.verify(text, NOW).then(
      () => false,
      (error) => error instanceof Failure,
    );
  for (let at = 0; at < token.length; at++) {
    const old = token.charCodeAt(at);
    for (const bit of [1, 2, 4, 8, 16, 32, 64, 128]) {
      const flipped = token.slice(0, at) + String.fromCharCode(old ^ bit) + token.slice(at + 1);
      assert.ok(await isRefused(flipped), `bit ${bit} at ${at}`);
    }
    if (at < PREFIX.length || at >= body.length) continue;
    const other = body.charAt(at) === 'A' ? 'B' : 'A';
    assert.ok(
      await isRefused(addChecksum(body.slice(0, at) + other + body.slice(at + 1))),
      `substituted at ${at}`,
    );
  }
});

test('spelling: padding, newlines, unused bits, another alphabet or too many characters → refused', async () => {
  const body = token.slice(0, -6);
  const last = body.at(-1) ?? '';
  // The last character of a signature carries four unused bits.
  const sibling = String.fromCharCode(last.charCodeAt(0) + 1);
  for (const spelled of [
    `${token}\n`,
    ` ${token}`,
    `${token}=`,
    addChecksum(`${body}=`),
    addChecksum(body.slice(0, -1) + sibling),
    addChecksum(body.replace('.', '=.')),
    addChecksum(`${PREFIX}${'A'.repeat(9_000)}.A.${'A'.repeat(86)}`),
    token.toUpperCase(),
  ])
    assert.match(await getRefusal(spelled), /^token_(malformed|invalid)$/);
});

test('keys: an unknown key id, a name of the language, or another key under a known id → token_invalid', async () => {
  for (const kid of ['second', '__proto__', 'constructor', ''])
    assert.equal(await getRefusal(signClaims(child, { alg: 'EdDSA', kid, typ: 'asy+jws' })), 'token_invalid');
  const stranger = generateKeyPairSync('ed25519');
  const [public_jwk, private_jwk] = [
    await exportJWK(stranger.publicKey),
    await exportJWK(stranger.privateKey),
  ];
  const theirs = await createKeyring('sandbox', [{ kid: 'first', public_jwk, private_jwk, retired: false }]);
  assert.equal(await getRefusal(await theirs.sign(child)), 'token_invalid');
});

test('algorithms: none, HS256 over the public key, or another token type → refused', async () => {
  const text = (header: object) =>
    `${encodeJson({ kid: 'first', typ: 'asy+jws', ...header })}.${encodeJson(child)}`;
  const none = text({ alg: 'none' });
  assert.equal(await getRefusal(addChecksum(`${PREFIX}${none}.${'A'.repeat(86)}`)), 'token_invalid');
  const symmetric = text({ alg: 'HS256' });
  const digest = createHmac('sha512', Buffer.from(String(key.public_jwk.x), 'base64url')).update(symmetric);
  assert.equal(
    await getRefusal(addChecksum(`${PREFIX}${symmetric}.${digest.digest('base64url')}`)),
    'token_invalid',
  );
  const header = { alg: 'EdDSA', kid: 'first', typ: 'JWT' };
  assert.equal(await getRefusal(signClaims(child, header)), 'token_invalid');
  assert.equal(await getRefusal(token.slice(PREFIX.length, -6)), 'token_malformed');
});

test('signature: an unsigned payload that is not JSON → token_invalid before the payload is read', async () => {
  const text = `${encodeJson({ alg: 'EdDSA', kid: 'first', typ: 'asy+jws' })}.${encodeJson('no JSON at all')}`;
  assert.equal(await getRefusal(addChecksum(`${PREFIX}${text}.${'A'.repeat(86)}`)), 'token_invalid');
});

test('claims: a signed token with contradictory claims → token_invalid', async () => {
  const deep = Array.from({ length: 10 }, (_, n) => `01980000-0000-7000-8000-00000000001${n}`);
  const wrong: Record<string, unknown>[] = [
    { ...child, cav: undefined },
    { ...child, cav: [] },
    { ...child, cav: [{ read_only: true }, {}] },
    { ...child, cav: [{ alowed_actions: ['read'] }] },
    { ...child, cav: [{ read_only: 'yes' }] },
    { ...child, cav: [{ allowed_actions: ['fly'] }] },
    { ...child, cav: [{ allowed_resources: 'experiment' }] },
    { ...child, cav: [{ expires_at: 'garbage' }] },
    { ...child, cav: [{ max_spend_cents: -1 }] },
    { ...child, cav: [null] },
    { ...child, tid: ID },
    { ...child, path: [CHILD] },
    { ...child, path: deep, tid: deep.at(-1), cav: deep.slice(1).map(() => ({})) },
    { ...child, role: 'owner' },
    { ...child, v: 2 },
    { ...child, env: 'live' },
    { ...child, exp: 'never' },
    { ...child, limit: 'unknown' },
    { ...child, pay: { methods: [] } },
    { ...child, pay: {} },
  ];
  for (const claims of wrong)
    assert.equal(await getRefusal(signClaims(claims)), 'token_invalid', JSON.stringify(claims));
});

test('time: at the second of exp → token_expired; 61 seconds before iat → token_not_yet_valid', async () => {
  const at = (seconds: number) => new Date(NOW.getTime() + seconds * 1_000);
  assert.equal(await getRefusal(token, at(1_000)), 'token_expired');
  assert.equal(await getRefusal(token, at(-61)), 'token_not_yet_valid');
  assert.deepEqual(await keyring.verify(token, at(999)), child);
  assert.deepEqual(await keyring.verify(token, at(-59)), child);
});

test('environment: a token of another environment → token_wrong_environment', async () => {
  const live = await createKeyring('live', [key]);
  assert.equal(await getRefusal(await live.sign({ ...child, env: 'live' })), 'token_wrong_environment');
});

test('rotation: a second key → the newest signs, all verify, and an unknown key is looked up once a second', async () => {
  const next = generateKeyPairSync('ed25519');
  const second: SigningKey = {
    kid: 'second',
    public_jwk: await exportJWK(next.publicKey),
    private_jwk: await exportJWK(next.privateKey),
    retired: false,
  };
  let stored: SigningKey[] = [key];
  let loads = 0;
  const load = async () => {
    loads++;
    return stored;
  };
  const running = await createKeyring('sandbox', stored, load);
  stored = [second, { ...key, retired: true }];
  const rotated = await createKeyring('sandbox', stored);
  const newer = await rotated.sign(root);
  assert.deepEqual(await rotated.verify(token, NOW), child);
  // Both at once wait for the same look.
  await Promise.all([running.verify(newer, NOW), running.verify(await rotated.sign(child), NOW)]);
  assert.equal(loads, 1);
  for (let n = 0; n < 50; n++)
    await assert.rejects(
      running.verify(signClaims(child, { alg: 'EdDSA', kid: `k${n}`, typ: 'asy+jws' }), NOW),
    );
  assert.equal(loads, 1);
  const later = new Date(NOW.getTime() + 1_000);
  await assert.rejects(running.verify(signClaims(child, { alg: 'EdDSA', kid: 'x', typ: 'asy+jws' }), later));
  assert.equal(loads, 2);
  const header = Buffer.from(
    (await running.sign(root)).slice(PREFIX.length).split('.')[0] ?? '',
    'base64url',
  );
  assert.equal(JSON.parse(header.toString()).kid, 'second');
});
