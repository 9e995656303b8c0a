/** The screens of quotes: the composer, sending, withdrawing, quoting again. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openSignedIn, type Browser, type Page } from '#testing/browser.ts';
import { createBuilders, expectStatus } from '#testing/builders.ts';
import type { NewPerson } from '#testing/people.ts';
import { getItems, getText, testService } from '#testing/service.ts';

const service = await testService();
const { ask, issueToken } = service;
const build = await createBuilders(service);
const browser = await openSignedIn(service);
const HOSTILE = '<img src=x onerror=alert(1)>';

async function openAs(person: NewPerson): Promise<Browser> {
  const { body } = await ask('GET', '/whoami', { token: await issueToken(person) });
  return openSignedIn(service, getText(body.user_id));
}

const LINES = {
  line_0_description: 'Screening assay',
  line_0_quantity: '2',
  line_0_unit_price_cents: '600.00',
  line_1_description: 'Antigen, custom expression',
  line_1_quantity: '1',
  line_1_unit_price_cents: '1800.00',
  discount_0_description: 'Framework agreement',
  discount_0_basis_points: '10',
  discount_0_amount_cents: '',
  notes: 'As discussed.',
  terms_and_conditions: 'Our terms.',
  valid_until: '2026-03-20',
  intent: 'save',
};

async function compose(code: string, typed: Readonly<Record<string, string>> = {}): Promise<Page> {
  const page = await browser.open(`/lab/quotes/new?experiment=${code}`);
  assert.equal(page.status, 200, page.text);
  return browser.send(page, '/lab/quotes/new', { ...LINES, ...typed });
}

async function composeId(code: string): Promise<string> {
  const made = await compose(code);
  assert.equal(made.status, 303, made.text);
  return /quotes\/(qt_\w+)/.exec(made.location ?? '')?.[1] ?? '';
}

const readQuote = async (id: string) => expectStatus(await ask('GET', `/lab/quotes/${id}`), 200).body;
const readStatus = async (id: string) => (await ask('GET', `/experiments/${id}`)).body.status;

test('order that waits for a quote: nobody began one, a draft, an operator → its page leads to the composer, to the draft, to neither', async () => {
  const { code } = await build.createUnpriced();
  const path = `/lab/experiments/${code}`;
  assert.match(
    (await browser.open(path)).text,
    new RegExp(`href="/lab/quotes/new\\?experiment=${code}">Compose the quote<`),
  );
  const id = await composeId(code);
  assert.match((await browser.open(path)).text, new RegExp(`href="/lab/quotes/${id}">Finish the quote<`));
  const operator = await openAs({ staffRoles: ['operator'] });
  assert.doesNotMatch((await operator.open(path)).text, /the quote<\/a>/);
});

test('create_custom_quote: lines, a discount, words and a date → the draft adds up and the client sees nothing', async () => {
  const { id: experimentId, code } = await build.createUnpriced();
  assert.match((await browser.open('/lab/quotes')).text, new RegExp(`new\\?experiment=${code}"`));
  const id = await composeId(code);
  const quote = await readQuote(id);
  assert.deepEqual([quote.status, quote.total_cents, quote.notes], ['draft', 270_000, 'As discussed.']);
  assert.equal(quote.valid_until, '2026-03-20T23:59:59.000Z');
  assert.equal(quote.terms_and_conditions, 'Our terms.');
  assert.equal((await ask('GET', `/experiments/${experimentId}/quote`)).status, 404);
  const page = await browser.open(`/lab/quotes/${id}`);
  assert.match(page.text, /\$2,700\.00/);
  assert.match(page.text, /name="line_1_unit_price_cents" value="1800\.00"/);
  assert.match(page.text, /name="discount_0_basis_points" value="10"/);
  const opened = await browser.open(`/lab/quotes/new?experiment=${code}`);
  assert.equal(opened.location, `/lab/quotes/${id}`);
});

test('edit_custom_quote: a line is added and one emptied → the draft has what the form has; more rows → nothing saved', async () => {
  const { code } = await build.createUnpriced();
  const id = await composeId(code);
  const path = `/lab/quotes/${id}`;
  const page = await browser.open(path);
  const more = await browser.send(page, path, { ...LINES, line_2_description: 'Courier', intent: 'more' });
  assert.equal(more.status, 200);
  assert.match(more.text, /name="line_2_description" value="Courier"/);
  assert.match(more.text, /name="line_4_description" value=""/);
  assert.equal((await readQuote(id)).total_cents, 270_000);
  const saved = await browser.send(page, path, {
    ...LINES,
    line_1_description: '',
    line_1_quantity: '',
    line_1_unit_price_cents: '',
    line_2_description: 'Courier',
    line_2_quantity: '',
    line_2_unit_price_cents: '50.00',
    discount_0_basis_points: '',
    discount_0_amount_cents: '25.00',
  });
  assert.equal(saved.location, `${path}?done=saved`, saved.text);
  const quote = await readQuote(id);
  assert.equal(quote.total_cents, 122_500);
  assert.deepEqual(
    getItems(quote.line_items).map(({ description }) => getText(description)),
    ['Screening assay', 'Courier', 'Framework agreement'],
  );
});

test('invalid_request: wrong price, quantity, discount and date → 400 beside each row, what was typed stays', async () => {
  const { code } = await build.createUnpriced();
  const page = await compose(code, {
    line_0_unit_price_cents: 'dear',
    line_1_quantity: '0',
    discount_0_amount_cents: '5.00',
    valid_until: '20 March',
    notes: '"quoted"',
  });
  assert.equal(page.status, 400);
  assert.match(page.text, /id="line_0-problem">USD each: write an amount such as/);
  assert.match(page.text, /id="line_1-problem">Quantity must be at least 1\./);
  assert.match(page.text, /id="quote-valid_until-problem"/);
  assert.match(page.text, /name="line_0_unit_price_cents" value="dear"/);
  assert.match(page.text, /&quot;quoted&quot;/);
  const both = await compose(code, { discount_0_amount_cents: '5.00' });
  assert.match(both.text, /id="discount_0-problem">It takes either/);
  const none = await compose(code, Object.fromEntries(Object.keys(LINES).map((name) => [name, ''])));
  assert.equal(none.status, 400);
  assert.match(none.text, /class="problem">The lines/);
});

test('open_custom_quote: a draft is sent → the client may decide, and the page has no composer', async () => {
  const { id: experimentId, code } = await build.createUnpriced();
  const id = await composeId(code);
  const path = `/lab/quotes/${id}`;
  const sent = await browser.send(await browser.open(path), `${path}/open`);
  assert.equal(sent.location, `${path}?done=open`);
  assert.equal(await readStatus(experimentId), 'quote_sent');
  const page = await browser.open(sent.location ?? '');
  assert.match(page.text, /The quote was sent to the client/);
  assert.doesNotMatch(page.text, /line_0_description/);
  assert.match(page.text, /Withdraw the quote/);
});

test('withdraw_quote: an open quote → the order waits again, and another quote begins with its lines', async () => {
  const { id: experimentId, code } = await build.createUnpriced();
  const id = await composeId(code);
  const path = `/lab/quotes/${id}`;
  await browser.send(await browser.open(path), `${path}/open`);
  const back = await browser.send(await browser.open(path), `${path}/withdraw`, { reason: 'It is cheaper.' });
  assert.equal(back.location, `${path}?done=withdraw`, back.text);
  assert.equal(await readStatus(experimentId), 'waiting_for_confirmation');
  const link = new RegExp(`/lab/quotes/new\\?experiment=${code}&amp;like=${id}`);
  assert.match((await browser.open(path)).text, link);
  const again = await browser.open(`/lab/quotes/new?experiment=${code}&like=${id}`);
  assert.match(again.text, /name="line_1_description" value="Antigen, custom expression"/);
  assert.match(again.text, /name="discount_0_basis_points" value="10"/);
  assert.match(again.text, /name="valid_until"[^>]*value=""/);
  const second = await browser.send(again, '/lab/quotes/new', LINES);
  assert.match(second.location ?? '', /quotes\/qt_/);
  assert.notEqual(second.location, `${path}?done=saved`);
});

test('document: a draft is previewed → a signed address serves the PDF', async () => {
  const { code } = await build.createUnpriced();
  const id = await composeId(code);
  const link = await browser.open(`/lab/quotes/${id}/quote.pdf`);
  assert.equal(link.status, 303);
  const { pathname, search } = new URL(link.location ?? '', 'http://localhost');
  const document = await browser.open(pathname + search);
  assert.equal(document.status, 200);
  assert.match(String(document.headers['content-type']), /^application\/pdf/);
});

test('quotes: a client’s rejection, and filters → the reason is told, the list narrows', async () => {
  const { quoteId } = await build.createQuoted();
  const body = { reason: 'price', feedback: HOSTILE };
  const rejected = await ask('POST', `/quotes/${quoteId}/reject`, { body });
  assert.ok(rejected.status < 300, rejected.text);
  const page = await browser.open(`/lab/quotes/${quoteId}`);
  assert.match(page.text, /The client rejected it/);
  assert.doesNotMatch(page.text, /<img/);
  assert.match(page.text, /&lt;img src=x/);
  assert.match((await browser.open('/lab/quotes?state=canceled')).text, new RegExp(quoteId));
  assert.doesNotMatch((await browser.open('/lab/quotes?state=open')).text, new RegExp(quoteId));
  assert.match((await browser.open('/lab/quotes?search=Q-0000-none')).text, /Nothing matches/);
});

test('reject: an order is rejected with a reason → it is canceled; without one → refused beside the field', async () => {
  const { id, code } = await build.createUnpriced();
  const page = await browser.open(`/lab/quotes/new?experiment=${code}`);
  const action = `/lab/quotes/orders/${code}/reject`;
  const empty = await browser.send(page, action, { reason: '' });
  assert.equal(empty.status, 400);
  assert.match(empty.text, /-reject-reason-problem"/);
  const done = await browser.send(page, action, { reason: 'We have no such assay.' });
  assert.equal(done.location, '/lab/quotes?done=orders-reject', done.text);
  assert.equal(await readStatus(id), 'canceled');
});

test('permission: an operator or finance → reads, and composes nothing; a manager → composes and rejects; a client → 404', async () => {
  const { code } = await build.createUnpriced();
  const id = await composeId(code);
  const operator = await openAs({ staffRoles: ['operator'] });
  const manager = await openAs({ staffRoles: ['manager'] });
  const client = await openAs({ role: 'admin' });
  const page = await operator.open(`/lab/quotes/${id}`);
  assert.equal(page.status, 200);
  assert.doesNotMatch(page.text, /line_0_description|Send it to the client/);
  assert.doesNotMatch((await operator.open('/lab/quotes')).text, /new\?experiment=/);
  assert.equal((await operator.open(`/lab/quotes/new?experiment=${code}`)).status, 404);
  const { code: other } = await build.createUnpriced();
  const composer = await manager.open(`/lab/quotes/new?experiment=${other}`);
  assert.equal(composer.status, 200);
  assert.match(composer.text, /Reject the order/);
  const finance = await openAs({ staffRoles: ['finance'] });
  assert.equal((await finance.open(`/lab/quotes/new?experiment=${other}`)).status, 404);
  for (const path of ['/lab/quotes', `/lab/quotes/${id}`, `/lab/quotes/new?experiment=${code}`])
    assert.equal((await client.open(path)).status, 404, path);
  for (const person of [operator, client]) {
    const [, token = ''] = /name="form_token" value="([^"]+)"/.exec((await person.open('/')).text) ?? [];
    for (const path of [`/lab/quotes/${id}`, `/lab/quotes/${id}/open`, `/lab/quotes/${id}/withdraw`])
      assert.equal((await person.post(path, { form_token: token })).status, 404, path);
  }
  assert.equal((await readQuote(id)).status, 'draft');
});
