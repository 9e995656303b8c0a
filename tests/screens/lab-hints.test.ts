/** What the pages say so that nobody is misled: an open payment, an assay without a price, roles without effect. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createBuilders, createSequences, expectStatus } from '#testing/builders.ts';
import { openSignedIn, type Browser } from '#testing/browser.ts';
import { createRawFile } from '#testing/lab-by-hand.ts';
import { getText, testService } from '#testing/service.ts';

const service = await testService();
const { ask, issueToken } = service;
const build = await createBuilders(service);
const manager = await openSignedIn(service);

const readPage = async (browser: Browser, path: string): Promise<string> => (await browser.open(path)).text;
const settle = async () => {
  while ((await service.service.worker.runDue()) > 0);
};
const STARTS_WHEN_PAID = /the run starts when it is paid/;
const LAB_ALSO = /Also <span><strong>Client:<\/strong> <span class="muted">pay the invoice/;
const CLIENT_ALSO = /Also: <span><strong>You<\/strong> pay the invoice/;

test('payment: an order waits for materials and its invoice → both pages and lists name the payment; once it is paid → none does', async () => {
  const { code, invoiceId } = await build.createInvoiced();
  for (const path of ['/lab/experiments', `/lab/experiments/${code}`])
    assert.match(await readPage(manager, path), LAB_ALSO);
  assert.match(await readPage(manager, '/'), CLIENT_ALSO);
  const own = await readPage(manager, `/experiments/${code}`);
  assert.match(own, CLIENT_ALSO);
  assert.match(own, STARTS_WHEN_PAID);
  expectStatus(await ask('POST', `/lab/invoices/${invoiceId}/bank-transfer`, { body: {} }), 201);
  await settle();
  assert.doesNotMatch(await readPage(manager, `/lab/experiments/${code}`), LAB_ALSO);
  assert.doesNotMatch(await readPage(manager, `/experiments/${code}`), CLIENT_ALSO);
});

test('payment: a run has started before it → the client is not told that the run waits for it', async () => {
  const { id, code } = await build.createInvoiced();
  expectStatus(await ask('POST', `/lab/experiments/${id}/materials`, { body: {} }), 200);
  const body = { instrument: 'Octet R8', override_reason: 'Their purchase order is signed.' };
  expectStatus(await ask('POST', `/lab/experiments/${id}/runs`, { body }), 201);
  const page = await readPage(manager, `/experiments/${code}`);
  assert.match(page, /The invoice is open\./);
  assert.match(page, CLIENT_ALSO);
  assert.doesNotMatch(page, STARTS_WHEN_PAID);
});

test('assay types: an assay is offered without a price → staff read why nobody can order it, and clients do not find it', async () => {
  const path = '/lab/assay-types';
  assert.doesNotMatch(await readPage(manager, path), /has no price for it/);
  expectStatus(await ask('PATCH', `${path}/epitope_binning`, { body: { offered: true } }), 200);
  assert.match(await readPage(manager, path), /has no price for it/);
  assert.doesNotMatch(await readPage(manager, '/experiments/new'), /value="epitope_binning"/);
});

test('staff: a person who administrates no organization is appointed → the page says that the roles have no effect', async () => {
  const token = await issueToken({ role: 'member' });
  const id = getText((await ask('GET', '/whoami', { token })).body.user_id);
  const { read } = service.service.database;
  const [person] = await read.query<{ email: string }>('select email from users where id = $1', [id]);
  const email = person?.email ?? '';
  const page = await manager.open('/lab/staff');
  const typed = { email, 'roles:operator': 'yes' };
  const sent = await manager.send(page, '/lab/staff/appoint', typed);
  assert.match(await readPage(manager, sent.location ?? ''), /have no effect yet/);
  assert.match(await readPage(manager, `/lab/staff?search=${email}`), /No effect yet/);
  assert.doesNotMatch(page.text, /No effect yet/);
});

test('clients: the former address of the screen → leads to it, with the client; for a client → 404', async () => {
  const client = await openSignedIn(
    service,
    getText((await ask('GET', '/whoami', { token: await issueToken({ role: 'admin' }) })).body.user_id),
  );
  assert.equal((await manager.open('/lab/customers')).location, '/lab/clients');
  assert.equal((await manager.open('/lab/customers/a%2Fb')).location, '/lab/clients/a%2Fb');
  assert.equal((await client.open('/lab/customers')).status, 404);
});

test('repeat: a replicate is measured again → the page of the order names it until the run is complete', async () => {
  const sequences = createSequences(2);
  const spec = { sequences, experiment_type: 'affinity', n_replicates: 2 };
  const { id, code } = await build.createRunning(build.createBody(spec));
  const files = `/lab/experiments/${id}/files`;
  const measure = async (measured: Readonly<Record<string, string>>) => {
    expectStatus(await ask('POST', files, { body: createRawFile(measured, 'affinity') }), 201);
    expectStatus(
      await ask('POST', `/lab/experiments/${id}/complete`, {
        body: { reason: 'Less than ordered is enough.' },
      }),
      200,
    );
  };
  const readOrder = () => readPage(manager, `/lab/experiments/${code}`);
  assert.doesNotMatch(await readOrder(), /Measure again/);
  await measure(sequences);
  await settle();
  const [sequence = ''] = Object.keys(sequences);
  const decision = { sequence, plate: 'P1', replicate: 2, decision: 'repeat', reason: 'An air bubble.' };
  expectStatus(
    await ask('POST', `/lab/experiments/${id}/decisions`, { body: { decisions: [decision] } }),
    200,
  );
  const order = await readOrder();
  assert.match(order, /Measure again: 1 measurement/);
  assert.match(order, /replicate 2.*An air bubble\./s);
  await measure(createSequences(1));
  assert.doesNotMatch(await readOrder(), /Measure again/);
});
