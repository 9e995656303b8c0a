/**
 * A live lab from an empty catalog to an amendment, through the API alone: three clients, four people of the staff.
 * After each step every door of every client is asked for what it must show and for what it must not.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ExperimentStatus } from '#core/lifecycle.ts';
import type { PlanRecord } from '#features/runs/plan-schemas.ts';
import { readTitration } from '#testing/analysis/published-titration.ts';
import { createSequences, expectFailure, expectStatus } from '#testing/builders.ts';
import { assertStep, createClient, doors, type Client, type Door, type Seen } from '#testing/client-doors.ts';
import { createRawFile, SHORT } from '#testing/lab-by-hand.ts';
import { getItems, getNumber, getText, testService, type Json } from '#testing/service.ts';
import { createSharedTraces } from '#testing/shared-files.ts';
import { insertTestRun } from '#testing/stored-runs.ts';

const live = { ENVIRONMENT: 'live', RELEASE_NEEDS_SECOND_PERSON: 'yes', BANK_DETAILS: 'IBAN' };
const service = await testService(live);
const { ask, clock } = service;
const { worker } = service.service;

type Named = Readonly<Record<string, string>>;
interface Order {
  readonly client: Client;
  readonly id: string;
  readonly code: string;
  readonly named: Named;
}

/** Words that no client may ever read, wherever they stand. */
const SECRET = {
  note: 'The client of the note is slow to answer.',
  unpaid: 'Their purchase order is signed.',
  operator: 'Olga Operator',
  lot: 'LOT-OF-THE-LAB',
  wrong: 'Without the correction of drift.',
} as const;
const BUBBLE = 'An air bubble passed the sensor.';
const AMENDED = 'The drift was within the noise.';
const CATALOG = `catalog_number,name,vendor_name,lot,stock_ug,price_per_sequence_cents
V-100,Antigen of the catalog,A vendor,${SECRET.lot},500,
`;

async function appoint(roles: readonly string[]): Promise<string> {
  const token = await service.issueToken({ ownOrganization: true });
  const id = getText((await ask('GET', '/whoami', { token })).body.user_id);
  const [person] = await service.service.database.read.query<{ email: string }>(
    'select email from users where id = $1',
    [id],
  );
  expectStatus(await ask('POST', '/lab/staff', { body: { email: person?.email, roles } }), 201);
  return token;
}

const [operator, manager, second, finance] = [
  await appoint(['operator']),
  await appoint(['manager']),
  await appoint(['manager']),
  await appoint(['finance']),
];
const [first, custom, requesting] = [
  await createClient(service),
  await createClient(service),
  await createClient(service),
];

const settle = async (): Promise<void> => {
  while ((await worker.runDue()) > 0);
};

async function act(token: string, path: string, body: unknown = {}, status = 200): Promise<Json> {
  return expectStatus(await ask('POST', `/lab${path}`, { body, token }), status).body;
}

async function order(client: Client, name: string, named: Named, targetId: string): Promise<Order> {
  const spec = { experiment_type: 'affinity', method: 'bli', n_replicates: 2, target_id: targetId };
  const body = { name, experiment_spec: { ...spec, sequences: named } };
  const made = expectStatus(await client.ask('POST', '/experiments', { body }), 201).body;
  const id = getText(made.experiment_id);
  expectStatus(await client.ask('POST', `/experiments/${id}/submit`, { body: {} }), 200);
  return { client, id, code: getText(made.experiment_code), named };
}

async function confirm({
  client,
  id,
}: Order): Promise<{ readonly invoiceId: string; readonly cents: number }> {
  const quote = expectStatus(await client.ask('GET', `/experiments/${id}/quote`), 200).body;
  const path = `/quotes/${getText(quote.quote_id)}/confirm`;
  const done = expectStatus(await client.ask('POST', path, { body: {} }), 200).body;
  await settle();
  return { invoiceId: getText(done.invoice_id), cents: getNumber(quote.amount_total) };
}

const readStatus = async ({ client, id }: Order): Promise<string> =>
  getText(expectStatus(await client.ask('GET', `/experiments/${id}`), 200).body.status);

interface Expected {
  readonly status: ExperimentStatus;
  /** What each of these doors has to show. */
  readonly shows?: Partial<Readonly<Record<Door, readonly string[]>>>;
  /** What no door may show, besides what is secret always and what belongs to others. */
  readonly hides?: readonly string[];
  /** Names of the sequences whose results are released; none unless given. */
  readonly released?: readonly string[];
}

const orders: Order[] = [];
const AROUND = 80;

function quoteAround(text: string, word: string): string {
  const at = text.indexOf(word);
  return text.slice(Math.max(0, at - AROUND), at + word.length + AROUND);
}

/** Asks every door of the client of an order. */
async function assertSeen(order: Order, expected: Expected): Promise<Seen> {
  const { status, shows = {}, hides = [], released = [] } = expected;
  assert.equal(await readStatus(order), status);
  const seen = await order.client.readDoors(order.id);
  assertStep(order, seen, status, released);
  const others = orders
    .filter(({ id }) => id !== order.id)
    .flatMap(({ id, code, named }) => [id, code, ...Object.keys(named), ...Object.values(named)]);
  for (const door of doors) {
    for (const word of shows[door] ?? []) assert.ok(seen[door].includes(word), `${door} lacks ${word}`);
    for (const word of [...hides, ...others, ...Object.values(SECRET), 'RUN-0'])
      assert.ok(!seen[door].includes(word), `${door} shows ${word}: ${quoteAround(seen[door], word)}`);
  }
  await assertNoLab(order);
  return seen;
}

/** A client's token opens no door of the lab, whether there is something behind it or not. */
async function assertNoLab({ client, id }: Order): Promise<void> {
  for (const part of ['', '/results', '/review', '/files', '/materials', '/plot.svg', '/data-package'])
    expectFailure(await client.ask('GET', `/lab/experiments/${id}${part}`), 403, 'permission_denied');
}

const nameSequences = (prefix: string): Named =>
  Object.fromEntries(
    Object.values(createSequences(4))
      .slice(...(prefix === 'alpha' ? [0, 2] : prefix === 'beta' ? [2, 3] : [3, 4]))
      .map((text, index) => [`${prefix}-${index + 1}`, text]),
  );

/** Unreleased results as staff read them. */
async function readLab({ id }: Order): Promise<readonly Json[]> {
  const answer = await ask('GET', `/lab/experiments/${id}/results?limit=50`, { token: manager });
  return getItems(expectStatus(answer, 200).body.items);
}
const listIds = (items: readonly Json[]): string[] => items.map((item) => getText(item.id));

/** The files of the published titration where they are beside the project, otherwise those of the simulated lab. */
async function uploadMeasured(order: Order): Promise<void> {
  const titration = readTitration(Object.keys(order.named)[0] ?? '');
  if (titration === null) return uploadFiles(order);
  const path = `/experiments/${order.id}`;
  for (const file of titration.files) await act(operator, `${path}/files`, file, 201);
  await act(operator, `${path}/complete`, { settings: titration.settings, ...SHORT });
  await settle();
}

async function uploadFiles(order: Order, name?: string, named = order.named): Promise<void> {
  await act(operator, `/experiments/${order.id}/files`, createRawFile(named, 'affinity', name), 201);
  await act(operator, `/experiments/${order.id}/complete`, SHORT);
  await settle();
}

const decide = (sequence: string, decision: string, replicate: number, reason: string) => ({
  decisions: [{ sequence, plate: 'P1', replicate, decision, reason }],
});

async function openShop(): Promise<string> {
  const spec = { experiment_type: 'expression', sequences: nameSequences('alpha') };
  const early = await first.ask('POST', '/experiments/cost-estimate', { body: { experiment_spec: spec } });
  expectFailure(early, 422, 'experiment_type_not_offered');
  assert.equal((await first.ask('GET', '/assay-types')).body.total, 0);
  const csv = { headers: { 'content-type': 'text/csv' }, payload: CATALOG, token: manager };
  const preview = expectStatus(await ask('POST', '/lab/targets/import/validate', csv), 200);
  assert.equal((await first.ask('GET', '/targets')).body.total, 0, preview.text);
  expectStatus(await ask('POST', '/lab/targets/import', csv), 200);
  const prices = [{ experiment_type: 'affinity', unit_price_cents: 20_000, replicate_price_cents: 5_000 }];
  const draft = await act(
    manager,
    '/price-lists',
    { effective_from: clock.now().toISOString(), prices },
    201,
  );
  const offered = { body: { offered: true, methods: ['bli'], n_replicates_min: 2 }, token: manager };
  await act(manager, `/price-lists/${getText(draft.id)}/publish`);
  expectStatus(await ask('PATCH', '/lab/assay-types/affinity', offered), 200);
  const [target] = getItems(expectStatus(await first.ask('GET', '/targets'), 200).body.items);
  assert.deepEqual(
    getItems((await first.ask('GET', '/assay-types')).body.items).map((each) => each.experiment_type),
    ['affinity'],
  );
  return getText(target?.id);
}

/** The target has no price yet, so the lab quotes by hand; the quote is read only once it is open. */
async function orderByQuote(targetId: string): Promise<Order> {
  const made = await order(custom, 'A library by quote', nameSequences('beta'), targetId);
  orders.push(made);
  const line = { description: 'Affinity of one design', quantity: 1, unit_price_cents: 80_000 };
  const discounts = [{ description: 'Framework agreement', basis_points: 1_000 }];
  const body = { experiment_id: made.id, line_items: [line], discounts };
  await act(operator, `/experiments/${made.id}/notes`, { note: SECRET.note }, 201);
  const quote = await act(manager, '/quotes', body, 201);
  const hides = [line.description, '72000', getText(quote.id)];
  await assertSeen(made, { status: 'waiting_for_confirmation', hides });
  await act(manager, `/quotes/${getText(quote.id)}/open`);
  await settle();
  const shows = { rest: ['72000'], tools: ['72000'], pages: ['720.00'], feed: ['Quote ready'] };
  await assertSeen(made, { status: 'quote_sent', shows: { ...shows, pdf: ['Framework agreement'] } });
  assert.equal((await confirm(made)).cents, 72_000);
  return made;
}

/** The catalog gets its price, and the next client serves itself. */
async function orderBySelf(targetId: string): Promise<Order> {
  const pricing = { type: 'per_sequence', price_per_sequence_cents: 900 };
  const priced = await ask('PATCH', `/lab/targets/${targetId}`, { body: { pricing }, token: manager });
  expectStatus(priced, 200);
  const made = await order(first, 'A library by myself', nameSequences('alpha'), targetId);
  orders.push(made);
  await settle();
  const quoted = {
    rest: ['51800'],
    tools: ['51800'],
    pages: ['518.00'],
    pdf: ['518.00'],
    feed: ['Quote ready'],
  };
  await assertSeen(made, { status: 'quote_sent', shows: quoted });
  const { invoiceId, cents } = await confirm(made);
  assert.equal(cents, 51_800);
  await act(finance, `/invoices/${invoiceId}/bank-transfer`, { reference: 'SEPA 1' }, 201);
  await settle();
  await assertSeen(made, {
    status: 'waiting_for_materials',
    shows: { rest: ['"paid"'], tools: ['"paid"'], pages: ['Paid'], pdf: ['518.00'], feed: ['Invoice paid'] },
  });
  return made;
}

/** Only who asked for a target sees it. */
async function orderByRequest(): Promise<Order> {
  const product = { name: 'A private antigen', product_id: 'P-7', vendor: 'A vendor' };
  const requested = await requesting.ask('POST', '/targets/request-custom', {
    body: { ...product, pdb_id: '4F3F', product_url: 'https://vendor.example/P-7' },
  });
  const requestId = getText(expectStatus(requested, 201).body.id);
  assert.equal((await requesting.ask('GET', '/targets?search=private')).body.total, 0);
  const pricing = { type: 'per_sequence', price_per_sequence_cents: 1_500 };
  await act(manager, `/target-requests/${requestId}/approve`, { target: { pricing }, lead_time_days: 14 });
  const answered = expectStatus(
    await requesting.ask('GET', `/targets/request-custom/${requestId}`),
    200,
  ).body;
  const targetId = getText(answered.material_id);
  expectStatus(await requesting.ask('GET', `/targets/${targetId}`), 200);
  expectFailure(await first.ask('GET', `/targets/${targetId}`), 404, 'target_not_found');
  const made = await order(requesting, 'A library on request', nameSequences('gamma'), targetId);
  orders.push(made);
  await settle();
  const { invoiceId, cents } = await confirm(made);
  assert.equal(cents, 26_500);
  await act(finance, `/invoices/${invoiceId}/bank-transfer`, { reference: 'SEPA 2' }, 201);
  await settle();
  return made;
}

/** One file of the instrument holds the wells of both orders of the run. */
async function recordPlate(runId: string, plan: PlanRecord): Promise<void> {
  const payload = Buffer.from(createSharedTraces(plan, { assay: 'affinity' })).toString();
  const path = `/lab/runs/${runId}/raw-files/P1.csv`;
  expectStatus(await ask('PUT', path, { payload, token: operator }), 201);
  await act(operator, `/runs/${runId}/complete`);
  await settle();
}

/** Two orders share a run; the third waits for its antigen. */
async function runPlate(own: Order, unpaid: Order, late: Order): Promise<void> {
  const path = (each: Order) => `/lab/experiments/${each.id}/materials`;
  const read = expectStatus(await ask('GET', path(late), { token: operator }), 200).body;
  const fragments = getItems(read.materials)
    .filter(({ sequence_id: id }) => id !== null)
    .map(({ sequence_id: id }) => ({ sequence_id: id, status: 'received' }));
  const partly = [...fragments, { sequence_id: null, status: 'ordered' }];
  expectStatus(await ask('PATCH', path(late), { body: { materials: partly }, token: operator }), 200);
  await act(operator, `/experiments/${own.id}/materials`);
  await act(operator, `/experiments/${unpaid.id}/materials`);
  await assertSeen(late, { status: 'waiting_for_materials' });
  const askAs =
    (token: string): typeof ask =>
    (method, url, options) =>
      ask(method, url, { ...options, token });
  const runId = await insertTestRun(askAs(operator), [own.code, unpaid.code], {
    concentrations_m: undefined,
  });
  const start = (status: number) =>
    act(operator, `/runs/${runId}/start`, { operator: SECRET.operator, instrument: 'Octet R8' }, status);
  assert.equal((await start(409)).code, 'run_not_startable');
  assert.equal(await readStatus(own), 'in_queue');
  const allow = `/experiments/${unpaid.id}/allow-unpaid`;
  assert.equal((await act(operator, allow, { reason: SECRET.unpaid }, 403)).code, 'permission_denied');
  await act(manager, allow, { reason: SECRET.unpaid });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a plan as the service answers it
  const plan = (await start(200)).plan as unknown as PlanRecord;
  for (const each of [own, unpaid])
    await assertSeen(each, { status: 'in_production', shows: { feed: ['Run started'] } });
  assert.equal(await readStatus(late), 'waiting_for_materials');
  await recordPlate(runId, plan);
}

/** Exclusion, repetition, release in part, the second person, and an amendment. */
async function walkReview(own: Order): Promise<void> {
  const [one = '', other = ''] = Object.keys(own.named);
  const hidden = async () => listIds(await readLab(own));
  await assertSeen(own, { status: 'in_review', hides: await hidden() });
  await act(manager, `/experiments/${own.id}/release`, { sequences: [other], ...SHORT });
  await settle();
  const isWaiting = (item: Json) => getText(item.sequence_name) === one;
  const waiting = async () => listIds((await readLab(own)).filter(isWaiting));
  const partial = {
    feed: ['Some results available'],
    rest: ['"partial"'],
    tools: ['"partial"'],
    pages: ['/results/', 'More results will follow'],
  };
  const part = { shows: partial, released: [other] };
  await assertSeen(own, { status: 'in_review', ...part, hides: [...(await waiting()), BUBBLE] });

  const path = `/experiments/${own.id}`;
  await act(manager, `${path}/decisions`, decide(one, 'exclude', 2, BUBBLE));
  await settle();
  await assertSeen(own, { status: 'in_review', ...part, hides: [...(await waiting()), BUBBLE] });
  await act(manager, `${path}/decisions`, decide(one, 'repeat', 1, 'The curves drift.'));
  await assertSeen(own, { status: 'in_production', ...part, hides: [...(await waiting()), BUBBLE] });
  await uploadFiles(own, 'again.csv', { [one]: own.named[one] ?? '' });
  await assertSeen(own, { status: 'in_review', ...part, hides: [...(await waiting()), BUBBLE] });

  const release = await ask('POST', `/lab${path}/release`, { body: SHORT, token: manager });
  expectFailure(release, 409, 'second_person_needed');
  await act(second, `${path}/release`, SHORT);
  await settle();
  const shows = {
    pdf: ['518.00'],
    rest: [one, BUBBLE],
    tools: [one],
    pages: [one],
    package: [BUBBLE],
    feed: ['Results released'],
  };
  await amend(own, await assertSeen(own, { status: 'done', shows, released: [one, other] }));
}

async function amend(own: Order, before: Seen): Promise<void> {
  const path = `/experiments/${own.id}`;
  const released = Object.keys(own.named);
  await act(manager, `${path}/reanalyze`, { settings: { drift: 'none' }, reason: SECRET.wrong }, 201);
  await settle();
  const after = await assertSeen(own, { status: 'done', released, hides: [AMENDED, '"version":4'] });
  for (const door of ['feed', 'pdf', 'package'] as const) assert.equal(after[door], before[door], door);
  const body = { reason: AMENDED };
  const alone = await ask('POST', `/lab${path}/amend`, { body, token: manager });
  expectFailure(alone, 409, 'second_person_needed');
  await act(second, `${path}/amend`, body);
  await settle();
  const shows = { rest: ['"version":4'], tools: ['"version":4'], feed: [AMENDED] };
  const amended = await assertSeen(own, { status: 'done', released, shows });
  assert.notEqual(amended.package, before.package, 'the package is the one before the amendment');
}

/** A late order goes the same road by itself. */
async function finishLate(late: Order): Promise<void> {
  await act(operator, `/experiments/${late.id}/materials`);
  await act(operator, `/experiments/${late.id}/runs`, { instrument: 'Octet R8' }, 201);
  await uploadMeasured(late);
  await assertSeen(late, { status: 'in_review', hides: listIds(await readLab(late)) });
  await act(second, `/experiments/${late.id}/release`, SHORT);
  await settle();
  const names = Object.keys(late.named);
  const shows = { rest: names, tools: names, pages: names, feed: ['Results released'] };
  await assertSeen(late, { status: 'done', shows, released: names });
}

test('live lab: from an empty catalog to an amendment → each client sees each step when it happens and nothing before', async () => {
  const targetId = await openShop();
  const unpaid = await orderByQuote(targetId);
  const own = await orderBySelf(targetId);
  const late = await orderByRequest();
  await runPlate(own, unpaid, late);
  await walkReview(own);
  await assertSeen(unpaid, { status: 'in_review', hides: listIds(await readLab(unpaid)) });
  await finishLate(late);
  const failed = await ask('GET', '/lab/jobs?filter=eq(status,failed)');
  assert.equal(expectStatus(failed, 200).body.total, 0, failed.text);
});
