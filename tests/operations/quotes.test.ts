import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS } from '#core/clock.ts';
import {
  createBuilders,
  expectFailure,
  expectStatus,
  createSequences,
  UNKNOWN_ID,
  type Quoted,
} from '#testing/builders.ts';
import { withoutCollection } from '#testing/collection.ts';
import { proveCoverage, createRecordedService } from '#testing/recorder.ts';
import { getItems, getText } from '#testing/service.ts';
import { buildStripeVariables } from '#testing/stripe/service.ts';

const service = await createRecordedService();
const { ask, clock } = service;
const { createBody, targets, create, createQuoted } = await createBuilders(service);

const confirm = (id: string, body: object = {}) => ask('POST', `/quotes/${id}/confirm`, { body });
const confirmQuote = (id: string) => ask('POST', `/experiments/${id}/quote/confirm`, { body: {} });
const reject = (id: string) => ask('POST', `/quotes/${id}/reject`, { body: { reason: 'price' } });

/** The quote that exists before it is opened. */
async function draftQuote(): Promise<string> {
  const { id } = await create();
  const filter = encodeURIComponent(`eq(experiment_id,${id})`);
  const listed = expectStatus(await ask('GET', `/quotes?filter=${filter}`), 200);
  const [quote] = getItems(listed.body.items);
  assert.equal(quote?.status, 'draft');
  return getText(quote?.id);
}

test('get_quote_info: the quote, its list and its experiment → the same total', async () => {
  const { id, quoteId } = await createQuoted(createBody({ sequences: createSequences(5) }));
  const quote = expectStatus(await ask('GET', `/quotes/${quoteId}`), 200);
  assert.equal(quote.body.total_cents, 106_000);
  const metadata = expectStatus(await ask('GET', `/experiments/${id}/quote`), 200);
  assert.equal(metadata.body.amount_total, 106_000);
  assert.equal(metadata.body.expires_at, quote.body.valid_until);
  const listed = expectStatus(await ask('GET', `/quotes?filter=eq(id,${quoteId})`), 200);
  assert.equal(getItems(listed.body.items)[0]?.amount_cents, 106_000);
});

const PUBLISHED_QUOTE =
  `created_at currency id line_items notes organization_id organization_name quote_number status provider_quote_url
   subtotal_cents tax_cents terms_and_conditions total_cents valid_until`.split(/\s+/);
const PUBLISHED_LINE = ['description', 'quantity', 'total_cents', 'unit_price_cents'];

test('get_quote_info: a new quote → every published field, valid for 30 days', async () => {
  const { quoteId } = await createQuoted();
  const { body } = expectStatus(await ask('GET', `/quotes/${quoteId}`), 200);
  assert.deepEqual(
    PUBLISHED_QUOTE.filter((name) => !(name in body)),
    [],
  );
  for (const line of getItems(body.line_items))
    assert.deepEqual(
      PUBLISHED_LINE.filter((name) => !(name in line)),
      [],
    );
  const days = (Date.parse(getText(body.valid_until)) - Date.parse(getText(body.created_at))) / DAY_MS;
  assert.equal(days, 30);
});

test('confirm_quote: no body, or one that is not JSON → 400 and 415, and the quote stays open', async () => {
  const { id, quoteId } = await createQuoted();
  for (const path of [`/quotes/${quoteId}/confirm`, `/experiments/${id}/quote/confirm`]) {
    const headers = { 'content-type': 'application/json' };
    expectFailure(await ask('POST', path, { headers }), 400, 'body_required');
    const text = { ...headers, 'content-type': 'text/plain' };
    expectFailure(await ask('POST', path, { headers: text, body: 'yes' }), 415, 'body_not_json');
  }
  assert.equal((await ask('GET', `/quotes/${quoteId}`)).body.status, 'open');
});

test('invalid_query: quotes are filtered by an unknown field → 400', async () => {
  expectFailure(await ask('GET', '/quotes?filter=eq(color,red)'), 400, 'invalid_query');
});

test('quote_not_found: an unknown quote is read, accepted or rejected → 404', async () => {
  const unknown = expectFailure(await ask('GET', '/quotes/qt_0'), 404, 'quote_not_found');
  assert.equal(unknown.body.problems, undefined);
  expectFailure(await confirm('qt_0'), 404, 'quote_not_found');
  expectFailure(await reject('qt_0'), 404, 'quote_not_found');
  const read = expectFailure(await ask('GET', '/quotes/DEMO-001-001'), 404, 'quote_not_found');
  assert.match(read.text, /call get_quote_metadata \(GET \/experiments\/CODE\/quote\)/);
  const accepted = expectFailure(await confirm('DEMO-001-001'), 404, 'quote_not_found');
  assert.match(accepted.text, /call confirm_experiment_quote/);
});

test('experiment_not_found: the quote of an unknown experiment → 404', async () => {
  for (const part of ['quote', 'quote/pdf']) {
    const path = `/experiments/${UNKNOWN_ID}/${part}`;
    expectFailure(await ask('GET', path), 404, 'experiment_not_found');
  }
  expectFailure(await confirmQuote(UNKNOWN_ID), 404, 'experiment_not_found');
});

test('quote_not_ready: a draft is changed to a target without a price → 404, and quote fields are null', async () => {
  const { id } = await create();
  const before = expectStatus(await ask('GET', `/experiments/${id}/quote`), 200);
  expectStatus(await ask('PATCH', `/experiments/${id}`, { body: { target_id: targets.byHand } }), 200);
  for (const step of ['draft', 'submitted']) {
    if (step === 'submitted') expectStatus(await ask('POST', `/experiments/${id}/submit`), 200);
    for (const part of ['quote', 'quote/pdf'])
      expectFailure(await ask('GET', `/experiments/${id}/${part}`), 404, 'quote_not_ready');
    expectFailure(await confirmQuote(id), 404, 'quote_not_ready');
    const { body } = await ask('GET', `/experiments/${id}`);
    assert.deepEqual([body.provider_quote_id, body.provider_quote_url], [null, null]);
    const [listed] = getItems((await ask('GET', `/experiments?filter=eq(id,${id})`)).body.items);
    assert.equal(listed?.provider_quote_url, null);
  }
  const discarded = await ask('GET', `/quotes/${getText(before.body.quote_id)}`);
  assert.equal(discarded.body.status, 'canceled');
});

test('get_quote_metadata: a draft is canceled → its quote is still answered, as canceled', async () => {
  const { id } = await create();
  expectStatus(await ask('POST', `/experiments/${id}/cancel`), 200);
  const { body } = expectStatus(await ask('GET', `/experiments/${id}/quote`), 200);
  assert.equal(body.status, 'canceled');
  assert.equal((await ask('GET', `/experiments/${id}`)).body.provider_quote_id, body.quote_id);
});

test('quote_not_ready: no price list has the target, before and after submission → 404', async () => {
  const { id } = await create(createBody({ target_id: targets.byHand }));
  const refuse = async () => {
    expectFailure(await ask('GET', `/experiments/${id}/quote`), 404, 'quote_not_ready');
    expectFailure(await ask('GET', `/experiments/${id}/quote/pdf`), 404, 'quote_not_ready');
    expectFailure(await confirmQuote(id), 404, 'quote_not_ready');
    const { body } = await ask('GET', `/experiments/${id}`);
    assert.deepEqual([body.provider_quote_id, body.provider_quote_url], [null, null]);
  };
  await refuse();
  expectStatus(await ask('POST', `/experiments/${id}/submit`), 200);
  await refuse();
});

test('get_quote_metadata: a priced draft, then its submission → the draft quote from creation on, then the same open', async () => {
  const { id, code } = await create();
  const draft = expectStatus(await ask('GET', `/experiments/${code}/quote`), 200).body;
  assert.equal(draft.status, 'draft');
  const quoteId = getText(draft.quote_id);
  const listed = async () => {
    const { body } = await ask('GET', `/experiments?filter=eq(id,${id})`);
    return getItems(body.items)[0]?.provider_quote_url;
  };
  const detail = (await ask('GET', `/experiments/${id}`)).body;
  assert.equal(detail.provider_quote_id, quoteId);
  assert.equal(detail.provider_quote_url, draft.provider_quote_url);
  assert.equal(await listed(), draft.provider_quote_url);
  assert.equal((await ask('GET', `/quotes/${quoteId}`)).body.total_cents, draft.amount_total);
  const { text } = expectStatus(await ask('GET', `/experiments/${id}/quote/pdf`), 307);
  assert.match(text, /^%PDF-1\.7/);
  expectFailure(await confirmQuote(id), 409, 'quote_not_open');
  expectStatus(await ask('POST', `/experiments/${id}/submit`), 200);
  const open = expectStatus(await ask('GET', `/experiments/${id}/quote`), 200).body;
  assert.deepEqual([open.status, open.quote_id, open.amount_total], ['open', quoteId, draft.amount_total]);
  assert.equal(await listed(), draft.provider_quote_url);
});

test('get_quote_pdf: a quote → the PDF, and a short-lived link to the same PDF that needs no token', async () => {
  const { id, quoteId } = await createQuoted();
  const redirected = expectStatus(await ask('GET', `/experiments/${id}/quote/pdf`), 307);
  assert.equal(redirected.headers['content-type'], 'application/pdf');
  assert.match(redirected.text, /^%PDF-1\.7/);
  const { pathname, search } = new URL(redirected.headers.location ?? '');
  const fetchDocument = (query: string) => ask('GET', `/${pathname}${query}`, { token: null });
  const served = expectStatus(await fetchDocument(search), 200);
  assert.equal(served.headers['content-type'], 'application/pdf');
  assert.equal(served.text, redirected.text);
  assert.match(served.headers['content-disposition'] ?? '', /filename="Q-2026-\d{5}\.pdf"/);
  assert.ok(pathname.endsWith(quoteId));
  expectFailure(await fetchDocument(search.replace(/.$/, '!')), 403, 'link_invalid');
  clock.advance(11 * 60_000);
  expectFailure(await fetchDocument(search), 410, 'link_expired');
});

test('document_not_ready: the processor has not made the document of the quote → 503', async () => {
  const outside = await createRecordedService(buildStripeVariables('http://127.0.0.1:1'));
  const { id } = await (await createBuilders(outside)).createQuoted();
  expectFailure(await outside.ask('GET', `/experiments/${id}/quote/pdf`), 503, 'document_not_ready');
});

test('quote_not_open: a draft quote is accepted or rejected → 409', async () => {
  const quoteId = await draftQuote();
  const early = expectFailure(await confirm(quoteId), 409, 'quote_not_open');
  assert.match(getText(early.body.error), /submit the experiment to open it/);
  expectFailure(await reject(quoteId), 409, 'quote_not_open');
});

test('confirm_quote: by quote or by experiment → accepted once, with its order number and notes', async () => {
  const one = await createQuoted();
  const accepted = await confirm(one.quoteId, { purchase_order_number: 'PO-7', notes: 'by Friday' });
  assert.equal(expectStatus(accepted, 200).body.status, 'accepted');
  const { payment, hosted_invoice_url: page } = accepted.body;
  assert.deepEqual([accepted.body.id, payment.kind], [one.quoteId, 'hosted_invoice']);
  assert.match(getText(page), /\/pay\//);
  assert.equal(payment.hosted_invoice_url, page);
  assert.ok(Array.isArray(payment.methods) && payment.methods.length > 0);
  const invoice = await ask('GET', `/invoices/${getText(accepted.body.invoice_id)}`);
  assert.equal(invoice.body.purchase_order_number, 'PO-7');
  assert.equal((await ask('GET', `/quotes/${one.quoteId}`)).body.acceptance_notes, 'by Friday');
  const other = await createQuoted();
  expectStatus(await confirmQuote(other.code), 200);
  for (const { id, quoteId } of [one, other]) await refuseAll({ id, quoteId }, 'quote_already_accepted');
});

test('reject_quote: an open quote → the experiment is a draft again and can be submitted again', async () => {
  const { id, quoteId } = await createQuoted();
  assert.equal(expectStatus(await reject(quoteId), 200).body.status, 'canceled');
  assert.equal((await ask('GET', `/experiments/${id}`)).body.status, 'draft');
  expectFailure(await confirm(quoteId), 409, 'quote_canceled');
  expectFailure(await reject(quoteId), 409, 'quote_canceled');
  expectStatus(await ask('POST', `/experiments/${id}/submit`), 200);
  expectStatus(await confirmQuote(id), 200);
});

test('quote_canceled: the experiment was canceled → 409', async () => {
  const open = await createQuoted();
  expectStatus(await ask('POST', `/experiments/${open.id}/cancel`), 200);
  await refuseAll(open, 'quote_canceled');
});

test('quote_expired: a quote past its date that is not marked stale yet → 409', async () => {
  const open = await createQuoted();
  clock.advance(30 * DAY_MS);
  await refuseAll(open, 'quote_expired');
});

test('spend_limit_exceeded: a quote beyond the limit of the token is accepted → 403, and it stays open', async () => {
  const open = await createQuoted();
  const own = { token: service.token, name: 'capped', attenuation: { max_spend_cents: 1 } };
  const token = getText((await ask('POST', '/tokens/attenuate', { body: own })).body.token);
  for (const path of [`/quotes/${open.quoteId}/confirm`, `/experiments/${open.id}/quote/confirm`])
    expectFailure(await ask('POST', path, { token, body: {} }), 403, 'spend_limit_exceeded');
  expectStatus(await confirm(open.quoteId), 200);
});

async function refuseAll({ id, quoteId }: Pick<Quoted, 'id' | 'quoteId'>, code: string): Promise<void> {
  expectFailure(await confirm(quoteId), 409, code);
  expectFailure(await confirmQuote(id), 409, code);
  expectFailure(await reject(quoteId), 409, code);
}

test('payment_not_set_up: a quote is accepted without bank account and processor → 409 with the setting; clients read whom to ask', async () => {
  const { id, quoteId } = await createQuoted();
  const client = await service.issueToken({ ownOrganization: true, role: 'admin' });
  const theirs = await createQuoted(undefined, { token: client });
  await withoutCollection(service, async () => {
    const toStaff = expectFailure(await confirm(quoteId), 409, 'payment_not_set_up');
    assert.match(toStaff.text, /BANK_DETAILS nor STRIPE_SECRET_KEY/);
    expectFailure(await confirmQuote(id), 409, 'payment_not_set_up');
    const answer = await ask('POST', `/quotes/${theirs.quoteId}/confirm`, { token: client, body: {} });
    const toClient = expectFailure(answer, 409, 'payment_not_set_up');
    assert.match(toClient.text, /ask the lab/);
    assert.doesNotMatch(toClient.text, /BANK_DETAILS/);
  });
  assert.equal((await ask('GET', `/quotes/${quoteId}`)).body.status, 'open');
  expectStatus(await confirm(quoteId), 200);
});

test('token_restricted: the order is on a machine rail outside the payment policy of the token → 403, and the quote stays open', async () => {
  const headers = { 'x-service-payment-method': 'mpp-spt' };
  const body = { ...createBody(), skip_draft: true };
  const created = expectStatus(await ask('POST', '/experiments', { body, headers }), 201);
  const experimentId = getText(created.body.experiment_id);
  const path = `/experiments/${experimentId}/quote`;
  const listed = expectStatus(await ask('GET', `/quotes?filter=eq(experiment_id,${experimentId})`), 200);
  const quoteId = getText(getItems(listed.body.items)[0]?.id);
  const derive = async (method: string): Promise<string> => {
    const attenuation = { payment_policy: { methods: [method] } };
    const wanted = { token: service.token, name: method, attenuation };
    return getText(expectStatus(await ask('POST', '/tokens/attenuate', { body: wanted }), 201).body.token);
  };
  const other = { token: await derive('x402-exact'), body: {} };
  const byExperiment = await ask('POST', `${path}/confirm`, other);
  expectFailure(byExperiment, 403, 'token_restricted');
  expectFailure(await ask('POST', `/quotes/${quoteId}/confirm`, other), 403, 'token_restricted');
  assert.equal((await ask('GET', `/quotes/${quoteId}`)).body.status, 'open');
  const own = { token: await derive('mpp-spt'), body: {} };
  expectStatus(await ask('POST', `/quotes/${quoteId}/confirm`, own), 200);
});

proveCoverage('quotes');
