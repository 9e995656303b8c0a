/** Signing in through an identity provider: a small OpenID Connect server of our own on loopback (OIDC Core 1.0). */
import assert from 'node:assert/strict';
import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { after, test } from 'node:test';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { Browser, type Page } from '#testing/browser.ts';
import { testService } from '#testing/service.ts';

interface Claims {
  readonly sub: string;
  readonly email: string;
  readonly email_verified: boolean;
}

/** Answers discovery, keys and the token endpoint; `authorize` stands for the person who agrees in the browser. */
async function startProvider() {
  const { publicKey, privateKey } = await generateKeyPair('ES256');
  const other = await generateKeyPair('ES256');
  const codes = new Map<
    string,
    { readonly nonce: string; readonly challenge: string; readonly claims: Claims }
  >();
  const how = { key: privateKey, audience: 'assayer', nonce: undefined as string | undefined };
  let issuer = '';

  async function issueToken(form: URLSearchParams): Promise<unknown> {
    const code = form.get('code') ?? '';
    const grant = codes.get(code);
    codes.delete(code);
    const verifier = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    if (grant?.challenge !== verifier) return { error: 'invalid_grant' };
    const idToken = await new SignJWT({ ...grant.claims, nonce: how.nonce ?? grant.nonce })
      .setProtectedHeader({ alg: 'ES256', kid: 'one' })
      .setIssuer(issuer)
      .setAudience(how.audience)
      .setIssuedAt()
      .setExpirationTime('5m')
      .sign(how.key);
    return { access_token: 'opaque', token_type: 'Bearer', expires_in: 300, id_token: idToken };
  }

  async function answer(request: IncomingMessage, reply: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? '/', issuer);
    let text = '';
    for await (const chunk of request) text += String(chunk);
    const body: unknown =
      pathname === '/.well-known/openid-configuration'
        ? {
            issuer,
            authorization_endpoint: `${issuer}/authorize`,
            token_endpoint: `${issuer}/token`,
            jwks_uri: `${issuer}/keys`,
            id_token_signing_alg_values_supported: ['ES256'],
          }
        : pathname === '/keys'
          ? { keys: [{ ...(await exportJWK(publicKey)), kid: 'one', alg: 'ES256', use: 'sig' }] }
          : await issueToken(new URLSearchParams(text));
    const isError = typeof body === 'object' && body !== null && 'error' in body;
    reply.writeHead(isError ? 400 : 200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  }

  const server = createServer((request, reply) => void answer(request, reply));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  issuer = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
  after(() => server.close());

  function authorize(location: string, claims: Claims): string {
    const address = new URL(location);
    assert.equal(address.origin + address.pathname, `${issuer}/authorize`);
    const of = (name: string): string => address.searchParams.get(name) ?? '';
    assert.equal(of('code_challenge_method'), 'S256');
    assert.ok(of('nonce') !== '' && of('state') !== '' && of('scope').includes('openid'));
    const code = randomUUID();
    codes.set(code, { nonce: of('nonce'), challenge: of('code_challenge'), claims });
    const back = new URL(of('redirect_uri'));
    return `${back.pathname}?code=${code}&state=${encodeURIComponent(of('state'))}`;
  }

  return { issuer, how, foreignKey: other.privateKey, authorize };
}

const DEMO: Claims = { sub: 'subject-1', email: 'demo@example.org', email_verified: true };

async function createWorld() {
  const provider = await startProvider();
  const service = await testService({
    OIDC_ISSUER: provider.issuer,
    OIDC_CLIENT_ID: 'assayer',
    OIDC_CLIENT_SECRET: 'a secret',
    OIDC_NAME: 'the institute',
  });
  async function signIn(
    claims: Claims,
    browser = new Browser(service),
  ): Promise<{ browser: Browser; back: Page }> {
    const start = await browser.open('/sign-in/provider');
    assert.equal(start.status, 303, start.text);
    const back = await browser.open(provider.authorize(start.location ?? '', claims));
    return { browser, back };
  }
  return { provider, service, come: signIn };
}

test('provider: a known person signs in twice → in, and the audit log says by what', async () => {
  const { service, come } = await createWorld();
  assert.match((await new Browser(service).open('/sign-in')).text, /Continue with the institute/);
  for (let turn = 0; turn < 2; turn++) {
    const { browser, back } = await come(DEMO);
    assert.equal(new URL(back.location ?? '/nowhere', 'http://x').pathname, '/sign-in');
    assert.match((await browser.open('/account')).text, /demo@example\.org/);
  }
  const rows = await service.service.database.read.query(
    `select details->>'by' as by from audit_log where operation_id = 'sign_in'`,
  );
  assert.deepEqual(rows, [{ by: 'provider' }, { by: 'provider' }]);
});

test('provider: a stranger, an unverified address, or a foreign key, audience, nonce or state → no session', async () => {
  const { provider, service, come } = await createWorld();
  const expectRefused = async (claims: Claims): Promise<void> => {
    const { browser, back } = await come(claims);
    const at = new URL(back.location ?? '/nowhere', 'http://x');
    assert.equal(at.pathname, '/sign-in');
    const page = await browser.open(at.pathname + at.search);
    assert.match(page.text, /role="alert"/);
    assert.equal((await browser.open('/account')).status, 401);
  };
  await expectRefused({ ...DEMO, email: 'stranger@example.org', sub: 'subject-2' });
  await expectRefused({ ...DEMO, email_verified: false });
  const own = provider.how.key;
  provider.how.key = provider.foreignKey;
  await expectRefused(DEMO);
  provider.how.key = own;
  provider.how.audience = 'somebody else';
  await expectRefused(DEMO);
  provider.how.audience = 'assayer';
  provider.how.nonce = 'another';
  await expectRefused(DEMO);
  provider.how.nonce = undefined;
  const victim = new Browser(service);
  const start = await new Browser(service).open('/sign-in/provider');
  await victim.open(provider.authorize(start.location ?? '', DEMO));
  assert.equal((await victim.open('/account')).status, 401);
  const users = await service.service.database.read.query('select id from users');
  assert.equal(users.length, 1);
});

test('provider: no settings → no button and 404', async () => {
  const service = await testService();
  assert.equal((await new Browser(service).open('/sign-in/provider')).status, 404);
  assert.doesNotMatch((await new Browser(service).open('/sign-in')).text, /Continue with/);
});
