/** The review in the pages: what waits as the client will see it, decisions row by row, release, amendment. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createBuilders, createSequences, expectStatus, UNKNOWN_ID } from '#testing/builders.ts';
import { openSignedIn, type Browser, type Page } from '#testing/browser.ts';
import { createRawFile } from '#testing/lab-by-hand.ts';
import type { NewPerson } from '#testing/people.ts';
import { getItems, getNumber, getText, testService, type Json } from '#testing/service.ts';

const service = await testService({ RELEASE_NEEDS_SECOND_PERSON: 'yes' });
const { ask, issueToken } = service;
const build = await createBuilders(service);

async function openAs(person: NewPerson): Promise<Browser> {
  const token = await issueToken(person);
  return openSignedIn(service, getText((await ask('GET', '/whoami', { token })).body.user_id));
}

const manager = await openSignedIn(service);
const second = await openAs({ ownOrganization: true, staffRoles: ['manager'] });
const operator = await openAs({ staffRoles: ['operator'] });
const client = await openAs({ role: 'admin' });

const settle = async () => {
  while ((await service.service.worker.runDue()) > 0);
};

interface Reviewed {
  readonly id: string;
  readonly path: string;
}

/** In review: two sequences, each with two replicates of a titration. */
async function createTitrated(): Promise<Reviewed> {
  const named = createSequences(2);
  const spec = { sequences: named, experiment_type: 'affinity', n_replicates: 2 };
  const { id, code } = await build.createRunning(build.createBody(spec));
  expectStatus(
    await ask('POST', `/lab/experiments/${id}/files`, { body: createRawFile(named, 'affinity') }),
    201,
  );
  expectStatus(
    await ask('POST', `/lab/experiments/${id}/complete`, {
      body: { reason: 'Less than ordered is enough.' },
    }),
    200,
  );
  await settle();
  return { id, path: `/lab/experiments/${code}` };
}

const shared = await createTitrated();

/** Names the fields of a row: sequence, replicate, and the concentration in M of a single curve. */
function findRow(page: Page, sequence: string, replicate: number, dose: number | null = null): string {
  const names = [...page.text.matchAll(/name="d\.([\w-]+)" value="accept"/g)].map(([, name = '']) => name);
  const found = names.find((name) => {
    const fields: unknown = JSON.parse(Buffer.from(name, 'base64url').toString());
    assert.ok(Array.isArray(fields));
    const [own, , number, , at] = fields;
    return own === sequence && number === replicate && at === dose;
  });
  assert.ok(found !== undefined, page.text);
  return found;
}

const readReview = async ({ id }: Reviewed): Promise<Json> =>
  expectStatus(await ask('GET', `/lab/experiments/${id}/review`), 200).body;
const send = (browser: Browser, page: Page, verb: string, typed: Readonly<Record<string, string>>) =>
  browser.send(page, `${shared.path}/review/${verb}`, typed);

test('review: results in review → table, figures, report and decisions stand there; the client gets none of them', async () => {
  const page = await manager.open(`${shared.path}/review`);
  assert.equal(page.status, 200);
  assert.match(page.text, /Version 1 waits for its release: 2 sequences of 2/);
  assert.match(page.text, /The client sees them at once\. This cannot be taken back\./);
  assert.match(page.text, new RegExp(`src="${shared.path}/plot.svg\\?view=ranking"`));
  const [, result = ''] = new RegExp(`href="(${shared.path}/results/[\\w-]+)"`).exec(page.text) ?? [];
  const parts = ['', '/plot.svg', '/curves.json', '/curves.csv', '/record.json'].map((part) => result + part);
  for (const path of [`${shared.path}/review`, `${shared.path}/plot.svg?view=rates`, ...parts]) {
    assert.equal((await manager.open(path)).status, 200, path);
    assert.equal((await client.open(path)).status, 404, path);
  }
  const { status, location } = await manager.open(`${shared.path}/data-package`);
  assert.equal(status, 303);
  assert.match(location ?? '', /\/files\/review-packages\//);
  assert.equal((await manager.open(`${shared.path}/results/${UNKNOWN_ID}`)).status, 404);
});

test('review: an operator → reads the results, and gets neither decisions nor a release', async () => {
  const page = await operator.open(`${shared.path}/review`);
  assert.equal(page.status, 200);
  assert.doesNotMatch(page.text, /data-review|Release all results/);
  const token = /name="form_token" value="([^"]+)"/.exec((await operator.open('/')).text)?.[1] ?? '';
  for (const verb of ['decisions', 'release', 'release-part', 'reanalyze', 'send-back', 'amend', 'discard'])
    assert.equal(
      (await operator.post(`${shared.path}/review/${verb}`, { form_token: token })).status,
      404,
      verb,
    );
});

test('decisions: nothing changed, no reason, a made-up row → refused, and what was typed stays', async () => {
  const page = await manager.open(`${shared.path}/review`);
  const row = findRow(page, 'design-1', 1);
  assert.match((await send(manager, page, 'decisions', { page: '' })).text, /no decision was changed/);
  const typed = { page: '', [`d.${row}`]: 'exclude', [`r.${row}`]: ' ' };
  const refused = await send(manager, page, 'decisions', typed);
  assert.equal(refused.status, 400);
  assert.match(refused.text, /is needed to exclude or repeat/);
  assert.match(refused.text, new RegExp(`name="d\\.${row}" value="exclude" checked`));
  assert.equal((await send(manager, page, 'decisions', { page: '', 'd.eA': 'exclude' })).status, 400);
  assert.deepEqual(getItems((await readReview(shared)).decisions), []);
});

test('decisions: a concentration is excluded on the page of its result → another version beside the old one, with the reason', async () => {
  const list = await ask('GET', `/lab/experiments/${shared.id}/results`);
  const item = getItems(list.body.items).find((each) => getText(each.sequence_name) === 'design-1');
  const result = getText(item?.id);
  const page = await manager.open(`${shared.path}/results/${result}`);
  const curves = await ask('GET', `/lab/experiments/${shared.id}/results/${result}/curves`);
  const dose = getNumber(getItems(curves.body.curves)[0]?.concentration_m);
  const row = findRow(page, 'design-1', 1, dose);
  const typed = { page: result, [`d.${row}`]: 'exclude', [`r.${row}`]: 'An air <b>bubble</b>.' };
  const sent = await send(manager, page, 'decisions', typed);
  assert.equal(sent.location, `${shared.path}/results/${result}?done=decisions`, sent.text);
  assert.match((await manager.open(`${shared.path}/review`)).text, /data-follow/);
  await settle();
  const old = await manager.open(`${shared.path}/results/${result}`);
  const [, newest = ''] =
    new RegExp(`<a href="(${shared.path}/results/[\\w-]+)">Open version 2`).exec(old.text) ?? [];
  const shown = await manager.open(newest);
  assert.match(shown.text, /Beside version 1/);
  assert.match(shown.text, /An air &lt;b&gt;bubble/);
  assert.match(shown.text, new RegExp(`name="d\\.${row}" value="exclude" checked`));
  assert.ok(
    (await manager.open(`${shared.path}/review`)).text.includes('1 measurement left out by decision'),
  );
});

test('release: who decided last → is told of the second person; a part, then all by another → the client reads it', async () => {
  const page = await manager.open(`${shared.path}/review`);
  assert.match(page.text, /This needs a second person:<\/strong> you decided last/);
  assert.equal((await send(manager, page, 'release', {})).status, 409);
  const part = await send(manager, page, 'release-part', { sequences: 'design-1\r\n' });
  assert.equal(part.location, `${shared.path}/review?done=release-part`, part.text);
  const after = await second.open(`${shared.path}/review`);
  assert.match(after.text, /A part was released first by/);
  assert.match(after.text, /Release the other 1/);
  assert.equal((await send(second, after, 'release', {})).status, 303);
  const released = getItems((await ask('GET', `/experiments/${shared.id}/results`)).body.items);
  const item = released.find((each) => getText(each.sequence_name) === 'design-1');
  const seen = await manager.open(`/results/${getText(item?.id)}`);
  assert.match(seen.text, /Left out by the lab/);
  assert.match(seen.text, /Replicate 1 at [\d.]+ [nµ]M/);
});

test('amendment: analyzed again after the release → waits with its differences; discarded, or amended with a reason', async () => {
  const fields = { reason: 'No drift.', settings: '{"drift": "none"}' };
  const page = await manager.open(`${shared.path}/review`);
  assert.match((await send(manager, page, 'reanalyze', { ...fields, settings: '{' })).text, /not valid JSON/);
  assert.equal((await send(manager, page, 'reanalyze', fields)).status, 303);
  await settle();
  const waiting = await second.open(`${shared.path}/review`);
  assert.match(waiting.text, /Version 3 waits as an amendment; clients have version 2/);
  assert.equal((await send(second, waiting, 'discard', { reason: 'As before.' })).status, 303);
  assert.match((await second.open(`${shared.path}/review`)).text, /Nothing waits for a release/);
  const again = await manager.open(`${shared.path}/review`);
  assert.equal((await send(manager, again, 'reanalyze', fields)).status, 303);
  await settle();
  const sent = await send(second, await second.open(`${shared.path}/review`), 'amend', {
    reason: 'No drift.',
  });
  assert.equal(sent.location, `${shared.path}/review?done=amend`, sent.text);
});

test('release: a part was released before a decision → the hint says which version replaces it', async () => {
  const { id, path } = await createTitrated();
  const first = { sequences: ['design-1'] };
  expectStatus(await ask('POST', `/lab/experiments/${id}/release`, { body: first }), 200);
  const part = await second.open(`${path}/review`);
  assert.match(part.text, /The client sees them at once\. This cannot be taken back\./);
  const again = { reason: 'No drift.', settings: { drift: 'none' } };
  expectStatus(await ask('POST', `/lab/experiments/${id}/reanalyze`, { body: again }), 201);
  await settle();
  const { text } = await second.open(`${path}/review`);
  assert.match(text, /What was released before is replaced by version 2\. This cannot be taken back\./);
});

test('send back: a reason → the order is in analysis again, and the worker ends it', async () => {
  const { code } = await build.createReviewed();
  const path = `/lab/experiments/${code}`;
  const page = await manager.open(`${path}/review`);
  const sent = await manager.send(page, `${path}/review/send-back`, { reason: 'Once more.', settings: '' });
  assert.equal(sent.location, `${path}/review?done=send-back`, sent.text);
  assert.match((await manager.open(`${path}/review`)).text, /Sent back/);
  await settle();
  assert.match((await manager.open(`${path}/review`)).text, /Version 2 waits for its release/);
});
