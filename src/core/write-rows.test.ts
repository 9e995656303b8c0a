import { createOrganizationScope } from './scope.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  expression,
  insertInto,
  insertMany,
  insertManyOwned,
  insertOwned,
  insertOwnedWhere,
  createColumnMaker,
  createManyValues,
  updateMany,
  updateRows,
} from './write-rows.ts';

const OWNER = createOrganizationScope('o');

test('write-rows: a row by name → each value at the place of its column', () => {
  const [text, values] = insertInto('audit_chains', {
    last_hash: 'ab',
    organization_id: 'o',
    last_position: 7,
  });
  assert.equal(
    text.trim(),
    'insert into audit_chains (last_hash, organization_id, last_position) values ($1, $2, $3)',
  );
  assert.deepEqual(values, ['ab', 'o', 7]);
});

test('write-rows: an expression among the values → its parameters are numbered with the others', () => {
  const [text, values] = insertInto(
    'updates',
    {
      id: 'i',
      organization_id: expression`coalesce(${'a'}, ${'b'})`,
      experiment_id: expression`gen_random_uuid()`,
      experiment_code: 'c',
      type: 't',
      name: 'n',
      created_at: 'at',
    },
    'returning id',
  );
  assert.match(
    text,
    /values \(\$1, coalesce\(\$2, \$3\), gen_random_uuid\(\), \$4, \$5, \$6, \$7\) returning id$/,
  );
  assert.deepEqual(values, ['i', 'a', 'b', 'c', 't', 'n', 'at']);
});

test('write-rows: rows of an organization → each has the organization of its scope', () => {
  const [text, values] = insertOwned(OWNER, 'audit_chains', { last_position: 7, last_hash: 'ab' });
  assert.match(text, /\(last_position, last_hash, organization_id\) values \(\$1, \$2, \$3\) $/);
  assert.deepEqual(values, [7, 'ab', 'o']);
  const [many, arrays] = insertManyOwned(OWNER, 'audit_chains', {
    last_position: createManyValues('int', [1, 2]),
    last_hash: 'ab',
  });
  assert.match(
    many,
    /\(last_position, last_hash, organization_id\) select each\.last_position, \$2, \$3 from/,
  );
  assert.deepEqual(arrays, [[1, 2], 'ab', 'o']);
});

test('write-rows: a spread value with a member that is no column → a type error', () => {
  const end = { last_position: 7, last_hash: 'ab', at: 'now' };
  // @ts-expect-error -- `at` is no column
  const [text] = insertOwned(OWNER, 'audit_chains', { ...end });
  assert.match(text, /\(last_position, last_hash, at, organization_id\)/);
  // @ts-expect-error -- the scope says the organization
  insertOwned(OWNER, 'audit_chains', { last_position: 7, last_hash: 'ab', organization_id: 'other' });
});

test('write-rows: a condition on an insert → its parameters follow those of the row', () => {
  const row = { last_position: 1, last_hash: 'h' };
  const condition = expression`not exists (select 1 from audit_chains where last_hash = ${'h'})`;
  const [text, values] = insertOwnedWhere(OWNER, 'audit_chains', row, condition, 'returning last_hash');
  assert.match(text, /select \$1, \$2, \$3 where not exists \(.* last_hash = \$4\) returning last_hash$/);
  assert.deepEqual(values, [1, 'h', 'o', 'h']);
});

test('write-rows: an update by name → its values are numbered after its condition', () => {
  const change = { last_position: 2, last_hash: expression`coalesce(${'h'}, last_hash)` };
  const [text, values] = updateRows('audit_chains', change, 'where organization_id = $1', ['o']);
  assert.equal(
    text,
    'update audit_chains set last_position = $2, last_hash = coalesce($3, last_hash) where organization_id = $1',
  );
  assert.deepEqual(values, ['o', 2, 'h']);
});

test('write-rows: what follows an insert has values → they are numbered after those of the row', () => {
  const row = { organization_id: 'o', last_position: 1, last_hash: 'h' };
  const then = expression`on conflict (organization_id) do update set last_position = ${2}`;
  const [text, values] = insertInto('audit_chains', row, then);
  assert.match(
    text,
    /values \(\$1, \$2, \$3\) on conflict \(organization_id\) do update set last_position = \$4$/,
  );
  assert.deepEqual(values, ['o', 1, 'h', 2]);
});

test('write-rows: many rows by name → columns that differ cross as arrays, the others once', () => {
  const entries = [
    { account: 'cash', debitCents: 5, creditCents: 0 },
    { account: 'receivable', debitCents: 0, creditCents: 5 },
  ];
  const listValues = createColumnMaker(entries);
  const [text, values] = insertMany(
    'ledger_entries',
    {
      transaction_id: 't',
      ordinal: listValues('int', (_, index) => index + 1),
      organization_id: 'o',
      account: listValues('text', ({ account }) => account),
      debit_cents: listValues('bigint', ({ debitCents }) => debitCents),
      credit_cents: listValues('bigint', ({ creditCents }) => creditCents),
    },
    'returning ordinal',
  );
  assert.equal(
    text,
    'insert into ledger_entries (transaction_id, ordinal, organization_id, account, debit_cents, credit_cents) ' +
      'select $5, each.ordinal, $6, each.account, each.debit_cents, each.credit_cents ' +
      'from unnest($1::int[], $2::text[], $3::bigint[], $4::bigint[]) as each (ordinal, account, debit_cents, credit_cents) ' +
      'returning ordinal',
  );
  assert.deepEqual(values, [[1, 2], ['cash', 'receivable'], [5, 0], [0, 5], 't', 'o']);
});

test('write-rows: many rows changed by name → each takes the values of its key', () => {
  const [text, values] = updateMany(
    'audit_log',
    {
      key: { id: createManyValues('uuid', ['a', 'b']) },
      change: {
        chain_position: createManyValues('bigint', [1, 2]),
        hash: createManyValues('text', ['x', 'y']),
      },
    },
    'and audit_log.organization_id = $1',
    ['o'],
  );
  assert.equal(
    text,
    'update audit_log set chain_position = each.chain_position, hash = each.hash ' +
      'from unnest($2::uuid[], $3::bigint[], $4::text[]) as each (id, chain_position, hash) ' +
      'where audit_log.id = each.id and audit_log.organization_id = $1',
  );
  assert.deepEqual(values, ['o', ['a', 'b'], [1, 2], ['x', 'y']]);
});
