/** A request asks a question once: the answer it has is handed on. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createBuilders } from '#testing/builders.ts';
import { writes } from '#testing/binding-kinds.ts';
import { createFreshRequest, send } from '#testing/requests.ts';
import { testService, type TestAnswer } from '#testing/service.ts';
import { recordStatements, type Asked } from '#testing/statements.ts';

const service = await testService();
const { ask, issueToken } = service;
const build = await createBuilders(service);
const { createQuoted } = build;

async function listStatements(request: () => Promise<TestAnswer>): Promise<Asked[]> {
  const recording = recordStatements(service.service.database);
  try {
    const answer = await request();
    assert.ok(answer.status < 300, answer.text);
  } finally {
    recording.stop();
  }
  return recording.asked;
}

const isRead = ({ text }: Asked): boolean => /^\s*select\s/.test(text);

const isInTransaction = ({ transaction }: Asked): boolean => transaction !== null;

/**
 * Questions that one transaction asks again with the same values, while nothing was written to the tables they ask. Outside of it
 * and in another one the answer may be another, since others write too.
 */
function findRepeated(statements: readonly Asked[]): string[] {
  const open = new Set<string>();
  const found: string[] = [];
  for (const { text, values, transaction } of statements) {
    const key = JSON.stringify([transaction, text, values]);
    if (isRead({ text, values, transaction })) {
      if (open.has(key)) found.push(key);
      open.add(key);
      continue;
    }
    const written = [...text.matchAll(/\b(?:insert into|update|delete from) (\w+)/g)].map(
      ([, table]) => table,
    );
    for (const known of open)
      if (written.some((table) => new RegExp(`\\b${table}\\b`).test(known))) open.delete(known);
  }
  return found;
}

const countAsked = (statements: readonly Asked[], table: RegExp): number =>
  statements.filter((each) => isRead(each) && table.test(each.text)).length;

test('repeated reads: confirm_quote → reads its quote once, and its invoice once', async () => {
  const { quoteId } = await createQuoted();
  const statements = await listStatements(() => ask('POST', `/quotes/${quoteId}/confirm`, { body: {} }));
  assert.equal(countAsked(statements, /from quotes q where \(\$1/), 1);
  assert.equal(countAsked(statements, /from invoices i join/), 1);
});

test('repeated reads: every operation that writes → asks no question twice', async () => {
  const found: Record<string, string[]> = {};
  assert.ok(writes.length > 40);
  for (const binding of writes) {
    const { operation } = binding;
    // An upload is refused before its body where it can be, and asks again once the body has come.
    const asksTwice = 'refuseEarly' in binding && binding.refuseEarly !== undefined;
    const request = await createFreshRequest(operation, build, null);
    const token = await issueToken({ role: 'admin', isStaff: true, isPartner: true });
    const statements = await listStatements(() => send(ask, operation, request, { token }));
    const again = findRepeated(asksTwice ? statements.filter(isInTransaction) : statements);
    if (again.length > 0) found[operation.id] = again;
  }
  assert.deepEqual(found, {});
});

for (const also of [{ skip_draft: true }, { auto_accept_quote: true }])
  test(`repeated reads: create_exp with ${Object.keys(also).join()} → asks no question twice`, async () => {
    const body = { ...build.createBody(), ...also };
    assert.deepEqual(findRepeated(await listStatements(() => ask('POST', '/experiments', { body }))), []);
  });
