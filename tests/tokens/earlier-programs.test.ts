/** A database from before programs had tokens of their own: what was let in goes on with the same rights. */
import assert from 'node:assert/strict';
import { copyFileSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { migrate } from '#adapters/postgres/migrate.ts';
import { testDatabase } from '#testing/database.ts';

const MIGRATIONS = join(import.meta.dirname, '../../migrations');
const PROGRAMS = readdirSync(MIGRATIONS).find((name) => name.endsWith('_programs.sql')) ?? '';
const createId = (n: number): string => `01980000-0000-7000-8000-${n.toString(16).padStart(12, '0')}`;
const [ORGANIZATION, USER, SESSION, TOKEN] = [createId(1), createId(2), createId(3), createId(4)];

test('migration: programs that were let in → each has a token with its rights, which its refresh token and consent name', async (t) => {
  const { connection, database } = await testDatabase({ empty: true });
  const directory = mkdtempSync(join(tmpdir(), 'assayer-migrations-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  for (const name of readdirSync(MIGRATIONS).filter((each) => each < PROGRAMS))
    copyFileSync(join(MIGRATIONS, name), join(directory, name));
  await migrate({ connection, directory });
  const { read } = database;
  const put = (text: string, values: readonly unknown[]) => read.query(text, [...values]);
  await put(`insert into organizations (id, name, slug, created_at) values ($1, 'O', 'ORG', now())`, [
    ORGANIZATION,
  ]);
  await put(
    `insert into users (id, email, created_at, updated_at) values ($1, 'a@example.org', now(), now())`,
    [USER],
  );
  await put(
    `insert into memberships (organization_id, user_id, role, created_at) values ($1, $2, 'member', now())`,
    [ORGANIZATION, USER],
  );
  await put(
    `insert into sessions (id, user_id, token, expires_at, created_at, updated_at)
     values ($1, $2, 'x', now() + interval '30 days', now(), now())`,
    [SESSION, USER],
  );
  await put(
    `insert into tokens (id, organization_id, user_id, name, kind, role, root_token_id, path, created_at, session_id)
     values ($1::uuid, $2, $3, 'Browser session', 'root', 'member', $1::uuid, array[$1::uuid], now(), $4)`,
    [TOKEN, ORGANIZATION, USER, SESSION],
  );
  for (const [n, scopes] of [
    [20, ['read', 'write', 'offline_access']],
    [21, ['read', 'offline_access']],
  ] as const) {
    const client = `client-${n}`;
    await put(
      `insert into oauth_clients (id, client_id, name, redirect_uris) values ($1, $2, 'Agent', '{}')`,
      [createId(n), client],
    );
    await put(
      `insert into oauth_consents (id, client_id, user_id, reference_id, scopes, created_at, updated_at)
       values ($1, $2, $3, $4, $5, now(), now())`,
      [createId(n + 10), client, USER, ORGANIZATION, scopes],
    );
    await put(
      `insert into oauth_refresh_tokens (id, token, client_id, session_id, user_id, reference_id, scopes, expires_at, created_at)
       values ($1, $2, $2, $3, $4, $5, $6, now() + interval '30 days', now())`,
      [createId(n + 20), client, SESSION, USER, ORGANIZATION, scopes],
    );
  }
  await migrate({ connection, directory: MIGRATIONS });
  const rows = await read.query<{ client_id: string; spec: Readonly<Record<string, unknown>> }>(
    `select t.client_id, t.attenuation_spec as spec from tokens t
     join oauth_refresh_tokens r on r.reference_id = t.id::text and r.client_id = t.client_id
     join oauth_consents k on k.reference_id = t.id::text and k.client_id = t.client_id
     where t.session_id = $1 and t.kind = 'attenuated' and t.expires_at > now() order by t.client_id`,
    [SESSION],
  );
  assert.deepEqual(
    rows.map(({ client_id: id, spec }) => [id, spec.read_only ?? false]),
    [
      ['client-20', false],
      ['client-21', true],
    ],
  );
  for (const { spec } of rows) assert.deepEqual(spec.allowed_org_ids, [ORGANIZATION]);
  const consents = await read.query<{ n: number }>(`select count(*)::int as n from oauth_consents`);
  assert.equal(consents[0]?.n, 2);
});
