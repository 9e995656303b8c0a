/** A client checks the served audit trail; somebody with the database in hand attacks it. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { KeptHeads, readHead, type PublicJwk } from '#features/audit/head.ts';
import { computeEntryHash, type AuditContent } from '#features/audit/rules.ts';
import { rotateSigningKeys } from '#features/tokens/signing-keys.ts';
import { createApi } from '#cli/api.ts';
import { requestHead, verifyServedTrail } from '#cli/audit-trail.ts';
import { createOperator } from '#cli/open-database.ts';
import { appendAuditEntries } from '#features/audit/chain.ts';
import { findHeadProblems } from '#features/installation/check-kept-heads.ts';
import { createBuilders, expectStatus } from '#testing/builders.ts';
import { getText, testService } from '#testing/service.ts';
import { ROOT, runAssayer, type CliAnswer } from './cli-process.ts';

const ENTRIES = 12;
const service = await testService();
const { ask, issueToken } = service;
const { database, app } = service.service;
const build = await createBuilders(service);
const folder = mkdtempSync(join(tmpdir(), 'assayer-audit-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const token = await issueToken({ ownOrganization: true });
const otherToken = await issueToken({ ownOrganization: true });
const organizationId = getText((await ask('GET', '/audit/head', { token })).body.organization_id);
const url = await app.listen({ port: 0, host: '127.0.0.1' });
const server = { url, token };
const run = (args: readonly string[], as = server): Promise<CliAnswer> => runAssayer(args, { server: as });

async function addEntries(count: number, as = token): Promise<void> {
  const { id } = await build.create(build.createBody(), { token: as });
  for (let number = 1; number < count; number++)
    expectStatus(
      await ask('PATCH', `/experiments/${id}`, { token: as, body: { name: `name ${number}` } }),
      200,
    );
  await appendAuditEntries(database);
}

/** Stores the current head as a client would. */
async function keepHead(name: string, as = server): Promise<string> {
  const answer = await run(['audit', 'head'], as);
  assert.equal(answer.code, 0, answer.err);
  const file = join(folder, name);
  writeFileSync(file, answer.out);
  return file;
}

const readJws = (file: string): string => getText(JSON.parse(readFileSync(file, 'utf8')).jws);
const readKeys = async (): Promise<PublicJwk[]> => {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- our own service answered it
  const { keys } = (await (await fetch(`${url}/api/v1/audit/keys`)).json()) as { keys: PublicJwk[] };
  return keys;
};

let early = '';
let late = '';
before(async () => {
  await addEntries(ENTRIES / 2);
  early = await keepHead('early.json');
  await addEntries(ENTRIES / 2);
  late = await keepHead('late.json');
  await addEntries(2, otherToken);
});

/** Runs the work on a trail that a statement has attacked, and puts the trail back. */
async function withAttack<T>(statements: readonly string[], work: () => Promise<T>): Promise<T> {
  const { read } = database;
  for (const table of ['audit_log', 'audit_chains'])
    await read.query(`create table kept_${table} as select * from ${table}`);
  for (const rule of ['fixed', 'kept'])
    await read.query(`alter table audit_log disable rule audit_log_${rule}`);
  try {
    for (const statement of statements) await read.query(statement);
    return await work();
  } finally {
    for (const table of ['audit_log', 'audit_chains']) {
      await read.query(`delete from ${table}`);
      await read.query(
        `insert into ${table} ${table === 'audit_log' ? 'overriding system value' : ''} select * from kept_${table}`,
      );
      await read.query(`drop table kept_${table}`);
    }
    for (const rule of ['fixed', 'kept'])
      await read.query(`alter table audit_log enable rule audit_log_${rule}`);
  }
}

const own = `organization_id = '${organizationId}'`;
const cutTo = (position: number): string[] => [
  `delete from audit_log where ${own} and chain_position > ${position}`,
  `update audit_chains set last_position = ${position}, last_hash =
     (select hash from audit_log where ${own} and chain_position = ${position}) where ${own}`,
];

type Row = AuditContent & { readonly position: number };

/** The formula of earlier versions, as the guide states it. */
function computeFirstHash(row: Row, position: number, previous: string): string {
  const { organization_id: organization, sequence, id, user_id: user, token_id: by, token_path: path } = row;
  const { actor, operation_id: operation, subject, status, request_id: request, address, details } = row;
  const kind = row.actor_kind === 'user' ? [] : [row.actor_kind];
  const members = [
    previous,
    position,
    organization,
    sequence,
    id,
    user,
    by,
    path,
    actor,
    operation,
    subject,
    status,
  ];
  members.push(request, address, details, row.created_at, ...kind);
  return createHash('sha256').update(JSON.stringify(members)).digest('hex');
}

/** Writes the chain anew from an entry on, with hashes that are right for what the entries now say. */
async function rewriteHashes(from: number, version: 1 | 2 = 2): Promise<void> {
  const rows = await database.read.query<Row>(
    `select id, organization_id, sequence, user_id, token_id, token_path::text[] as token_path, actor_kind, actor,
       operation_id, subject, status, request_id, address, details::text as details, chain_position as position,
       to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as created_at
     from audit_log where ${own} and chain_position >= ${from} order by chain_position`,
  );
  const before = await database.read.query<{ hash: string }>(
    `select hash from audit_log where ${own} and chain_position = ${from - 1}`,
  );
  let previous = before[0]?.hash ?? '0'.repeat(64);
  for (const row of rows) {
    const hash = (version === 1 ? computeFirstHash : computeEntryHash)(row, row.position, previous);
    await database.read.query(
      'update audit_log set prev_hash = $2, hash = $3, hash_version = $4 where id = $1',
      [row.id, previous, hash, version],
    );
    previous = hash;
  }
  await database.read.query(`update audit_chains set last_hash = $1 where ${own}`, [previous]);
}

test('assayer audit verify --since: an intact trail and heads of two times → exit code 0', async () => {
  const answer = await run(['audit', 'verify', '--since', early, '--since', late]);
  assert.equal(answer.code, 0, answer.err);
  assert.match(
    answer.out,
    new RegExp(`intact: ${ENTRIES} changes\\. It contains entry ${ENTRIES / 2} of the head`),
  );
  assert.equal((await run(['audit', 'verify', '--remote'])).code, 0);
  const verified = await run(['audit', 'verify', '--since', early, '--json']);
  assert.match(
    verified.out.replaceAll(/\s+/g, ' '),
    new RegExp(
      `"outcome": "intact", "source": "service", "entries": ${ENTRIES},[^]*"position": ${ENTRIES / 2},`,
    ),
  );
});

const swap = `update audit_log set chain_position = case chain_position when 3 then 4 else 3 end where ${own} and chain_position in (3, 4)`;
const attacks: readonly (readonly [
  name: string,
  statements: readonly string[],
  sentence: RegExp,
  rewriteFrom?: number,
])[] = [
  ['the tail is cut', cutTo(ENTRIES - 2), new RegExp(`ends at entry ${ENTRIES - 2}, and the head of`)],
  ['an older backup is restored', cutTo(ENTRIES / 2), new RegExp(`ends at entry ${ENTRIES / 2}, and`)],
  [
    'the middle is rewritten with new hashes',
    [`update audit_log set actor = 'nobody' where ${own} and chain_position = 4`],
    new RegExp(`entry ${ENTRIES / 2} is another one[^]*entry ${ENTRIES} is another one`),
    4,
  ],
  [
    'an entry is changed',
    [`update audit_log set details = '{"a": 1}' where ${own} and chain_position = 4`],
    /entry 4 \(\S+\) is broken: its content does not match its hash/,
  ],
  [
    'two entries are exchanged',
    [
      `drop index audit_log_chain`,
      swap,
      `create unique index audit_log_chain on audit_log (organization_id, chain_position) where chain_position is not null`,
    ],
    /entry 3 \(\S+\) is broken/,
  ],
  [
    'two entries are exchanged, with new hashes',
    [
      `drop index audit_log_chain`,
      swap,
      `create unique index audit_log_chain on audit_log (organization_id, chain_position) where chain_position is not null`,
    ],
    /entry \d+ is another one than in the head/,
    3,
  ],
  [
    'the trail of the organization is removed',
    [`delete from audit_log where ${own}`, `delete from audit_chains where ${own}`],
    /it ends at entry 0, and the head of/,
  ],
];

for (const [name, statements, sentence, rewriteFrom] of attacks)
  test(`audit attack: ${name} → verify --since names it, with exit code 1`, async () => {
    const answer = await withAttack(statements, async () => {
      if (rewriteFrom !== undefined) await rewriteHashes(rewriteFrom);
      return run(['audit', 'verify', '--since', early, '--since', late]);
    });
    assert.equal(answer.code, 1);
    assert.match(answer.err, sentence);
    assert.equal(answer.out, '');
  });

test('audit attack: the same trails in the database → findHeadProblems names cut, rewritten and removed ones', async () => {
  const heads = [early, late].map((file) => ({ file, jws: readJws(file) }));
  assert.deepEqual(await findHeadProblems(database, heads), []);
  const cut = await withAttack(cutTo(ENTRIES - 2), () => findHeadProblems(database, heads));
  assert.match(
    cut.join('\n'),
    /^The trail of organization \S+: it ends at entry 10, and the head of \S+ is entry 12/,
  );
  const removed = await withAttack(
    [`delete from audit_log where ${own}`, `delete from audit_chains where ${own}`],
    () => findHeadProblems(database, heads),
  );
  assert.match(removed.join('\n'), /has no audit trail; it had 6 entries[^]*it had 12 entries/);
  const rewritten = await withAttack(
    [`update audit_log set status = 201 where ${own} and chain_position = 2`],
    async () => {
      await rewriteHashes(2);
      return findHeadProblems(database, heads);
    },
  );
  assert.equal(rewritten.length, 2);
});

test('audit head: published keys that are none → the head is refused, and nothing else happens', () => {
  const jws = readJws(late);
  const { kid } = JSON.parse(Buffer.from(jws.split('.', 1)[0] ?? '', 'base64url').toString());
  for (const key of [{ kty: 'RSA' }, { kty: 'OKP', crv: 'Ed25519' }, { kty: 'OKP', crv: 'Ed25519', x: 'AA' }])
    assert.deepEqual(readHead(jws, [{ ...key, kid }]), {
      problem: 'its signature does not match its content',
    });
});

test('audit verify: the service answers details whose text is no JSON → the entry is broken', async () => {
  const api = createApi(server);
  const present = await requestHead(api, await readKeys());
  const get = async <Answer>(path: string): Promise<Answer> => {
    const page = await api.get<{ readonly items: readonly object[] }>(path);
    const items = page.items.map((item) => ({ ...item, details_text: '{', details: { a: 1 } }));
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what a service answers that lies
    return { items } as Answer;
  };
  const { problems } = await verifyServedTrail({ ...api, get }, present, []);
  assert.match(problems.join(), /^entry 1 \(\S+\) is broken: its answer has no hash$/);
});

test('audit head: of another organization, of another installation, or altered → refused with the reason', async () => {
  const foreign = await keepHead('foreign.json', { url, token: otherToken });
  const verified = await run(['audit', 'verify', '--since', foreign]);
  assert.equal(verified.code, 1);
  assert.match(verified.err, /is of organization \S+, and this token reads that of/);
  const jws = readJws(late);
  const [header = '', payload = '', signature = ''] = jws.split('.');
  const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const parse = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString());
  const wrong: readonly (readonly [string, RegExp])[] = [
    [
      `${encode({ ...parse(header), kid: 'elsewhere' })}.${payload}.${signature}`,
      /none of the published keys signed it/,
    ],
    [`${header}.${encode({ ...parse(payload), position: 3 })}.${signature}`, /signature does not match/],
    [token.slice('asy_test_'.length, -6), /another purpose/],
  ];
  for (const [text, sentence] of wrong) {
    const file = join(folder, 'wrong.jws');
    writeFileSync(file, text);
    const answer = await run(['audit', 'verify', '--since', file]);
    assert.equal(answer.code, 1);
    assert.match(answer.err, sentence);
  }
});

test('audit head: the service replays an earlier head or that of another nonce → refused', async () => {
  const stored: unknown = JSON.parse(readFileSync(early, 'utf8'));
  const { startLocalDoor } = await import('#testing/local-door.ts');
  const replaying = await startLocalDoor(async (request, response) => {
    const path = request.url ?? '';
    const body = path.startsWith('/api/v1/audit/head')
      ? stored
      : await (await fetch(url + path, { headers: { authorization: `Bearer ${token}` } })).json();
    response.end(JSON.stringify(body));
  });
  const answer = await run(['audit', 'verify', '--since', early], { url: replaying, token });
  assert.equal(answer.code, 1);
  assert.match(answer.err, /a head that was signed earlier/);
});

test('audit head: the signing keys are rotated → earlier heads and new ones both verify', async () => {
  await rotateSigningKeys(createOperator(), database);
  const answer = await run(['audit', 'verify', '--since', late]);
  assert.equal(answer.code, 0, answer.err);
  assert.equal((await readKeys()).length, 2);
  assert.ok((await readKeys()).every((key) => !('d' in key)));
});

test('audit head: a token that an attacker signs as a head, and a head as a token → neither is accepted', async () => {
  assert.ok('problem' in readHead(token.slice('asy_test_'.length, -6), await readKeys()));
  const answer = await ask('GET', '/whoami', { token: `asy_test_${readJws(late)}000000` });
  assert.equal(answer.status, 401);
});

test('KeptHeads: the head of an empty chain → contained in every chain that began afterwards', () => {
  const zeros = '0'.repeat(64);
  const head = {
    organization_id: organizationId,
    position: 0,
    hash: zeros,
    signed_at: '2026-01-01T00:00:00.000Z',
    nonce: null,
  };
  const kept = new KeptHeads([head], organizationId);
  kept.compare({ position: 0, hash: zeros });
  assert.deepEqual(kept.findProblems({ position: 5, hash: 'a'.repeat(64) }), []);
});

test('hash_version: a chain of either formula → the script of the guide and verify accept it, and find a change', async () => {
  const script =
    /```js\n([^]*?)```/.exec(readFileSync(join(ROOT, 'docs/guide/audit-trail.md'), 'utf8'))?.[1] ?? '';
  const file = join(folder, 'verify-audit.mjs');
  writeFileSync(file, script);
  const runScript = () =>
    promisify(execFile)(process.execPath, [file], {
      env: { ...process.env, ASSAYER_URL: url, ASSAYER_TOKEN: token },
    });
  assert.match((await runScript()).stdout, new RegExp(`^${ENTRIES} entries are intact`));
  const isAccepted = withAttack([], async () => {
    await rewriteHashes(1, 1);
    const verified = await run(['audit', 'verify', '--remote']);
    return [verified.code, (await runScript()).stdout];
  });
  assert.deepEqual((await isAccepted)[0], 0);
  assert.match(String((await isAccepted)[1]), /^12 entries are intact/);
  assert.ok(script.trimEnd().split('\n').length <= 30);
  const broken = withAttack(
    [`update audit_log set address = '192.0.2.9' where ${own} and chain_position = 7`],
    runScript,
  );
  await assert.rejects(broken, /entry 7 is broken/);
});
