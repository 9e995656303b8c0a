/** A database from before lineages were kept: who made a token stands in the audit trail. */
import assert from 'node:assert/strict';
import { copyFileSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { migrate } from '#adapters/postgres/migrate.ts';
import { testDatabase } from '#testing/database.ts';

const MIGRATIONS = join(import.meta.dirname, '../../migrations');
const LINEAGE = readdirSync(MIGRATIONS).find((name) => name.endsWith('_token_makers.sql')) ?? '';
const createId = (n: number): string => `01980000-0000-7000-8000-${n.toString(16).padStart(12, '0')}`;
const [ORGANIZATION, USER, SESSION] = [createId(1), createId(2), createId(3)];
const [ROOT, MADE, LEAF, AGAIN, BY_SESSION, DEAD, OUTLIVED, BELOW] = [10, 11, 12, 13, 14, 15, 16, 17].map(
  createId,
);

test('migration: tokens made by another token → join its lineage; those of a revoked token go on', async (t) => {
  const { connection, database } = await testDatabase({ empty: true });
  const directory = mkdtempSync(join(tmpdir(), 'assayer-migrations-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  const files = readdirSync(MIGRATIONS).filter((name) => name < LINEAGE);
  for (const name of files) copyFileSync(join(MIGRATIONS, name), join(directory, name));
  await migrate({ connection, directory });
  const { read } = database;
  await read.query(`insert into organizations (id, name, slug, created_at) values ($1, 'O', 'ORG', now())`, [
    ORGANIZATION,
  ]);
  await read.query(
    `insert into users (id, email, created_at, updated_at) values ($1, 'a@example.org', now(), now())`,
    [USER],
  );
  const rows: readonly (readonly [string | undefined, string | null, string | null, boolean])[] = [
    [ROOT, null, null, false],
    [MADE, null, ROOT ?? null, false],
    [LEAF, MADE ?? null, null, false],
    [AGAIN, null, MADE ?? null, false],
    [SESSION, null, null, false],
    [BY_SESSION, null, SESSION ?? null, false],
    [DEAD, null, null, true],
    [OUTLIVED, null, DEAD ?? null, false],
    [BELOW, null, OUTLIVED ?? null, false],
  ];
  for (const [token, parent, maker, isRevoked] of rows) {
    await read.query(
      `insert into tokens (id, organization_id, user_id, name, kind, role, parent_token_id, root_token_id, path, created_at,
         revoked_at, session_id)
       values ($1::uuid, $2, $3, 'x', $4, 'member', $5::uuid, coalesce($5::uuid, $1::uuid), $6, now(),
         case when $7 then now() end, case when $1::uuid = $8::uuid then $8::uuid end)`,
      [
        token,
        ORGANIZATION,
        USER,
        parent === null ? 'root' : 'attenuated',
        parent,
        parent === null ? [token] : [parent, token],
        isRevoked,
        SESSION,
      ],
    );
    if (maker === null) continue;
    await read.query(
      `insert into audit_log (id, organization_id, user_id, token_id, actor, operation_id, subject, created_at, actor_kind)
       values (gen_random_uuid(), $1, $2, $3, 'a', 'create_token', $4, now(), 'user')`,
      [ORGANIZATION, USER, maker, token],
    );
  }
  await migrate({ connection, directory: MIGRATIONS });
  const found = await read.query<{ id: string; parent: string | null; makers: string[] }>(
    'select id, parent_token_id as parent, makers from tokens',
  );
  const byId = new Map(found.map((row) => [row.id, [row.parent, row.makers]]));
  const expected: readonly (readonly [string | undefined, string | undefined | null, unknown[]])[] = [
    [ROOT, null, []],
    [MADE, ROOT, [ROOT]],
    [LEAF, MADE, [ROOT]],
    [AGAIN, MADE, [ROOT, MADE]],
    [BY_SESSION, null, []],
    [OUTLIVED, DEAD, []],
    [BELOW, OUTLIVED, [OUTLIVED]],
  ];
  for (const [token, parent, makers] of expected) assert.deepEqual(byId.get(token ?? ''), [parent, makers]);
});
