import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { EMPTY_ENTRY } from '#features/targets/entry.ts';
import { insertTarget } from '#features/targets/store.ts';
import {
  createBuilders,
  expectFailure,
  expectStatus,
  listProblemPaths,
  createSequences,
  UNKNOWN_ID,
  VHH,
} from '#testing/builders.ts';
import { withoutCollection } from '#testing/collection.ts';
import { fakeRail } from '#testing/fake-rail.ts';
import { proveSandboxRefused } from '#testing/live-refusals.ts';
import { proveCoverage, createRecordedService } from '#testing/recorder.ts';
import { getItems, testService, getText, type Ask, type TestAnswer } from '#testing/service.ts';

const service = await createRecordedService({ MAX_SEQUENCES_PER_EXPERIMENT: '5' });
const { ask } = service;
const { createBody, targets, create, createQuoted, createInvoiced } = await createBuilders(service);

const askEstimate = ({ experiment_spec }: { readonly experiment_spec: object }, options: Ask = {}) =>
  ask('POST', '/experiments/cost-estimate', { ...options, body: { experiment_spec } });

/** What a creation says, its validation says, and its estimate where there is no more than the specification. */
async function expectRefusedEverywhere(
  spec: Readonly<Record<string, unknown>>,
  status: number,
  code: string,
): Promise<TestAnswer> {
  const whole = createBody(spec);
  const created = expectFailure(await ask('POST', '/experiments', { body: whole }), status, code);
  const validated = expectFailure(await ask('POST', '/experiments/validate', { body: whole }), status, code);
  const estimate = await askEstimate(whole);
  expectFailure(estimate, status, code);
  assert.deepEqual(validated.body.problems, created.body.problems);
  assert.deepEqual(estimate.body.problems, created.body.problems);
  return created;
}

async function expectRefusedCreation(
  besides: Readonly<Record<string, unknown>>,
  headers: Readonly<Record<string, string>>,
  code: string,
): Promise<void> {
  const before = (await ask('GET', '/experiments')).body.total;
  for (const path of ['/experiments', '/experiments/validate']) {
    const answer = await ask('POST', path, { body: { ...createBody(), ...besides }, headers });
    assert.equal(answer.body.code, code, answer.text);
  }
  assert.equal((await ask('GET', '/experiments')).body.total, before);
}

test('create_exp: validation, estimate and creation of one specification → the same price and warnings', async () => {
  const whole = createBody({ sequences: createSequences(5), n_replicates: 3 });
  const validated = expectStatus(await ask('POST', '/experiments/validate', { body: whole }), 200);
  const estimate = await askEstimate(whole);
  const created = expectStatus(await ask('POST', '/experiments', { body: whole }), 201);
  assert.equal(created.body.status, 'draft');
  assert.equal(created.body.costs.breakdown.total_cents, 106_000);
  assert.deepEqual(validated.body.costs, created.body.costs);
  assert.deepEqual(estimate.body.breakdown, created.body.costs.breakdown);
  assert.deepEqual(validated.body.warnings, created.body.warnings ?? []);
});

test('invalid_experiment: problems of schema and content → all in one answer', async () => {
  const answer = await expectRefusedEverywhere(
    { method: null, n_replicates: 6, antigen_concentrations: [1], sequences: { a: 'ACX' } },
    400,
    'invalid_experiment',
  );
  const fields = ['antigen_concentrations', 'method', 'n_replicates', 'sequences.a'];
  assert.deepEqual(
    listProblemPaths(answer),
    fields.map((field) => `experiment_spec.${field}`),
  );
});

test('unprocessable_experiment: only a residue is wrong → 422 names sequence, chain and position', async () => {
  const answer = await expectRefusedEverywhere(
    { sequences: { a: 'AC:DX' } },
    422,
    'unprocessable_experiment',
  );
  assert.match(answer.text, /a, chain 2, position 2: X \(any residue\)/);
});

/** 20 codons: as protein it would be 60 residues of five amino acids. */
const DNA = 'ATGAGCAAAGGCGAAGAACTGTTTACCGGCGTGGTGCCGATTCTGGTGGAACTGGATGGC';

test('looks_like_dna: two chains of a sequence are DNA → a problem for each', async () => {
  const body = createBody({ sequences: { gene: `${DNA}:${VHH}:${DNA}` } });
  const { problems } = expectFailure(await ask('POST', '/experiments', { body }), 422, 'looks_like_dna').body;
  const chains = getItems(problems).map(({ message }) => /chain \d/.exec(getText(message))?.[0]);
  assert.deepEqual(chains, ['chain 1', 'chain 3']);
});

test('looks_like_dna: one chain is DNA in create, validate, estimate and PATCH → 422 that names it and the way out', async () => {
  const answer = await expectRefusedEverywhere(
    { sequences: { good: VHH, gene: `${VHH}:${DNA.toLowerCase()}`, odd: 'ACX' } },
    422,
    'looks_like_dna',
  );
  assert.deepEqual(listProblemPaths(answer), [
    'experiment_spec.sequences.gene',
    'experiment_spec.sequences.odd',
  ]);
  assert.match(getText(answer.body.error), /gene, chain 2 looks like DNA.*assayer submit --translate/);
  const { code } = await create();
  const body = { sequences: [{ name: 'gene', aa_string: DNA }] };
  expectFailure(await ask('PATCH', `/experiments/${code}`, { body }), 422, 'looks_like_dna');
});

test('experiment_type_not_offered: a known assay that this lab does not run → 422', async () => {
  await expectRefusedEverywhere({ experiment_type: 'epitope_binning' }, 422, 'experiment_type_not_offered');
});

test('submit_experiment: the lab has withdrawn the assay, or its replicates, since the draft → 422', async () => {
  const { id } = await create(createBody({ n_replicates: 1 }));
  const offer = (body: unknown) => ask('PATCH', '/lab/assay-types/screening', { body });
  const submit = () => ask('POST', `/experiments/${id}/submit`);
  await offer({ offered: false });
  expectFailure(await submit(), 422, 'experiment_type_not_offered');
  await offer({ offered: true, n_replicates_min: 2 });
  expectFailure(await submit(), 422, 'unprocessable_experiment');
  await offer({ n_replicates_min: 1 });
});

test('too_many_sequences: more sequences than the limit → 422', async () => {
  await expectRefusedEverywhere({ sequences: createSequences(6) }, 422, 'too_many_sequences');
});

test('target_not_found: an unknown target → 404', async () => {
  await expectRefusedEverywhere({ target_id: UNKNOWN_ID }, 404, 'target_not_found');
});

/** Adds a target to the catalog under a name; nothing else of it matters. */
async function addTarget(name: string, catalogNumber: string): Promise<string> {
  const id = randomUUID();
  const entry = { ...EMPTY_ENTRY, name, vendor_name: 'Vendor', catalog_number: catalogNumber };
  await service.service.database.runTransaction((tx) =>
    insertTarget(tx, { id, entry, owner_organization_id: null, created_at: new Date(0) }),
  );
  return id;
}

test('target: a name in any case, or an id → the target of that name, priced and stored by its id', async () => {
  const { name, id: target_id } = (await ask('GET', `/targets/${targets.perSequence}`)).body;
  for (const target of [` ${getText(name).toUpperCase()} `, target_id]) {
    const body = createBody({ target_id: null, target });
    const estimate = await ask('POST', '/experiments/cost-estimate', {
      body: { experiment_spec: body.experiment_spec },
    });
    assert.equal(estimate.body.breakdown?.materials.target_name, name, estimate.text);
    expectStatus(await ask('POST', '/experiments/validate', { body }), 200);
    const { id } = await create(body);
    const { experiment_spec: spec, target_id: stored } = (await ask('GET', `/experiments/${id}`)).body;
    assert.deepEqual([stored, spec?.target_id, spec?.target?.name], [target_id, target_id, name]);
  }
});

test('target_not_found: a name that nobody has → 404 with the nearest names', async () => {
  const misspelt = await expectRefusedEverywhere(
    { target_id: null, target: 'EFGR' },
    404,
    'target_not_found',
  );
  assert.deepEqual(listProblemPaths(misspelt), ['experiment_spec.target']);
  assert.match(misspelt.text, /nearest names are EGFR\b/);
  const gene = await expectRefusedEverywhere({ target_id: null, target: 'HER1' }, 404, 'target_not_found');
  assert.match(gene.text, /nearest names are EGFR\b/);
  const several = await expectRefusedEverywhere({ target_id: null, target: 'EGF' }, 404, 'target_not_found');
  assert.match(several.text, /nearest names are EGFR; /);
  const nothing = await expectRefusedEverywhere({ target_id: null, target: '%_' }, 404, 'target_not_found');
  assert.match(nothing.text, /list_targets searches it/);
  await expectRefusedEverywhere({ target_id: null, target: UNKNOWN_ID }, 404, 'target_not_found');
});

test('target_ambiguous: two targets have the name → 422 with the id of each', async () => {
  const ids = [await addTarget('Twin', 'T-1'), await addTarget('twin', 'T-2')];
  const refused = await expectRefusedEverywhere({ target_id: null, target: 'Twin' }, 422, 'target_ambiguous');
  for (const id of ids) assert.ok(refused.text.includes(id));
});

test('target: beside a target_id, or for an assay without a target → 400 at its path', async () => {
  const both = await expectRefusedEverywhere({ target: 'EGFR' }, 400, 'invalid_experiment');
  assert.deepEqual(listProblemPaths(both), ['experiment_spec.target']);
  const none = { experiment_type: 'expression', method: null, target_id: null, target: 'EGFR' };
  const refused = await expectRefusedEverywhere(none, 400, 'invalid_experiment');
  assert.deepEqual(listProblemPaths(refused), ['experiment_spec.target']);
});

test('pricing_incomplete: auto_accept_quote without a complete price → refused, and nothing is created', async () => {
  await expectRefusedCreation(
    { ...createBody({ target_id: targets.byHand }), auto_accept_quote: true },
    {},
    'pricing_incomplete',
  );
});

test('unknown_payment_method: an unknown rail → refused, and nothing is created', async () => {
  const barter = { headers: { 'x-service-payment-method': 'barter' } };
  await expectRefusedCreation({}, barter.headers, 'unknown_payment_method');
  expectFailure(await askEstimate(createBody(), barter), 400, 'unknown_payment_method');
});

test('payment_rail_not_served: a machine rail that is not served → refused, and nothing is created', async () => {
  const x402 = { headers: { 'x-service-payment-method': 'x402-exact' } };
  await expectRefusedCreation({}, x402.headers, 'payment_rail_not_served');
  expectFailure(await askEstimate(createBody(), x402), 501, 'payment_rail_not_served');
  // Live, and without the keys of an outside processor.
  const live = await testService({ ENVIRONMENT: 'live' });
  const headers = { 'x-service-payment-method': 'mpp-spt' };
  const body = { name: 'live', experiment_spec: { experiment_type: 'expression', sequences: { a: VHH } } };
  const answer = await live.ask('POST', '/experiments', { body, headers });
  expectFailure(answer, 501, 'payment_rail_not_served');
});

test('sandbox_only: parameters.sandbox in a live environment → refused', () => proveSandboxRefused('orders'));

test('create_exp: auto_accept_quote → the answer has the costs of the new invoice', async () => {
  const answer = await ask('POST', '/experiments', { body: { ...createBody(), auto_accept_quote: true } });
  const created = expectStatus(answer, 201).body;
  assert.deepEqual([created.costs.type, created.costs.status], ['invoiced', 'draft']);
  const detail = (await ask('GET', `/experiments/${getText(created.experiment_id)}`)).body;
  assert.deepEqual(created.costs, detail.costs);
});

test('create_exp: auto_accept_quote on a machine rail → the confirmation and an open invoice', async () => {
  const served = await createRecordedService({}, { rails: [fakeRail()] });
  const machine = await createBuilders(served);
  const answer = await served.ask('POST', '/experiments', {
    body: { ...machine.createBody(), auto_accept_quote: true },
    headers: { 'x-service-payment-method': 'x402-exact' },
  });
  const { payment, invoice_id: id } = expectStatus(answer, 200).body;
  assert.deepEqual(payment?.methods, ['async_invoice', 'x402-exact']);
  assert.equal(payment?.kind, 'x402-exact');
  assert.equal(payment?.pay_url, `${served.service.work.site.baseUrl}/api/v1/invoices/${getText(id)}/pay`);
  const invoice = expectStatus(await served.ask('GET', `/invoices/${getText(id)}`), 200);
  assert.equal(invoice.body.status, 'open');
  assert.equal(invoice.body.payment_method, 'x402-exact');
});

test('list_experiments: filter by either spelling of a status → the same experiments, newest first', async () => {
  const { id } = await createQuoted();
  const all = expectStatus(await ask('GET', '/experiments?limit=1'), 200);
  assert.equal(getItems(all.body.items)[0]?.id, id);
  for (const spelling of ['quote_sent', 'QuoteSent']) {
    const some = expectStatus(await ask('GET', `/experiments?filter=eq(status,${spelling})`), 200);
    assert.ok(some.text.includes(id));
    assert.ok(getItems(some.body.items).every((item) => getText(item.status) === 'quote_sent'));
  }
});

test('invalid_query: experiments are filtered by an unknown field → 400', async () => {
  expectFailure(await ask('GET', '/experiments?filter=eq(color,red)'), 400, 'invalid_query');
});

test('modify_exp: some fields, omitted fields, null → given ones are replaced, all others are kept', async () => {
  const { id } = await create();
  const patch = (body: object) => ask('PATCH', `/experiments/${id}`, { body });
  assert.equal(expectStatus(await patch({}), 200).body.updated, false);
  const change = { description: 'new', n_replicates: 1, sequences: [{ name: 'only', aa_string: VHH }] };
  assert.equal(expectStatus(await patch(change), 200).body.updated, true);
  assert.equal(expectStatus(await patch(change), 200).body.updated, false);
  expectStatus(await patch({ description: null }), 200);
  const { body: detail } = await ask('GET', `/experiments/${id}`);
  assert.equal(detail.description, 'new');
  assert.equal(detail.n_replicates, 1);
  assert.deepEqual(Object.keys(detail.experiment_spec.sequences), ['only']);
  assert.equal(detail.costs.breakdown.assay.n_replicates, 1);
});

test('modify_exp: malformed fields → each refusal names the field', async () => {
  const { id } = await create();
  const patch = (body: object) => ask('PATCH', `/experiments/${id}`, { body });
  const form = { name: '', webhook_url: 'http://x', n_replicates: 0, antigen_concentrations: [1] };
  const refused = expectFailure(await patch(form), 400, 'invalid_experiment');
  assert.deepEqual(listProblemPaths(refused), Object.keys(form).sort());
  const letters = await patch({ sequences: [{ aa_string: 'X' }] });
  expectFailure(letters, 422, 'unprocessable_experiment');
  const six = Array.from({ length: 6 }, () => ({ aa_string: VHH }));
  expectFailure(await patch({ sequences: six }), 422, 'too_many_sequences');
  expectFailure(await patch({ target_id: UNKNOWN_ID }), 404, 'target_not_found');
  assert.deepEqual(listProblemPaths(expectFailure(await patch({ status: 'done' }), 400, 'invalid_request')), [
    'status',
  ]);
});

test('experiment_not_editable: a change after submission → only name, description and webhook may change', async () => {
  const { id } = await createQuoted();
  const patch = (body: object) => ask('PATCH', `/experiments/${id}`, { body });
  expectFailure(await patch({ n_replicates: 1 }), 409, 'experiment_not_editable');
  expectStatus(await patch({ name: 'later', webhook_url: 'https://example.org/hook' }), 200);
});

test('experiment_closed: a canceled experiment is changed → 409', async () => {
  const { id } = await create();
  const canceled = await ask('POST', `/experiments/${id}/cancel`, { body: { reason: 'twice' } });
  assert.equal(expectStatus(canceled, 200).body.status, 'canceled');
  const late = await ask('PATCH', `/experiments/${id}`, { body: { name: 'later' } });
  expectFailure(late, 409, 'experiment_closed');
});

test('submit_experiment: a draft → an open quote; a second submission → 409', async () => {
  const { id } = await create();
  const submitted = expectStatus(await ask('POST', `/experiments/${id}/submit`), 200);
  assert.equal(submitted.body.previous_status, 'draft');
  assert.equal(submitted.body.status, 'quote_sent');
  expectFailure(await ask('POST', `/experiments/${id}/submit`), 409, 'move_not_allowed');
});

test('experiment_empty: a draft without sequences is submitted → 409', async () => {
  const { id } = await create();
  expectStatus(await ask('PATCH', `/experiments/${id}`, { body: { sequences: [] } }), 200);
  expectFailure(await ask('POST', `/experiments/${id}/submit`), 409, 'experiment_empty');
});

test('experiment_without_target: a binding draft without a target is submitted → 409', async () => {
  const { id } = await create();
  expectStatus(await ask('PATCH', `/experiments/${id}`, { body: { target_id: null } }), 200);
  expectFailure(await ask('POST', `/experiments/${id}/submit`), 409, 'experiment_without_target');
});

test('target_retired: a draft is submitted after the lab retired its target → 409; after it is listed again → 200', async () => {
  const target = { name: 'Brief', vendor_name: 'A vendor', catalog_number: 'BRIEF-1' };
  const made = expectStatus(await ask('POST', '/lab/targets', { body: target }), 201);
  const targetId = getText(made.body.id);
  const { id } = await create(createBody({ target_id: targetId }));
  const retire = (retired: boolean) => ask('PATCH', `/lab/targets/${targetId}`, { body: { retired } });
  expectStatus(await retire(true), 200);
  expectFailure(await ask('POST', `/experiments/${id}/submit`), 409, 'target_retired');
  expectStatus(await retire(false), 200);
  expectStatus(await ask('POST', `/experiments/${id}/submit`), 200);
});

test('move_not_allowed: a client cancels after accepting the quote → 409', async () => {
  const { id } = await createInvoiced();
  expectFailure(await ask('POST', `/experiments/${id}/cancel`), 409, 'move_not_allowed');
});

test('delete_exp: a draft → deleted; a submitted experiment → 409', async () => {
  const draft = await create();
  expectStatus(await ask('DELETE', `/experiments/${draft.id}`), 204);
  const open = await createQuoted();
  expectFailure(await ask('DELETE', `/experiments/${open.id}`), 409, 'experiment_deletion_refused');
});

test('experiment_not_found: an unknown id or code → 404', async () => {
  for (const id of [UNKNOWN_ID, 'DEMO-009-009']) {
    const path = `/experiments/${id}`;
    expectFailure(await ask('GET', path), 404, 'experiment_not_found');
    expectFailure(await ask('PATCH', path, { body: { name: 'x' } }), 404, 'experiment_not_found');
    expectFailure(await ask('DELETE', path), 404, 'experiment_not_found');
    expectFailure(await ask('POST', `${path}/submit`), 404, 'experiment_not_found');
    expectFailure(await ask('POST', `${path}/cancel`), 404, 'experiment_not_found');
  }
});

test('token_restricted: a token with a payment policy → pays by its own methods or by invoice; another rail → 403', async () => {
  const payment_policy = { methods: ['mpp-spt'] };
  const policy = { name: 'machine', role: 'member', expires_in: '7d', payment_policy };
  const made = await ask('POST', '/tokens', { body: policy });
  const token = getText(expectStatus(made, 201).body.token);
  const send = (path: string) => (options: Ask) => ask('POST', path, { ...options, body: createBody() });
  const estimate = (options: Ask) => askEstimate(createBody(), options);
  for (const call of [send('/experiments'), send('/experiments/validate'), estimate]) {
    const asking = (rail?: string) =>
      call({ token, headers: rail === undefined ? {} : { 'x-service-payment-method': rail } });
    assert.ok((await asking()).status < 300, 'the first method of the policy, which a sandbox serves');
    expectFailure(await asking('x402-exact'), 403, 'token_restricted');
    assert.ok((await asking('async_invoice')).status < 300);
  }
});

test('spend_limit_exceeded, payment_not_set_up: auto_accept_quote beyond the limit of the token, or where nobody could pay → nothing is created', async () => {
  const own = { token: service.token, name: 'capped', attenuation: { max_spend_cents: 1 } };
  const token = getText((await ask('POST', '/tokens/attenuate', { body: own })).body.token);
  const before = (await ask('GET', '/experiments')).body.total;
  const body = { ...createBody(), auto_accept_quote: true };
  expectFailure(await ask('POST', '/experiments', { token, body }), 403, 'spend_limit_exceeded');
  const unpayable = await withoutCollection(service, () => ask('POST', '/experiments', { body }));
  expectFailure(unpayable, 409, 'payment_not_set_up');
  assert.equal((await ask('GET', '/experiments')).body.total, before);
  expectStatus(await ask('POST', '/experiments', { token, body: createBody() }), 201);
});

proveCoverage('experiments');
