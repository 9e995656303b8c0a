/** `GET /lab/needs` and the page `/lab`: every order once, and to each person what they may see to. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StaffRole } from '#core/permissions.ts';
import { openSignedIn } from '#testing/browser.ts';
import { createBuilders, expectFailure, expectStatus } from '#testing/builders.ts';
import { getItems, getText, testService, type Json } from '#testing/service.ts';

const DAY_MS = 86_400_000;
const service = await testService();
const { ask, clock, issueToken } = service;
const build = await createBuilders(service);

const draft = await build.createAutoAccepted();
const open = await build.createInvoiced();
await build.createUnpriced();
await build.createQueued();
await build.createReviewed();
await build.createTargetRequest();
const requested = expectStatus(
  await ask('POST', '/experiments', {
    body: build.createBody({ target_id: null, requested_target: { name: 'A rare antigen' } }),
  }),
  201,
).body;

async function readNeeds(staffRoles: readonly StaffRole[]): Promise<readonly Json[]> {
  const token = await issueToken({ staffRoles });
  return getItems(expectStatus(await ask('GET', '/lab/needs', { token }), 200).body.needs);
}

const listKinds = (needs: readonly Json[]): string[] => needs.map(({ kind }) => getText(kind));
const listOrders = (needs: readonly Json[], kind?: string): readonly Json[] =>
  needs
    .filter((need) => kind === undefined || getText(need.kind) === kind)
    .flatMap((need) => getItems(need.orders));
const find = (needs: readonly Json[], kind: string, id: string): Json | undefined =>
  listOrders(needs, kind).find((order) => getText(order.experiment_id) === id);

async function openAs(staffRoles: readonly StaffRole[]) {
  const token = await issueToken({ staffRoles });
  return openSignedIn(service, getText((await ask('GET', '/whoami', { token })).body.user_id));
}

test('get_lab_needs: somebody with every role → each order once, the others beside it; by role → only what it may do', async () => {
  const all = await readNeeds(['operator', 'manager', 'finance']);
  const ids = listOrders(all).map((order) => getText(order.experiment_id));
  assert.equal(new Set(ids).size, ids.length);
  assert.deepEqual(find(all, 'draft_invoice', draft.id)?.also, ['materials']);
  assert.deepEqual(find(all, 'materials', open.id)?.also, ['unpaid_invoice']);
  assert.ok(find(all, 'target_request', getText(requested.experiment_id)) !== undefined);
  assert.deepEqual(listKinds(await readNeeds(['operator'])), ['run', 'materials']);
  assert.deepEqual(listKinds(await readNeeds(['finance'])), ['draft_invoice', 'unpaid_invoice']);
  assert.deepEqual(listKinds(await readNeeds(['manager'])), [
    'review',
    'quote',
    'target_request',
    'run',
    'materials',
  ]);
});

test('get_lab_needs: an operator → no money; a client → 403', async () => {
  const orders = listOrders(await readNeeds(['operator']));
  assert.ok(orders.every(({ invoice, refund }) => invoice === null && refund === null));
  const token = await issueToken({ role: 'admin', ownOrganization: true });
  expectFailure(await ask('GET', '/lab/needs', { token }), 403, 'permission_denied');
});

test('get_lab_needs: more orders than are shown → the first five, and how many there are; those that wait longest come first', async () => {
  for (let made = 0; made < 5; made += 1) {
    clock.advance(60_000);
    await build.createUnpriced();
  }
  const quotes = (await readNeeds(['manager'])).find(({ kind }) => getText(kind) === 'quote');
  assert.equal(quotes?.total, 6);
  const since = getItems(quotes?.orders).map((order) => getText(order.status_since));
  assert.equal(since.length, 5);
  assert.deepEqual(since, since.toSorted());
});

test('today: every role → no order stands twice, and its other matters are links beside it', async () => {
  const { text } = await (await openSignedIn(service)).open('/lab');
  const rows = [...text.matchAll(/<li>.*?<\/li>/gs)].map(([row]) => row);
  for (const code of [draft.code, open.code])
    assert.equal(rows.filter((row) => row.includes(`/lab/experiments/${code}"`)).length, 1, code);
  for (const link of [
    `Also: <a href="/lab/experiments/${draft.code}">materials to receive</a>`,
    `Also: <a href="/lab/invoices/${open.invoiceId}">invoice to be paid</a>`,
  ])
    assert.ok(text.includes(link), link);
  assert.match(text, /Requests for targets/);
});

test('today: finance → overdue invoices first with days and amount, then those to send and to be paid, refunds; each a link', async () => {
  clock.advance(33 * DAY_MS);
  const fresh = await build.createInvoiced();
  await build.createRefusedRefund();
  const unsent = await build.createAutoAccepted();
  const needs = await readNeeds(['finance']);
  assert.deepEqual(listKinds(needs), [
    'overdue_invoice',
    'refund_by_hand',
    'draft_invoice',
    'unpaid_invoice',
  ]);
  assert.equal(find(needs, 'overdue_invoice', open.id)?.invoice.days_late, 4);
  const [refunded] = listOrders(needs, 'refund_by_hand');
  const note = getText(refunded?.refund.credit_note_number);
  const { text } = await (await openAs(['finance'])).open('/lab');
  const heads = [...text.matchAll(/<span class="count">(\d+)<\/span> ([^<]+)<\/h2><a href="([^"]+)"/g)];
  assert.deepEqual(
    heads.map(([, count, title, path]) => [count, title, path]),
    [
      ['1', 'Overdue invoices', '/lab/invoices?status=overdue'],
      ['1', 'Refunds to send by hand', '/lab/refunds?status=action_required'],
      ['1', 'Invoices to send', '/lab/invoices?status=draft'],
      ['2', 'Invoices to be paid', '/lab/invoices?status=open'],
    ],
  );
  for (const path of [
    `/lab/invoices/${open.invoiceId}`,
    `/lab/invoices/${fresh.invoiceId}`,
    `/lab/invoices/${unsent.invoiceId}`,
    `/lab/refunds?search=${note}`,
  ])
    assert.ok(text.includes(`href="${path}"`), path);
  assert.match(text, /\$[\d,.]+<\/strong><span class="sub">due [^]{0,160}?4 days late/);
  assert.match(text, /A bank transfer is recorded on the page of its invoice/);
});

test('today: the invoice is void → it stands once as ended for finance, and as no material for an operator', async () => {
  const { id, code } = await build.createVoided();
  assert.ok(find(await readNeeds(['finance']), 'ended_invoice', id) !== undefined);
  assert.equal(find(await readNeeds(['operator']), 'materials', id), undefined);
  const { text } = await (await openAs(['finance'])).open('/lab');
  assert.match(text, /Invoices that ended unpaid/);
  assert.match(text, /<span class="sub">void<\/span>/);
  assert.ok(text.includes(code));
});

test('amendment: another analysis of a released order → it waits for managers, with its review; released or discarded → for nobody', async () => {
  const { id: amended } = await build.createPending();
  const { id: discarded, code } = await build.createPending();
  for (const id of [amended, discarded])
    assert.ok(find(await readNeeds(['manager']), 'amendment', id) !== undefined);
  assert.equal(find(await readNeeds(['operator', 'finance']), 'amendment', amended), undefined);
  const { text } = await (await openAs(['manager'])).open('/lab');
  assert.ok(text.includes(`<a href="/lab/experiments/${code}/review">`));
  const end = (id: string, step: string) =>
    ask('POST', `/lab/experiments/${id}/${step}`, { body: { reason: 'It differs by little.' } });
  expectStatus(await end(amended, 'amend'), 200);
  expectStatus(await end(discarded, 'amend/discard'), 200);
  assert.deepEqual(listOrders(await readNeeds(['manager']), 'amendment'), []);
});
