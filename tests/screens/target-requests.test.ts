/** Requests for targets as clients see them: the list, the form, the answer of the lab, and where they are found. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createBuilders, expectStatus, UNKNOWN_ID, VHH } from '#testing/builders.ts';
import { openSignedIn, type Browser, type Page } from '#testing/browser.ts';
import type { NewPerson } from '#testing/people.ts';
import { getItems, getText, testService } from '#testing/service.ts';

const FORM = '/target-requests/new';
const HOSTILE = '<img src=x onerror=alert(1)>"\'';
const service = await testService();
const { ask, issueToken } = service;
const { create, createBody } = await createBuilders(service);

interface Client {
  readonly token: string;
  readonly browser: Browser;
}

async function createClient(person: NewPerson = { ownOrganization: true }): Promise<Client> {
  const token = await issueToken(person);
  const { body } = await ask('GET', '/whoami', { token });
  return { token, browser: await openSignedIn(service, getText(body.user_id)) };
}

async function request({ token }: Client, fields: object): Promise<string> {
  const body = { product_id: 'S-1', pdb_id: '1IVO', ...fields };
  return getText(expectStatus(await ask('POST', '/targets/request-custom', { token, body }), 201).body.id);
}

const countRequests = async ({ token }: Client): Promise<unknown> =>
  (await ask('GET', '/targets/request-custom', { token })).body.total;

const approve = (id: string, body: object) =>
  ask('POST', `/lab/target-requests/${id}/approve`, { body: { lead_time_days: 14, ...body } });
const decline = (id: string, reason: string) =>
  ask('POST', `/lab/target-requests/${id}/decline`, { body: { reason } });

/** The problems that stand beside a field. */
function readProblems(page: Page, field: string): string {
  const [, list = ''] =
    new RegExp(`<ul class="problem" id="target-requests-new-${field}-problem">(.*?)</ul>`, 's').exec(
      page.text,
    ) ?? [];
  return list.replaceAll(/<[^>]+>/g, '');
}

const complete = {
  name: 'Mesothelin, avi-tagged',
  product_id: 'TARGET-2',
  vendor: 'A vendor',
  product_url: 'https://vendor.example/TARGET-2',
  sequence: `>chain one\r\n${VHH}\r\n>chain two\r\n${VHH}\r\n`,
  pdb_id: '4f3f',
  pdb_file: 'HEADER    MEMBRANE PROTEIN\r\nATOM      1  N   GLU A   1\r\nEND\r\n',
  molecular_weight: '33.5',
  note: 'A monomer.\r\nOr a dimer.',
};

test('target request: every field is filled in → the lab reads each, and the page shows what was requested', async () => {
  const client = await createClient();
  const sent = await client.browser.send(await client.browser.open(FORM), FORM, complete);
  assert.equal(sent.status, 303, sent.text);
  const path = sent.location ?? '';
  const read = await ask('GET', `/lab${path}`);
  assert.deepEqual(
    Object.keys(complete).map((name) => read.body[name]),
    [
      complete.name,
      complete.product_id,
      complete.vendor,
      complete.product_url,
      `${VHH}:${VHH}`,
      '4F3F',
      complete.pdb_file.replaceAll('\r\n', '\n'),
      33.5,
      'A monomer.\nOr a dimer.',
    ],
  );
  const page = await client.browser.open(path);
  assert.match(page.text, /The lab reviews it/);
  assert.match(page.text, /<a href="https:\/\/vendor\.example\/TARGET-2" rel="noreferrer external">/);
  assert.match(page.text, />3 lines</);
  assert.match(page.text, />33\.5 kDa</);
});

const malformed: readonly (readonly [field: string, typed: object, words: RegExp])[] = [
  ['name', { name: ' ' }, /^Fill in this field\.$/],
  ['name', { name: 'a\u202eb' }, /^Contains the invisible character U\+202E at position 2/],
  ['product_id', { product_id: '' }, /^Fill in this field\.$/],
  ['vendor', { vendor: 'x'.repeat(201) }, /200/],
  ['product_url', { product_url: 'javascript:alert(1)' }, /^Must be an http or https address\.$/],
  [
    'sequence',
    { sequence: '', pdb_id: '', pdb_file: '' },
    /^Give a sequence, a PDB id or a structure file\.$/,
  ],
  ['sequence', { sequence: '>one\nACDXEF' }, /chain 1, position 4: X/],
  ['pdb_id', { pdb_id: 'EGFR' }, /^Must be a PDB id such as 1IVO/],
  ['pdb_file', { pdb_file: 'hello' }, /^Is neither a PDB nor an mmCIF file/],
  ['molecular_weight', { molecular_weight: '33 kDa' }, /^Give a number above 0/],
  ['molecular_weight', { molecular_weight: '0' }, /^Give a number above 0/],
  ['note', { note: 'x'.repeat(10_001) }, /10,?000/],
];

for (const [index, [field, typed, words]] of malformed.entries())
  test(`invalid_request: a malformed ${field} in the form (${index + 1}) → the problem stands beside it, and all that was typed stays`, async () => {
    const client = await createClient();
    const form = await client.browser.open(FORM);
    const filled = { ...complete, vendor: HOSTILE, ...typed };
    const refused = await client.browser.send(form, FORM, filled);
    assert.equal(refused.status, 400, refused.text);
    assert.match(readProblems(refused, field), words);
    assert.match(refused.text, /1 problem to solve; nothing was sent\./);
    assert.doesNotMatch(refused.text, /<img src=x/);
    for (const kept of ['product_url', 'pdb_id', 'molecular_weight'] as const)
      assert.ok(refused.text.includes(` value="${filled[kept]}"`), kept);
    assert.equal(/<details open><summary>Structure file/.test(refused.text), filled.pdb_file !== '');
    assert.equal(await countRequests(client), 0);
    const mended = await client.browser.send(refused, FORM, complete);
    assert.equal(mended.status, 303, mended.text);
  });

test('invalid_request: the product was requested before → the form says so and leads to that request', async () => {
  const client = await createClient();
  const first = await request(client, { name: 'First', product_id: 'Twice & more' });
  const typed = { ...complete, product_id: 'Twice & more' };
  const refused = await client.browser.send(await client.browser.open(FORM), FORM, typed);
  assert.equal(refused.status, 400);
  assert.equal(readProblems(refused, 'product_id'), 'Your organization has requested this product before.');
  const [, link = ''] = /<a href="([^"]+)">Show the earlier request</.exec(refused.text) ?? [];
  const list = await client.browser.open(link);
  assert.match(list.text, new RegExp(`href="/target-requests/${first}"`));
});

test('target request: the form is sent twice, one after the other or at once → one request, and both lead to it', async () => {
  const client = await createClient();
  const form = await client.browser.open(FORM);
  const both = await Promise.all([1, 2].map(() => client.browser.send(form, FORM, complete)));
  const third = await client.browser.send(form, FORM, complete);
  const places = [...both, third].map(({ location }) => location);
  assert.equal(new Set(places).size, 1, String(places));
  assert.match(places[0] ?? '', /^\/target-requests\/[0-9a-f-]{36}$/);
  assert.equal(await countRequests(client), 1);
});

test('idempotency_key_reused: the form is changed and sent again, as after a step back → it says so, and the next press sends another request', async () => {
  const client = await createClient();
  const form = await client.browser.open(FORM);
  await client.browser.send(form, FORM, complete);
  const changed = { ...complete, product_id: 'TARGET-3' };
  const again = await client.browser.send(form, FORM, changed);
  assert.match(again.text, /This form has been sent before/);
  assert.match(again.text, /value="TARGET-3"/);
  assert.equal(await countRequests(client), 1);
  assert.equal((await client.browser.send(again, FORM, changed)).status, 303);
  assert.equal(await countRequests(client), 2);
});

test('cross-site: the form of a target request without the token of the session → 400, and nothing is requested', async () => {
  const client = await createClient();
  assert.equal((await client.browser.post(FORM, complete)).status, 400);
  assert.equal(await countRequests(client), 0);
});

for (const role of ['viewer', 'billing', 'member', 'admin'] as const)
  test(`permission_denied: the role ${role} looks for the form → ${role === 'member' || role === 'admin' ? 'it is offered' : 'the pages say why it is not'}`, async () => {
    const may = role === 'member' || role === 'admin';
    const { browser } = await createClient({ role });
    const form = await browser.open(FORM);
    assert.equal(form.status, may ? 200 : 403);
    assert.equal(form.text.includes('Send the request'), may);
    for (const path of ['/target-requests', FORM])
      assert.equal((await browser.open(path)).text.includes('it cannot send one'), !may, path);
    for (const path of ['/targets', '/targets?search=nobody+has+it', '/target-requests'])
      assert.equal((await browser.open(path)).text.includes(`href="${FORM}`), may, path);
    const [, token = ''] =
      /name="form_token" value="([^"]+)"/.exec((await browser.open('/targets')).text) ?? [];
    const sent = await browser.post(FORM, { ...complete, product_id: `OF-${role}`, form_token: token });
    assert.equal(sent.status, may ? 303 : 403);
  });

test('custom_target_request_not_found: the request of another organization, or none → the same page, and it is on no list', async () => {
  const theirs = await createClient();
  const mine = await createClient();
  const id = await request(theirs, { name: 'A secret receptor' });
  const [foreign, unknown] = await Promise.all(
    [id, UNKNOWN_ID].map((each) => mine.browser.open(`/target-requests/${each}`)),
  );
  assert.equal(foreign?.status, 404);
  const withoutIds = (text = ''): string => text.replaceAll(/req_[\w-]+/g, '');
  assert.equal(withoutIds(foreign?.text), withoutIds(unknown?.text));
  for (const path of ['/target-requests', '/target-requests?search=secret'])
    assert.doesNotMatch((await mine.browser.open(path)).text, /A secret receptor/);
});

test('target requests: search and state → the requests that match, with the answer of the lab to each', async () => {
  const client = await createClient();
  await request(client, { name: 'Waiting receptor', product_id: 'W-1' });
  const approved = await request(client, { name: 'Sold receptor', product_id: 'A-1' });
  const declined = await request(client, { name: HOSTILE, product_id: 'D-1' });
  const pricing = { type: 'per_sequence', price_per_sequence_cents: 900 };
  const answered = expectStatus(await approve(approved, { target: { pricing } }), 200);
  expectStatus(await decline(declined, `${HOSTILE} ${'x'.repeat(300)}`), 200);
  const all = await client.browser.open('/target-requests');
  assert.match(all.text, new RegExp(`href="/targets/${getText(answered.body.material_id)}"`));
  assert.match(all.text, /\$9\.00.*In the lab 14 days after it is ordered/s);
  assert.match(all.text, /&lt;img src=x onerror=alert\(1\)&gt;&quot;&#39; x{100,131}…/);
  assert.doesNotMatch(all.text, /<img src=x/);
  const find = async (query: string): Promise<string[]> =>
    [
      ...(await client.browser.open(`/target-requests?${query}`)).text.matchAll(
        /<span class="sub"><bdi>(.-1)</g,
      ),
    ].map(([, product = '']) => product);
  assert.deepEqual((await find('')).toSorted(), ['A-1', 'D-1', 'W-1']);
  assert.deepEqual(await find('status=pending_review'), ['W-1']);
  assert.deepEqual(await find('status=rejected'), ['D-1']);
  assert.deepEqual(await find('search=sold'), ['A-1']);
  assert.deepEqual((await find('status=no-such')).length, 3);
  assert.match(
    (await client.browser.open('/target-requests?search=none')).text,
    /Nothing matches these filters/,
  );
});

test('target request: the lab approves it → the client reads price and days, and orders with the target', async () => {
  const client = await createClient({ ownOrganization: true });
  const { browser } = client;
  const nothing = await browser.open('/targets?search=Nobodin');
  const [, link = ''] = /<a href="([^"]+)">Request it from the lab</.exec(nothing.text) ?? [];
  assert.equal(link, `${FORM}?name=Nobodin`);
  const form = await browser.open(link);
  assert.match(form.text, /name="name"[^>]* value="Nobodin"/);
  const typed = { name: 'Nobodin', product_id: 'N-1', pdb_id: '1IVO' };
  const { location: path = '' } = await browser.send(form, FORM, typed);
  assert.match((await browser.open(path)).text, /In review/);

  const staff = await openSignedIn(service);
  const inbox = await staff.open(`/lab${path}`);
  const sent = await staff.send(inbox, `/lab${path}/approve`, {
    name: 'Nobodin',
    catalog_number: 'N-1',
    pricing_type: 'per_sequence',
    price: '9.00',
    lead_time_days: '14',
    note: 'We express it.',
  });
  assert.equal(sent.status, 303, sent.text);

  const answer = await browser.open(path);
  for (const words of ['The lab approved it', '$9.00', 'In the lab 14 days', 'We express it.'])
    assert.ok(answer.text.includes(words), words);
  const [, order = ''] = /<a class="button primary" href="([^"]+)"/.exec(answer.text) ?? [];
  const orderForm = await browser.open(order);
  const [, targetId = ''] = /target_id=(.+)$/.exec(order) ?? [];
  assert.match(orderForm.text, new RegExp(`<option value="${targetId}" selected>Nobodin`));
  const made = await browser.send(orderForm, '/experiments/new', {
    name: 'with it',
    target_id: targetId,
    experiment_type: 'screening',
    method: 'bli',
    n_replicates: '1',
    sequences: `>one\n${VHH}\n`,
    intent: 'create',
  });
  assert.equal(made.status, 303, made.text);
  assert.match((await browser.open(made.location ?? '')).text, /Target material Nobodin/);

  await service.service.database.read.query('update targets set listed = false where id = $1', [targetId]);
  const retired = await browser.open(path);
  assert.match(retired.text, /no longer offers this target/);
  assert.doesNotMatch(retired.text, /New experiment with this target/);
  assert.match((await browser.open('/target-requests')).text, /is no longer offered/);
});

test('target request: an experiment asked for it → the order shows its state and, declined, the reason', async () => {
  const client = await createClient();
  const unlisted = { target_id: null, requested_target: { name: 'A receptor', sequence: VHH } };
  const { id, code } = await create(createBody(unlisted), { token: client.token });
  const filter = `/targets/request-custom?filter=eq(experiment_id,${id})`;
  const requestId = getText(getItems((await ask('GET', filter, client)).body.items)[0]?.id);
  const link = new RegExp(`href="/target-requests/${requestId}"`);
  const waiting = await client.browser.open(`/experiments/${code}`);
  assert.match(waiting.text, link);
  assert.match(waiting.text, /In review/);
  assert.match(
    (await client.browser.open(`/target-requests/${requestId}`)).text,
    new RegExp(`/experiments/${id}"`),
  );
  expectStatus(await decline(requestId, 'Nobody sells it.'), 200);
  const declined = await client.browser.open(`/experiments/${code}`);
  assert.match(declined.text, /The lab declined the requested target[^]*Nobody sells it\./);
  assert.doesNotMatch(declined.text, /Submit for a quote|submit the experiment|quotes it by hand/);
  assert.match(declined.text, /<strong>You<\/strong> choose another target/);
  assert.match(declined.text, /href="\/target-requests\/new\?name=A\+receptor"/);
  assert.match(
    (await client.browser.open(`/target-requests/${requestId}`)).text,
    /The lab declined it[^]*Nobody sells it\./,
  );
});

test('target request: declined for a draft → another target is chosen on its page, and it can be submitted again', async () => {
  const client = await createClient();
  const { browser, token } = client;
  const unlisted = { target_id: null, requested_target: { name: 'Another receptor', sequence: VHH } };
  const { id, code } = await create(createBody(unlisted), { token });
  assert.match((await browser.open(`/experiments/${code}`)).text, /Submit for a quote/);
  const filter = `/targets/request-custom?filter=eq(experiment_id,${id})`;
  const requestId = getText(getItems((await ask('GET', filter, { token })).body.items)[0]?.id);
  expectStatus(await decline(requestId, 'Nobody sells it.'), 200);
  const page = await browser.open(`/experiments/${code}`);
  const [, targetId = ''] = /<option value="([^"]+)">/.exec(page.text) ?? [];
  const path = `/experiments/${code}/target`;
  const none = await browser.send(page, path, { target_id: '' });
  assert.equal(none.status, 400, none.text);
  const sent = await browser.send(page, path, { target_id: targetId });
  assert.equal(sent.location, `/experiments/${code}`, sent.text);
  const chosen = await browser.open(`/experiments/${code}`);
  assert.match(chosen.text, new RegExp(`href="/targets/${targetId}"`));
  assert.match(chosen.text, /Submit for a quote/);
  assert.doesNotMatch(chosen.text, /The lab declined/);
});

test('target request: declined for a draft of others, or for one that was submitted → what can be done is said', async () => {
  const client = await createClient({ role: 'member' });
  const unlisted = { target_id: null, requested_target: { name: 'A third receptor', sequence: VHH } };
  const drafts = [
    await create(createBody(unlisted), { token: client.token }),
    await create(createBody(unlisted), { token: client.token }),
  ];
  const [draft, submitted] = drafts;
  expectStatus(
    await ask('POST', `/experiments/${submitted?.code ?? ''}/submit`, { token: client.token }),
    200,
  );
  for (const { id } of drafts) {
    const filter = `/targets/request-custom?filter=eq(experiment_id,${id})`;
    const [item] = getItems((await ask('GET', filter, { token: client.token })).body.items);
    expectStatus(await decline(getText(item?.id), 'Nobody sells it.'), 200);
  }
  const viewer = await createClient({ role: 'viewer' });
  const read = await viewer.browser.open(`/experiments/${draft?.code ?? ''}`);
  assert.match(
    read.text,
    /Nobody sells it\.[^]*before a member of your organization gives it another target/,
  );
  assert.doesNotMatch(read.text, /Use this target/);
  const waiting = await client.browser.open(`/experiments/${submitted?.code ?? ''}`);
  assert.match(waiting.text, /Nobody sells it\.[^]*You can cancel the experiment/);
  assert.doesNotMatch(waiting.text, /Use this target/);
});

test('new experiment: the form → offers to request a target in a tab of its own, to those who may', async () => {
  const { browser } = await createClient({ role: 'member' });
  const link = new RegExp(`<a href="${FORM}" target="_blank">`);
  assert.match((await browser.open('/experiments/new')).text, link);
});

test('body_too_large: a structure file beyond the limit of the form → 413; one within it → it is requested', async () => {
  const client = await createClient();
  const form = await client.browser.open(FORM);
  const atom = 'ATOM      1  N   GLU A   1      11.104   6.134  -6.504  1.00  0.00           N  \r\n';
  const file = (bytes: number): object => ({
    ...complete,
    sequence: '',
    pdb_file: atom.repeat(bytes / atom.length),
  });
  const large = await client.browser.send(form, FORM, { ...complete, ...file(3 * 1024 * 1024) });
  assert.equal(large.status, 413);
  const fine = await client.browser.send(form, FORM, { ...complete, ...file(1.5 * 1024 * 1024) });
  assert.equal(fine.status, 303, fine.text.slice(0, 300));
});
