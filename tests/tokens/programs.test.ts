/** What a person decides about a program: organization, rights, experiments, end, spending cap; and revoking it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Browser, Page } from '#testing/browser.ts';
import { createBuilders, expectStatus } from '#testing/builders.ts';
import { OAuth } from '#testing/oauth.ts';
import { getItems, getNumber, getText, parseJson, testService, type TestAnswer } from '#testing/service.ts';

const service = await testService({ SIGN_UP: 'open' });
const { ask, clock } = service;
const { database, founder } = service.service;
const oauth = new OAuth(service);
const { create, createBody, createQuoted } = await createBuilders(service);
const person = await oauth.openBrowser();
const DAY_MS = 86_400_000;

type Fields = Readonly<Record<string, string>>;

async function connect(typed: Fields, browser = person) {
  const dance = await oauth.runDance(browser, typed);
  return { dance, ...(await oauth.redeemTokens(dance)) };
}

type Answer = Readonly<Record<string, unknown>>;

function toRecord(value: unknown): Answer {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

async function callTool(access: string, name: string, args: object = {}): Promise<Answer> {
  const { result } = toRecord(parseJson(expectStatus(await oauth.call(access, name, args), 200).text));
  const { structuredContent, content } = toRecord(result);
  if (structuredContent !== undefined) return toRecord(structuredContent);
  const [first]: readonly unknown[] = Array.isArray(content) ? content : [];
  const { text } = toRecord(first);
  return toRecord(parseJson(typeof text === 'string' ? text : '{}'));
}

async function readToken(access: string): Promise<Answer> {
  return toRecord((await callTool(access, 'whoami')).token);
}

async function readProgramId(access: string): Promise<string> {
  const { id } = await readToken(access);
  assert.ok(typeof id === 'string');
  return id;
}

async function readCode(id: string): Promise<string> {
  return getText((await ask('GET', `/experiments/${id}`)).body.code);
}

async function readPrice(quoteId: string): Promise<number> {
  return getNumber((await ask('GET', `/quotes/${quoteId}`)).body.total_cents);
}

async function openConsentPage(browser: Browser = person): Promise<{ page: Page; query: string }> {
  return oauth.openConsentPage(browser, oauth.authorizePath(await oauth.createClient(), 'v'.repeat(43)));
}

test('consent: a cap, an experiment and a day are chosen → whoami shows them, and the day ends the access', async () => {
  const { id } = await createQuoted();
  const code = await readCode(id);
  const { access, refresh, dance } = await connect({
    right: 'order',
    max_spend: '500',
    no_limit: '',
    experiments: 'chosen',
    [`experiment:${code}`]: 'yes',
    lifetime: '1d',
  });
  const token = await readToken(access);
  assert.equal(token.kind, 'attenuated');
  assert.equal(token.max_spend_cents, 50_000);
  assert.equal(token.spent_cents, 0);
  assert.equal(token.remaining_cents, 50_000);
  assert.deepEqual(token.resource_ids, [code]);
  assert.equal(token.payment_policy, null);
  const other = await createQuoted();
  assert.equal((await callTool(access, 'get_exp_info', { experiment_id: id })).code, code);
  assert.equal(
    (await callTool(access, 'get_exp_info', { experiment_id: other.id })).code,
    'token_restricted',
  );
  clock.advance(DAY_MS);
  assert.equal((await oauth.call(access)).status, 401);
  assert.equal((await oauth.refresh(dance, refresh)).body.error, 'invalid_grant');
});

test('spend_limit_exceeded: a program orders beyond its cap → the answer says cap, spent and asked, and two at once fit once', async () => {
  const quotes = [await createQuoted(), await createQuoted(), await createQuoted()];
  const price = await readPrice(quotes[0]?.quoteId ?? '');
  const dollars = (cents: number): string =>
    `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}`;
  const { access } = await connect({ right: 'order', max_spend: dollars(price * 2 - 1), no_limit: '' });
  const confirmed = await Promise.all(
    quotes.map(({ quoteId }) => callTool(access, 'confirm_quote', { quote_id: quoteId })),
  );
  assert.equal(confirmed.filter(({ status }) => status === 'accepted').length, 1);
  const refused = confirmed.find(({ code }) => code === 'spend_limit_exceeded');
  const amount = String.raw`\$[\d,]+\.\d\d`;
  assert.match(
    typeof refused?.error === 'string' ? refused.error : '',
    new RegExp(
      `^This would commit ${amount}. The token may commit ${amount} in total; it has committed ${amount}, so ${amount} is left.$`,
    ),
  );
  const token = await readToken(access);
  assert.equal(token.spent_cents, price);
  assert.equal(token.remaining_cents, price - 1);
});

test('consent: only preparing is allowed → experiments are made, and no quote is accepted', async () => {
  const { access } = await connect({ right: 'prepare' });
  const { quoteId } = await createQuoted();
  assert.equal((await callTool(access, 'confirm_quote', { quote_id: quoteId })).code, 'spend_limit_exceeded');
  const made = await callTool(access, 'create_custom_target_request', {
    name: 'X',
    product_id: 'P-9',
    pdb_id: '1IVO',
  });
  assert.equal(made.code, undefined);
  const { access: reading } = await connect({ right: 'read' });
  assert.equal((await callTool(reading, 'confirm_quote', { quote_id: quoteId })).code, 'permission_denied');
});

test('token_restricted: a program that may only prepare accepts a free quote → 403, and the quote stays open', async () => {
  const spec = { target_id: null, requested_target: { name: 'A receptor nobody sells' } };
  const { id } = await create(createBody(spec));
  expectStatus(await ask('POST', `/experiments/${id}/submit`), 200);
  const lines = [{ description: 'Pilot', quantity: 1, unit_price_cents: 0 }];
  const body = { experiment_id: id, line_items: lines };
  const quoteId = getText(expectStatus(await ask('POST', '/lab/quotes', { body }), 201).body.id);
  expectStatus(await ask('POST', `/lab/quotes/${quoteId}/open`, { body: {} }), 200);
  const confirm = async (access: string) => callTool(access, 'confirm_quote', { quote_id: quoteId });
  const { access: preparing } = await connect({ right: 'prepare' });
  assert.equal((await confirm(preparing)).code, 'token_restricted');
  const { access: ordering } = await connect({ right: 'order', max_spend: '1', no_limit: '' });
  assert.equal((await confirm(ordering)).status, 'accepted');
});

test('consent: another organization of the person → the program acts there only', async () => {
  const browser = await oauth.openBrowser();
  await browser.send(await browser.open('/organizations'), '/organizations/found', {
    organization: 'Second lab',
  });
  const { page, query } = await openConsentPage(browser);
  assert.match(page.text, /<bdi>Second lab<\/bdi><\/dd>/);
  const back = /href="(\/oauth\/consent\?[^"]*for_organization=[^"]*)"/.exec(page.text)?.[1] ?? '';
  const switched = await browser.open(back.replaceAll('&amp;', '&'));
  assert.match(switched.text, /<bdi>Demo organization<\/bdi><\/dd>/);
  const refused = await oauth.giveConsent(browser, query, {
    organization_id: '01980000-0000-7000-8000-00000000ffff',
  });
  assert.equal(refused.status, 404);
  const { access } = await connect({}, browser);
  assert.equal((await callTool(access, 'whoami')).active_organization_id, founder.organizationId);
  await browser.send(await browser.open('/organizations'), '/organizations/enter', {
    organization_id: founder.organizationId,
  });
});

const wrongChoices: readonly (readonly [what: string, typed: Fields, says: RegExp])[] = [
  ['no right', { right: '' }, /Choose what the program may do/],
  ['a right that was not offered', { right: 'everything' }, /Choose what the program may do/],
  ['no amount and no tick', { no_limit: '' }, /Say how much it may spend/],
  ['an amount with letters', { no_limit: '', max_spend: 'much' }, /Give an amount/],
  ['an amount with a decimal comma', { no_limit: '', max_spend: '500,00' }, /Give an amount/],
  ['an amount and the tick', { max_spend: '5' }, /not both/],
  ['no experiment', { experiments: 'chosen' }, /Tick at least one experiment/],
  ['an unknown experiment', { experiments: 'chosen', codes: 'NONE-1-1' }, /no experiment NONE-1-1/],
  ['no end', { lifetime: '' }, /until when/],
];

for (const [what, typed, says] of wrongChoices)
  test(`consent: ${what} → the page again with the problem, and nothing is given`, async () => {
    const { query } = await openConsentPage();
    const decided = await oauth.giveConsent(person, query, typed);
    assert.equal(decided.status, 422);
    assert.match(decided.text, says);
    assert.match(decided.text, /Nothing was given away yet/);
  });

test('connected programs: the page → cap, spent, organization, experiments, last use; revoke → 401 at once, and no refresh', async () => {
  const browser = await oauth.openBrowser();
  const { quoteId, id } = await createQuoted();
  const code = await readCode(id);
  const { access, refresh, dance } = await connect(
    { right: 'order', max_spend: '5000', no_limit: '', experiments: 'chosen', codes: code },
    browser,
  );
  const kept = await connect({}, browser);
  expectStatus(await oauth.call(access, 'confirm_quote', { quote_id: quoteId }), 200);
  const page = await browser.open('/account/programs');
  for (const shown of ['A tool', 'Demo organization', code, 'of $5,000.00', 'Order and spend', 'no limit'])
    assert.ok(page.text.includes(shown), shown);
  const program = await readProgramId(access);
  const stranger = await oauth.openBrowser(
    getText((await ask('GET', '/whoami', { token: await service.issueToken({}) })).body.user_id),
  );
  await stranger.send(await stranger.open('/account'), '/account/name', { name: 'S' });
  expectStatus(await oauth.call(access), 200);
  const revoked = await browser.send(page, '/account/programs/revoke', { program_id: program });
  assert.equal(revoked.location, '/account/programs?done=revoked');
  assert.equal((await oauth.call(access)).status, 401);
  assert.equal((await oauth.refresh(dance, refresh)).body.error, 'invalid_grant');
  expectStatus(await oauth.call(kept.access), 200);
  const trail = await ask('GET', `/lab/audit?filter=${encodeURIComponent(`eq(subject,'${program}')`)}`);
  assert.equal(getItems(trail.body.items)[0]?.operation, 'disconnect_program');
});

test('connected programs: the token of a program is revoked by its id → 401 at once, and no refresh', async () => {
  const { access, refresh, dance } = await connect({});
  const id = await readProgramId(access);
  expectStatus(await ask('POST', `/tokens/${id}/revoke`), 200);
  assert.equal((await oauth.call(access)).status, 401);
  assert.equal((await oauth.refresh(dance, refresh)).body.error, 'invalid_grant');
});

test('connected programs: another person revokes a program → it goes on', async () => {
  const { access } = await connect({});
  const id = await readProgramId(access);
  const userId = getText((await ask('GET', '/whoami', { token: await service.issueToken({}) })).body.user_id);
  const stranger = await oauth.openBrowser(userId);
  const other = await connect({}, stranger);
  const page = await stranger.open('/account/programs');
  assert.equal(
    (await stranger.send(page, '/account/programs/revoke', { program_id: id })).location,
    '/account/programs',
  );
  expectStatus(await oauth.call(access), 200);
  expectStatus(await oauth.call(other.access), 200);
});

/** What widespread editors and agents send, and which of their addresses are kept. */
const registrations: readonly (readonly [who: string, body: object, kept: readonly string[]])[] = [
  [
    'an editor with two pages and two loopback addresses',
    {
      client_name: 'Visual Studio Code',
      client_uri: 'https://code.visualstudio.com',
      grant_types: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'],
      response_types: ['code'],
      redirect_uris: [
        'https://insiders.vscode.dev/redirect',
        'https://vscode.dev/redirect',
        'http://127.0.0.1/',
        'http://127.0.0.1:33418/',
      ],
      token_endpoint_auth_method: 'none',
      application_type: 'native',
    },
    [
      'https://insiders.vscode.dev/redirect',
      'https://vscode.dev/redirect',
      'http://127.0.0.1/',
      'http://127.0.0.1:33418/',
    ],
  ],
  [
    'an editor with a scheme of its own',
    {
      client_name: 'Cursor',
      redirect_uris: [
        'cursor://anysphere.cursor-mcp/oauth/callback',
        'https://www.cursor.com/agents/mcp/oauth/callback',
        'http://localhost:8787/callback',
        'https://elsewhere.example/callback',
      ],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      scope: 'openid profile',
      token_endpoint_auth_method: 'client_secret_post',
    },
    [
      'cursor://anysphere.cursor-mcp/oauth/callback',
      'https://www.cursor.com/agents/mcp/oauth/callback',
      'http://localhost:8787/callback',
    ],
  ],
  [
    'an editor with a scheme alone',
    { redirect_uris: ['vscode://publisher.extension/callback'] },
    ['vscode://publisher.extension/callback'],
  ],
  [
    'an agent on the web',
    {
      client_name: 'Claude',
      redirect_uris: ['https://claude.ai/api/mcp/auth_callback'],
      grant_types: ['authorization_code', 'refresh_token'],
      logo_uri: 'https://claude.ai/logo.png',
    },
    ['https://claude.ai/api/mcp/auth_callback'],
  ],
  [
    'a command line',
    { client_name: 'CLI', redirect_uris: ['http://localhost:54212/callback'], contacts: [] },
    ['http://localhost:54212/callback'],
  ],
];

for (const [who, body, kept] of registrations)
  test(`registration: ${who} → accepted, and the answer shows what was kept`, async () => {
    const text = JSON.stringify(body);
    const made: TestAnswer = await oauth.post('/auth/oauth2/register', text, 'application/json');
    assert.equal(made.status, 201, made.text);
    assert.deepEqual(made.body.redirect_uris, kept);
    for (const redirect_uri of kept) {
      const path = oauth.authorizePath(getText(made.body.client_id), 'v'.repeat(43), { redirect_uri });
      const { query } = await oauth.openConsentPage(person, path);
      const decided = await oauth.giveConsent(person, query);
      assert.ok((decided.location ?? '').startsWith(redirect_uri), decided.location ?? decided.text);
      assert.match(decided.location ?? '', /[?&]code=/);
    }
  });

test('RFC 8252 §7.3: a program on this machine takes another port → accepted; another path or host → a page', async () => {
  const clientId = await oauth.createClient();
  const open = (redirect_uri: string) =>
    person.open(oauth.authorizePath(clientId, 'v'.repeat(43), { redirect_uri }));
  for (const port of [':1', ':65000', ''])
    assert.match((await open(`http://127.0.0.1${port}/callback`)).location ?? '', /\/oauth\/consent/);
  for (const wrong of [
    'http://127.0.0.1:33418/other',
    'http://localhost:33418/callback',
    'https://x.example/',
  ]) {
    const page = await open(wrong);
    assert.equal(page.status, 400);
    assert.equal(page.location, undefined);
    assert.ok(page.text.includes(wrong) && page.text.includes('What to do:'), page.text);
  }
});

test('authorization: an unknown program, or a parameter twice → a page that says which, signed in or not', async () => {
  const path = oauth.authorizePath('client-of-another-lab', 'v'.repeat(43));
  const { Browser: SignedOut } = await import('#testing/browser.ts');
  for (const browser of [person, new SignedOut(service)]) {
    const page = await browser.open(path);
    assert.equal(page.status, 400);
    assert.equal(page.location, undefined);
    assert.match(page.text, /This program is not known here/);
    assert.match(page.text, /client-of-another-lab/);
    assert.match(page.text, /What to do:/);
  }
  const twice = oauth.authorizePath(await oauth.createClient(), 'v'.repeat(43));
  const polluted = await person.open(`${twice}&redirect_uri=https%3A%2F%2Fattacker.example`);
  assert.match(polluted.text, /names <code>redirect_uri<\/code> more than once/);
});

test('whoami: a root token, one with a policy and a derived one → each says what it may still do', async () => {
  const readOf = async (token: string): Promise<Answer> =>
    toRecord((await ask('GET', '/whoami', { token })).body.token);
  const policy = { methods: ['x402-exact'], max_spend_cents: 700_000 };
  const body = { name: 'machine', role: 'member', expires_in: '7d', payment_policy: policy };
  const machine = getText(expectStatus(await ask('POST', '/tokens', { body }), 201).body.token);
  const spec = { max_spend_cents: 600_000, resource_ids: ['ABS-001-001'], read_only: false };
  const args = { token: machine, name: 'child', attenuation: spec };
  const child = getText((await ask('POST', '/tokens/attenuate', { token: machine, body: args })).body.token);
  const root = await readOf(service.token);
  assert.deepEqual(
    [root.kind, root.restrictions, root.max_spend_cents, root.remaining_cents],
    ['root', [], null, null],
  );
  const own = await readOf(machine);
  assert.deepEqual(
    [own.max_spend_cents, own.remaining_cents, own.payment_policy],
    [700_000, 700_000, policy],
  );
  const derived = await readOf(child);
  assert.deepEqual(derived.restrictions, [spec]);
  assert.deepEqual([derived.kind, derived.role, derived.max_spend_cents], ['attenuated', 'member', 600_000]);
  assert.deepEqual([derived.resource_ids, derived.payment_policy], [['ABS-001-001'], policy]);
});

test('whoami: a token without a limit accepts a quote → spent_cents is its price', async () => {
  const token = await service.issueToken({ role: 'member' });
  const { quoteId } = await createQuoted();
  const price = await readPrice(quoteId);
  expectStatus(await ask('POST', `/quotes/${quoteId}/confirm`, { token, body: {} }), 200);
  const shown = toRecord((await ask('GET', '/whoami', { token })).body.token);
  assert.deepEqual([shown.spent_cents, shown.max_spend_cents], [price, null]);
  const [row] = await database.read.query<{ n: number }>(`select count(*)::int as n from token_spending`);
  assert.ok((row?.n ?? 0) > 0);
});
