/** OAuth for the tool protocol, request by request: what it gives, what it refuses, and when it ends. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SignJWT, UnsecuredJWT, decodeJwt, exportJWK, generateKeyPair, type JWTPayload } from 'jose';
import { grantByOperator } from '#core/grants.ts';
import { createOrganizationScope } from '#core/scope.ts';
import { setMembership } from '#features/organizations/store.ts';
import { expectFailure, expectStatus, UNKNOWN_ID } from '#testing/builders.ts';
import { Browser } from '#testing/browser.ts';
import { OAuth, REDIRECT } from '#testing/oauth.ts';
import { getItems, testService, getText, type TestAnswer } from '#testing/service.ts';

const service = await testService();
const { ask, issueToken, logLines } = service;
const { database, founder } = service.service;
const oauth = new OAuth(service);
const person = await oauth.openBrowser();

/** A key that the service trusts, in the hands of the test: every claim can be made wrong by itself. */
async function createTrustedSigner() {
  const { publicKey, privateKey } = await generateKeyPair('EdDSA', { crv: 'Ed25519', extractable: true });
  const kid = service.service.work.ids.createUuid();
  await database.read.query(
    `insert into oauth_keys (id, public_key, private_key, created_at, alg, crv) values ($1, $2, 'none', '2020-01-01Z', 'EdDSA', 'Ed25519')`,
    [kid, JSON.stringify(await exportJWK(publicKey))],
  );
  return { kid, privateKey, publicJwk: await exportJWK(publicKey) };
}

// After the library has made its own key, and before the service reads any.
await oauth.redeemTokens(await oauth.runDance(person));
const signer = await createTrustedSigner();

async function createMemberId(
  role: 'viewer' | 'member' | 'admin' = 'member',
  isStaff = false,
): Promise<string> {
  const token = await issueToken({ role, isStaff });
  return getText((await ask('GET', '/whoami', { token })).body.user_id);
}

function expectRefusedAtOnce(answer: TestAnswer): void {
  expectStatus(answer, 401);
  const challenge = `Bearer resource_metadata="${oauth.base}/.well-known/oauth-protected-resource/mcp/"`;
  assert.ok(answer.headers['www-authenticate']?.startsWith(challenge), answer.headers['www-authenticate']);
}

test('OAuth: the person consents → a token for MCP with the rights of the person, without those of the lab', async () => {
  const dance = await oauth.runDance(person);
  assert.equal(dance.callback.href.split('?')[0], REDIRECT);
  assert.equal(dance.callback.searchParams.get('state'), 'a-state');
  assert.equal(dance.callback.searchParams.get('iss'), `${oauth.base}/auth`);
  const { access } = await oauth.redeemTokens(dance);
  const called = expectStatus(await oauth.call(access), 200);
  assert.ok(called.text.includes('experiment:create'), called.text);
  assert.doesNotMatch(called.text, /admin:|lab:|partner:/);
  const claims = decodeJwt(access);
  assert.equal(claims.aud, oauth.resource);
  assert.equal(Number(claims.exp) - Number(claims.iat), 300);
  assert.doesNotMatch(
    logLines.join('\n'),
    new RegExp(`${access}|${dance.callback.searchParams.get('code')}`),
  );
});

test('OAuth: registration, consent and a tool call → each has an audit entry', async () => {
  const browser = await oauth.openBrowser(await createMemberId());
  const dance = await oauth.runDance(browser);
  const { access } = await oauth.redeemTokens(dance);
  const args = { name: 'From an agent', product_id: 'A-1', pdb_id: '1IVO' };
  expectStatus(await oauth.call(access, 'create_custom_target_request', args), 200);
  const trail = async (filter: string) =>
    getItems((await ask('GET', `/lab/audit?filter=${encodeURIComponent(filter)}`)).body.items);
  const [registered] = await trail(
    `and(eq(operation,register_oauth_client),eq(subject,'${dance.clientId}'))`,
  );
  assert.ok(JSON.stringify(registered?.details).includes(REDIRECT));
  const [consented] = await trail(
    `and(eq(operation,consent_to_oauth_client),eq(subject,'${dance.clientId}'))`,
  );
  assert.match(getText(consented?.actor), /^person-\d+@example\.org$/);
  const [done] = await trail('eq(operation,create_custom_target_request)');
  assert.equal(done?.actor, consented?.actor);
  assert.equal(getItems(done?.token_path).length, 1);
});

test('OAuth: the person allows only reading → the token has no write permission', async () => {
  const { access } = await oauth.redeemTokens(await oauth.runDance(person, { right: 'read' }));
  const called = await oauth.call(access);
  assert.ok(called.text.includes('experiment:read') && !called.text.includes(':create'), called.text);
  const { access: readOnly } = await oauth.redeemTokens(await oauth.runDance(person, {}, { scope: 'read' }));
  assert.ok(!(await oauth.call(readOnly)).text.includes(':create'));
});

test('OAuth: a program makes a token → token_restricted', async () => {
  const { access } = await oauth.redeemTokens(await oauth.runDance(person));
  const made = await oauth.call(access, 'create_token', { name: 'x', role: 'viewer', expires_in: '7d' });
  assert.match(made.text, /token_restricted/);
});

test('hostile 9, OAuth JWT on REST: in either header → token_malformed', async () => {
  const { access } = await oauth.redeemTokens(await oauth.runDance(person));
  expectFailure(await ask('GET', '/whoami', { token: access }), 401, 'token_malformed');
  const elsewhere = { token: null, headers: { 'x-service-api-key': access } };
  expectFailure(await ask('GET', '/whoami', elsewhere), 401, 'token_malformed');
  expectStatus(await oauth.call(access), 200);
});

test('discovery: every path of both metadata documents → the resource by the path, and one issuer', async () => {
  for (const path of ['', '/mcp', '/mcp/']) {
    const { body } = expectStatus(
      await ask('GET', `//.well-known/oauth-protected-resource${path}`, { token: null }),
      200,
    );
    assert.equal(body.resource, oauth.base + (path === '' ? '/mcp/' : path));
    assert.deepEqual(body.authorization_servers, [`${oauth.base}/auth`]);
    assert.deepEqual(body.scopes_supported, ['read', 'write']);
  }
  for (const path of [
    '/.well-known/oauth-authorization-server',
    '/.well-known/oauth-authorization-server/auth',
    '/auth/.well-known/oauth-authorization-server',
  ]) {
    const { body } = expectStatus(await ask('GET', `/${path}`, { token: null }), 200);
    assert.equal(body.issuer, `${oauth.base}/auth`);
    assert.deepEqual(body.code_challenge_methods_supported, ['S256']);
    assert.equal(body.authorization_response_iss_parameter_supported, true);
    for (const endpoint of ['authorization_endpoint', 'token_endpoint', 'registration_endpoint', 'jwks_uri'])
      assert.ok(getText(body[endpoint]).startsWith(`${oauth.base}/auth/`), endpoint);
  }
  expectRefusedAtOnce(await ask('POST', '//mcp/', { token: null, body: {} }));
});

test('discovery: every address and every client method that is advertised → is served; the rest of the library → is not', async () => {
  const { body } = expectStatus(
    await ask('GET', '//.well-known/oauth-authorization-server', { token: null }),
    200,
  );
  const addresses = Object.entries(body).filter(([name]) => /_endpoint$|_uri$/.test(name));
  assert.ok(addresses.length >= 5, 'the document names addresses');
  for (const [name, address] of addresses) {
    assert.ok(getText(address).startsWith(oauth.base), name);
    const path = getText(address).slice(oauth.base.length);
    const answers = await Promise.all([
      ask('GET', `/${path}`, { token: null }),
      ask('POST', `/${path}`, { token: null, body: {} }),
    ]);
    assert.ok(
      answers.some(({ status }) => status !== 404),
      `${name} is a 404`,
    );
  }
  assert.deepEqual(
    Object.keys(body).filter((name) => /introspection|signing_alg|logout/.test(name)),
    [],
  );
  for (const name of Object.keys(body).filter((key) => key.endsWith('_auth_methods_supported')))
    assert.deepEqual(body[name], ['none'], name);
  for (const wished of ['none', 'client_secret_basic', 'private_key_jwt']) {
    const made = await oauth.register({ token_endpoint_auth_method: wished });
    assert.equal(made.body.token_endpoint_auth_method, 'none', wished);
    assert.equal(made.body.client_secret, undefined, wished);
  }
});

test('closed: routes of the OAuth library → 404 except those that OAuth needs', async () => {
  for (const [method, path] of [
    ['GET', '/auth/oauth2/get-clients'],
    ['POST', '/auth/oauth2/create-client'],
    ['POST', '/auth/oauth2/consent'],
    ['POST', '/auth/oauth2/introspect'],
    ['POST', '/auth/admin/oauth2/create-client'],
    ['GET', '/auth/oauth2/userinfo'],
    ['GET', '/auth/token'],
  ] as const)
    expectStatus(
      await ask(method, `/${path}`, { token: null, ...(method === 'POST' ? { body: {} } : {}) }),
      404,
    );
});

test('resource: without its slash, or omitted → a token for the one resource, which both addresses take', async () => {
  const resource = `${oauth.base}/mcp`;
  const redeemed = await oauth.redeem(await oauth.runDance(person, {}, { resource }), { resource });
  const bare = getText(expectStatus(redeemed, 200).body.access_token);
  assert.equal(decodeJwt(bare).aud, oauth.resource);
  for (const path of ['/mcp', '/mcp/']) expectStatus(await oauth.call(bare, 'whoami', {}, path), 200);
  const { access } = await oauth.redeemTokens(await oauth.runDance(person, {}, { resource: undefined }));
  assert.equal(decodeJwt(access).aud, oauth.resource);
});

test('hostile 13, token request: another verifier, redirect, client, resource or grant type → no token', async () => {
  const other = await oauth.createClient();
  const changes: readonly Readonly<Record<string, string>>[] = [
    { code_verifier: 'w'.repeat(43) },
    { redirect_uri: 'http://127.0.0.1:33418/other' },
    { client_id: other },
    { resource: 'https://other.example/' },
  ];
  for (const change of changes) {
    const refused = await oauth.redeem(await oauth.runDance(person), change);
    assert.ok(refused.status === 400 || refused.status === 401, refused.text);
    assert.equal(refused.body.access_token, undefined);
  }
  for (const grant_type of [
    'client_credentials',
    'password',
    'urn:ietf:params:oauth:grant-type:device_code',
  ]) {
    const refused = await oauth.requestToken({
      grant_type,
      client_id: other,
      scope: 'read',
      username: 'a',
      password: 'b',
    });
    assert.ok(refused.status === 400 || refused.status === 401, refused.text);
  }
});

test('hostile 13, code replay: a code is used twice → what the first use gave ends', async () => {
  const dance = await oauth.runDance(person);
  const { access, refresh } = await oauth.redeemTokens(dance);
  expectStatus(await oauth.call(access), 200);
  const again = await oauth.redeem(dance);
  assert.ok(again.status >= 400, again.text);
  expectRefusedAtOnce(await oauth.call(access));
  assert.ok((await oauth.refresh(dance, refresh)).status >= 400);
});

test('hostile 13, refresh reuse: a refresh token comes twice → all its successors end', async () => {
  const dance = await oauth.runDance(person);
  const first = await oauth.redeemTokens(dance);
  const rotated = expectStatus(await oauth.refresh(dance, first.refresh), 200);
  const second = { access: getText(rotated.body.access_token), refresh: getText(rotated.body.refresh_token) };
  assert.notEqual(second.refresh, first.refresh);
  expectStatus(await oauth.call(second.access), 200);
  assert.ok((await oauth.refresh(dance, first.refresh)).status >= 400);
  assert.ok((await oauth.refresh(dance, second.refresh)).status >= 400);
  for (const access of [first.access, second.access]) expectRefusedAtOnce(await oauth.call(access));
});

test('refresh: by another client, or with more than the consent → refused', async () => {
  const dance = await oauth.runDance(person, { right: 'read' });
  const { refresh } = await oauth.redeemTokens(dance);
  assert.ok((await oauth.refresh({ ...dance, clientId: await oauth.createClient() }, refresh)).status >= 400);
  const wider = {
    grant_type: 'refresh_token',
    refresh_token: refresh,
    client_id: dance.clientId,
    scope: 'read write',
  };
  assert.ok((await oauth.requestToken(wider)).status >= 400);
});

test('hostile 13, sign-out: the person signs out → the next call and the next refresh are refused', async () => {
  const browser = await oauth.openBrowser(await createMemberId());
  const dance = await oauth.runDance(browser);
  const { access, refresh } = await oauth.redeemTokens(dance);
  expectStatus(await oauth.call(access), 200);
  const home = await browser.open('/');
  assert.equal((await browser.send(home, '/sign-out')).status, 303);
  expectRefusedAtOnce(await oauth.call(access));
  assert.ok((await oauth.refresh(dance, refresh)).status >= 400);
});

test('OAuth: the person is demoted or removed, consent is withdrawn or the program disabled → counts at the next call', async () => {
  const userId = await createMemberId('admin');
  const dance = await oauth.runDance(await oauth.openBrowser(userId));
  const { access } = await oauth.redeemTokens(dance);
  const scope = createOrganizationScope(founder.organizationId);
  const viewer = grantByOperator({ ...founder, role: 'viewer' });
  await setMembership(scope, database.read, viewer, { user_id: userId, at: service.clock.now() });
  assert.ok(!(await oauth.call(access)).text.includes('experiment:create'));
  await database.read.query('delete from memberships where user_id = $1', [userId]);
  expectRefusedAtOnce(await oauth.call(access));

  for (const ending of [
    'delete from oauth_consents where client_id = $1',
    'update oauth_clients set disabled = true where client_id = $1',
  ]) {
    const next = await oauth.runDance(person);
    const tokens = await oauth.redeemTokens(next);
    expectStatus(await oauth.call(tokens.access), 200);
    await database.read.query(ending, [next.clientId]);
    expectRefusedAtOnce(await oauth.call(tokens.access));
  }
});

test('revocation: a program revokes its refresh token → its access ends', async () => {
  const dance = await oauth.runDance(person);
  const { access, refresh } = await oauth.redeemTokens(dance);
  const body = new URLSearchParams({ token: refresh, client_id: dance.clientId }).toString();
  expectStatus(await oauth.post('/auth/oauth2/revoke', body, 'application/x-www-form-urlencoded'), 200);
  expectRefusedAtOnce(await oauth.call(access));
});

test('hostile 13, consent request forgery: another site, session, query or no form token → no consent', async () => {
  const verifier = 'v'.repeat(43);
  const clientId = await oauth.createClient();
  const { query } = await oauth.openConsentPage(person, oauth.authorizePath(clientId, verifier));
  const own = { oauth_query: query, intent: 'allow' };
  const sameSite = { 'sec-fetch-site': 'same-origin' };
  const attempts = [
    await person.post('/oauth/consent', own, sameSite),
    await person.post('/oauth/consent', { ...own, form_token: 'x' }, sameSite),
    await new Browser(service).post('/oauth/consent', own, sameSite),
    await person.post('/oauth/consent', own, { 'sec-fetch-site': 'cross-site' }),
    await oauth.giveConsent(person, query.replace('scope=read+write', 'scope=write')),
    await oauth.giveConsent(person, query.replace(clientId, await oauth.createClient())),
    await oauth.giveConsent(person, query.replace(/sig=[^&]+/, 'sig=x')),
    await oauth.giveConsent(person, query, { intent: 'perhaps' }),
  ];
  for (const [index, { status, location }] of attempts.entries())
    assert.ok(status >= 400 && location === undefined, `attempt ${index}: ${status} ${location}`);
  const consents = await database.read.query('select 1 from oauth_consents where client_id = $1', [clientId]);
  assert.equal(consents.length, 0);
});

test('consent: the person denies → the program gets access_denied and no code', async () => {
  const { callback } = await oauth.runDance(person, { intent: 'deny' });
  assert.equal(callback.searchParams.get('error'), 'access_denied');
  assert.equal(callback.searchParams.get('code'), null);
});

test('consent: the page → shows the redirect host, the organization and the rights', async () => {
  const made = await oauth.register({ client_name: '<b>Tool</b>' });
  const path = oauth.authorizePath(getText(made.body.client_id), 'v'.repeat(43));
  const { page } = await oauth.openConsentPage(person, path);
  for (const shown of [
    '127.0.0.1:33418',
    'Demo organization',
    'demo@example.org',
    'accept quotes',
    'Spends at most',
    '&lt;b&gt;Tool',
  ])
    assert.ok(page.text.includes(shown), shown);
  assert.ok(!page.text.includes('<script') && !page.text.includes('<b>Tool'));
  const policy = String(page.headers['content-security-policy']);
  assert.match(policy, /form-action 'self' http:\/\/127\.0\.0\.1:33418;/);
  const viewer = await oauth.openBrowser(await createMemberId('viewer'));
  const reading = (await oauth.openConsentPage(viewer, path)).page.text;
  assert.ok(!reading.includes('accept quotes,') && !reading.includes('Spends at most'));
});

test('consent: nobody is signed in → sign-in first, then back to the request', async () => {
  const path = oauth.authorizePath(await oauth.createClient(), 'v'.repeat(43));
  const page = await new Browser(service).open(path);
  assert.equal(page.status, 401);
  assert.ok(page.text.includes('name="next"') && page.text.includes('/auth/oauth2/authorize?'), page.text);
});

test('hostile 9 and 13, forged access tokens: wrong issuer, audience, type, algorithm, time, session or key → 401', async () => {
  const { access } = await oauth.redeemTokens(await oauth.runDance(person));
  const claims = decodeJwt(access);
  const { kid, privateKey, publicJwk } = signer;
  const sign = (change: Readonly<Record<string, unknown>>, header: object = {}): Promise<string> => {
    const payload: JWTPayload = { ...claims, ...change };
    return new SignJWT(payload)
      .setProtectedHeader({ alg: 'EdDSA', kid, typ: 'at+jwt', ...header })
      .sign(privateKey);
  };
  expectStatus(await oauth.call(await sign({})), 200);
  const nowS = Math.floor(Date.now() / 1_000);
  const forged: readonly (readonly [what: string, token: string])[] = [
    ['another issuer', await sign({ iss: 'https://other.example/auth' })],
    ['the issuer without its path', await sign({ iss: oauth.base })],
    ['another audience', await sign({ aud: 'https://other.example/mcp/' })],
    ['the audience of another path', await sign({ aud: `${oauth.base}/mcp/other` })],
    ['two audiences', await sign({ aud: [oauth.resource, 'https://other.example/'] })],
    ['no audience', await sign({ aud: undefined })],
    ['ended at this second', await sign({ exp: nowS })],
    ['without an end', await sign({ exp: undefined })],
    ['an identity token', await sign({}, { typ: 'JWT' })],
    ['another session', await sign({ sid: UNKNOWN_ID })],
    ['no session', await sign({ sid: undefined })],
    ['another person', await sign({ sub: await createMemberId() })],
    ['another consent', await sign({ program: UNKNOWN_ID })],
    ['no consent', await sign({ program: undefined })],
    ['another program', await sign({ client_id: await oauth.createClient() })],
    ['an unknown key', await sign({}, { kid: UNKNOWN_ID })],
    ['alg none', new UnsecuredJWT(claims).encode()],
    [
      'HS256 keyed with the public key',
      await new SignJWT(claims)
        .setProtectedHeader({ alg: 'HS256', kid, typ: 'at+jwt' })
        .sign(Buffer.from(JSON.stringify(publicJwk))),
    ],
    [
      'a changed payload',
      access.replace(
        /\.[^.]+\./,
        `.${Buffer.from(JSON.stringify({ ...claims, sub: founder.userId, scope: 'write' })).toString('base64url')}.`,
      ),
    ],
  ];
  for (const [what, token] of forged) assert.equal((await oauth.call(token)).status, 401, what);
});
