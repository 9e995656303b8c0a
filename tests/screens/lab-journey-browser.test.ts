/**
 * A live lab from an empty catalog to an amendment, in Chromium: an operator who also keeps the money and a manager work
 * through the screens alone, each without the buttons of the other. Clients order by the API and look after each step.
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import type { ExperimentStatus as Status } from '#core/lifecycle.ts';
import type { PlanRecord } from '#features/runs/plan-schemas.ts';
import { readTitration } from '#testing/analysis/published-titration.ts';
import { createSequences, expectStatus } from '#testing/builders.ts';
import { startChromium } from '#testing/chromium.ts';
import { createClient, expectStep, type Client } from '#testing/client-doors.ts';
import {
  createPerson,
  dropFiles,
  expectNoPage,
  expectWithout,
  findButton,
  openBrowser,
  sendForm,
  type Person,
} from '#testing/lab-browser.ts';
import { getItems, getText, testService } from '#testing/service.ts';
import { createRawFile } from '#testing/lab-by-hand.ts';
import { createSharedTraces, encodeFile } from '#testing/shared-files.ts';
import { thinSamples } from '#testing/thin-samples.ts';

const chromium = await startChromium();
after(() => chromium.close());
const service = await testService({
  ENVIRONMENT: 'live',
  RELEASE_NEEDS_SECOND_PERSON: 'yes',
  BANK_DETAILS: 'A bank; IBAN XY00 1',
});
const address = new URL(await service.service.app.listen({ host: '127.0.0.1', port: 0 }));
const url = `http://localhost:${address.port}`;
service.service.setBaseUrl(url);

const CATALOG =
  'catalog_number,name,vendor_name,lot,stock_ug\nV-100,Antigen of the catalog,A vendor,LOT-1,500\n';
const PRICES =
  'kind,experiment_type,unit_price_cents,replicate_price_cents\nprice,screening,20000,5000\nprice,affinity,30000,5000\n';
const BUBBLE = 'An air bubble passed the sensor.';
const DRIFT = 'The baseline drifts.';
const AMENDED = 'The drift was within the noise.';
const sequences = Object.values(createSequences(4));

interface Order {
  readonly client: Client;
  readonly id: string;
  readonly code: string;
  readonly named: Readonly<Record<string, string>>;
}

const settle = async (): Promise<void> => {
  while ((await service.service.worker.runDue()) > 0);
};

async function appoint(
  founder: Page,
  { email }: Person,
  roles: readonly ('Operator' | 'Manager' | 'Finance')[],
): Promise<void> {
  await founder.goto('/lab/staff');
  const form = founder.locator('form', { has: findButton(founder, 'Appoint') });
  await form.getByLabel('E-mail address').fill(email);
  for (const role of ['Operator', 'Manager', 'Finance'] as const)
    await form.getByLabel(`${role}:`).setChecked(roles.includes(role));
  await sendForm(founder, 'Appoint', 'The person is of the staff.');
}

async function order(
  client: Client,
  name: string,
  texts: readonly string[],
  ordered: { readonly target_id: string; readonly experiment_type: 'affinity' | 'screening' },
): Promise<Order> {
  const named = Object.fromEntries(texts.map((text, index) => [`${name}-${index + 1}`, text]));
  const spec = { ...ordered, method: 'bli', n_replicates: 2 };
  const body = { name: `Library ${name}`, experiment_spec: { ...spec, sequences: named } };
  const made = expectStatus(await client.ask('POST', '/experiments', { body }), 201).body;
  const id = getText(made.experiment_id);
  expectStatus(await client.ask('POST', `/experiments/${id}/submit`, { body: {} }), 200);
  await settle();
  return { client, id, code: getText(made.experiment_code), named };
}

/** The client accepts the quote; answers the id of the invoice. */
async function confirm({ client, id }: Order): Promise<string> {
  const quote = expectStatus(await client.ask('GET', `/experiments/${id}/quote`), 200).body;
  const path = `/quotes/${getText(quote.quote_id)}/confirm`;
  const done = expectStatus(await client.ask('POST', path, { body: {} }), 200).body;
  await settle();
  return getText(done.invoice_id);
}

/**
 * What the client of an order reads on every door: its status, the quote once there is one, and the results once they
 * are released. Answers the texts of the documents and of the package.
 */
async function expectSeen(order: Order, status: Status, released: readonly string[] = []) {
  const { client, id } = order;
  assert.equal(getText((await client.ask('GET', `/experiments/${id}`)).body.status), status);
  const { body } = await client.ask('GET', `/experiments/${id}/results`);
  const names =
    body.items === undefined ? [] : getItems(body.items).map((item) => getText(item.sequence_name));
  assert.deepEqual(names.toSorted(), released);
  return expectStep(order, status, released);
}

async function openShop(manager: Page, operator: Page): Promise<void> {
  await manager.goto('/lab');
  await manager.getByText('Clients cannot order anything yet').waitFor();
  await expectWithout(operator, '/lab/targets', ['Import', 'New target']);
  await expectNoPage(operator, '/lab/targets/import');
  await manager.goto('/lab/targets/import');
  await manager.getByLabel('Rows', { exact: true }).fill(CATALOG);
  await sendForm(manager, 'Check the file', 'Nothing is stored yet.');
  await sendForm(manager, 'Import 1 target', 'The file was imported: 1 added, 0 changed.');

  await expectNoPage(operator, '/lab/price-lists/import');
  await manager.goto('/lab/price-lists/import');
  await manager.getByLabel('Rows', { exact: true }).fill(PRICES);
  await sendForm(manager, 'Check the file', 'Nothing is stored yet.');
  await sendForm(manager, 'Make a draft of it', 'The file is a draft now.');
  const draft = new URL(manager.url()).pathname;
  await expectWithout(operator, draft, ['Publish the saved draft', 'Save the draft']);
  await sendForm(manager, 'Publish the saved draft', 'The list was published.');

  await expectWithout(operator, '/lab/assay-types', ['Edit', 'Save']);
  await manager.goto('/lab/assay-types');
  for (const title of ['Screening', 'Affinity']) {
    const assay = manager.locator('section', { has: manager.getByRole('heading', { name: title }) });
    await assay.locator('summary').click();
    await assay.getByLabel('Clients can order it').check();
    await assay.getByLabel('By BLI').check();
    await assay.getByLabel('Fewest replicates').fill('1');
    await findButton(assay, 'Save').click();
    await assay.getByText('Offered', { exact: true }).waitFor();
  }
}

async function quoteByHand(manager: Page, operator: Page, waiting: Order): Promise<void> {
  await expectNoPage(operator, `/lab/quotes/new?experiment=${waiting.code}`);
  await manager.goto('/lab/quotes');
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
  const requested = expectStatus(await client.ask('POST', '/targets/request-custom', { body }), 201).body;
  const id = getText(requested.id);
  await expectWithout(operator, `/lab/target-requests/${id}`, [
    'Approve with this target',
    'Decline the request',
  ]);
  await manager.goto(`/lab/target-requests/${id}`);
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
  await finance.goto(`/lab/invoices/${invoiceId}`);
  await finance.getByLabel('Reference of the transfer').fill(reference);
  await sendForm(finance, 'Record the transfer', 'the invoice is paid');
  await settle();
}

async function receiveMaterials(operator: Page, complete: readonly Order[], late: Order): Promise<void> {
  await operator.goto(`/lab/experiments/${late.code}/materials`);
  await operator.getByLabel('Which').selectOption('sequences');
  await sendForm(operator, 'Record', 'missing');
  for (const { code } of complete) {
    await operator.goto(`/lab/experiments/${code}`);
    await sendForm(operator, 'All materials are in the lab', 'the order is in the queue');
  }
  await expectSeen(late, 'waiting_for_materials');
}

/** Answers the id of a started run over both orders. */
async function startRun(operator: Page, manager: Page, own: Order, unpaid: Order): Promise<string> {
  await operator.goto(`/lab/plans?experiment=${own.code}`);
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
  await manager.goto(pathname);
  await manager.locator('summary', { hasText: 'Allow to start unpaid' }).click();
  await manager.getByLabel('Reason').first().fill('Their purchase order is signed.');
  await sendForm(manager, 'Allow it', 'Ready to start');
  await operator.goto(pathname);
  await sendForm(operator, 'Start the run', 'Running');
  for (const each of [own, unpaid]) await expectSeen(each, 'in_production');
  return pathname;
}

async function recordPlate(operator: Page, run: string): Promise<void> {
  const { body } = await service.ask('GET', run);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a plan as the service answers it
  const plan = body.plan as unknown as PlanRecord;
  const traces = encodeFile('P1.csv', createSharedTraces(plan, { assay: 'screening' }));
  await operator.goto(`${run}/raw-files`);
  await dropFiles(operator, [thinSamples(traces)]);
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
  await manager.goto(path);
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
  await manager.goto(path);
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
  await operator.goto(`/lab/experiments/${code}/raw-files`);
  await dropFiles(operator, [file]);
  await completeFiles(operator, code, {});
}

async function completeFiles(operator: Page, code: string, settings: object): Promise<void> {
  await operator.goto(`/lab/experiments/${code}`);
  await operator.locator('summary', { hasText: 'Complete the raw data' }).click();
  await operator.getByLabel('Settings of the analysis').first().fill(JSON.stringify(settings));
  await sendForm(operator, 'Raw data are complete', 'The raw data are complete');
  await settle();
}

/** The late order: its files are a published titration where that lies beside the project, otherwise simulated. */
async function finishLate({ operator, founder }: People, late: Order): Promise<void> {
  const { code, named } = late;
  const names = Object.keys(named);
  await operator.goto(`/lab/experiments/${code}`);
  await sendForm(operator, 'All materials are in the lab', 'the order is in the queue');
  await operator.getByLabel('Instrument').fill('Octet R8');
  await sendForm(operator, 'Start the run', 'The run has started.');
  const simulated = { files: [thinSamples(createRawFile(named, 'affinity'))], settings: {} };
  const { files, settings } = readTitration(names[0] ?? '') ?? simulated;
  await dropFiles(operator, files);
  await completeFiles(operator, code, settings);
  await expectSeen(late, 'in_review');
  await founder.goto(`/lab/experiments/${code}/review`);
  await sendForm(founder, 'Release all results', 'The results are released.');
  await settle();
  await expectSeen(late, 'done', names);
}

/** What is left is released by somebody else than who decided. */
async function releaseRest({ manager, founder }: People, own: Order): Promise<void> {
  const path = `/lab/experiments/${own.code}/review`;
  await manager.goto(path);
  await manager.getByText('This needs a second person').waitFor();
  await sendForm(manager, 'Release the other 1', /second person|somebody else/);
  await expectSeen(own, 'in_review', ['alpha-2']);
  await founder.goto(path);
  await sendForm(founder, 'Release the other 1', 'The results are released.');
  await settle();
  const { package: files } = await expectSeen(own, 'done', ['alpha-1', 'alpha-2']);
  assert.ok(files.includes(BUBBLE), 'the package does not say why a replicate was excluded');
}

/** Another analysis of what was released waits for a second person, and clients learn of it with the amendment. */
async function amend({ manager, founder }: People, own: Order): Promise<void> {
  const path = `/lab/experiments/${own.code}/review`;
  const before = await readFeed(own);
  const documents = await own.client.readDocuments(own.id);
  await manager.goto(path);
  await manager.locator('summary', { hasText: 'Change the settings and analyze again' }).click();
  const form = manager.locator('form', { has: findButton(manager, 'Analyze again') });
  await form.getByLabel('Reason').fill(DRIFT);
  await form.getByLabel('Settings of the analysis').fill('{"drift":"none"}');
  await sendForm(manager, 'Analyze again', 'The files are analyzed again');
  await settle();
  await founder.goto(path);
  const amendment = founder.locator('form', {
    has: founder.getByRole('button', { name: /as an amendment$/ }),
  });
  assert.equal(await readFeed(own), before, 'the feed tells of a version that is not released');
  assert.deepEqual(await own.client.readDocuments(own.id), documents);
  await amendment.getByLabel('Reason').fill(AMENDED);
  await amendment.getByRole('button').click();
  await founder.getByText('The amendment is released.').waitFor();
  await settle();
  const after = await readFeed(own);
  assert.ok(!before.includes(AMENDED) && after.includes(AMENDED), after.slice(0, 400));
  const amended = await expectSeen(own, 'done', ['alpha-1', 'alpha-2']);
  assert.notEqual(amended.package, documents.package, 'the package is the one before the amendment');
}

const readFeed = async ({ client, id }: Order): Promise<string> =>
  (await client.ask('GET', `/experiments/${id}/updates?limit=100`)).text;

test('live lab in the browser: an operator and a manager, from an empty catalog to an amendment → each does the own part through screens and has no button of the other', async () => {
  const openAs = (userId?: string) => openBrowser(chromium, service, url, userId);
  const founder = await openAs();
  const [max, olga] = [await createPerson(service), await createPerson(service)];
  await appoint(founder, max, ['Manager']);
  await appoint(founder, olga, ['Operator', 'Finance']);
  const [manager, operator] = [await openAs(max.id), await openAs(olga.id)];
  await expectWithout(operator, '/lab/staff', ['Appoint', 'Dismiss']);
  await openShop(manager, operator);

  const self = await createClient(service);
  const custom = await createClient(service);
  const requesting = await createClient(service);
  const [target] = getItems((await self.ask('GET', '/targets')).body.items);
  const targetId = getText(target?.id);
  const screening = { target_id: targetId, experiment_type: 'screening' } as const;
  const unpaid = await order(custom, 'beta', sequences.slice(2, 3), screening);
  await quoteByHand(manager, operator, unpaid);
  await confirm(unpaid);

  await manager.goto(`/lab/targets/${targetId}`);
  await manager.getByLabel('Price of the material').selectOption({ label: 'For each sequence' });
  await manager.getByLabel('USD for each sequence').fill('9.00');
  await sendForm(manager, 'Save the target', 'The target was saved.');
  const own = await order(self, 'alpha', sequences.slice(0, 2), screening);
  await recordTransfer(operator, manager, await confirm(own), 'SEPA 1');
  const late = await order(requesting, 'gamma', sequences.slice(3), {
    target_id: await approveRequest(manager, operator, requesting),
    experiment_type: 'affinity',
  });
  await recordTransfer(operator, manager, await confirm(late), 'SEPA 2');

  await receiveMaterials(operator, [own, unpaid], late);
  const run = await startRun(operator, manager, own, unpaid);
  await recordPlate(operator, run);
  for (const walk of [walkReview, releaseRest, amend]) await walk({ manager, operator, founder }, own);
  await expectSeen(unpaid, 'in_review');
  await expectSeen(late, 'waiting_for_materials');
  await finishLate({ manager, operator, founder }, late);
});
