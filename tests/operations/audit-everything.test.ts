/** No state without an entry: whatever transaction changes a row of the service writes one of the audit trail too. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS } from '#core/clock.ts';
import { INSTALLATION_ID } from '#features/audit/rules.ts';
import { requestLedgerCheck } from '#features/ledger/check-ledger.ts';
import { createOrganizationScope, labScope } from '#core/scope.ts';
import { ANNOUNCE_STOP, MAKE_PACKAGE } from '#features/jobs/rules.ts';
import { enqueue } from '#features/jobs/store.ts';
import { insertMail } from '#features/notifications/mail/store.ts';
import { SEND_NOTICE } from '#features/notifications/notice-mails.ts';
import { listPeriodicChores } from '#features/installation/chores.ts';
import { ATTEND_QUOTE } from '#features/payments/order-at-processor.ts';
import { Browser } from '#testing/browser.ts';
import { createBuilders, expectStatus } from '#testing/builders.ts';
import { writes } from '#testing/binding-kinds.ts';
import { createFreshRequest, send } from '#testing/requests.ts';
import { getItems, testService, getText, type Json } from '#testing/service.ts';

const service = await testService();
const { ask, clock, issueToken, runLab } = service;
const { database, work, worker } = service.service;
const build = await createBuilders(service);
const callers = new Map<string, string>();
for (const { operation } of writes)
  callers.set(operation.id, await issueToken({ role: 'admin', isStaff: true, isPartner: true }));

/** Tables that hold no state of anybody's: the trail itself, and what the machinery remembers about its own work. */
const MACHINERY: Readonly<Record<string, string>> = {
  audit_chains: 'where the chains of the trail end',
  builtin_invoices: 'the book of the built-in processor, which is outside; what is collected is audited',
  attempts: 'how often an address was tried; a failed sign-in is audited by a job of its own',
  data_packages: 'which packages were wanted and made; any of them can be made again from what is released',
  device_logins: 'programs that wait to be let in; what is decided is audited',
  idempotency_keys: 'answers kept for repetition',
  jobs: 'what is still to be done; what it does is audited',
  mails: 'what is on its way to somebody, and for some days after',
  notice_facts: 'what happened beside the feed, until people are chosen to be told',
  notice_head: 'how far the feed was read',
  notices: 'what is on its way to somebody, and for some weeks after',
  payment_attempts: 'what was handed to a rail, before it was; the settlement is audited',
  payment_challenges: 'what a client was asked to sign, word for word',
  processor_customers: 'what an organization is called at a processor',
  processor_invoices: 'how far an invoice has come at its processor; what that changes here is audited',
  processor_quotes: 'how far a quote has come at the processor; nothing there changes ours',
  processor_notifications: 'what the processor sent, as it came',
  person_links: 'links on their way to somebody; what one opens is audited',
  processor_payments:
    'the book of the built-in processor, and when it notified; what is collected is audited',
  processor_refunds: 'the book of the built-in processor, which is outside; the refund is audited',
  rate_limits: 'how often a client came',
  refund_attempts: 'what was handed to a rail, before it was; the refund is audited',
  schema_migrations: 'which migrations have run',
};

/** Columns that hold no state either: when a token was used. */
const NOTES: ReadonlySet<string> = new Set(['tokens.last_used_at']);

/** Every change of a row is noted with its transaction. */
async function watch(): Promise<void> {
  const tables = await database.read.query<{ name: string; columns: string[] }>(
    `select t.table_name as name, array_agg(c.column_name::text) as columns
     from information_schema.tables t join information_schema.columns c using (table_schema, table_name)
     where t.table_schema = 'public' and t.table_type = 'BASE TABLE' group by 1 order by 1`,
  );
  for (const name of Object.keys(MACHINERY))
    assert.ok(name === 'schema_migrations' || tables.some((table) => table.name === name), name);
  await database.read.query('create table touched (txid bigint not null, relation text not null)');
  await database.read.query(`create function note_touched() returns trigger language plpgsql as
    $$ begin insert into touched values (txid_current(), tg_table_name); return null; end $$`);
  for (const { name, columns } of tables.filter((table) => !Object.hasOwn(MACHINERY, table.name))) {
    const state = columns.filter((column) => !NOTES.has(`${name}.${column}`)).join(', ');
    await database.read.query(
      `create trigger noted after insert or update of ${state} or delete on ${name}
       for each row execute function note_touched()`,
    );
  }
}

/** Tables that were changed in a transaction without an entry; what was noted is forgotten. */
async function findSilentChanges(): Promise<string[]> {
  const rows = await database.read.query<{ relation: string }>(
    `select distinct relation from touched t where not exists (
       select 1 from touched a where a.txid = t.txid and a.relation = 'audit_log') order by 1`,
  );
  await database.read.query('delete from touched');
  return rows.map(({ relation }) => relation);
}

async function readTrail(filter: string): Promise<readonly Json[]> {
  const query = new URLSearchParams({ filter, limit: '100' });
  return getItems(expectStatus(await ask('GET', `/lab/audit?${query.toString()}`), 200).body.items);
}

await watch();

test('audit watch: a change without an entry → it is found', async () => {
  await database.read.query('update users set name = name where id = $1', [service.service.founder.userId]);
  assert.deepEqual(await findSilentChanges(), ['users']);
});

for (const { operation } of writes) {
  test(`audit: ${operation.id} succeeds → no state changes without an entry`, async () => {
    const token = callers.get(operation.id) ?? null;
    const request = await createFreshRequest(operation, build, null);
    await database.read.query('delete from touched');
    const answer = await send(ask, operation, request, { token });
    assert.ok(answer.status < 300, answer.text);
    assert.deepEqual(await findSilentChanges(), []);
  });
}

interface Story {
  /** Leaves a job of the kind behind that is due, and answers what its entry is about. */
  readonly prepare: () => Promise<string>;
  /** The entry that its work leaves behind; null where it only carries something out of the house. */
  readonly entry: { readonly operation: string; readonly kind: string } | null;
}

async function askForLink(): Promise<string> {
  const page = await new Browser(service).post('/sign-in/mail', { email: 'demo@example.org' });
  assert.ok(page.status < 400, page.text);
  return '';
}

async function askForPackage(): Promise<string> {
  const { id } = await build.createReleased();
  const { headers } = expectStatus(await ask('GET', `/experiments/${id}/data-package`), 307);
  const { pathname, search } = new URL(headers.location ?? '');
  const options = { token: null, headers: { prefer: 'respond-async' } };
  expectStatus(await ask('GET', `/${pathname}${search}`, options), 202);
  const [row] = await database.read.query<{ id: string }>(
    'select id from data_packages where experiment_id = $1',
    [id],
  );
  assert.ok(row !== undefined, 'no package was wanted');
  return row.id;
}

/** One for each kind of job. */
const stories: Readonly<Record<string, Story>> = {
  sandbox_lab_step: {
    prepare: async () => {
      const invoiced = await build.createInvoiced(
        build.createBody({ parameters: { sandbox: { force: 'binder' } } }),
      );
      expectStatus(await ask('POST', `/lab/invoices/${invoiced.invoiceId}/bank-transfer`), 201);
      return invoiced.id;
    },
    entry: { operation: 'sandbox_lab_step', kind: 'worker' },
  },
  send_quote: {
    prepare: async () => {
      const body = { ...build.createBody(), skip_draft: true };
      const created = expectStatus(await ask('POST', '/experiments', { body }), 201);
      return getText(created.body.experiment_id);
    },
    entry: { operation: 'send_quote', kind: 'worker' },
  },
  notify_payment: {
    prepare: async () => {
      const { invoiceId } = await build.createInvoiced();
      expectStatus(await ask('POST', `/lab/invoices/${invoiceId}/bank-transfer`), 201);
      return invoiceId;
    },
    entry: { operation: 'settle_invoice', kind: 'processor' },
  },
  attend_processor_invoice: {
    prepare: async () => (await build.createInvoiced()).invoiceId,
    entry: null,
  },
  attend_processor_quote: {
    // Only an outside processor holds quotes.
    prepare: async () => {
      const { quoteId } = await build.createQuoted();
      const job = { kind: ATTEND_QUOTE, payload: { quote_id: quoteId }, dueAt: clock.now() };
      const scope = createOrganizationScope(service.service.founder.organizationId);
      await database.runTransaction((tx) => enqueue(scope, tx, job, clock.now()));
      return quoteId;
    },
    entry: null,
  },
  send_refund: {
    prepare: async () => {
      const { invoiceId } = await build.createPaid();
      const body = { reason: 'The antigen cannot be bought any more.' };
      const refund = expectStatus(await ask('POST', `/lab/invoices/${invoiceId}/refunds`, { body }), 201);
      return getText(refund.body.id);
    },
    entry: { operation: 'send_refund', kind: 'worker' },
  },
  analyze_experiment: {
    prepare: async () => {
      const { id } = await build.createRecorded();
      expectStatus(
        await ask('POST', `/lab/experiments/${id}/complete`, {
          body: { reason: 'Less than ordered is enough.' },
        }),
        200,
      );
      return id;
    },
    entry: { operation: 'analyze_experiment', kind: 'worker' },
  },
  announce_stop: {
    // Its story is in `long-analysis.test.ts`; here the stop is mended, so that it tells nobody.
    prepare: async () => {
      const { id } = await build.createReleased();
      const payload = { experiment_id: id, run_id: id, stopped_at: clock.now().toISOString() };
      const job = { kind: ANNOUNCE_STOP, payload, dueAt: clock.now() };
      const scope = createOrganizationScope(service.service.founder.organizationId);
      await database.runTransaction((tx) => enqueue(scope, tx, job, clock.now()));
      return id;
    },
    entry: null,
  },
  reanalyze_experiment: {
    prepare: async () => {
      const { id } = await build.createReleased();
      const body = { reason: 'again' };
      expectStatus(await ask('POST', `/lab/experiments/${id}/reanalyze`, { body }), 201);
      return id;
    },
    entry: { operation: 'reanalyze_experiment', kind: 'worker' },
  },
  check_ledger: {
    prepare: async () => {
      await build.createPaid();
      await requestLedgerCheck(work, database);
      return INSTALLATION_ID;
    },
    entry: { operation: 'check_ledger', kind: 'worker' },
  },
  make_small_data_package: { prepare: askForPackage, entry: null },
  make_data_package: {
    // Many results make a package large; its job does the same.
    prepare: async () => {
      const packageId = await askForPackage();
      const job = { kind: MAKE_PACKAGE, payload: { package_id: packageId }, dueAt: clock.now() };
      const scope = createOrganizationScope(service.service.founder.organizationId);
      await database.runTransaction((tx) => enqueue(scope, tx, job, clock.now()));
      return packageId;
    },
    entry: null,
  },
  // A link is asked for by one job and sent by the next.
  mail_link: { prepare: askForLink, entry: null },
  send_notice: {
    prepare: async () => {
      // The chores would tell each of the many members everything that this file did.
      const mail = {
        id: work.ids.createUuid(),
        to: 'demo@example.org',
        subject: 'A quote',
        content: { paragraphs: ['It is open.'], footer: 'You may stop such mails.' },
      };
      await database.runTransaction(async (tx) => {
        await insertMail(tx, { ...mail, created_at: clock.now() });
        const job = { kind: SEND_NOTICE, payload: { mail_id: mail.id }, dueAt: clock.now() };
        await enqueue(labScope, tx, job, clock.now());
      });
      return mail.id;
    },
    entry: null,
  },
  send_mail: { prepare: askForLink, entry: null },
  note_failed_sign_in: {
    prepare: async () => {
      const form = new URLSearchParams({ email: 'demo@example.org', password: 'not the password' });
      const headers = {
        'content-type': 'application/x-www-form-urlencoded',
        origin: work.site.baseUrl,
        'sec-fetch-site': 'same-origin',
      };
      const options = { token: null, payload: form.toString(), headers };
      expectStatus(await ask('POST', '//sign-in', options), 401);
      return service.service.founder.userId;
    },
    entry: { operation: 'sign_in_failed', kind: 'user' },
  },
};

for (const kind of worker.kinds) {
  test(`audit: jobs of kind ${kind} → no state changes without an entry`, async () => {
    const story = stories[kind];
    assert.ok(story !== undefined, `${kind} has no story in this file`);
    const subject = await story.prepare();
    await database.read.query('delete from touched');
    await runLab();
    const [job] = await database.read.query<{ count: number }>(
      'select count(*) as count from jobs where kind = $1 and done_at is not null',
      [kind],
    );
    assert.ok((job?.count ?? 0) > 0, `no job of kind ${kind} was done`);
    assert.deepEqual(await findSilentChanges(), []);
    if (story.entry === null) return;
    const { operation, kind: actorKind } = story.entry;
    const entries = await readTrail(
      `and(eq(operation,${operation}),eq(subject,'${subject}'),eq(actor_kind,${actorKind}))`,
    );
    assert.ok(entries.length > 0);
  });
}

test('audit: the simulated lab runs an experiment → one entry per step, with both states', async () => {
  const { id } = await build.createReleased();
  const entries = await readTrail(`and(eq(subject,${id}),eq(actor_kind,worker))`);
  const steps = entries.map(({ details }) => `${getText(details?.from)} → ${getText(details?.to)}`);
  assert.deepEqual(steps.reverse(), [
    'waiting_for_materials → in_queue',
    'in_queue → in_production',
    'in_production → data_analysis',
    'data_analysis → in_review',
    'in_review → done',
  ]);
});

test('audit: a quote expires by time alone → no state changes without an entry', async () => {
  const { quoteId } = await build.createQuoted();
  clock.advance(40 * DAY_MS);
  await database.read.query('delete from touched');
  for (const chore of listPeriodicChores(work, database)) await chore();
  assert.deepEqual(await findSilentChanges(), []);
  const [entry] = await readTrail(`and(eq(subject,${quoteId}),eq(operation,expire_quote))`);
  assert.equal(entry?.actor_kind, 'worker');
});

test('audit: the test payment of a page, clicked twice → one entry, and no state changes without one', async () => {
  const { invoiceId } = await build.createInvoiced();
  const invoice = expectStatus(await ask('GET', `/invoices/${invoiceId}`), 200);
  const path = new URL(getText(invoice.body.hosted_invoice_url)).pathname;
  await database.read.query('delete from touched');
  for (let click = 0; click < 2; click++)
    expectStatus(await ask('POST', `/${path}/test-payment`, { token: null }), 303);
  assert.deepEqual(await findSilentChanges(), []);
  const [entry, ...others] = await readTrail(`and(eq(subject,${invoiceId}),eq(operation,collect_payment))`);
  assert.equal(others.length, 0);
  assert.equal(entry?.actor_kind, 'processor');
  assert.equal(entry?.actor, 'payment page');
  assert.equal(entry?.address, '127.0.0.1');
  assert.match(getText(entry?.request_id), /^req_/);
});

test('audit: the first start of a service → entries for key, prices, catalog and organization', async () => {
  const entries = await readTrail('eq(actor_kind,operator)');
  const operations = new Set(entries.map(({ operation }) => getText(operation)));
  for (const operation of ['create_signing_key', 'seed_prices', 'seed_catalog', 'found_organization'])
    assert.ok(operations.has(operation), operation);
});
