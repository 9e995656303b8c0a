/**
 * A live lab from an empty catalog to an amendment, in Chromium: an operator who also keeps the money and a manager work
 * through the screens alone, each without the buttons of the other. Clients order by the API and look after each step.
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import type { ExperimentStatus as Status } from '#core/lifecycle.ts';
import type { PlanRecord } from '#domain/runs/plan-schemas.ts';
import { signInLink } from '#testing/browser.ts';
import { createSequences, expectStatus } from '#testing/builders.ts';
import { startChromium } from '#testing/chromium.ts';
import { createClient, expectStep, type Client } from '#testing/client-doors.ts';
import { getItems, getText, testService } from '#testing/service.ts';
import { createRawFile } from '#testing/lab-by-hand.ts';
import { createSharedTraces, encodeFile } from '#testing/shared-files.ts';
import { thinSamples } from '#testing/thin-samples.ts';

const chromium = await startChromium();
after(() => chromium.close());
const service = await testService({ ENVIRONMENT: 'live', RELEASE_NEEDS_SECOND_PERSON: 'yes' });
const address = new URL(await service.service.app.listen({ host: '127.0.0.1', port: 0 }));
const url = `http://localhost:${address.port}`;
service.service.setBaseUrl(url);

const CATALOG =
  'catalog_number,name,vendor_name,lot,stock_ug\nV-100,Antigen of the catalog,A vendor,LOT-1,500\n';
const PRICES = 'kind,experiment_type,unit_price_cents,replicate_price_cents\nprice,screening,20000,5000\n';
const BUBBLE = 'An air bubble passed the sensor.';
const DRIFT = 'The baseline drifts.';
const AMENDED = 'The drift was within the noise.';
const sequences = Object.values(createSequences(4));

interface Order {
  readonly client: Client;
  readonly id: string;
  readonly code: string;
}

const settle = async (): Promise<void> => {
  while ((await service.service.worker.runDue()) > 0);
};

/** Signs somebody in; nobody's browser knows another's session. */
async function openBrowser(userId?: string): Promise<Page> {
  const page = await (await chromium.newContext()).newPage();
  page.setDefaultTimeout(20_000);
  await page.goto(url + (await signInLink(service, userId)));
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL(`${url}/`);
  return page;
}

async function createPerson(): Promise<{ readonly id: string; readonly email: string }> {
  const token = await service.issueToken({ ownOrganization: true });
  const id = getText((await service.ask('GET', '/whoami', { token })).body.user_id);
  const [person] = await service.service.database.read.query<{ email: string }>(
    'select email from users where id = $1',
    [id],
  );
  return { id, email: person?.email ?? '' };
}

const open = (page: Page, path: string) => page.goto(url + path);
const findButton = (page: Page | Locator, name: string): Locator =>
  page.getByRole('button', { name, exact: true });

/** Presses a button and waits for the words of the next page. */
async function sendForm(page: Page, name: string, words: string | RegExp): Promise<void> {
  await findButton(page, name).first().click();
  await page.getByText(words).first().waitFor();
}

/**
 * The page is there without these buttons, links and folded forms, which the other person uses. It is read and not drawn,
 * with the session of the browser.
 */
async function expectWithout(page: Page, path: string, names: readonly string[]): Promise<void> {
  const answer = await page.request.get(url + path);
  assert.equal(answer.status(), 200, path);
  const text = await answer.text();
  for (const name of names) assert.ok(!text.includes(`>${name}<`), `${name} on ${path}`);
}

async function expectNoPage(page: Page, path: string): Promise<void> {
  assert.equal((await page.request.get(url + path)).status(), 404, path);
}

async function appoint(
  founder: Page,
  { email }: { readonly email: string },
  roles: readonly ('Operator' | 'Manager' | 'Finance')[],
): Promise<void> {
  await open(founder, '/lab/staff');
  const form = founder.locator('form', { has: findButton(founder, 'Appoint') });
  await form.getByLabel('E-mail address').fill(email);
  for (const role of ['Operator', 'Manager', 'Finance'] as const)
    await form.getByLabel(`${role}:`).setChecked(roles.includes(role));
  await sendForm(founder, 'Appoint', 'The person is of the staff.');
}

async function order(
  client: Client,
  name: string,
  named: readonly string[],
  targetId: string,
): Promise<Order> {
  const own = Object.fromEntries(named.map((text, index) => [`${name}-${index + 1}`, text]));
  const spec = { experiment_type: 'screening', method: 'bli', n_replicates: 2, target_id: targetId };
  const body = { name: `Library ${name}`, experiment_spec: { ...spec, sequences: own } };
  const made = expectStatus(await client.ask('POST', '/experiments', { body }), 201).body;
  const id = getText(made.experiment_id);
  expectStatus(await client.ask('POST', `/experiments/${id}/submit`, { body: {} }), 200);
  await settle();
  return { client, id, code: getText(made.experiment_code) };
}

/** The client accepts the quote; answers the id of the invoice. */
async function confirm({ client, id }: Order): Promise<string> {
  const quote = expectStatus(await client.ask('GET', `/experiments/${id}/quote`), 200).body;
  const path = `/quotes/${getText(quote.quote_id)}/confirm`;
  const done = expectStatus(await client.ask('POST', path, { body: {} }), 200).body;
  await settle();
  return getText(done.invoice_id);
}

/** What the client of an order reads on every door: its status, and the names of the results once they are released. */
async function expectSeen({ client, id }: Order, status: Status, released: readonly string[] = []) {
  assert.equal(getText((await client.ask('GET', `/experiments/${id}`)).body.status), status);
  const { body } = await client.ask('GET', `/experiments/${id}/results`);
  const names =
    body.items === undefined ? [] : getItems(body.items).map((item) => getText(item.sequence_name));
  assert.deepEqual(names.toSorted(), released);
  await expectStep(client, id, status, released);
}

async function openShop(manager: Page, operator: Page): Promise<void> {
  await open(manager, '/lab');
  await manager.getByText('Clients cannot order anything yet').waitFor();
  await expectWithout(operator, '/lab/targets', ['Import', 'New target']);
  await expectNoPage(operator, '/lab/targets/import');
  await open(manager, '/lab/targets/import');
  await manager.getByLabel('Rows', { exact: true }).fill(CATALOG);
  await sendForm(manager, 'Check the file', 'Nothing is stored yet.');
  await sendForm(manager, 'Import 1 target', 'The file was imported: 1 added, 0 changed.');

  await expectNoPage(operator, '/lab/price-lists/import');
  await open(manager, '/lab/price-lists/import');
  await manager.getByLabel('Rows', { exact: true }).fill(PRICES);
  await sendForm(manager, 'Check the file', 'Nothing is stored yet.');
  await sendForm(manager, 'Make a draft of it', 'The file is a draft now.');
  const draft = new URL(manager.url()).pathname;
  await expectWithout(operator, draft, ['Publish the saved draft', 'Save the draft']);
  await sendForm(manager, 'Publish the saved draft', 'The list was published.');

  await expectWithout(operator, '/lab/assay-types', ['Edit', 'Save']);
  await open(manager, '/lab/assay-types');
  const screening = manager.locator('section', { has: manager.getByRole('heading', { name: 'Screening' }) });
  await screening.locator('summary').click();
  await screening.getByLabel('Clients can order it').check();
  await screening.getByLabel('By BLI').check();
  await findButton(screening, 'Save').click();
  await manager.getByText('The assay type was saved.').waitFor();
}

async function quoteByHand(manager: Page, operator: Page, waiting: Order): Promise<void> {
  await expectNoPage(operator, `/lab/quotes/new?experiment=${waiting.code}`);
  await open(manager, '/lab/quotes');
  await manager.locator(`a[href*="new?experiment=${waiting.code}"]`).first().click();
  await manager.getByLabel('Description').first().fill('Screening of one design');
  await manager.getByLabel('Quantity').first().fill('1');
  await manager.getByLabel('USD each').first().fill('800.00');
  await sendForm(manager, 'Save the draft', 'The draft as it is saved');
  await expectSeen(waiting, 'waiting_for_confirmation');
  await sendForm(manager, 'Send it to the client', 'Withdraw the quote');
  await settle();
  await expectSeen(waiting, 'quote_sent');
}

/** The manager answers a request with a target and its price. */
async function approveRequest(manager: Page, operator: Page, client: Client): Promise<string> {
  const product = { name: 'A private antigen', product_id: 'P-7', vendor: 'A vendor', pdb_id: '4F3F' };
  const body = { ...product, product_url: 'https://vendor.example/P-7' };
  const asked = expectStatus(await client.ask('POST', '/targets/request-custom', { body }), 201).body;
  const id = getText(asked.id);
  await expectWithout(operator, `/lab/target-requests/${id}`, [
    'Approve with this target',
    'Decline the request',
  ]);
  await open(manager, `/lab/target-requests/${id}`);
  const form = manager.locator('form', { has: findButton(manager, 'Approve with this target') });
  await form.getByLabel('Price of the material').selectOption({ label: 'For each sequence' });
  await form.getByLabel('USD for each sequence').fill('15.00');
  await form.getByLabel('Days until the antigen is in the lab').fill('14');
  await sendForm(manager, 'Approve with this target', 'Approved');
  const answered = await client.ask('GET', `/targets/request-custom/${id}`);
  return getText(expectStatus(answered, 200).body.material_id);
}

/** Whoever keeps the money records a transfer; a manager cannot. */
async function recordTransfer(
  finance: Page,
  manager: Page,
  invoiceId: string,
  reference: string,
): Promise<void> {
  await expectWithout(manager, `/lab/invoices/${invoiceId}`, ['Record the transfer', 'Void the invoice']);
  await open(finance, `/lab/invoices/${invoiceId}`);
  await finance.getByLabel('Reference of the transfer').fill(reference);
  await sendForm(finance, 'Record the transfer', 'the invoice is paid');
  await settle();
}

async function receiveMaterials(operator: Page, complete: readonly Order[], late: Order): Promise<void> {
  await open(operator, `/lab/experiments/${late.code}/materials`);
  await operator.getByLabel('Which').selectOption('sequences');
  await sendForm(operator, 'Record', 'missing');
  for (const { code } of complete) {
    await open(operator, `/lab/experiments/${code}`);
    await sendForm(operator, 'All materials are in the lab', 'the order is in the queue');
  }
  await expectSeen(late, 'waiting_for_materials');
}

/** Answers the id of a started run over both orders. */
async function startRun(operator: Page, manager: Page, own: Order, unpaid: Order): Promise<string> {
  await open(operator, `/lab/plans?experiment=${own.code}`);
  await operator.locator(`input[name="experiment:${unpaid.code}"]`).check();
  await operator.getByLabel('Positive control').fill('positive-protein');
  await operator.getByLabel('Negative controls').fill('negative-1');
  await operator.getByLabel('Concentrations in nM').fill('100');
  await operator.getByLabel('Seed').fill('7');
  await findButton(operator, 'Plan the plates').click();
  await operator.getByLabel('Instrument').last().fill('Octet R8');
  await operator.getByLabel('Operator').fill('Olga Operator');
  await sendForm(operator, 'Save as run', '1 reason why it cannot start yet');
  const { pathname } = new URL(operator.url());
  await operator.getByText('A manager may let it start before the payment.').waitFor();
  await expectWithout(operator, pathname, ['Start the run', 'Allow it', 'Allow to start unpaid']);
  await open(manager, pathname);
  await manager.locator('summary', { hasText: 'Allow to start unpaid' }).click();
  await manager.getByLabel('Reason').first().fill('Their purchase order is signed.');
  await sendForm(manager, 'Allow it', 'Ready to start');
  await open(operator, pathname);
  await sendForm(operator, 'Start the run', 'Running');
  for (const each of [own, unpaid]) await expectSeen(each, 'in_production');
  return pathname;
}

async function recordPlate(operator: Page, run: string): Promise<void> {
  const { body } = await service.ask('GET', run);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a plan as the service answers it
  const plan = body.plan as unknown as PlanRecord;
  const traces = encodeFile('P1.csv', createSharedTraces(plan, { assay: 'screening' }));
  const buffer = Buffer.from(thinSamples(traces).content_base64, 'base64');
  await open(operator, `${run}/raw-files`);
  const file = { name: 'P1.csv', mimeType: 'text/csv', buffer };
  await operator.locator('input[type=file]').setInputFiles(file);
  await operator.getByText('One file was read').waitFor();
  await sendForm(operator, 'Upload', 'The file was read and stored.');
  await sendForm(operator, 'Complete the run', 'The run is complete');
  assert.equal(await findButton(operator, 'Upload').count(), 0, 'files are taken during the analysis');
  await settle();
}

type People = Readonly<Record<'manager' | 'operator' | 'founder', Page>>;

/** Decides about one replicate of a design, by the number of its row. */
async function decide(
  manager: Page,
  path: string,
  row: number,
  [choice, reason]: readonly [string, string],
): Promise<void> {
  await open(manager, path);
  const replicate = manager.locator('tr.replicate', { hasText: 'alpha-1' }).nth(row);
  await replicate.getByLabel(choice).check();
  await replicate.getByRole('textbox').fill(reason);
  await sendForm(manager, 'Save the decisions', 'The decisions are kept');
  await settle();
}

/** One design released, of the other one replicate excluded and one measured again. */
async function walkReview({ manager, operator }: People, own: Order): Promise<void> {
  const path = `/lab/experiments/${own.code}/review`;
  await expectSeen(own, 'in_review');
  await expectWithout(operator, path, [
    'Save the decisions',
    'Release all results',
    'Release a part',
    'Send back',
  ]);
  await open(manager, path);
  await manager.locator('summary', { hasText: 'Release a part' }).click();
  await manager.getByLabel('Sequences').fill('alpha-2');
  await sendForm(manager, 'Release these', 'These results are released');
  await settle();
  await expectSeen(own, 'in_review', ['alpha-2']);
  await decide(manager, path, 1, ['Exclude', BUBBLE]);
  await expectSeen(own, 'in_review', ['alpha-2']);
  await decide(manager, path, 0, ['Repeat', DRIFT]);
  await expectSeen(own, 'in_production', ['alpha-2']);
  await recordRepeat(operator, own);
  await expectSeen(own, 'in_review', ['alpha-2']);
}

async function recordRepeat(operator: Page, { code }: Order): Promise<void> {
  const file = thinSamples(createRawFile({ 'alpha-1': sequences[0] ?? '' }, 'screening', 'again.csv'));
  const buffer = Buffer.from(file.content_base64, 'base64');
  await open(operator, `/lab/experiments/${code}/raw-files`);
  await operator.locator('input[type=file]').setInputFiles({ name: file.name, mimeType: 'text/csv', buffer });
  await operator.getByText('One file was read').waitFor();
  await sendForm(operator, 'Upload', 'The file was read and stored.');
  await open(operator, `/lab/experiments/${code}`);
  await operator.locator('summary', { hasText: 'Complete the raw data' }).click();
  await sendForm(operator, 'Raw data are complete', 'The raw data are complete');
  await settle();
}

/** What is left is released by somebody else than who decided. */
async function releaseRest({ manager, founder }: People, own: Order): Promise<void> {
  const path = `/lab/experiments/${own.code}/review`;
  await open(manager, path);
  await manager.getByText('This needs a second person').waitFor();
  await sendForm(manager, 'Release the other 1', /second person|somebody else/);
  await expectSeen(own, 'in_review', ['alpha-2']);
  await open(founder, path);
  await sendForm(founder, 'Release the other 1', 'The results are released.');
  await settle();
  await expectSeen(own, 'done', ['alpha-1', 'alpha-2']);
}

/** Another analysis of what was released waits for a second person, and clients learn of it with the amendment. */
async function amend({ manager, founder }: People, own: Order): Promise<void> {
  const path = `/lab/experiments/${own.code}/review`;
  const before = await readFeed(own);
  await open(manager, path);
  await manager.locator('summary', { hasText: 'Change the settings and analyze again' }).click();
  const form = manager.locator('form', { has: findButton(manager, 'Analyze again') });
  await form.getByLabel('Reason').fill(DRIFT);
  await form.getByLabel('Settings of the analysis').fill('{"drift":"none"}');
  await sendForm(manager, 'Analyze again', 'The files are analyzed again');
  await settle();
  await open(founder, path);
  const amendment = founder.locator('form', {
    has: founder.getByRole('button', { name: /as an amendment$/ }),
  });
  assert.equal(await readFeed(own), before, 'the feed tells of a version that is not released');
  await amendment.getByLabel('Reason').fill(AMENDED);
  await amendment.getByRole('button').click();
  await founder.getByText('The amendment is released.').waitFor();
  await settle();
  const after = await readFeed(own);
  assert.ok(!before.includes(AMENDED) && after.includes(AMENDED), after.slice(0, 400));
  await expectSeen(own, 'done', ['alpha-1', 'alpha-2']);
}

const readFeed = async ({ client, id }: Order): Promise<string> =>
  (await client.ask('GET', `/experiments/${id}/updates?limit=100`)).text;

test('live lab in the browser: an operator and a manager, from an empty catalog to an amendment → each does the own part through screens and has no button of the other', async () => {
  const founder = await openBrowser();
  const [max, olga] = [await createPerson(), await createPerson()];
  await appoint(founder, max, ['Manager']);
  await appoint(founder, olga, ['Operator', 'Finance']);
  const [manager, operator] = [await openBrowser(max.id), await openBrowser(olga.id)];
  await expectWithout(operator, '/lab/staff', ['Appoint', 'Dismiss']);
  await openShop(manager, operator);

  const self = await createClient(service);
  const custom = await createClient(service);
  const requesting = await createClient(service);
  const [target] = getItems((await self.ask('GET', '/targets')).body.items);
  const targetId = getText(target?.id);
  const unpaid = await order(custom, 'beta', sequences.slice(2, 3), targetId);
  await quoteByHand(manager, operator, unpaid);
  await confirm(unpaid);

  await open(manager, `/lab/targets/${targetId}`);
  await manager.getByLabel('Price of the material').selectOption({ label: 'For each sequence' });
  await manager.getByLabel('USD for each sequence').fill('9.00');
  await sendForm(manager, 'Save the target', 'The target was saved.');
  const own = await order(self, 'alpha', sequences.slice(0, 2), targetId);
  await recordTransfer(operator, manager, await confirm(own), 'SEPA 1');
  const late = await order(
    requesting,
    'gamma',
    sequences.slice(3),
    await approveRequest(manager, operator, requesting),
  );
  await recordTransfer(operator, manager, await confirm(late), 'SEPA 2');

  await receiveMaterials(operator, [own, unpaid], late);
  const run = await startRun(operator, manager, own, unpaid);
  await recordPlate(operator, run);
  for (const walk of [walkReview, releaseRest, amend]) await walk({ manager, operator, founder }, own);
  await expectSeen(unpaid, 'in_review');
  await expectSeen(late, 'waiting_for_materials');
});
