/** The way of a mail to its reader: one for each fact and person, whatever happens to the service and the mail server. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { HOUR_MS } from '#core/clock.ts';
import { createLinkSigner } from '#core/signed-link.ts';
import { createOrganizationScope } from '#core/scope.ts';
import { createIds } from '#core/ids.ts';
import { claimJobs } from '#features/jobs/store.ts';
import { JOB_LEASE_MS } from '#features/jobs/rules.ts';
import type { Message } from '#features/notifications/mail/rules.ts';
import { MAIL_DELAYS_MS } from '#features/notifications/rules.ts';
import { deleteMembership } from '#features/organizations/store.ts';
import { lockNoticeHead } from '#features/notifications/notice-store.ts';
import { readSettings } from '#settings/settings.ts';
import { createLogger } from '#transports/log.ts';
import { addUpdate } from '#features/experiments/transition-experiment.ts';
import { SEND_NOTICE, sendNotice } from '#features/notifications/notice-mails.ts';
import { createBuilders, expectStatus, type Draft } from '#testing/builders.ts';
import { testDatabase } from '#testing/database.ts';
import { readHeader, startMailServer } from '#testing/mail-server.ts';
import { deliverNotices } from '#testing/notices.ts';
import { getItems, getText, testService } from '#testing/service.ts';
import { VirtualClock } from '#testing/virtual-clock.ts';
import { createService } from '../../src/main.ts';

const server = await startMailServer();
const service = await testService(server.variables);
const { ask, clock, issueToken } = service;
const { database, founder, worker, work } = service.service;
const build = await createBuilders(service);
const DEMO = 'demo@example.org';
const start = await build.create();

/** A fact of which every member with results is told. */
async function announce({ id, code }: Draft = start, organizationId = founder.organizationId): Promise<void> {
  const experiment = { id, code, organization_id: organizationId };
  await database.runTransaction((tx) =>
    addUpdate(work, tx, experiment, { event: 'results.amended', name: 'Results amended', actor: 'lab' }),
  );
}

/** Forgets what came, and what waits. */
async function clear(): Promise<void> {
  await deliverNotices(service);
  server.received.length = 0;
}

const countMails = (to: string): number => server.received.filter(({ recipient }) => recipient === to).length;

interface JobRow {
  readonly attempts: number;
  readonly failed_at: string | null;
  readonly last_error: string | null;
}

const readJobs = (): Promise<JobRow[]> =>
  database.read.query<JobRow>(
    `select attempts, failed_at, last_error from jobs where kind = $1 and done_at is null order by id`,
    [SEND_NOTICE],
  );

test('mail: names in several scripts and lines that look like headers → one subject that arrives as it was written, and no other header', async () => {
  await clear();
  const name = 'Ärzte 抗体 نانوبادي\r\nBcc: thief@example.org\r\n\r\nfree text \u202Egnp.exe';
  await database.read.query(`update experiments set name = $2 where id = $1`, [start.id, name]);
  await announce();
  await deliverNotices(service);
  const [mail] = server.received;
  assert.ok(mail !== undefined && server.received.length === 1);
  const subject = `${start.code} “Ärzte 抗体 نانوبادي Bcc: thief@example.org free text gnp.exe”`;
  assert.equal(readHeader(mail, 'Subject'), `Results of ${subject} were amended`);
  assert.equal(readHeader(mail, 'Bcc'), undefined);
  assert.equal(readHeader(mail, 'To'), DEMO);
  assert.equal(readHeader(mail, 'Auto-Submitted'), 'auto-generated');
  assert.equal(readHeader(mail, 'List-Unsubscribe-Post'), 'List-Unsubscribe=One-Click');
  assert.match(
    readHeader(mail, 'List-Unsubscribe') ?? '',
    /^<http:\/\/127\.0\.0\.1:8080\/notifications\/stop\/[^ <>]+>$/,
  );
  const head = mail.text.slice(0, mail.text.indexOf('\r\n\r\n'));
  assert.match(head, /^[\t\r\n -~]*$/);
  assert.doesNotMatch(mail.text, /<img|<script|src=|url\(|@import/i);
  await database.read.query(`update experiments set name = 'binders' where id = $1`, [start.id]);
});

test('mail: the server is away for a day → the order, the feed and the other jobs go on, and the mail comes once when it is back', async () => {
  await clear();
  server.setAway(true);
  await announce();
  await deliverNotices(service);
  const order = await build.createInvoiced();
  assert.equal((await ask('GET', `/experiments/${order.id}/updates`)).status, 200);
  const [waiting] = await readJobs();
  assert.equal(waiting?.attempts, 1);
  assert.equal(waiting?.failed_at, null);
  for (const delayMs of MAIL_DELAYS_MS.slice(0, -2)) {
    clock.advance(delayMs);
    await worker.runDue();
  }
  assert.equal(countMails(DEMO), 0);
  server.setAway(false);
  clock.advance(20 * HOUR_MS);
  await deliverNotices(service);
  const subjects = server.received.map((mail) => readHeader(mail, 'Subject') ?? '');
  assert.equal(subjects.filter((subject) => subject.includes('were amended')).length, 1);
});

test('mail: the server never comes back → after the schedule the job has failed, staff see it, and it can be tried again', async () => {
  await clear();
  server.setAway(true);
  await announce();
  await deliverNotices(service);
  for (const delayMs of MAIL_DELAYS_MS) {
    clock.advance(delayMs);
    await worker.runDue();
  }
  const { body } = expectStatus(await ask('GET', '/lab/jobs?filter=eq(status,failed)'), 200);
  const [failed] = getItems(body.items);
  assert.equal(failed?.kind, 'send_notice');
  assert.equal(failed?.attempts, MAIL_DELAYS_MS.length + 1);
  server.setAway(false);
  expectStatus(await ask('POST', `/lab/jobs/${getText(failed?.id)}/retry`, { body: {} }), 200);
  await worker.runDue();
  assert.equal(countMails(DEMO), 1);
});

test('mail: the server refuses one address for good → it is not tried again, and the others have theirs', async () => {
  await issueToken({ role: 'viewer' });
  await clear();
  server.refusals.set(DEMO, 550);
  await announce();
  await deliverNotices(service);
  assert.deepEqual([countMails(DEMO), countMails('person-1@example.org')], [0, 1]);
  const [failed] = await readJobs();
  assert.equal(failed?.attempts, 1);
  assert.notEqual(failed?.failed_at, null);
  assert.match(failed?.last_error ?? '', /550/);
  server.refusals.clear();
  await database.read.query(`delete from jobs where failed_at is not null`);
});

test('mail: the server refuses an address for now → it is tried again after the first delay', async () => {
  await clear();
  server.refusals.set(DEMO, 451);
  await announce();
  await deliverNotices(service);
  server.refusals.clear();
  assert.equal((await readJobs())[0]?.failed_at, null);
  clock.advance(5_000);
  await deliverNotices(service);
  assert.equal(countMails(DEMO), 1);
});

test('mail: the process dies after it claimed the mail and before it sends → the next one sends it once', async () => {
  await clear();
  await announce();
  await worker.runChores();
  const claim = {
    now: clock.now(),
    leaseMs: JOB_LEASE_MS,
    suspects: 1,
    batch: 0,
    places: new Map([[SEND_NOTICE, 9]]),
  };
  const claimed = await claimJobs(database.read, claim);
  assert.equal(claimed.length, 2);
  await deliverNotices(service);
  assert.equal(countMails(DEMO), 0);
  clock.advance(JOB_LEASE_MS);
  await deliverNotices(service);
  assert.equal(countMails(DEMO), 1);
});

test('mail: the process dies after the server took the mail → it comes again under the same Message-ID, which readers show once', async () => {
  await clear();
  await announce();
  await worker.runChores();
  const [job] = await database.read.query<{ mail_id: string }>(
    `select payload->>'mail_id' as mail_id from jobs j join mails m on m.id::text = j.payload->>'mail_id'
     where j.kind = $1 and j.done_at is null and m.recipient = $2`,
    [SEND_NOTICE, DEMO],
  );
  const handedOver: Message[] = [];
  const dying = {
    send: async (message: Message): Promise<void> => {
      handedOver.push(message);
      throw new Error('the process died');
    },
  };
  const parts = { work, unsubscribeLinks: createLinkSigner(Buffer.alloc(32)) };
  await assert.rejects(sendNotice(parts, database, dying, job?.mail_id ?? ''), /died/);
  await deliverNotices(service);
  const again = server.received.filter(({ recipient }) => recipient === DEMO);
  assert.equal(again.length, 1);
  assert.equal(readHeader(again[0] ?? { text: '' }, 'Message-ID'), `<${handedOver[0]?.id}@example.org>`);
});

test('notices: the transaction that chose the people is lost → it is done again, and nobody is told twice', async () => {
  await clear();
  await announce();
  const head = await database.runTransaction((tx) => lockNoticeHead(tx));
  await deliverNotices(service);
  await database.read.query('update notice_head set last_id = $1', [head]);
  await deliverNotices(service);
  assert.equal(countMails(DEMO), 1);
});

test('mail: a person is removed between the fact and the mail, or before its fact → the person gets nothing', async () => {
  const token = await issueToken({ role: 'viewer' });
  const userId = getText((await ask('GET', '/whoami', { token })).body.user_id);
  await clear();
  await announce();
  await worker.runChores();
  const scope = createOrganizationScope(founder.organizationId);
  await deleteMembership(scope, database.read, userId, clock.now());
  await deliverNotices(service);
  await announce();
  await deliverNotices(service);
  assert.equal(countMails('person-2@example.org'), 0);
  assert.equal(countMails(DEMO), 2);
  const left = await database.read.query('select id from mails where recipient = $1', [
    'person-2@example.org',
  ]);
  assert.deepEqual(left, []);
});

test('mail: a member of another organization → is told of that one alone', async () => {
  const token = await issueToken({ ownOrganization: true });
  const organizationId = getText((await ask('GET', '/whoami', { token })).body.active_organization_id);
  const own = await build.create(build.createBody(), { token });
  await clear();
  await announce();
  await announce(own, organizationId);
  await deliverNotices(service);
  assert.deepEqual([countMails(DEMO), countMails('person-3@example.org')], [1, 1]);
});

test('mail: two services on one database work at the same time → one mail for each fact and person', async () => {
  const both: Awaited<ReturnType<typeof createService>>[] = [];
  // Registered first, so that the services are closed before their database is checked for connections.
  after(() => Promise.all(both.map((each) => each.close())));
  const { connection } = await testDatabase();
  const time = new VirtualClock(new Date('2026-03-02T09:00:00.000Z'));
  const open = async () => {
    const settings = readSettings({ ...server.variables, DATA_DIR: '/nonexistent' });
    const log = createLogger('silent', { write: () => undefined });
    const opened = await createService(settings, { clock: time, ids: createIds(time), log }, connection);
    both.push(opened);
    return opened;
  };
  const one = await open();
  await open();
  await Promise.all(both.map((each) => each.worker.runChores()));
  server.received.length = 0;
  const organizationId = one.founder.organizationId;
  const FACTS = 8;
  for (let fact = 0; fact < FACTS; fact++) {
    const experiment = {
      id: one.work.ids.createUuid(),
      code: `DEMO-001-${fact}`,
      organization_id: organizationId,
    };
    await one.database.runTransaction((tx) =>
      addUpdate(one.work, tx, experiment, { event: 'results.released', name: 'Results', actor: 'lab' }),
    );
    await Promise.all(both.map((each) => deliverNotices({ service: each })));
  }
  await Promise.all(both.map((each) => deliverNotices({ service: each })));
  const subjects = server.received.map((mail) => readHeader(mail, 'Subject'));
  assert.equal(subjects.length, FACTS);
  assert.equal(new Set(subjects).size, FACTS);
});
