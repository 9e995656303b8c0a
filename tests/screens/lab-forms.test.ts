/** The forms of the lab's pages: each does what it says, shows what was refused beside it, and is for those who may. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createBuilders, createSequences, UNKNOWN_ID } from '#testing/builders.ts';
import { openSignedIn, readFormToken, type Browser, type Page } from '#testing/browser.ts';
import { createRawFile } from '#testing/lab-by-hand.ts';
import { testService, getItems, getText } from '#testing/service.ts';
import type { NewPerson } from '#testing/people.ts';

const service = await testService();
const { ask, issueToken } = service;
const build = await createBuilders(service);
const HOSTILE = '"><img src=x onerror=alert(1)>';

async function openAs(person: NewPerson): Promise<Browser> {
  const token = await issueToken(person);
  return openSignedIn(service, getText((await ask('GET', '/whoami', { token })).body.user_id));
}

const manager = await openSignedIn(service);
const operator = await openAs({ staffRoles: ['operator'] });
const client = await openAs({ role: 'admin' });

const readStatus = async (code: string): Promise<string> =>
  getText((await ask('GET', `/lab/experiments/${code}`)).body.status);

async function sendForm(
  browser: Browser,
  page: string,
  action: string,
  typed: Readonly<Record<string, string>> = {},
): Promise<Page> {
  const answer = await browser.send(await browser.open(page), action, typed);
  assert.equal(answer.status, 303, answer.text);
  return browser.open(answer.location ?? '');
}

/** Sends the upload form as a browser does. */
async function upload(browser: Browser, code: string, name: string, bytes: Buffer, token: string) {
  const boundary = '----form';
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="form_token"\r\n\r\n${token}\r\n--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\nContent-Type: text/csv\r\n\r\n`;
  const { statusCode, body, headers } = await service.service.app.inject({
    method: 'POST',
    url: `/lab/experiments/${code}/files`,
    headers: {
      accept: 'text/html',
      cookie: browser.cookie,
      'content-type': `multipart/form-data; boundary=${boundary}`,
    },
    payload: Buffer.concat([Buffer.from(head), bytes, Buffer.from(`\r\n--${boundary}--\r\n`)]),
  });
  return { status: statusCode, text: body, location: headers.location };
}

test('order: receive, start, upload, complete, release by forms → each moves it, and the page says so', async () => {
  const { code } = await build.createPaid();
  const path = `/lab/experiments/${code}`;
  assert.match((await sendForm(operator, path, `${path}/materials`)).text, /The materials are in the lab/);
  const started = await sendForm(operator, path, `${path}/runs`, { instrument: 'Octet R8' });
  assert.match(started.text, /The run has started/);
  const { name, content_base64: content } = createRawFile(createSequences(1));
  const token = await readFormToken(operator);
  const sent = await upload(operator, code, name, Buffer.from(content, 'base64'), token);
  assert.equal(sent.status, 303, sent.text);
  const recorded = await operator.open(path);
  assert.ok(recorded.text.includes(name));
  assert.match(recorded.text, /1 sequence found/);
  const kept = await ask('GET', `/lab/experiments/${code}/files`);
  assert.equal(getItems(kept.body.files)[0]?.size_bytes, Buffer.from(content, 'base64').length);
  await sendForm(operator, path, `${path}/complete`, { reason: 'Less than ordered is enough.' });
  while ((await service.service.worker.runDue()) > 0);
  assert.equal(await readStatus(code), 'in_review');
  assert.doesNotMatch((await operator.open(path)).text, /Release the results/);
  await sendForm(manager, path, `${path}/release`, { reason: 'Less than ordered is enough.' });
  assert.equal(await readStatus(code), 'done');
});

test('upload: another session, an unreadable file, none, and a client → refused; nothing is stored', async () => {
  const { code } = await build.createRunning();
  const good = Buffer.from(createRawFile(createSequences(1)).content_base64, 'base64');
  const token = await readFormToken(operator);
  assert.equal((await upload(operator, code, 'a.csv', good, 'other')).status, 400);
  const unreadable = await upload(operator, code, 'a.csv', Buffer.from('nothing'), token);
  assert.equal(unreadable.status, 422);
  assert.match(unreadable.text, /class="problem" role="alert">The file was rejected/);
  assert.match((await upload(operator, code, '', Buffer.alloc(0), token)).text, /Choose a file/);
  const foreign = await upload(client, code, 'a.csv', good, await readFormToken(client));
  assert.equal(foreign.status, 404);
  const { body } = await ask('GET', `/lab/experiments/${code}/files`);
  assert.equal(getItems(body.files).length, 0);
});

test('order: an unpaid run → a manager gives a reason, an operator is told why not; settings that are no JSON → said beside the field', async () => {
  const { code } = await build.createInvoiced();
  const path = `/lab/experiments/${code}`;
  await sendForm(operator, path, `${path}/materials`);
  const seen = await operator.open(path);
  assert.match(seen.text, /A manager may start the run before the payment/);
  assert.ok(!seen.text.includes(`action="${path}/runs"`));
  const typed = { instrument: 'Octet R8', override_reason: HOSTILE };
  const started = await sendForm(manager, path, `${path}/runs`, typed);
  assert.ok(!started.text.includes('<img'));
  const refused = await manager.send(started, `${path}/complete`, { settings: '{' });
  assert.equal(refused.status, 400);
  assert.match(refused.text, /id="lab-experiments-[\w-]+-settings-problem"><li>Is not valid JSON/);
});

test('notes: one is added → staff see it escaped, the client does not; cancel with a reason → canceled', async () => {
  const { code } = await build.createInvoiced();
  const path = `/lab/experiments/${code}`;
  const noted = await sendForm(operator, path, `${path}/notes`, { note: HOSTILE });
  assert.ok(noted.text.includes('&quot;&gt;&lt;img src=x') && !noted.text.includes('<img'));
  assert.ok(!(await client.open(`/experiments/${code}`)).text.includes('onerror'));
  assert.doesNotMatch(noted.text, /Cancel the order/);
  await sendForm(manager, path, `${path}/cancel`, { reason: 'Asked by the client.' });
  assert.equal(await readStatus(code), 'canceled');
});

test('sequences: staff open them → the audit trail of the client has it; the FASTA alike', async () => {
  const { code } = await build.createPaid();
  assert.doesNotMatch((await operator.open(`/lab/experiments/${code}`)).text, /QVQLVESGG/);
  assert.match((await operator.open(`/lab/experiments/${code}/sequences`)).text, /QVQLVESGG/);
  assert.match((await operator.open(`/lab/experiments/${code}/sequences.fasta`)).text, /^>design-1\nQVQL/);
  const trail = await ask('GET', '/audit?filter=eq(operation,get_lab_sequences)');
  assert.equal(trail.body.total, 2);
});

test('invoice: a transfer, a refund of a bad amount and a good one, a void one issued again → as the page says', async () => {
  const { invoiceId } = await build.createInvoiced();
  const path = `/lab/invoices/${invoiceId}`;
  const paid = await sendForm(manager, path, `${path}/transfer`, { reference: 'SEPA 77' });
  assert.match(paid.text, /the invoice is paid/);
  const bad = await manager.send(paid, `${path}/refunds`, { amount_cents: 'much', reason: 'None.' });
  assert.equal(bad.status, 400);
  assert.match(bad.text, /amount_cents-problem"><li>Write an amount such as 12.50/);
  const asked = await manager.send(await manager.open(path), `${path}/refunds`, {
    amount_cents: '1.50',
    reason: HOSTILE,
  });
  assert.match(asked.text, /Refund \$1\.50\?.*No money moves by itself: you send it by bank transfer/s);
  const sent = await manager.send(asked, `${path}/refunds`);
  const refunded = await manager.open(sent.location ?? '');
  assert.match(refunded.text, /\$1\.50/);
  assert.match(refunded.text, /credit note was issued; send the money by transfer and record it/);
  const claims = />On its way<|The refund was made|goes back to the client/;
  assert.doesNotMatch(refunded.text, claims);
  assert.match(refunded.text, />Send by hand</);
  while ((await service.service.worker.runDue()) > 0);
  const refunds = (await manager.open('/lab/refunds')).text;
  assert.match(refunds, /<span class="sub">bank transfer<\/span>/);
  assert.doesNotMatch(refunds, /Try again|\brail\b/i);
  assert.ok(!refunded.text.includes('<img'));
  const voided = await build.createVoided();
  const gone = `/lab/invoices/${voided.invoiceId}`;
  const again = await sendForm(manager, gone, `${gone}/reissue`, { reason: 'Wrong buyer.' });
  assert.match(again.text, /This invoice replaces the void one/);
  assert.ok(!(await operator.open(path)).text.includes(`action="${path}/`));
});

test('refused form: the page has it no more → the page says why on top', async () => {
  const token = { form_token: await readFormToken(manager) };
  const unknown = await manager.post(`/lab/refunds/${UNKNOWN_ID}/record`, { ...token, reference: 'SEPA 1' });
  assert.equal(unknown.status, 404);
  assert.match(unknown.text, /<main[^]*role="alert">[^<]+<[^]*<h1[^>]*>Refunds</);
  const { invoiceId } = await build.createVoided();
  const again = await manager.post(`/lab/invoices/${invoiceId}/send`, token);
  assert.equal(again.status, 422, again.text);
  assert.match(again.text, /role="alert">[^<]*void/);
});

test('refund: a link with an amount in cents leads to the invoice → the form is open with the amount; with anything else it is empty', async () => {
  const { invoiceId } = await build.createPaid();
  const path = `/lab/invoices/${invoiceId}`;
  assert.match(
    (await manager.open(`${path}?refund=14700`)).text,
    /<details open><summary>Refund<[^]*?name="amount_cents"[^>]*value="147\.00"/,
  );
  for (const wrong of ['', '?refund=0', '?refund=-5', '?refund=1e3', '?refund=%3Cb%3E'])
    assert.match(
      (await manager.open(`${path}${wrong}`)).text,
      /<details><summary>Refund<[^]*?name="amount_cents"[^>]*value=""/,
      wrong,
    );
});

test('refund of everything: the form is sent once → the amount is shown and nothing is done; the second press refunds it', async () => {
  const { invoiceId } = await build.createPaid();
  const path = `/lab/invoices/${invoiceId}`;
  const readNotes = async () =>
    getItems((await ask('GET', `/lab/invoices/${invoiceId}`)).body.credit_notes).map(
      (note) => note.amount_cents,
    );
  const { body } = await ask('GET', `/lab/invoices/${invoiceId}`);
  const amount = `$${(Number(body.total_cents) / 100).toFixed(2)}`;
  const first = await manager.send(await manager.open(path), `${path}/refunds`, { reason: 'Lost.' });
  assert.equal(first.status, 200);
  assert.ok(first.text.includes(`>Refund ${amount}</button>`), first.text);
  assert.deepEqual(await readNotes(), []);
  const second = await manager.send(first, `${path}/refunds`);
  assert.equal(second.status, 303, second.text);
  assert.deepEqual(await readNotes(), [body.total_cents]);
  const tooMuch = await manager.send(await manager.open(path), `${path}/refunds`, {
    amount_cents: '1',
    reason: 'No.',
  });
  assert.equal(tooMuch.status, 422);
});

test('cancel of a paid order: the form is sent once → the amount is shown and nothing is done; the second press cancels', async () => {
  const { code, invoiceId } = await build.createPaid();
  const path = `/lab/experiments/${code}`;
  const first = await manager.send(await manager.open(path), `${path}/cancel`, {
    reason: 'Asked by the client.',
    refund_cents: '10.00',
  });
  assert.match(first.text, /Cancel the order and refund \$10\.00<\/button>/);
  assert.match(first.text, /the lab keeps \$/);
  assert.notEqual(await readStatus(code), 'canceled');
  assert.equal((await manager.send(first, `${path}/cancel`)).status, 303);
  assert.equal(await readStatus(code), 'canceled');
  const { body } = await ask('GET', `/lab/invoices/${invoiceId}`);
  assert.deepEqual(
    getItems(body.credit_notes).map((note) => note.amount_cents),
    [1_000],
  );
});

test('audit: staff read the results of a client → the page lists changes alone, and the reads when asked for', async () => {
  const { id } = await build.createReviewed();
  await ask('GET', `/lab/experiments/${id}/results`);
  const changes = await manager.open('/lab/audit');
  assert.match(changes.text, /<code class="nowrap">\w+<\/code>/);
  assert.doesNotMatch(changes.text, /<code class="nowrap">(?:list|get)_lab_/);
  assert.match((await manager.open('/lab/audit?show=reads')).text, /<code class="nowrap">list_lab_results</);
  assert.match((await manager.open('/lab/audit?show=all')).text, /<code class="nowrap">list_lab_results</);
});

test('staff: appoint, change, dismiss → each on the list; the last manager and no role → said on the page', async () => {
  const email = await build.createAccount();
  const appointed = await sendForm(manager, '/lab/staff', '/lab/staff/appoint', {
    email,
    'roles:operator': 'yes',
  });
  assert.ok(appointed.text.includes(email));
  const { body } = await ask('GET', `/lab/staff?search=${email}`);
  const path = `/lab/staff/${getText(getItems(body.items)[0]?.user_id)}`;
  assert.match(
    (await sendForm(manager, '/lab/staff', `${path}/roles`, { 'roles:finance': 'yes' })).text,
    /roles were changed/,
  );
  assert.equal((await manager.send(await manager.open('/lab/staff'), `${path}/roles`)).status, 400);
  const unknown = await manager.send(await manager.open('/lab/staff'), '/lab/staff/appoint', {
    email: HOSTILE,
  });
  assert.ok(unknown.status >= 400 && !unknown.text.includes('<img'));
  assert.match((await sendForm(manager, '/lab/staff', `${path}/dismiss`)).text, /was dismissed/);
  const me = `/lab/staff/${service.service.founder.userId}`;
  const last = await manager.send(await manager.open('/lab/staff'), `${me}/dismiss`);
  assert.equal(last.status, 409);
  assert.match(last.text, /Nobody else may appoint staff/);
});

test('clients: billing details are changed by finance → saved; an operator sees no form', async () => {
  const { body } = await ask('GET', '/whoami');
  const path = `/lab/clients/${getText(body.active_organization_id)}`;
  const saved = await sendForm(manager, path, `${path}/billing`, { legal_name: HOSTILE, country: 'DE' });
  assert.match(saved.text, /billing details are saved/);
  assert.ok(!saved.text.includes('<img'));
  assert.ok(!(await operator.open(path)).text.includes('/billing"'));
  assert.equal((await manager.open(`/lab/clients/${UNKNOWN_ID}`)).status, 404);
});

test('health: a failed job is tried again by a manager → due; an operator has no button', async () => {
  const id = await build.createFailedJob();
  assert.match((await operator.open('/lab/health')).text, /1 failed/);
  assert.doesNotMatch((await operator.open('/lab/health')).text, /Try again/);
  const after = await sendForm(manager, '/lab/health', `/lab/health/jobs/${id}/retry`);
  assert.match(after.text, /The job is due again/);
  assert.match(after.text, /No job has failed/);
});
