/** OAuth for the tool protocol: what neither registers nor is let through to consent. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OAuth, REDIRECT } from '#testing/oauth.ts';
import { getText, testService } from '#testing/service.ts';

const service = await testService({
  OAUTH_REDIRECT_HOSTS: 'agent.example,pages.example/callback,folder.example/agents/',
  OAUTH_REDIRECT_SCHEMES: 'editor',
});
const oauth = new OAuth(service);
const person = await oauth.openBrowser();

const refusedRedirects: readonly (readonly [what: string, uri: string])[] = [
  ['another host', 'https://attacker.example/cb'],
  ['http on another machine', 'http://agent.example/cb'],
  ['a script URL', 'javascript:alert(1)'],
  ['a data URL', 'data:text/html,x'],
  ['a file', 'file:///etc/passwd'],
  ['a scheme that nobody listed', 'agent://callback'],
  ['loopback in another spelling', 'http://127.1/cb'],
  ['https on this machine', 'https://localhost/cb'],
  ['a page beside the listed one', 'https://pages.example/other'],
  ['an escaped way out of a listed folder', 'https://folder.example/agents/..%2F..%2fopen?to=x'],
  ['a twice escaped way out of it', 'https://folder.example/agents/%252e%252e/open'],
  ['a host that begins with a loopback address', 'http://127.0.0.1.attacker.example/cb'],
  ['localhost as the user name', 'http://localhost@attacker.example/cb'],
  ['a listed host as the user name', 'https://agent.example@attacker.example/cb'],
  ['a subdomain of a listed host', 'https://x.agent.example/cb'],
  ['a fragment', 'http://127.0.0.1:1/cb#x'],
];

for (const [what, uri] of refusedRedirects) {
  test(`hostile 13, registration: a redirect to ${what} → left out, and invalid_redirect_uri where it is the only one`, async () => {
    const refused = await oauth.register({ redirect_uris: [uri] });
    assert.equal(refused.status, 400, refused.text);
    assert.equal(refused.body.error, 'invalid_redirect_uri');
    const made = await oauth.register({ redirect_uris: [uri, REDIRECT] });
    assert.equal(made.status, 201, made.text);
    assert.deepEqual(made.body.redirect_uris, [REDIRECT]);
  });
}

test('registration: redirects to this machine or to listed hosts → accepted, never with a secret', async () => {
  for (const redirect_uris of [
    ['http://127.0.0.1:5000/cb'],
    ['http://localhost/cb', 'http://[::1]:7/cb'],
    ['https://agent.example/cb'],
    ['https://folder.example/agents/a%20b/cb'],
  ]) {
    const made = await oauth.register({
      redirect_uris,
      token_endpoint_auth_method: 'client_secret_basic',
    });
    assert.ok(made.status < 300, made.text);
    assert.equal(made.body.client_secret, undefined);
    assert.equal(made.body.token_endpoint_auth_method, 'none');
  }
  const eager = await oauth.register({ skip_consent: true });
  assert.equal(eager.body.skip_consent, undefined);
  const consentPath = oauth.authorizePath(getText(eager.body.client_id), 'v'.repeat(43));
  assert.match((await oauth.openConsentPage(person, consentPath)).page.text, /What it may do/);
  for (const body of ['[]', '7', '{', '{}', '{"redirect_uris":"x"}', '{"redirect_uris":[]}'])
    assert.equal((await oauth.post('/auth/oauth2/register', body, 'application/json')).status, 400, body);
});

test('hostile 13, registration flood: one address registers 14 times → 429, and others may register', async () => {
  const address = '10.9.9.9';
  const statuses = [];
  for (let attempt = 0; attempt < 14; attempt++) statuses.push((await oauth.register({}, address)).status);
  assert.ok(
    statuses.slice(0, 5).every((status) => status < 300),
    statuses.join(),
  );
  assert.equal(statuses.at(-1), 429);
  assert.ok((await oauth.register()).status < 300);
});

/** What an authorization request may not say; it ends in an error page or at the client with an error, never in consent. */
const refusedRequests: readonly (readonly [
  what: string,
  change: Readonly<Record<string, string | undefined>>,
])[] = [
  ['no PKCE', { code_challenge: undefined, code_challenge_method: undefined }],
  ['plain PKCE', { code_challenge_method: 'plain' }],
  ['another path of the redirect', { redirect_uri: 'http://127.0.0.1:33418/other' }],
  ['another host of the redirect', { redirect_uri: 'https://attacker.example/callback' }],
  ['an unknown resource', { resource: 'https://other.example/mcp/' }],
  ['a scope that does not exist', { scope: 'read admin' }],
  ['a token in the redirect', { response_type: 'token' }],
  ['an unknown client', { client_id: 'nobody' }],
];

for (const [what, change] of refusedRequests) {
  test(`hostile 13, authorization: ${what} → refused without a redirect elsewhere`, async () => {
    const answer = await person.open(oauth.authorizePath(await oauth.createClient(), 'v'.repeat(43), change));
    const { location = '' } = answer;
    assert.ok(!location.includes('/oauth/consent') && !location.includes('code='), location);
    assert.ok(!location.includes('attacker.example') && !location.includes('/other'), location);
    assert.ok(answer.status >= 400 || /[?&#]error=/.test(location), `${answer.status} ${location}`);
  });
}
