import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readHead } from '#features/audit/head.ts';
import { INSTALLATION_ID } from '#features/audit/rules.ts';
import { appendAuditEntries, verifyAuditTrail } from '#features/audit/chain.ts';
import { createBuilders, expectFailure, expectStatus } from '#testing/builders.ts';
import { proveCoverage, createRecordedService } from '#testing/recorder.ts';
import { writes } from '#testing/binding-kinds.ts';
import { createFreshRequest, send } from '#testing/requests.ts';
import { getItems, getText, type Ask, type Json, type TestAnswer } from '#testing/service.ts';

const service = await createRecordedService();
const { ask, issueToken, clock } = service;
const { database } = service.service;
const build = await createBuilders(service);

const list = async (query = '', options: Ask = {}): Promise<readonly Json[]> =>
  getItems(expectStatus(await ask('GET', `/audit${query}`, options), 200).body.items);
const listEntries = (answer: TestAnswer, options: Ask = {}) =>
  list(`?filter=eq(request_id,${answer.headers['x-request-id']})`, options);
const rename = (id: string, options: Ask = {}) =>
  ask('PATCH', `/experiments/${id}`, { ...options, body: { name: 'renamed' } });

/** A run over several orders says in the trail of each client what happened to theirs, and no more. */
const ENTRIES_OF_CLIENTS: Readonly<Record<string, readonly string[]>> = {
  start_lab_run: ['start_run'],
  complete_lab_run: ['complete_raw_data'],
};

for (const { operation } of writes) {
  test(`audit: ${operation.id} succeeds → exactly one entry with its status`, async () => {
    const token = await issueToken({ role: 'admin', isStaff: true, isPartner: true });
    const request = await createFreshRequest(operation, build, null);
    const answer = await send(ask, operation, request, { token });
    assert.ok(answer.status < 300, answer.text);
    // What the lab changes for itself is in the trail of the installation, which staff read.
    const installation = `and(eq(organization_id,${INSTALLATION_ID}),eq(request_id,${answer.headers['x-request-id']}))`;
    const { body } = expectStatus(await ask('GET', `/lab/audit?filter=${installation}`), 200);
    const entries = [...(await listEntries(answer)), ...getItems(body.items)];
    const [entry, ...others] = entries.filter((each) => getText(each.operation) === operation.id);
    assert.equal(others.length, 0);
    const expected = ENTRIES_OF_CLIENTS[operation.id] ?? [];
    const beside = entries.map((each) => getText(each.operation)).filter((each) => each !== operation.id);
    assert.deepEqual(beside, expected);
    assert.equal(entry?.operation, operation.id);
    assert.equal(entry?.status, answer.status);
  });
}

test('audit: a member renames an experiment → the entry says who, what, when and from where', async () => {
  const token = await issueToken({ role: 'member' });
  const { body: me } = await ask('GET', '/whoami', { token });
  const { id } = await build.create();
  const answer = expectStatus(await rename(id, { token }), 200);
  const [entry] = await listEntries(answer);
  assert.equal(entry?.user_id, me.user_id);
  assert.match(getText(entry?.actor), /^person-\d+@example\.org$/);
  assert.deepEqual(entry?.token_path, [entry?.token_id]);
  assert.equal(entry?.operation, 'modify_exp');
  assert.equal(entry?.subject, id);
  assert.equal(entry?.address, '127.0.0.1');
  assert.equal(entry?.created_at, clock.now().toISOString());
});

test('audit: a read, a refusal or a repeated request → no new entry', async () => {
  const { id } = await build.create();
  const before = (await list('?limit=1'))[0]?.id;
  expectStatus(await ask('GET', `/experiments/${id}`), 200);
  expectStatus(await ask('POST', '/experiments/validate', { body: build.createBody() }), 200);
  expectFailure(await rename('DEMO-999-999'), 404, 'experiment_not_found');
  assert.equal((await list('?limit=1'))[0]?.id, before);
  const once = { headers: { 'idempotency-key': 'audited-once' } };
  expectStatus(await rename(id, once), 200);
  assert.equal((await listEntries(expectStatus(await rename(id, once), 200))).length, 0);
});

test('list_audit: an administrator filters, sorts and searches → entries of the own organization only', async () => {
  const token = await issueToken({ ownOrganization: true });
  for (const name of ['a', 'b'])
    expectStatus(
      await ask('POST', '/targets/request-custom', {
        token,
        body: { name, product_id: name, pdb_id: '1IVO' },
      }),
      201,
    );
  expectStatus(
    await ask('POST', '/feedback/submit', {
      token,
      body: {
        feedback_type: 'feedback',
        title: 'A title',
        request_uuid: '7c0d8a56-0f7b-4c0e-9a55-51b1cf2d5a01',
      },
    }),
    201,
  );
  const operations = async (query: string) =>
    (await list(query, { token })).map((item) => getText(item.operation));
  const create = 'create_custom_target_request';
  assert.deepEqual(await operations(''), ['submit_feedback', create, create]);
  assert.deepEqual(await operations(`?filter=eq(operation,${create})&limit=1`), [create]);
  assert.deepEqual(await operations('?search=feedback'), ['submit_feedback']);
  for (const role of ['viewer', 'member', 'billing'] as const)
    expectFailure(
      await ask('GET', '/audit', { token: await issueToken({ role }) }),
      403,
      'permission_denied',
    );
});

test('list_all_audit: staff → entries of every organization and of the installation; others → 403', async () => {
  const token = await issueToken({ ownOrganization: true });
  const { id } = await build.create(build.createBody(), { token });
  const all = async (filter: string) =>
    getItems(
      expectStatus(await ask('GET', `/lab/audit?filter=${encodeURIComponent(filter)}`), 200).body.items,
    );
  const [theirs] = await all(`eq(subject,${id})`);
  assert.match(getText(theirs?.organization_name), /^Organization \d+$/);
  assert.deepEqual([theirs?.operation, theirs?.actor_kind, theirs?.details], ['create_exp', 'user', null]);
  const [key] = await all('eq(operation,create_signing_key)');
  assert.equal(key?.organization_id, INSTALLATION_ID);
  assert.equal(key?.organization_name, null);
  assert.equal(key?.actor_kind, 'operator');
  expectFailure(await ask('GET', '/lab/audit', { token }), 403, 'permission_denied');
  expectFailure(await ask('GET', '/lab/audit?filter=eq(color,red)'), 400, 'invalid_query');
  const own = await list('?filter=eq(actor_kind,operator)');
  assert.ok(own.every(({ operation }) => getText(operation) !== 'create_signing_key'));
});

test('invalid_query: list_audit is filtered by an unknown field → 400', async () => {
  expectFailure(await ask('GET', '/audit?filter=eq(color,red)'), 400, 'invalid_query');
});

test('audit chain: new entries → are chained later, each to the one before it', async () => {
  await build.create();
  const [unchained] = await list('?limit=1');
  assert.equal(unchained?.position, null);
  assert.equal(unchained?.hash, null);
  assert.ok((await appendAuditEntries(database)) > 0);
  assert.equal(await appendAuditEntries(database), 0);
  const [last, before] = await list('?sort=desc(position)&limit=2&filter=is_not_null(position)');
  assert.equal(Number(last?.position), Number(before?.position) + 1);
  assert.equal(last?.prev_hash, before?.hash);
  const proof = await verifyAuditTrail(database);
  assert.deepEqual(proof.broken, []);
  assert.equal(proof.waiting, 0);
  assert.ok(proof.organizations >= 2);
});

test('get_audit_head: new entries are chained → the signed end of the own chain, for administrators', async () => {
  await build.create();
  await appendAuditEntries(database);
  const { body } = expectStatus(await ask('GET', '/audit/head?nonce=n-1'), 200);
  const [last] = await list('?sort=desc(position)&limit=1&filter=is_not_null(position)');
  assert.deepEqual([body.position, body.hash, body.nonce], [last?.position, last?.hash, 'n-1']);
  const published = expectStatus(await ask('GET', '/audit/keys', { token: null }), 200);
  const read = readHead(getText(body.jws), JSON.parse(published.text).keys);
  assert.equal('head' in read && read.head.hash, last?.hash);
  const viewer = { token: await issueToken({ role: 'viewer' }) };
  expectFailure(await ask('GET', '/audit/head', viewer), 403, 'permission_denied');
  expectFailure(await ask('GET', '/audit/head?nonce=a%20b'), 400, 'invalid_request');
});

test('audit chain: 30 writes and four chaining processes at once → one unbroken chain', async () => {
  const { id } = await build.create();
  const changes = Array.from({ length: 30 }, () => rename(id));
  await Promise.all([...changes, ...Array.from({ length: 4 }, () => appendAuditEntries(database))]);
  await appendAuditEntries(database);
  const proof = await verifyAuditTrail(database);
  assert.deepEqual(proof.broken, []);
  assert.equal(proof.waiting, 0);
});

test('audit chain: the chains are locked → a write does not wait', async () => {
  const { id } = await build.create();
  await database.runTransaction(async (tx) => {
    await tx.query('lock table audit_chains in share row exclusive mode');
    expectStatus(await rename(id), 200);
  });
});

test('audit chain: a statement updates or deletes a chained entry → nothing changes', async () => {
  await appendAuditEntries(database);
  await database.read.query(`update audit_log set actor = 'nobody'`);
  await database.read.query('delete from audit_log');
  const proof = await verifyAuditTrail(database);
  assert.deepEqual(proof.broken, []);
  assert.ok(proof.entries > 0);
});

/** Somebody with the database in hand goes past the rules; each change is taken back after the proof. */
const TAMPERED = Symbol('tampered');

async function proveAfter(statement: string) {
  const seen: { broken?: Awaited<ReturnType<typeof verifyAuditTrail>>['broken'] } = {};
  const tampering = database.runTransaction(async (tx) => {
    await tx.query('alter table audit_log disable rule audit_log_fixed');
    await tx.query('alter table audit_log disable rule audit_log_kept');
    await tx.query(statement);
    seen.broken = (await verifyAuditTrail({ runTransaction: (proof) => proof(tx) })).broken;
    throw TAMPERED;
  });
  await assert.rejects(tampering, (error) => error === TAMPERED);
  return seen.broken ?? [];
}

const third = `organization_id = (select organization_id from audit_chains order by last_position desc limit 1)
  and chain_position = 3`;
const tamperings: readonly (readonly [statement: string, position: number, problem: RegExp])[] = [
  [`update audit_log set actor = 'nobody' where ${third}`, 3, /content/],
  [`update audit_log set created_at = created_at + interval '1 microsecond' where ${third}`, 3, /content/],
  [`update audit_log set subject = null where ${third}`, 3, /content/],
  [`update audit_log set token_path = '{}' where ${third}`, 3, /content/],
  [`update audit_log set address = '192.0.2.1' where ${third}`, 3, /content/],
  [`update audit_log set actor_kind = 'worker' where ${third}`, 3, /content/],
  [`update audit_log set details = '{}' where ${third}`, 3, /content/],
  [`update audit_log set status = 500 where ${third}`, 3, /content/],
  [`update audit_log set prev_hash = hash where ${third}`, 3, /does not follow/],
  [`update audit_log set hash = repeat('a', 64) where ${third}`, 3, /content/],
  [`delete from audit_log where ${third}`, 4, /entry 3 is missing/],
];

for (const [statement, position, problem] of tamperings) {
  test(`tampering: "${statement.slice(0, 60)}" → the first broken entry is found`, async () => {
    await appendAuditEntries(database);
    const [broken, ...others] = await proveAfter(statement);
    assert.equal(others.length, 0);
    assert.equal(broken?.position, position);
    assert.match(broken?.problem ?? '', problem);
  });
}

test('tampering: entries are removed from the end of a chain → the missing end is found', async () => {
  await appendAuditEntries(database);
  const [broken] = await proveAfter(
    `delete from audit_log a using audit_chains c
     where a.organization_id = c.organization_id and a.chain_position = c.last_position`,
  );
  assert.equal(broken?.entryId, null);
  assert.match(broken?.problem ?? '', /by the record of the chain, its last entry is/);
});

proveCoverage('audit');
