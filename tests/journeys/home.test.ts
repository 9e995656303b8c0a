/** Home: what waits for the person, the experiments with what they found, and the first steps of an empty organization. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS } from '#core/clock.ts';
import { createBuilders, expectFailure, expectStatus, listProblemPaths } from '#testing/builders.ts';
import { openSignedIn } from '#testing/browser.ts';
import { getItems, getNumber, getText, testService } from '#testing/service.ts';

const service = await testService();
const { ask, clock, runLab, issueToken } = service;
const build = await createBuilders(service);

test('demo: an empty organization of a sandbox presses the button twice → one paid experiment, measured and ranked', async () => {
  const browser = await openSignedIn(service);
  const home = await browser.open('/');
  assert.match(home.text, /No experiments yet/);
  assert.match(home.text, /Run the demo/);
  const sent = await browser.send(home, '/demo', {});
  const again = await browser.send(home, '/demo', {});
  assert.match(sent.location ?? '', /^\/experiments\/DEMO-001-001$/);
  assert.equal(again.location, sent.location);
  const { body } = await ask('GET', '/experiments');
  assert.equal(body.total, 1);
  const [order] = getItems(body.items);
  assert.equal(order?.invoice_status, 'paid');
  assert.equal(getNumber(order?.sequence_count), 40);
  await runLab();
  const found = expectStatus(await ask('GET', '/results/highlights?experiments=DEMO-001-001'), 200).body;
  const [highlight] = getItems(found.items);
  const kds = getItems(highlight?.kd_m).map(getNumber);
  assert.ok(kds.length > 1 && kds.every((kd, index) => index === 0 || kd >= (kds[index - 1] ?? 0)));
  const best = highlight?.best;
  const [ranked] = getItems(
    (await ask('GET', '/experiments/DEMO-001-001/results?filter=eq(place,1)')).body.items,
  );
  assert.equal(best?.id, ranked?.id);
  assert.equal(best?.sequence_name, ranked?.sequence_name);
  assert.deepEqual(best?.quantities.kd, ranked?.quantities.kd);
  const page = (await browser.open('/')).text;
  assert.doesNotMatch(page, /Run the demo/);
  assert.match(page, new RegExp(`href="/results/${getText(best?.id)}"`));
  assert.match(page, /class="kd-scale kd-strip"/);
  assert.match(page, /Needs you.*Look at new results.*DEMO-001-001/s);
});

test('home: a quote, an invoice and the answer about a target → stand on top with their page and their end; the filtered list has none', async () => {
  const quoted = await build.createQuoted();
  const invoiced = await build.createInvoiced();
  const requested = await build.createTargetRequest();
  const approval = { target: {}, lead_time_days: 14 };
  expectStatus(await ask('POST', `/lab/target-requests/${requested}/approve`, { body: approval }), 200);
  const browser = await openSignedIn(service);
  const { text } = await browser.open('/');
  const needs = /id="needs-you".*?<\/section>/s.exec(text)?.[0] ?? '';
  assert.match(needs, new RegExp(`href="/quotes/${quoted.quoteId}">Accept or reject quote Q-2026-`));
  assert.match(needs, /until <time/);
  assert.match(needs, /href="\/pay\/[\w-]+">Pay invoice INV-2026-/);
  assert.match(needs, new RegExp(`href="/target-requests/${requested}">Read the answer`));
  assert.ok(text.includes(invoiced.code));
  assert.match(text, /since <time/);
  for (const path of ['/experiments', '/?search=binders']) {
    const list = (await browser.open(path)).text;
    assert.doesNotMatch(list, /id="needs-you"/);
    assert.ok(list.includes(quoted.code));
  }
  clock.advance(15 * DAY_MS);
  const later = (await browser.open('/')).text;
  assert.doesNotMatch(later, /Look at new results|Read the answer/);
});

test('get_result_highlights: unknown experiments, those of others and those without results → left out; too many → 400', async () => {
  const draft = await build.create();
  const own = await ask('GET', `/results/highlights?experiments=DEMO-001-001,${draft.code},NOPE-001-001`);
  assert.deepEqual(
    getItems(expectStatus(own, 200).body.items).map((item) => item.experiment_code),
    ['DEMO-001-001'],
  );
  const stranger = await issueToken({ ownOrganization: true });
  const others = await ask('GET', '/results/highlights?experiments=DEMO-001-001', { token: stranger });
  assert.deepEqual(expectStatus(others, 200).body.items, []);
  const many = await ask('GET', `/results/highlights?experiments=${'A,'.repeat(100)}A`);
  expectFailure(many, 400, 'invalid_request');
  assert.deepEqual(listProblemPaths(many), ['experiments']);
});

test('home: an empty organization of a live lab → what to do first, and no demo', async () => {
  const live = await testService({ ENVIRONMENT: 'live' });
  const browser = await openSignedIn(live);
  const { text } = await browser.open('/');
  assert.match(text, /What to do first/);
  assert.match(text, /href="\/organization\/billing"/);
  assert.doesNotMatch(text, /Run the demo/);
});
