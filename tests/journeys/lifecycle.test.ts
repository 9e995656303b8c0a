import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS } from '#core/clock.ts';
import { experimentStatuses, getMovesFrom, type ExperimentStatus } from '#core/lifecycle.ts';
import { createBuilders, expectFailure, expectStatus, askUntil, VHH, type Draft } from '#testing/builders.ts';
import { getItems, testService, getText } from '#testing/service.ts';

const harness = await testService();
const { ask, clock, runLab } = harness;
const { worker, database } = harness.service;
const { createBody, targets, create, createQuoted, createInvoiced, createAutoAccepted, pay } =
  await createBuilders(harness);

const binder = createBody({ n_replicates: 1, parameters: { sandbox: { force: 'binder' } } });

async function readStatus(id: string): Promise<string> {
  return getText(expectStatus(await ask('GET', `/experiments/${id}`), 200).body.status);
}

/** Lets the simulated lab work until the experiment has reached a state. */
async function runLabUntil(id: string, status: ExperimentStatus): Promise<void> {
  for (let round = 0; round < 100; round++) {
    if ((await readStatus(id)) === status) return;
    await worker.runDue();
    if ((await readStatus(id)) === status) return;
    const [next] = await database.read.query<{ due: string | null }>(
      'select min(next_at) as due from jobs where done_at is null and failed_at is null',
    );
    if (typeof next?.due !== 'string') break;
    clock.advance(Math.max(1, Date.parse(next.due) - clock.now().getTime()));
  }
  throw new Error(`the lab did not bring the experiment to ${status}`);
}

async function createPaid(): Promise<Draft> {
  const open = await createInvoiced(binder);
  await pay(open);
  return open;
}

/** How a client and the lab bring an experiment into each state. */
const reach: Readonly<Record<ExperimentStatus, () => Promise<Draft>>> = {
  draft: () => create(),
  waiting_for_confirmation: async () => {
    const draft = await create(createBody({ target_id: targets.byHand }));
    expectStatus(await ask('POST', `/experiments/${draft.id}/submit`), 200);
    return draft;
  },
  quote_sent: () => createQuoted(),
  waiting_for_materials: () => createInvoiced(),
  in_queue: () => createInLab('in_queue'),
  in_production: () => createInLab('in_production'),
  data_analysis: () => createInLab('data_analysis'),
  in_review: () => createInLab('in_review'),
  done: () => createInLab('done'),
  canceled: async () => {
    const draft = await create();
    expectStatus(await ask('POST', `/experiments/${draft.id}/cancel`), 200);
    return draft;
  },
};

async function createInLab(status: ExperimentStatus): Promise<Draft> {
  const experiment = await createPaid();
  await runLabUntil(experiment.id, status);
  return experiment;
}

const isTerminal = (status: ExperimentStatus) => getMovesFrom(status).length === 0;

for (const status of experimentStatuses) {
  test(`lifecycle: a client changes, adds to, submits, deletes and cancels in ${status} → only what this state allows`, async () => {
    const { id, code } = await reach[status]();
    assert.equal(await readStatus(id), status);
    const patch = (body: object) => ask('PATCH', `/experiments/${id}`, { body });
    const isDraft = status === 'draft';
    const closed = isTerminal(status) ? 'experiment_closed' : 'experiment_not_editable';

    const locked = await patch({ n_replicates: 2 });
    if (isDraft) expectStatus(locked, 200);
    else expectFailure(locked, 409, closed);
    const open = await patch({
      name: 'n',
      description: 'd',
      webhook_url: null,
      webhook_secret: 's'.repeat(32),
    });
    if (isTerminal(status)) expectFailure(open, 409, 'experiment_closed');
    else expectStatus(open, 200);
    const entry = { experiment_code: code, sequences: [{ aa_string: VHH }] };
    const added = await ask('POST', '/sequences', { body: entry });
    if (isDraft) expectStatus(added, 201);
    else expectFailure(added, 409, closed);
    if (!isDraft) {
      expectFailure(await ask('POST', `/experiments/${id}/submit`), 409, 'move_not_allowed');
      expectFailure(await ask('DELETE', `/experiments/${id}`), 409, 'experiment_deletion_refused');
    }
    const mayCancel = getMovesFrom(status).some(
      (move) => move.trigger === 'cancel' && move.actors.includes('client'),
    );
    const canceled = await ask('POST', `/experiments/${id}/cancel`);
    if (mayCancel) assert.equal(expectStatus(canceled, 200).body.previous_status, status);
    else expectFailure(canceled, 409, 'move_not_allowed');
    assert.equal(await readStatus(id), mayCancel ? 'canceled' : status);
  });
}

test('lifecycle: a run of the lab → passes every state in order, and the updates name each', async () => {
  const { id } = await createPaid();
  const results: string[] = [];
  for (const status of ['in_queue', 'in_production', 'data_analysis', 'in_review', 'done'] as const) {
    await runLabUntil(id, status);
    const { body: detail } = await ask('GET', `/experiments/${id}`);
    results.push(getText(detail.results_status));
    assert.equal(Boolean(detail.result_id), status === 'done');
  }
  assert.deepEqual(results, ['none', 'none', 'none', 'none', 'all']);
  const filter = 'filter=eq(type,status_change)&limit=100';
  const feed = await ask('GET', `/experiments/${id}/updates?${filter}`);
  assert.deepEqual(
    getItems(feed.body.items).map((item) => getText(item.status)),
    [
      'draft',
      'waiting_for_confirmation',
      'quote_sent',
      'waiting_for_materials',
      'in_queue',
      'in_production',
      'data_analysis',
      'in_review',
      'done',
    ],
  );
  const steps = getItems(feed.body.items);
  for (const [index, step] of steps.entries())
    if (index > 0) assert.equal(step.previous_status, steps[index - 1]?.status);
});

test('skip_draft: the quote is not sent yet → waiting_for_confirmation, and the client may accept it already', async () => {
  const skipping = { ...createBody(), skip_draft: true };
  const answered = expectStatus(await ask('POST', '/experiments', { body: skipping }), 201);
  assert.equal(answered.body.status, 'waiting_for_confirmation');
  const id = getText(answered.body.experiment_id);
  await worker.runDue();
  assert.equal(await readStatus(id), 'quote_sent');

  const eager = await create(skipping);
  expectStatus(await ask('POST', `/experiments/${eager.id}/quote/confirm`, { body: {} }), 200);
  await worker.runDue();
  assert.equal(await readStatus(eager.id), 'waiting_for_materials');

  const unwanted = await create(skipping);
  const { body: quote } = await ask('GET', `/experiments/${unwanted.id}/quote`);
  const reason = { reason: 'budget', feedback: null };
  expectStatus(await ask('POST', `/quotes/${getText(quote.quote_id)}/reject`, { body: reason }), 200);
  await worker.runDue();
  assert.equal(await readStatus(unwanted.id), 'draft');
});

test('auto_accept_quote: an experiment is submitted → a draft invoice that the lab sends; payment starts the run', async () => {
  const accepted = await createAutoAccepted(binder);
  assert.equal(await readStatus(accepted.id), 'waiting_for_materials');
  const draft = await ask('GET', `/invoices/${accepted.invoiceId}`);
  assert.equal(draft.body.status, 'draft');
  assert.equal(draft.body.invoice_number, null);
  assert.equal(draft.body.hosted_invoice_url, null);
  const sent = await ask('POST', `/lab/invoices/${accepted.invoiceId}/send`);
  assert.equal(expectStatus(sent, 200).body.status, 'open');
  await runLab();
  assert.equal(await readStatus(accepted.id), 'in_queue');
  await pay(accepted);
  await runLab();
  assert.equal(await readStatus(accepted.id), 'done');
});

test('lifecycle: the invoice is not paid → the run does not start, and an update says why', async () => {
  const open = await createInvoiced(binder);
  await runLab();
  assert.equal(await readStatus(open.id), 'in_queue');
  const feed = await ask('GET', `/experiments/${open.id}/updates?filter=eq(type,progress)`);
  assert.match(feed.text, /Waiting for payment/);
});

test('lifecycle: an experiment that the simulated lab cannot measure → waits for people, and an update says so', async () => {
  const order = await createInvoiced(binder);
  await runLab();
  await database.read.query("update experiments set experiment_type = 'epitope_binning' where id = $1", [
    order.id,
  ]);
  await pay(order);
  await runLab();
  assert.equal(await readStatus(order.id), 'in_queue');
  const feed = await ask('GET', `/experiments/${order.id}/updates?filter=eq(type,progress)`);
  assert.match(feed.text, /The simulated lab does not measure epitope_binning/);
});

test('requested_target: an experiment with a custom target → waits for the lab, and the request is kept', async () => {
  const requested = { name: 'My antigen', uniprot_id: 'P00533', note: 'extracellular' };
  const custom = await create(createBody({ target_id: null, requested_target: requested }));
  const submitted = await ask('POST', `/experiments/${custom.id}/submit`);
  assert.equal(expectStatus(submitted, 200).body.status, 'waiting_for_confirmation');
  const { body: detail } = await ask('GET', `/experiments/${custom.id}`);
  assert.deepEqual(detail.experiment_spec.requested_target, requested);
  assert.equal(detail.costs.type, 'incomplete_estimate');
});

test('requested_target: a target of the catalog is set later → replaces the requested one', async () => {
  const custom = await create(createBody({ target_id: null, requested_target: { name: 'My antigen' } }));
  const [known] = getItems((await ask('GET', '/targets?selfservice_only=true&limit=1')).body.items);
  expectStatus(await ask('PATCH', `/experiments/${custom.id}`, { body: { target_id: known.id } }), 200);
  const { body: detail } = await ask('GET', `/experiments/${custom.id}`);
  assert.equal(detail.experiment_spec.requested_target, null);
  assert.equal(detail.target_id, known.id);
  assert.equal(detail.costs.type, 'estimate');
});

test('reject_quote: the draft is changed and submitted again → a new quote, and the old one stays canceled', async () => {
  const first = await createQuoted();
  const reject = { reason: 'scope', feedback: 'one replicate' };
  expectStatus(await ask('POST', `/quotes/${first.quoteId}/reject`, { body: reject }), 200);
  expectStatus(await ask('PATCH', `/experiments/${first.id}`, { body: { n_replicates: 1 } }), 200);
  expectStatus(await ask('POST', `/experiments/${first.id}/submit`), 200);
  const { body: second } = await ask('GET', `/experiments/${first.id}/quote`);
  assert.notEqual(second.quote_id, first.quoteId);
  assert.equal(second.amount_total, 14_900 + 500);
  assert.equal((await ask('GET', `/quotes/${first.quoteId}`)).body.status, 'canceled');
  const confirmed = await ask('POST', `/experiments/${first.id}/quote/confirm`, { body: {} });
  assert.equal(confirmed.body.id, second.quote_id);
});

test('quote_expired: a quote passes its date → it becomes stale and the experiment is a draft again', async () => {
  const open = await createQuoted();
  clock.advance(30 * DAY_MS);
  worker.start();
  const stale = await askUntil(
    () => ask('GET', `/quotes/${open.quoteId}`),
    ({ text }) => text.includes('"status":"stale"'),
  );
  assert.equal(stale.status, 200);
  assert.equal(await readStatus(open.id), 'draft');
  const late = await ask('POST', `/quotes/${open.quoteId}/confirm`, { body: {} });
  expectFailure(late, 409, 'quote_expired');
  expectStatus(await ask('POST', `/experiments/${open.id}/submit`), 200);
  expectStatus(await ask('POST', `/experiments/${open.id}/quote/confirm`, { body: {} }), 200);
});
