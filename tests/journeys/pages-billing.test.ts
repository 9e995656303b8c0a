/** The pages of a client's accounting: the invoices of the organization, and who they are made out to. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createBuilders, expectStatus, VHH } from '#testing/builders.ts';
import { openSignedIn } from '#testing/browser.ts';
import { fakeRail } from '#testing/fake-rail.ts';
import { createMachineOrders } from '#testing/machine-orders.ts';
import { testService, getText, type TestService } from '#testing/service.ts';

async function readUserId({ ask }: TestService, token: string): Promise<string> {
  return getText((await ask('GET', '/whoami', { token })).body.user_id);
}

const HOSTILE = '<img src=x onerror=alert(1)>';

test('invoices page: invoices in every state → state, amount, date, document and the way to pay', async () => {
  const service = await testService({ SANDBOX_SPEED: '1' }, { rails: [fakeRail('x402-exact')] });
  const { createInvoiced, createPaid, createVoided, createAutoAccepted, createOrder } =
    await createMachineOrders(service);
  const { ask, clock } = service;
  const browser = await openSignedIn(service);
  const nothing = await browser.open('/invoices');
  assert.match(nothing.text, /No invoices yet/);
  const findRow = (text: string, number: string): string =>
    text.split('<tr>').find((row) => row.includes(`>${number}<`)) ?? assert.fail(`no row of ${number}`);
  const readNumber = async (id: string) => getText((await ask('GET', `/invoices/${id}`)).body.invoice_number);
  const open = await createInvoiced();
  const settled = await createPaid();
  const gone = await createVoided();
  await createAutoAccepted();
  const machine = await createOrder();
  const { text } = await browser.open('/invoices');
  assert.match(text, /5 invoices/);
  const openNumber = await readNumber(open.invoiceId);
  const due = findRow(text, openNumber);
  assert.match(due, /To be paid[^]*\$212\.00[^]*1 Apr 2026[^]*>Pay<\/a>[^]*>PDF<\/a>/);
  assert.ok(due.includes(`href="/experiments/${open.code}"`));
  for (const [id, word] of [
    [settled.invoiceId, 'Paid'],
    [gone.invoiceId, 'Void'],
  ] as const) {
    const row = findRow(text, await readNumber(id));
    assert.ok(row.includes(`>${word}</span>`));
    assert.doesNotMatch(row, />Pay</);
    assert.match(row, />PDF</);
  }
  assert.match(findRow(text, await readNumber(machine)), /paid by a program/);
  const draft = text.split('<tr>').find((row) => row.includes('>Draft</span>')) ?? '';
  assert.doesNotMatch(draft, />PDF<|>Pay</);
  const pdf = await browser.open(`/invoices/${open.invoiceId}/invoice.pdf`);
  assert.deepEqual(
    [pdf.status, (await browser.open(pdf.location ?? '')).headers['content-type']],
    [303, 'application/pdf'],
  );
  const filtered = await browser.open('/invoices?status=void');
  assert.match(filtered.text, /1 invoice with these filters</);
  assert.match((await browser.open('/invoices?status=uncollectible')).text, /Nothing matches these filters/);
  const file = await browser.open('/invoices.csv');
  assert.equal(file.headers['content-type'], 'text/csv; charset=utf-8');
  const [heads, ...rows] = file.text.trim().split('\r\n');
  assert.match(heads ?? '', /^\ufeff?invoice,experiment,state,amount,currency,created_on,due_on,/);
  assert.equal(rows.length, 5);
  assert.ok(
    rows.some((row) => row.startsWith(`${openNumber},${open.code},open,212.00,USD,2026-03-02,2026-04-01,`)),
  );
  assert.equal((await browser.open('/invoices.csv?status=void')).text.trim().split('\r\n').length, 2);
  clock.advance(40 * 86_400_000);
  assert.match(
    findRow((await (await openSignedIn(service)).open('/invoices')).text, await readNumber(open.invoiceId)),
    /Overdue/,
  );
});

test('invoices page: another organization → sees no invoice and no document', async () => {
  const service = await testService();
  const { createInvoiced } = await createBuilders(service);
  const { invoiceId } = await createInvoiced();
  const stranger = await service.issueToken({ role: 'admin', ownOrganization: true });
  const browser = await openSignedIn(service, await readUserId(service, stranger));
  assert.match((await browser.open('/invoices')).text, /No invoices yet/);
  assert.doesNotMatch((await browser.open('/invoices.csv')).text, /INV-/);
  assert.equal((await browser.open(`/invoices/${invoiceId}/invoice.pdf`)).status, 404);
});

test('billing details: a bad value → the problem stands beside its field, the input stays, nothing is stored', async () => {
  const service = await testService();
  const browser = await openSignedIn(service);
  const page = await browser.open('/organization/billing');
  const typed = {
    legal_name: HOSTILE,
    address: 'Accounts\r\n1 Example Street',
    country: 'DE',
    tax_id: 'DE12',
    page_size: '',
  };
  const refused = await browser.send(page, '/organization/billing', typed);
  assert.equal(refused.status, 400);
  assert.match(refused.text, /Nothing was changed; see below/);
  assert.match(
    refused.text,
    /name="tax_id" aria-describedby="(?<id>[\w-]+)-hint \k<id>-problem" aria-invalid="true"[^>]*value="DE12"/,
  );
  assert.match(refused.text, /tax_id-problem"><li>[^<]*DE123456789/);
  assert.match(refused.text, /<option value="DE" selected>Germany/);
  assert.doesNotMatch(refused.text, /<img/);
  assert.equal((await service.ask('GET', '/billing/profile')).body.country, null);
  const saved = await browser.send(refused, '/organization/billing', { ...typed, tax_id: 'DE123456789' });
  assert.equal(saved.location, '/organization/billing?done=billing');
  assert.match((await browser.open(saved.location ?? '')).text, /are saved/);
  const profile = expectStatus(await service.ask('GET', '/billing/profile'), 200).body;
  assert.deepEqual(
    [profile.legal_name, profile.address, profile.tax_id, profile.page_size],
    [HOSTILE, 'Accounts\n1 Example Street', 'DE123456789', null],
  );
  const cleared = await browser.open('/organization/billing');
  await browser.send(cleared, '/organization/billing', { legal_name: '', country: '', tax_id: '' });
  assert.equal((await service.ask('GET', '/billing/profile')).body.legal_name, null);
});

test('billing details: an unknown country → refused beside its field', async () => {
  const service = await testService();
  const browser = await openSignedIn(service);
  const page = await browser.open('/organization/billing');
  const refused = await browser.send(page, '/organization/billing', { country: 'XX' });
  assert.equal(refused.status, 400);
  assert.match(refused.text, /country-problem"><li>XX is not a country/);
});

test('permission_denied: a member → sees the invoices, but not the billing details nor a link to them', async () => {
  const service = await testService();
  const browser = await openSignedIn(
    service,
    await readUserId(service, await service.issueToken({ role: 'member' })),
  );
  const list = await browser.open('/invoices');
  assert.equal(list.status, 200);
  assert.doesNotMatch(list.text, /organization\/billing/);
  assert.doesNotMatch((await browser.open('/organization')).text, /organization\/billing/);
  assert.equal((await browser.open('/organization/billing')).status, 403);
});

test('new experiment: a pasted table → a draft with its control; a bad row → its line', async () => {
  const service = await testService();
  const browser = await openSignedIn(service);
  const typed = { name: 'a table', experiment_type: 'expression', n_replicates: '2', intent: 'create' };
  const paste = async (sequences: string) =>
    browser.send(await browser.open('/experiments/new'), '/experiments/new', { ...typed, sequences });
  const bad = await paste(`name,sequence\r\na,${VHH}\r\na,${VHH}\r\n`);
  assert.match(bad.text, /Line 3: the name &quot;a&quot; is already used in line 2/);
  const created = await paste(`name;sequence;control\r\na;${VHH};\r\nb;${VHH}W;yes\r\n`);
  assert.equal(created.status, 303, created.text);
  const { body } = await service.ask('GET', created.location ?? '');
  assert.equal(body.experiment_spec.sequences.b.control, true);
});
