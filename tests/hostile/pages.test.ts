/** Everything beside the API under hostile input: an answer is a calm page or sentence with a request id, never a 500. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HOUR_MS } from '#core/clock.ts';
import { createBuilders } from '#testing/builders.ts';
import { readFormToken, openSignedIn } from '#testing/browser.ts';
import { forms, listPageRoutes, readNamesInSources, type ServedRoute } from '#testing/page-requests.ts';
import { queryNames } from '#testing/page-queries.ts';
import { testService } from '#testing/service.ts';
import { takeTurns } from '#testing/turns.ts';

const LIMITS = { SIGN_IN_ATTEMPTS_PER_MINUTE: '100000' };
const service = await testService(LIMITS);
const { clock } = service;
const { app } = service.service;
const { create, createQuoted, createInvoiced } = await createBuilders(service);
const routes = await listPageRoutes(app);
const person = await openSignedIn(service);
const formToken = await readFormToken(person);
const draft = await create();
/** May be deleted. */
const spare = await create();
const open = await createQuoted();
const billed = await createInvoiced();
const home = service.service.founder.organizationId;

/** What another tab does. */
async function enterHome(): Promise<void> {
  const fields = { form_token: formToken, organization_id: home };
  assert.equal((await person.post('/organizations/enter', fields)).status, 303);
}

/** So long that no limit on codes or mails is in the way. */
function pauseBefore(url: string): number {
  if (url.startsWith('/device')) return 11_000;
  return /^\/(?:sign-up|sign-in\/mail|password)$/.test(url) ? HOUR_MS : 0;
}
const LONG = 'x'.repeat(4_000);

/**
 * By kind, as they stand in an address; the percent-encoded ones are NUL, halves of surrogate pairs and broken UTF-8.
 */
const encodedKinds = [
  ['%00', 'a%00b'],
  ['%ED%A0%80', '%C3%28', '%zz'],
  ['__proto__', 'constructor', 'toString'],
  [LONG, '%0D%0Ax:%20y', '..%2F..', '%E2%80%AE', "'", ''],
  ['1e400', '99999999999999999999'],
];
/** A form is dearer than a page, so it gets fewer of each kind. */
const typedInKinds = [
  ['%00', 'a%00b'],
  ['%C3%28', '%zz'],
  ['__proto__', 'constructor'],
  [LONG, '%0D%0Ax:%20y', ''],
];
const names = ['__proto__', 'constructor', 'toString', '%00', '%ED%A0%80', 'a%5Bb%5D'];
const IS_WHOLE = process.env['ASSAYER_HOSTILE_PAGES'] === 'whole';

/** The values for the field at a place in its table: by day one of each kind by turns, at night all. */
function listValues(kinds: readonly (readonly string[])[], place: number): readonly string[] {
  return IS_WHOLE ? kinds.flat() : kinds.map((values) => values[place % values.length] ?? '');
}

interface Sent {
  readonly method: string;
  readonly url: string;
  readonly payload?: string;
  readonly type?: string;
  readonly cookie?: string;
}

/** Anybody, and somebody who is signed in. */
const visitors = ['', person.cookie];
/** Forms that anybody may send. */
const isPublic = (url: string): boolean => /^\/(?:sign-|password|set-up|invitations|device\/[at])/.test(url);
/** They end the session that the other requests are sent with. */
const isEnd = (url: string): boolean => /sign-out|end-all/.test(url);

async function send({ method, url, payload, type, cookie = '' }: Sent, accept = 'text/html') {
  const isGet = method === 'GET';
  return app.inject({
    method: isGet ? 'GET' : 'POST',
    url,
    headers: {
      accept,
      cookie,
      ...(payload === undefined ? {} : { 'content-type': type ?? 'application/x-www-form-urlencoded' }),
    },
    ...(payload === undefined ? {} : { payload }),
  });
}

/** What is wrong with the answer: it is below 500, and names its request. */
async function findFault(sent: Sent): Promise<string | undefined> {
  clock.advance(pauseBefore(sent.url));
  const answer = await send(sent);
  // Whoever creates an organization is in it, where the forms of this test are refused.
  if (sent.url === '/organizations/found') await enterHome();
  const isCalm = answer.statusCode < 500 && String(answer.headers['x-request-id']).startsWith('req_');
  const request = `${sent.method} ${sent.url.slice(0, 120)} ${(sent.payload ?? '').slice(0, 300)}`;
  return isCalm ? undefined : `${request} → ${answer.statusCode}`;
}

async function expectCalm(all: readonly Sent[]): Promise<void> {
  const faults: string[] = [];
  for (const sent of all) {
    const fault = await findFault(sent);
    if (fault !== undefined) faults.push(fault);
  }
  assert.deepEqual(faults, []);
  assert.ok(all.length > 0);
  assert.equal(await readFormToken(person), formToken, 'the session and its organization last to the end');
}

function fill(url: string, value: string): string {
  return url.replaceAll(/:\w+/g, value).replace('*', value);
}

/** The route with ids that lead to something. */
function fillWell(url: string): string {
  const id = url.startsWith('/quotes')
    ? open.quoteId
    : url.startsWith('/invoices')
      ? billed.invoiceId
      : url.endsWith('/delete')
        ? spare.id
        : draft.id;
  return fill(url, id);
}

/** A stream has an end only where it is asked for one. */
const addQuery = (url: string, query: string): string =>
  `${fillWell(url)}?${/^(?:\/lab)?\/live$/.test(url) ? 'follow=false&' : ''}${query}`;

const listServed = (method: string): ServedRoute[] =>
  routes.filter(({ methods }) => methods.includes(method));

test('pages: parameters and form fields that the sources read → the tables of this test name all of them', () => {
  const read = readNamesInSources();
  const listedQuery = new Set([...queryNames.values()].flat());
  const listedForm = new Set([...forms.values()].flatMap((fields) => Object.keys(fields)));
  assert.deepEqual(
    [...read.query].filter((name) => !listedQuery.has(name)),
    [],
  );
  assert.deepEqual(
    [...read.form].filter((name) => !listedForm.has(name)),
    [],
  );
  const unlisted = listServed('POST')
    .map(({ url }) => url)
    .filter(
      (url) =>
        !forms.has(url) && !/^\/(?:mcp|auth|processor)|test-payment|end-all|sign-out|link|leave/.test(url),
    );
  assert.deepEqual(unlisted, []);
});

test('pages: each address of the tables of this test → a route of the service', () => {
  const served = (method: string): ReadonlySet<string> => new Set(listServed(method).map(({ url }) => url));
  const [pages, deeds] = [served('GET'), served('POST')];
  assert.deepEqual(
    [...queryNames.keys()].filter((url) => !pages.has(url)),
    [],
  );
  assert.deepEqual(
    [...forms.keys()].filter((url) => !deeds.has(url)),
    [],
  );
});

const isReadable = (value: string): boolean => {
  try {
    return decodeURIComponent(value) !== value || true;
  } catch {
    return false;
  }
};
const isStatic = ({ url }: ServedRoute): boolean => /^\/(?:assets|docs)\//.test(url);

test('pages: a hostile path segment → never a 500', async () => {
  const dynamic = listServed('GET').filter(({ url }) => /[:*]/.test(url));
  // An address that cannot be decoded reaches no route.
  const kinds = encodedKinds.map((values) => values.filter(isReadable)).filter(({ length }) => length > 0);
  const all = visitors.flatMap((cookie) =>
    dynamic.flatMap(({ url }, place) =>
      listValues(kinds, place).map((value) => ({ method: 'GET', url: fill(url, value), cookie })),
    ),
  );
  await expectCalm(all);
});

test('pages: a hostile value of each query parameter → never a 500', async () => {
  const parameters = [...queryNames].flatMap(([url, known]) => known.map((name) => ({ url, name })));
  const all = visitors.flatMap((cookie) =>
    parameters.flatMap(({ url, name }, place) =>
      listValues(encodedKinds, place).map((value) => ({
        method: 'GET',
        url: addQuery(url, `${name}=${value}`),
        cookie,
      })),
    ),
  );
  await expectCalm(all);
});

test('pages: a hostile name in the query, once and twice → never a 500', async () => {
  const all = listServed('GET')
    .filter((route) => !isStatic(route))
    .flatMap(({ url }, place) =>
      takeTurns(names, place, 2).flatMap((name) =>
        [`${name}=1`, `${name}=1&${name}=2`].map((query) => ({
          method: 'GET',
          url: addQuery(url, query),
          cookie: person.cookie,
        })),
      ),
    );
  await expectCalm(all);
});

const encodeFields = (fields: Readonly<Record<string, string>>): string =>
  new URLSearchParams(fields).toString();

test('forms: a hostile value in each field → never a 500', async () => {
  const fields = [...forms].flatMap(([url, form]) => Object.keys(form).map((name) => ({ url, form, name })));
  const all = fields.flatMap(({ url, form, name }, place) => {
    const others = Object.entries(form).filter(([other]) => other !== name);
    const rest = encodeFields({ form_token: formToken, ...Object.fromEntries(others) });
    const cookie = isPublic(url) ? '' : person.cookie;
    return listValues(typedInKinds, place).map((value) => {
      return { method: 'POST', url: fillWell(url), cookie, payload: `${rest}&${name}=${value}` };
    });
  });
  await expectCalm(all);
});

test('forms: a hostile field, a field twice, another media type → never a 500', async () => {
  const types = ['application/json', 'multipart/form-data; boundary=x', '\u00ff/\u00ff'];
  const bodies = ['{"a":"\\u0000"}', '{', '\u0000'];
  const actions = listServed('POST').filter(({ url }) => !isEnd(url));
  const all = actions.flatMap(({ url }, place) => {
    const whole = encodeFields({ form_token: formToken, ...forms.get(url) });
    const [name = 'a'] = Object.keys(forms.get(url) ?? {});
    const fields = takeTurns([...names, name, `${name}[]`], place, 3);
    const payloads = fields.map((field) => `${whole}&${field}=x`);
    const others = types.flatMap((type) => bodies.map((payload) => ({ type, payload })));
    const sent = { method: 'POST', url: fillWell(url), cookie: person.cookie };
    return [
      ...payloads.map((payload) => ({ ...sent, payload })),
      ...takeTurns(others, place, 4).map((other) => ({ ...sent, ...other })),
    ];
  });
  await expectCalm(all);
});

test('forms: a nested query with text that cannot be stored → 400', async () => {
  for (const query of ['client_id=%00', 'client_id=a%00b&redirect_uri=http://x/', '%00=1', 'client_id=%FF']) {
    const fields = { form_token: formToken, oauth_query: query, intent: 'allow' };
    const answer = await person.post('/oauth/consent', fields);
    assert.equal(answer.status, 400, query);
  }
});

test('forms: a name cut within a surrogate pair → stored without the half', async () => {
  const long = `${'n'.repeat(199)}\u{1f9ec}`;
  assert.equal((await person.post('/account/name', { form_token: formToken, name: long })).status, 303);
  assert.match((await person.open('/account')).text, /value="n{199}"/);
  clock.advance(HOUR_MS);
  const fields = { email: 'pair@example.org', name: long, organization: long };
  assert.equal((await person.post('/sign-up', fields)).status, 200);
});

test('invalid_request: text that cannot be stored → a page with a sentence and the request id', async () => {
  for (const path of ['/experiments/a%00b', '/account?done=%00', '/targets?search=%FF', '/sign-in?next=a%00'])
    for (const cookie of visitors) {
      const answer = await send({ method: 'GET', url: path, cookie });
      assert.equal(answer.statusCode, 400, path);
      assert.match(answer.body, /<h1 id="error">That did not work/);
      assert.ok(answer.body.includes(`<code>${String(answer.headers['x-request-id'])}</code>`), path);
      assert.ok(!answer.body.includes('\u0000'));
    }
});

test('pages: an unknown code of a remark → the page without a remark', async () => {
  for (const path of ['/account', '/organization'])
    for (const name of ['__proto__', 'constructor', 'toString', 'nothing']) {
      const answer = await person.open(`${path}?done=${name}`);
      assert.equal(answer.status, 200);
      assert.doesNotMatch(answer.text, /native code|\[object/);
    }
});

test('pages: U+FFFD and texts in every script → shown as sent', async () => {
  for (const text of ['\ufffd', 'Ἀθήνα', '\u{1f9ec}', 'x\ufffdy'])
    assert.equal((await person.open(`/targets?search=${encodeURIComponent(text)}`)).status, 200, text);
});

test('cookies: malformed, sent twice or oversized → treated as none', async () => {
  const bad = [
    'assayer_session=%00',
    'assayer_session=%zz.%00',
    '=;;;',
    `assayer_session=${'x'.repeat(8_000)}`,
    'assayer_session=a.b; assayer_session=c',
    '__proto__=x; constructor=y',
    'assayer_session="\u00ff"',
    'a=%E0%A4%A',
  ];
  for (const cookie of bad)
    for (const url of ['/account', '/sign-in', '/auth/jwks', '/auth/passkey/generate-authenticate-options']) {
      const { statusCode } = await send({ method: 'GET', url, cookie });
      assert.equal(statusCode, url === '/account' ? 401 : 200, `${url} ${cookie.slice(0, 40)}`);
    }
});

const ORGANIZATION_FORM = /^\/(?:experiments\/|quotes\/|organization\/|account\/notifications\/organization)/;
const actions = listServed('POST').map(({ url }) => url);

/** Rows that a form of an organization may write. */
async function countRows(): Promise<unknown> {
  return service.service.database.read.query(
    `select (select count(*) from audit_log) as audited, (select count(*) from experiments) as experiments,
       (select count(*) from tokens) as tokens, (select count(*) from webhooks) as webhooks,
       (select count(*) from invitations) as invitations, (select count(*) from memberships) as members`,
  );
}

test('organization: forms opened before a switch in another tab → 409 that names it and offers it; nothing is done', async () => {
  const name = 'Second <b>organization</b>';
  await person.post('/organizations/found', { form_token: formToken, organization: name });
  const before = await countRows();
  const urls = actions.filter((url) => ORGANIZATION_FORM.test(url));
  assert.ok(urls.length > 20, `${urls.length} forms`);
  for (const url of urls) {
    const refused = await person.post(fillWell(url), { form_token: formToken, ...forms.get(url) });
    assert.equal(refused.status, 409, url);
    assert.match(refused.text, /opened for <bdi>Demo organization<\/bdi>/, url);
    assert.ok(refused.text.includes('<bdi>Second &lt;b&gt;organization&lt;/b&gt;</bdi>'), url);
  }
  assert.deepEqual(await countRows(), before);
  const path = `/experiments/${draft.id}`;
  const refused = await person.post(`${path}/cancel`, { form_token: formToken });
  assert.equal((await person.send(refused, '/organizations/enter')).location, path);
  assert.equal(await readFormToken(person), formToken);
  const order = {
    ...forms.get('/experiments/new'),
    form_token: formToken,
    library: '',
    translate: '',
    idempotency_key: '',
  };
  assert.equal((await person.post('/experiments/new', order)).status, 303);
});

test('organization: forms about none, sent after a switch in another tab → they act', async () => {
  await person.post('/organizations/found', { form_token: formToken, organization: 'Third organization' });
  const after = await readFormToken(person);
  assert.notEqual(after, formToken);
  for (const form of [formToken, after])
    assert.equal((await person.post('/account/name', { form_token: form, name: 'A person' })).status, 303);
  const urls = actions.filter((url) => /^\/(?:lab\/experiments\/|device\/decision)/.test(url));
  assert.ok(urls.length > 1, urls.join(' '));
  for (const url of urls) {
    const { text } = await person.post(fillWell(url), { form_token: formToken, ...forms.get(url) });
    assert.doesNotMatch(text, /belongs to another organization/, url);
  }
  await enterHome();
});

test('invalid_request: a form token whose organization was changed → 400', async () => {
  const [own = '', signature = ''] = formToken.split(/_(.*)/s);
  assert.equal(own, home);
  await person.post('/organizations/found', { form_token: formToken, organization: 'Fourth organization' });
  const [present = ''] = (await readFormToken(person)).split('_');
  for (const forged of ['', '_', signature, `_${signature}`, `${present}_${signature}`, `${LONG}_`]) {
    const answer = await person.post('/organization/billing', { form_token: forged });
    assert.equal(answer.status, 400, forged);
  }
  await enterHome();
});
