/** Each event has its mail, and each mail reaches those who may read what it tells. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS } from '#core/clock.ts';
import { labScope } from '#core/scope.ts';
import { clientEventNames, staffEventNames } from '#features/notifications/events.ts';
import { selectWaitingOrders } from '#features/notifications/notice-store.ts';
import { computeLateLimit } from '#core/lateness.ts';
import { addUpdate } from '#features/experiments/transition-experiment.ts';
import { openSignedIn } from '#testing/browser.ts';
import { expectStatus } from '#testing/builders.ts';
import { fakeRail } from '#testing/fake-rail.ts';
import { createMachineOrders } from '#testing/machine-orders.ts';
import { takeMails, type KeptMail } from '#testing/notices.ts';
import { startReceiver } from '#testing/receiver.ts';
import { getText, testService } from '#testing/service.ts';

const service = await testService({}, { rails: [fakeRail()] });
const { ask, clock, issueToken, runLab } = service;
const { database, founder, sender, work } = service.service;
const build = await createMachineOrders(service);
const FOUNDER = 'demo@example.org';
const seen = new Set<string>();

/** Which event each mail tells; what is seen is remembered for the last test. */
async function takeEvents(): Promise<(KeptMail & { readonly event: string })[]> {
  const mails = await takeMails(service);
  return Promise.all(
    mails.map(async (mail) => {
      const [notice] = await database.read.query<{ event: string }>(
        'select event from notices where mail_id = $1',
        [mail.id],
      );
      const event = notice?.event ?? '';
      if (event !== '') seen.add(event);
      return { ...mail, event };
    }),
  );
}

const listEvents = (mails: readonly { readonly event: string; readonly recipient: string }[], to = FOUNDER) =>
  mails.filter(({ recipient }) => recipient === to).map(({ event }) => event);

test('notifications: an order from the draft to its results → quote, invoice, receipt and results, once each, and each leads to its page', async () => {
  await takeEvents();
  const parameters = { sandbox: { force: 'binder' } };
  const order = await build.createReleased(build.createBody({ n_replicates: 3, parameters }));
  const mails = await takeEvents();
  assert.deepEqual(listEvents(mails).sort(), ['invoice', 'new_order', 'quote_ready', 'receipt', 'results']);
  const browser = await openSignedIn(service);
  for (const { content, event } of mails) {
    const url = new URL(content?.action?.url ?? '');
    const opened = await browser.open(url.pathname + url.search);
    const page = opened.location === undefined ? opened : await browser.open(opened.location);
    assert.equal(page.status, 200, `${event}: ${opened.text}`);
    assert.ok(page.text.includes(order.code), event);
  }
  const invoice = mails.find(({ event }) => event === 'invoice');
  assert.match(invoice?.subject ?? '', /^Invoice INV-2026-\d+ for DEMO-001-001 “binders”$/);
  assert.match(invoice?.content?.paragraphs[0] ?? '', /of 212\.00 USD/);
  assert.deepEqual(await takeEvents(), []);
});

test('notifications: an order that runs into a delay and an amendment → one mail for each', async () => {
  const parameters = { sandbox: { force: 'binder', faults: ['late_material', 'amendment'] } };
  await build.createReleased(build.createBody({ parameters }));
  await runLab();
  const mails = await takeEvents();
  const events = listEvents(mails);
  assert.equal(events.filter((event) => event === 'delay').length, 1);
  assert.equal(events.filter((event) => event === 'amendment').length, 1);
  const delay = mails.find(({ event }) => event === 'delay');
  assert.match(delay?.content?.paragraphs[0] ?? '', /expects the materials on 2026-/);
});

test('notifications: a machine orders with a token and its payment is refused → the members are told by their own choice', async () => {
  await issueToken({ role: 'billing' });
  const token = await issueToken({ role: 'member' });
  await takeEvents();
  const invoiceId = await build.createOrder({ token });
  expectStatus(await build.payWith(invoiceId, 'poor:1', { token }), 422);
  const mails = await takeEvents();
  const refused = mails.filter(({ event }) => event === 'payment_failed');
  assert.deepEqual(refused.map(({ recipient }) => recipient).sort(), [
    FOUNDER,
    'person-1@example.org',
    'person-2@example.org',
  ]);
  assert.match(refused[0]?.content?.paragraphs[0] ?? '', /The reason is: the balance is too low\.$/);
  assert.ok(listEvents(mails, 'person-1@example.org').includes('invoice'));
  assert.ok(!listEvents(mails, 'person-2@example.org').includes('invoice'));
});

test('webhook.disabled: a receiver is gone for good → the administrators are told which endpoint and why, nobody else', async () => {
  const receiver = await startReceiver();
  const made = expectStatus(await ask('POST', '/webhooks', { body: { url: receiver.url } }), 201);
  expectStatus(await ask('POST', `/webhooks/${getText(made.body.id)}/test`, { body: {} }), 201);
  receiver.answerWith(410);
  await sender.runDue();
  const mails = await takeEvents();
  assert.deepEqual(
    mails.map(({ event, recipient }) => `${event} ${recipient}`),
    [`webhook_off ${FOUNDER}`],
  );
  const text = mails[0]?.content?.paragraphs.join(' ') ?? '';
  assert.ok(text.includes(receiver.url) && text.includes('answered 410'), text);
});

test('target.answered: the lab approves one request and declines another → the members who may order are told, with the reason and the page', async () => {
  const approved = await build.createTargetRequest();
  const declined = await build.createTargetRequest();
  await takeEvents();
  const approval = { target: {}, lead_time_days: 14 };
  expectStatus(await ask('POST', `/lab/target-requests/${approved}/approve`, { body: approval }), 200);
  const reason = 'Nobody sells it.\nNot even abroad.';
  expectStatus(await ask('POST', `/lab/target-requests/${declined}/decline`, { body: { reason } }), 200);
  const mails = (await takeEvents()).filter(({ event }) => event === 'target_answer');
  // Both mails may be due in the same moment, so their order says nothing.
  const texts = new Map(
    mails
      .filter(({ recipient }) => recipient === FOUNDER)
      .map(({ content }) => [
        new URL(content?.action?.url ?? '').searchParams.get('next'),
        content?.paragraphs[0] ?? '',
      ]),
  );
  assert.equal(texts.size, 2);
  assert.match(texts.get(`/target-requests/${approved}`) ?? '', /A target of ours\. It was approved\.$/);
  assert.match(
    texts.get(`/target-requests/${declined}`) ?? '',
    /A target of ours\. It was declined: Nobody sells it\. Not even abroad\.$/,
  );
  // The one of the role billing, who cannot order with the target, is not told.
  assert.deepEqual([...new Set(mails.map(({ recipient }) => recipient))].toSorted(), [
    FOUNDER,
    'person-2@example.org',
  ]);
});

test('notifications: the lab has a new request, a failed analysis and a late order → the staff are told by their roles', async () => {
  for (const role of ['operator', 'manager', 'finance'] as const) await issueToken({ staffRoles: [role] });
  const [operator, manager, finance] = [3, 4, 5].map((number) => `person-${number}@example.org`);
  const order = await build.createQueued();
  await takeEvents();
  await build.createTargetRequest();
  const events = await takeEvents();
  assert.deepEqual(listEvents(events, manager), ['target_request']);
  assert.deepEqual([listEvents(events, operator), listEvents(events, finance)], [[], []]);
  await database.runTransaction((tx) =>
    addUpdate(
      work,
      tx,
      { ...order, organization_id: founder.organizationId },
      { event: 'analysis.stopped', name: 'Analysis stopped', description: 'A file is empty.', actor: 'lab' },
    ),
  );
  clock.advance(12 * DAY_MS);
  const mails = await takeEvents();
  for (const person of [operator, manager])
    assert.deepEqual(listEvents(mails, person).sort(), ['delay', 'failed_analysis', 'late_run']);
  assert.deepEqual(listEvents(mails, finance), ['delay']);
  clock.advance(DAY_MS);
  assert.deepEqual(await takeEvents(), []);
});

test('late_run: older orders that wait for their clients fill a look → a late one is found before them', async () => {
  const { read } = database;
  const [unpaid, late] = [await build.createQueued(), await build.createQueued()];
  await read.query(`update experiments set status_since = $2 where id = $1`, [
    unpaid.id,
    new Date(clock.now().getTime() - DAY_MS),
  ]);
  await read.query(`update invoices set status = 'open' where experiment_id = $1`, [unpaid.id]);
  clock.advance(12 * DAY_MS);
  const before = computeLateLimit('in_queue', clock.now());
  assert.ok(before !== null);
  const limits = [{ status: 'in_queue', before }] as const;
  const found = await selectWaitingOrders(labScope, read, { limits, count: 1 });
  assert.deepEqual(
    found.map(({ id }) => id),
    [late.id],
  );
});

test('messages: the client writes, and the lab answers → the staff who run orders are told, then the members', async () => {
  const order = await build.createQueued();
  await takeEvents();
  const body = { text: 'When do you begin?' };
  expectStatus(await ask('POST', `/experiments/${order.code}/messages`, { body }), 201);
  const toLab = (await takeEvents()).filter(({ event }) => event === 'client_message');
  assert.deepEqual(toLab.map(({ recipient }) => recipient).sort(), [
    FOUNDER,
    'person-3@example.org',
    'person-4@example.org',
  ]);
  expectStatus(await ask('POST', `/lab/experiments/${order.code}/messages`, { body }), 201);
  const toClient = (await takeEvents()).filter(({ event }) => event === 'message');
  assert.ok(listEvents(toClient).includes('message'));
  assert.ok(!toClient.some(({ recipient }) => recipient === 'person-1@example.org'), 'the role billing');
});

test('notifications: everything that can be chosen → a test above saw its mail', () => {
  assert.deepEqual([...seen].sort(), [...clientEventNames, ...staffEventNames].sort());
});
