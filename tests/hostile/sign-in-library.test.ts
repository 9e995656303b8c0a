/** The routes of the sign-in library under hostile bodies: refused in JSON with a request id, never a 500. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OAuth, REDIRECT } from '#testing/oauth.ts';
import { testService, getText, type TestAnswer } from '#testing/service.ts';

const service = await testService({ SIGN_IN_ATTEMPTS_PER_MINUTE: '100000' });
const { app } = service.service;
const oauth = new OAuth(service);
const person = await oauth.openBrowser();
const FORM = 'application/x-www-form-urlencoded';
const JSON_TYPE = 'application/json';

/** The cookie in which the library keeps the challenge of a ceremony. */
async function beginCeremony(kind: 'authenticate' | 'register', cookie: string): Promise<string> {
  const begun = await app.inject({ url: `/auth/passkey/generate-${kind}-options`, headers: { cookie } });
  assert.equal(begun.statusCode, 200, begun.body);
  const set = [begun.headers['set-cookie'] ?? []].flat().map((each) => each.split(';')[0] ?? '');
  return [cookie, ...set].filter((each) => each !== '').join('; ');
}

function post(path: string, body: string, type: string, cookie = ''): Promise<TestAnswer> {
  const headers = { cookie, origin: oauth.base };
  return oauth.post(path, body, type, undefined, headers);
}

/** Refused in a form that a program can read. */
function expectRefusal(answer: TestAnswer): void {
  assert.equal(answer.status, 400, answer.text);
  assert.match(getText(answer.body.request_id), /^req_/);
  assert.match(getText(answer.body.error_description), /\.$/);
}

const createCredential = (id: string): string =>
  JSON.stringify({
    response: {
      id,
      rawId: id,
      type: 'public-key',
      clientExtensionResults: {},
      response: { clientDataJSON: 'e30', authenticatorData: 'AA', signature: 'AA', attestationObject: 'AA' },
    },
  });

test('passkeys: a credential id that cannot be stored, within a ceremony → refused', async () => {
  for (const [kind, route, cookie] of [
    ['authenticate', 'verify-authentication', ''],
    ['register', 'verify-registration', person.cookie],
  ] as const)
    for (const id of ['a\u0000b', '\ud800', 'x'.repeat(5_000), '__proto__']) {
      const held = await beginCeremony(kind, cookie);
      const answer = await post(`/auth/passkey/${route}`, createCredential(id), JSON_TYPE, held);
      assert.ok(answer.status >= 400 && answer.status < 500, `${route} ${answer.status} ${answer.text}`);
      if (id.length < 5) expectRefusal(answer);
    }
});

test('OAuth: a form with text that cannot be stored → invalid_request', async () => {
  for (const path of ['/auth/oauth2/token', '/auth/oauth2/revoke'])
    for (const field of ['client_id', 'code', 'refresh_token', 'token', 'redirect_uri', '__proto__', '%00'])
      for (const value of ['a%00b', '%ED%A0%80', '%FF']) {
        const rest = 'grant_type=refresh_token&client_id=x&refresh_token=y&token=z';
        const answer = await post(path, `${rest}&${field}=${value}`, FORM);
        expectRefusal(answer);
        assert.equal(answer.body.error, 'invalid_request');
      }
});

test('OAuth: names of prototypes, or a field twice → refused, never a 500', async () => {
  for (const path of ['/auth/oauth2/token', '/auth/oauth2/revoke'])
    for (const value of ['__proto__', 'constructor', 'toString', ''])
      for (const field of ['grant_type', 'client_id', 'code', 'refresh_token', 'token_type_hint', 'scope']) {
        const rest = 'grant_type=authorization_code&client_id=x&code=y&token=z';
        const { status, text } = await post(path, `${rest}&${field}=${value}&${field}=${value}`, FORM);
        assert.ok(status < 500, `${path} ${field}=${value} ${status} ${text}`);
      }
});

test('OAuth: a registration with hostile metadata → refused, or accepted and read back', async () => {
  const metadata: readonly object[] = [
    { client_name: 'a\u0000b' },
    { client_name: { constructor: 1 } },
    { client_name: '\ud800' },
    { redirect_uris: [REDIRECT, 'a\u0000'] },
    { redirect_uris: { length: 1, 0: REDIRECT } },
    { scope: 7 },
    { grant_types: { 0: 'authorization_code' } },
    { grant_types: ['__proto__'] },
    { contacts: 'x', jwks: [], client_uri: 'x', logo_uri: {}, software_id: ['a'] },
    { client_name: 'x'.repeat(10_000) },
  ];
  for (const each of metadata) {
    const { status, text } = await oauth.register(each);
    assert.ok(status < 500, `${JSON.stringify(each).slice(0, 60)} ${status} ${text}`);
  }
  expectRefusal(await post('/auth/oauth2/register', '{"client_name":"\\u0000"}', JSON_TYPE));
  expectRefusal(await post('/auth/oauth2/register', '{"__proto__":{}}', JSON_TYPE));
});

test('OAuth: a hostile authorization request in a session → never a 500', async () => {
  const clientId = await oauth.createClient();
  const fields = [
    'client_id',
    'redirect_uri',
    'scope',
    'state',
    'code_challenge',
    'resource',
    'prompt',
    'max_age',
  ];
  for (const field of fields)
    for (const value of ['__proto__', 'constructor', '', 'x'.repeat(3_000), 'a\u0000', '\u202e', '[]'])
      for (const accept of ['text/html', 'application/json']) {
        const path = oauth.authorizePath(clientId, 'v'.repeat(43), { [field]: value });
        const { status, text } = await person.open(path, { accept });
        assert.ok(status < 500, `${field}=${value.slice(0, 20)} ${status} ${text.slice(0, 200)}`);
      }
});

test('processor: a notification with a hostile body or signature → refused', async () => {
  for (const signature of ['', '__proto__', 't=1,v1=\u00ff', 'x'.repeat(5_000)])
    for (const body of ['{"a":"\\u0000"}', '[]', 'null', '{', ''])
      for (const name of ['assayer-signature', 'stripe-signature', 'x-service-signature']) {
        const { status } = await oauth.post('/processor/notifications', body, JSON_TYPE, undefined, {
          [name]: signature,
        });
        assert.equal(status, 400);
      }
});
