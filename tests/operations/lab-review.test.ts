import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  createBuilders,
  createSequences,
  expectFailure,
  expectStatus,
  UNKNOWN_ID,
} from '#testing/builders.ts';
import { createRawFile, PLATE, withShortReason } from '#testing/lab-by-hand.ts';
import { createRecordedService, proveCoverage } from '#testing/recorder.ts';
import { getItems, getNumber, getText, type Json } from '#testing/service.ts';

const service = await createRecordedService({ RELEASE_NEEDS_SECOND_PERSON: 'yes' });
const { ask, issueToken } = service;
const { worker } = service.service;
const build = await createBuilders(service);
const { createPaid, createReviewed, createPending, createReleased } = build;

/** Another manager, who did not decide. */
const second = await issueToken({ ownOrganization: true, staffRoles: ['manager'] });

const post = (id: string, step: string, given: unknown, token?: string) => {
  const body = withShortReason(step, given);
  return ask('POST', `/lab/experiments/${id}/${step}`, { body, ...(token === undefined ? {} : { token }) });
};
const settle = async () => {
  while ((await worker.runDue()) > 0);
};
const readReview = async (id: string): Promise<Json> =>
  expectStatus(await ask('GET', `/lab/experiments/${id}/review`), 200).body;
const readResults = async (id: string) =>
  getItems(expectStatus(await ask('GET', `/lab/experiments/${id}/results`), 200).body.items);
const decide = (decision: string, changes: Readonly<Record<string, unknown>> = {}) => ({
  decisions: [
    { sequence: 'design-1', plate: PLATE, replicate: 1, decision, reason: 'A bubble.', ...changes },
  ],
});

/** In review, with two sequences of one replicate each. */
async function createPair(): Promise<string> {
  const named = createSequences(2);
  const { id } = await build.createRunning(build.createBody({ sequences: named }));
  expectStatus(await post(id, 'files', createRawFile(named)), 201);
  expectStatus(await post(id, 'complete', {}), 200);
  await settle();
  return id;
}

test('experiment_not_found: every operation of the review asks for an unknown experiment → 404', async () => {
  const reads = ['/results', '/plot.svg', '/data-package', '/review'];
  for (const part of reads)
    expectFailure(await ask('GET', `/lab/experiments/${UNKNOWN_ID}${part}`), 404, 'experiment_not_found');
  for (const part of ['', '/curves', '/plot.svg', '/diff']) {
    const path = `/lab/experiments/${UNKNOWN_ID}/results/${UNKNOWN_ID}${part}`;
    expectFailure(await ask('GET', path), 404, 'experiment_not_found');
  }
  expectFailure(await post(UNKNOWN_ID, 'decisions', decide('accept')), 404, 'experiment_not_found');
  expectFailure(await post(UNKNOWN_ID, 'release', {}), 404, 'experiment_not_found');
  for (const step of ['amend', 'amend/discard'])
    expectFailure(await post(UNKNOWN_ID, step, { reason: 'x' }), 404, 'experiment_not_found');
});

test('result_not_found: the result of another experiment → 404 on each of its addresses', async () => {
  const [one, other] = [await createReviewed(), await createReviewed()];
  const [result] = await readResults(other.id);
  for (const part of ['', '/curves', '/plot.svg', '/diff']) {
    const path = `/lab/experiments/${one.id}/results/${getText(result?.id)}${part}`;
    expectFailure(await ask('GET', path), 404, 'result_not_found');
  }
  for (const part of ['', '/curves', '/plot.svg'])
    expectStatus(await ask('GET', `/lab/experiments/${other.id}/results/${getText(result?.id)}${part}`), 200);
});

test('results_not_released: pictures and package before the analysis → 404', async () => {
  const { id } = await createPaid();
  for (const part of ['plot.svg', 'data-package'])
    expectFailure(await ask('GET', `/lab/experiments/${id}/${part}`), 404, 'results_not_released');
});

test('get_lab_plot: views that the assay lacks → 404 by name; a view that it has → a picture', async () => {
  const { id: screened } = await createReviewed();
  const { id: melted } = await createReleased({
    name: 'melts',
    experiment_spec: { experiment_type: 'thermostability', n_replicates: 1, sequences: createSequences(1) },
  });
  const draw = (id: string, view: string) => ask('GET', `/lab/experiments/${id}/plot.svg?view=${view}`);
  expectFailure(await draw(melted, 'plates'), 404, 'plates_unknown');
  expectFailure(await draw(screened, 'melts'), 404, 'melts_unknown');
  expectFailure(await draw(screened, 'rates'), 404, 'rates_unknown');
  expectStatus(await draw(screened, 'plates'), 200);
});

test('result_version_not_found: a first version has none before it → 404; after another analysis → the changes', async () => {
  const { id } = await createReviewed();
  const [first] = await readResults(id);
  const path = `/lab/experiments/${id}/results`;
  expectFailure(await ask('GET', `${path}/${getText(first?.id)}/diff`), 404, 'result_version_not_found');
  expectStatus(await post(id, 'reanalyze', { settings: { drift: 'none' }, reason: 'No drift.' }), 201);
  await settle();
  const [next] = await readResults(id);
  assert.equal(next?.version, 2);
  const { body } = expectStatus(await ask('GET', `${path}/${getText(next?.id)}/diff?against=1`), 200);
  const changes = getItems(body.changes);
  assert.ok(changes.some((change) => getText(change.path) === 'analysis.settings.drift'));
});

test('invalid_query: the list of the lab is filtered by an unknown field → 400; by its outcome → the result', async () => {
  const { id } = await createReviewed();
  const path = `/lab/experiments/${id}/results`;
  expectFailure(await ask('GET', `${path}?filter=eq(nothing,1)`), 400, 'invalid_query');
  assert.equal((await ask('GET', `${path}?filter=eq(status,preliminary)`)).body.total, 1);
});

test('permission_denied: an operator decides, or a client reads → 403; an operator reads, a manager amends → done', async () => {
  const { id } = await createPending();
  const operator = await issueToken({ ownOrganization: true, staffRoles: ['operator'] });
  const client = await issueToken({ role: 'admin' });
  for (const part of ['results', 'review', 'plot.svg', 'data-package']) {
    const path = `/lab/experiments/${id}/${part}`;
    assert.ok((await ask('GET', path, { token: operator })).status < 400, part);
    expectFailure(await ask('GET', path, { token: client }), 403, 'permission_denied');
  }
  for (const token of [operator, client]) {
    expectFailure(await post(id, 'decisions', decide('exclude'), token), 403, 'permission_denied');
    expectFailure(await post(id, 'amend', { reason: 'x' }, token), 403, 'permission_denied');
    expectFailure(await post(id, 'amend/discard', { reason: 'x' }, token), 403, 'permission_denied');
  }
  expectFailure(await post(id, 'amend', { reason: 'as I decided' }), 409, 'second_person_needed');
  expectStatus(await post(id, 'amend', { reason: 'as reviewed' }, second), 200);
});

test('replicate_not_found: another plate, replicate, well or sequence → 404 with its place in the request', async () => {
  const { id } = await createReviewed();
  for (const wrong of [{ plate: 'P9' }, { replicate: 2 }, { well: 'A1' }, { sequence: 'nobody' }]) {
    const refused = expectFailure(
      await post(id, 'decisions', decide('exclude', wrong)),
      404,
      'replicate_not_found',
    );
    assert.equal(getItems(refused.body.problems)[0]?.path, 'decisions.0');
  }
  assert.deepEqual(getItems((await readReview(id)).decisions), []);
  const kept = expectStatus(await post(id, 'decisions', decide('accept', { reason: undefined })), 200);
  assert.equal(kept.body.analysis_id, null);
  assert.equal(getItems((await readReview(id)).decisions)[0]?.decision, 'accept');
});

test('invalid_request: a replicate is excluded or repeated without a reason → 400', async () => {
  const { id } = await createReviewed();
  for (const decision of ['exclude', 'repeat'])
    expectFailure(
      await post(id, 'decisions', decide(decision, { reason: undefined })),
      400,
      'invalid_request',
    );
});

test('release_results: a part after a decision on a hidden sequence → the released result does not name it', async () => {
  const id = await createPair();
  expectStatus(await post(id, 'decisions', decide('exclude')), 200);
  await settle();
  expectFailure(await post(id, 'release', { reason: undefined }), 409, 'less_than_ordered');
  expectStatus(await post(id, 'release', { sequences: ['design-2'] }), 200);
  const { text, body } = await ask('GET', `/experiments/${id}/results`);
  assert.deepEqual(
    getItems(body.items).map((item) => getText(item.sequence_name)),
    ['design-2'],
  );
  assert.ok(!text.includes('design-1') && !text.includes('A bubble.'), text);
});

test('decide_replicates: excluded, then accepted again → a version without the replicate, and one with it', async () => {
  const id = await createPair();
  const excluded = expectStatus(await post(id, 'decisions', decide('exclude')), 200);
  assert.match(getText(excluded.body.analysis_id), /^[0-9a-f-]{36}$/);
  assert.equal((await readReview(id)).is_analysis_open, true);
  await settle();
  const left = (await readResults(id)).find((item) => getText(item.sequence_name) === 'design-1');
  assert.deepEqual([left?.version, left?.outcome, left?.n_replicates], [2, 'not_tested', 0]);
  assert.equal(getItems(left?.excluded_replicates)[0]?.reason, 'A bubble.');
  expectStatus(await post(id, 'decisions', decide('accept')), 200);
  await settle();
  const back = (await readResults(id)).find((item) => getText(item.sequence_name) === 'design-1');
  assert.deepEqual([back?.version, back?.n_replicates, getItems(back?.excluded_replicates)], [3, 1, []]);
  const actions = getItems((await readReview(id)).events).map(({ action }) => getText(action));
  assert.match(actions.join(' '), /^completed analyzed( decided analysis_asked analyzed){2}$/);
});

test('decide_replicates: one concentration of a titration is excluded → the record and the caption name it, and clients read it after the release', async () => {
  const named = createSequences(1);
  const body = build.createBody({ sequences: named, experiment_type: 'affinity', n_replicates: 2 });
  const { id } = await build.createRunning(body);
  expectStatus(await post(id, 'files', createRawFile(named, 'affinity')), 201);
  expectStatus(await post(id, 'complete', {}), 200);
  await settle();
  const [before] = await readResults(id);
  const readCurves = async (result: Json | undefined) =>
    getItems((await ask('GET', `/lab/experiments/${id}/results/${getText(result?.id)}/curves`)).body.curves);
  const dose = getNumber((await readCurves(before))[0]?.concentration_m);
  for (const wrong of [1.7 * dose, dose / 7])
    expectFailure(
      await post(id, 'decisions', decide('exclude', { concentration_m: wrong })),
      404,
      'replicate_not_found',
    );
  const excluded = expectStatus(
    await post(id, 'decisions', decide('exclude', { concentration_m: dose })),
    200,
  );
  assert.equal(getItems(excluded.body.decisions)[0]?.concentration_m, dose);
  await settle();
  const [after] = await readResults(id);
  assert.deepEqual([after?.version, after?.n_replicates], [2, 2]);
  const [left] = getItems(after?.excluded_replicates);
  assert.deepEqual([left?.replicate, left?.concentration_m, left?.reason], [1, dose, 'A bubble.']);
  const marked = (await readCurves(after)).filter((curve) => JSON.stringify(curve.excluded) === 'true');
  assert.deepEqual(
    marked.map((curve) => [curve.replicate, curve.concentration_m]),
    [[1, dose]],
  );
  const plot = `/lab/experiments/${id}/results/${getText(after?.id)}/plot.svg`;
  assert.match((await ask('GET', plot)).text, /1 curve of replicate 1/);
  expectStatus(await post(id, 'release', {}, second), 200);
  const released = await ask('GET', `/experiments/${id}/results`);
  const [replicate] = getItems(getItems(released.body.items)[0]?.excluded_replicates);
  assert.deepEqual([replicate?.concentration_m, replicate?.reason], [dose, 'A bubble.']);
  expectStatus(await post(id, 'decisions', decide('accept', { concentration_m: dose })), 200);
  await settle();
  const [back] = await readResults(id);
  assert.deepEqual([back?.version, getItems(back?.excluded_replicates)], [3, []]);
});

test('analysis_failed: settings that do not fit the files → the review says why, and the old version stays', async () => {
  const { id } = await createReviewed();
  const settings = { assign: { 'no such trace': { exclude: true } } };
  expectStatus(await post(id, 'reanalyze', { settings, reason: 'A wrong name.' }), 201);
  await settle();
  const review = await readReview(id);
  const failed = getItems(review.events).at(-1);
  assert.equal(failed?.action, 'analysis_failed');
  assert.match(getText(failed?.reason), /no such trace/);
  assert.deepEqual([review.version, review.is_analysis_open], [1, false]);
  const feed = await ask('GET', `/experiments/${id}/updates?limit=100`);
  assert.doesNotMatch(feed.text, /no such trace|A wrong name/);
  expectStatus(await post(id, 'release', {}, second), 200);
});

test('move_not_allowed: decisions before the review, a repeat after the release, an amendment before it → 409', async () => {
  const { id: paid } = await createPaid();
  expectFailure(await post(paid, 'decisions', decide('exclude')), 409, 'move_not_allowed');
  const { id: done } = await createPending();
  expectFailure(await post(done, 'decisions', decide('repeat')), 409, 'move_not_allowed');
  const { id: reviewed } = await createReviewed();
  for (const step of ['amend', 'amend/discard'])
    expectFailure(await post(reviewed, step, { reason: 'early' }), 409, 'move_not_allowed');
  expectFailure(await post(paid, 'release', {}), 409, 'move_not_allowed');
});

test('decide_replicates: a repeat on another instrument, without a new file → a run of its own, analyzed as it is', async () => {
  const id = await createPair();
  const body = { ...decide('repeat'), instrument: 'Octet R2' };
  assert.equal(expectStatus(await post(id, 'decisions', body), 200).body.status, 'in_production');
  const { run } = expectStatus(await ask('GET', `/lab/experiments/${id}/files`), 200).body;
  assert.deepEqual([run?.ordinal, run?.instrument], [2, 'Octet R2']);
  const plate = createRawFile(createSequences(2));
  const same = expectFailure(await post(id, 'files', plate), 422, 'raw_file_refused');
  assert.match(getText(same.body.error), /an earlier run already has a file with the same bytes/);
  expectStatus(await post(id, 'complete', {}), 200);
  await settle();
  const outcomes = (await readResults(id)).map((item) => [
    getText(item.sequence_name),
    getText(item.outcome),
  ]);
  assert.deepEqual(Object.fromEntries(outcomes), { 'design-1': 'not_tested', 'design-2': 'measured' });
});

test('start_run: the whole run is repeated in review → earlier decisions hold no longer', async () => {
  const id = await createPair();
  expectStatus(await post(id, 'decisions', decide('exclude')), 200);
  await settle();
  expectStatus(await post(id, 'runs', { instrument: 'Octet R8' }), 201);
  assert.deepEqual(getItems((await readReview(id)).decisions), []);
  expectStatus(await post(id, 'files', createRawFile(createSequences(2))), 201);
  expectStatus(await post(id, 'complete', {}), 200);
  await settle();
  for (const item of await readResults(id)) assert.equal(item.n_replicates, 1);
});

test('release_results: in part, of unknown or released sequences → refused; the rest → ends the review', async () => {
  const id = await createPair();
  const unknown = expectFailure(
    await post(id, 'release', { sequences: ['nobody'] }),
    404,
    'sequence_not_found',
  );
  assert.equal(getItems(unknown.body.problems)[0]?.path, 'sequences.0');
  const part = expectStatus(await post(id, 'release', { sequences: ['design-2'] }), 200).body;
  assert.deepEqual([part.status, part.waiting], ['in_review', 1]);
  expectFailure(await post(id, 'release', { sequences: ['design-2'] }), 409, 'nothing_to_release');
  const [kept] = getItems((await ask('GET', `/experiments/${id}/results`)).body.items);
  expectStatus(await post(id, 'reanalyze', { reason: 'again' }), 201);
  await settle();
  assert.equal(
    expectStatus(await post(id, 'release', { sequences: ['design-1'] }, second), 200).body.status,
    'done',
  );
  const items = getItems((await ask('GET', `/experiments/${id}/results`)).body.items);
  const states = Object.fromEntries(
    items.map((item) => [getText(item.sequence_name), [item.version, item.status]]),
  );
  // The second analysis changed nothing of what was released, so that stays.
  assert.deepEqual(states, { 'design-1': [2, 'final'], 'design-2': [1, 'final'] });
  assert.ok(items.some((item) => getText(item.id) === getText(kept?.id)));
});

test('controls_not_released: a part whose values refer to a control of the order, or a version of it, that waits → 409; with it → released', async () => {
  const named = createSequences(4);
  const { id } = await build.createRunning(build.createBody({ sequences: named }));
  expectStatus(await post(id, 'files', createRawFile(named)), 201);
  const mapping = { entries: [{ sample: 'design-1', role: 'positive_control' }] };
  expectStatus(await post(id, 'mapping', mapping), 201);
  expectStatus(await post(id, 'complete', {}), 200);
  await settle();
  const release = (...chosen: readonly string[]) => post(id, 'release', { sequences: chosen }, second);
  const refused = expectFailure(await release('design-2'), 409, 'controls_not_released');
  assert.match(getText(refused.body.error), /design-1/);
  assert.equal((await ask('GET', `/experiments/${id}/results`)).body.total, 0);
  assert.equal(expectStatus(await release('design-1', 'design-2'), 200).body.waiting, 2);
  expectStatus(await post(id, 'reanalyze', { settings: { response_s: 20 }, reason: 'window' }), 201);
  await settle();
  expectFailure(await release('design-3'), 409, 'controls_not_released');
  assert.equal(expectStatus(await release('design-1', 'design-3'), 200).body.waiting, 1);
});

test('release_results: a part, whose settings and rank tell of hidden sequences → the client reads neither, the lab both', async () => {
  const id = await createPair();
  const settings = { ligand_mass_da: { 'design-1': 15_000, 'design-2': 16_000 } };
  expectStatus(await post(id, 'reanalyze', { settings, reason: 'masses' }), 201);
  await settle();
  const [best, last] = await readResults(id);
  assert.deepEqual([best?.place, last?.place], [1, 2]);
  const [hidden, shown] = [getText(best?.sequence_name), getText(last?.sequence_name)];
  expectStatus(await post(id, 'release', { sequences: [shown] }, second), 200);
  const list = await ask('GET', `/experiments/${id}/results`);
  const [item] = getItems(list.body.items);
  assert.deepEqual([item?.place, getItems(item?.summary)[0]?.place], [1, 1]);
  const count = async (place: number) =>
    (await ask('GET', `/experiments/${id}/results?filter=eq(at(summary,place),${place})`)).body.total;
  assert.deepEqual([await count(1), await count(2)], [1, 0], 'a filter compares the rank that is shown');
  assert.deepEqual(Object.keys(item?.analysis?.settings?.ligand_mass_da ?? {}), [shown]);
  const paths = [`/results/${getText(item?.id)}`, `/results/${getText(item?.id)}/versions`];
  const answers = [list, ...(await Promise.all(paths.map((path) => ask('GET', path))))];
  for (const { text } of answers) assert.ok(!text.includes(hidden) && text.includes(shown), text);
  assert.equal((await ask('GET', `/experiments/${id}/results?filter=gt(place,1)`)).body.total, 0);
  assert.equal((await readResults(id))[1]?.place, 2);
  expectStatus(await post(id, 'release', {}, second), 200);
  const whole = await ask('GET', `/experiments/${id}/results`);
  assert.deepEqual(
    getItems(whole.body.items).map(({ place }) => place),
    [1, 2],
  );
  assert.ok(getItems(whole.body.items).every(({ analysis }) => JSON.stringify(analysis).includes(hidden)));
});

test('nothing_to_amend: no analysis after the release, or it was discarded → 409, and the client never saw it', async () => {
  const { id } = await createPending();
  const before = (await ask('GET', `/experiments/${id}/results`)).text;
  assert.equal((await readReview(id)).awaits, 'amendment');
  expectStatus(await post(id, 'decisions', decide('exclude')), 200);
  for (const step of ['amend', 'amend/discard'])
    expectFailure(await post(id, step, { reason: 'too early' }), 409, 'analysis_pending');
  await settle();
  const gone = expectStatus(await post(id, 'amend/discard', { reason: 'as before' }), 200).body;
  assert.deepEqual([gone.version, gone.discarded], [1, 2]);
  for (const step of ['amend', 'amend/discard'])
    expectFailure(await post(id, step, { reason: 'again' }), 409, 'nothing_to_amend');
  const review = await readReview(id);
  assert.deepEqual([review.awaits, getItems(review.decisions)], [null, []]);
  const clean = (text: string) => text.replaceAll(/"data_package_url":"[^"]*"/g, '');
  assert.equal(clean((await ask('GET', `/experiments/${id}/results`)).text), clean(before));
});

test('second_person_needed: whoever analyzed last ends the review → 409; somebody else, or a part → released', async () => {
  const id = await createPair();
  expectStatus(await post(id, 'reanalyze', { reason: 'again' }), 201);
  expectFailure(await post(id, 'release', {}), 409, 'analysis_pending');
  await settle();
  const { second_person: needed } = await readReview(id);
  assert.equal(needed?.is_needed, true);
  const refused = expectFailure(await post(id, 'release', {}), 409, 'second_person_needed');
  assert.ok(getText(refused.body.error).startsWith(getText(needed?.not_by)));
  expectStatus(await post(id, 'release', { sequences: ['design-1'] }), 200);
  expectFailure(await post(id, 'release', { sequences: ['design-2'] }), 409, 'second_person_needed');
  expectStatus(await post(id, 'release', {}, second), 200);
  const last = getItems((await readReview(id)).events).at(-1);
  assert.equal(last?.action, 'released');
});

proveCoverage('lab-review');
