/** The page of one result without scripts: figure, sequence, neighbors, versions, origin; and nothing of others. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openSignedIn } from '#testing/browser.ts';
import { createBuilders, expectStatus, VHH } from '#testing/builders.ts';
import { getItems, getText, testService } from '#testing/service.ts';

const service = await testService();
const { ask, issueToken } = service;
const { createReleased } = await createBuilders(service);
const REASON = 'The drift was within the noise.';
const sequences = {
  parent: { aa_string: VHH, control: true },
  shorter: VHH.slice(0, 40) + VHH.slice(42),
  '<b>odd</b>': `${VHH.slice(0, 9)}W${VHH.slice(10)}`,
};
const { id, code } = await createReleased({
  name: 'variants',
  experiment_spec: { experiment_type: 'thermostability', n_replicates: 1, sequences },
});
const listItems = async () =>
  getItems(expectStatus(await ask('GET', `/experiments/${code}/results`), 200).body.items);
const before = await listItems();
const findId = (items: typeof before, name: string): string =>
  getText(items.find((item) => getText(item.sequence_name) === name)?.id);
const browser = await openSignedIn(service);
const readText = (html: string): string => html.replaceAll(/<[^>]+>/g, '').replaceAll(/\s+/g, ' ');

test('result: without scripts → figure, sequence with its difference from the control, origin, citation, neighbors', async () => {
  const path = `/results/${findId(before, '<b>odd</b>')}`;
  const { status, text } = await browser.open(path);
  assert.equal(status, 200);
  assert.match(text, new RegExp(`<img src="${path}/plot.svg"`));
  assert.match(readText(text), /1 difference from parent, a control \(99 % identical\)/);
  assert.match(text, /<li>\w10W<\/li>/);
  assert.ok(!text.includes('<b>odd'), 'a name is text');
  assert.match(readText(text), /of 3, best first/);
  assert.match(text, /How this number came about/);
  assert.match(text, /<code>[0-9a-f]{64}<\/code>/);
  assert.match(readText(text), new RegExp(`Experiment ${code}, version 1, released \\d{4}-\\d{2}-\\d{2}`));
  assert.doesNotMatch(text, /Versions|Beside version/);
});

test('result: a sequence that lacks residues, an unknown one to compare with → what is deleted, and no difference', async () => {
  const path = `/results/${findId(before, 'shorter')}`;
  const { text } = await browser.open(`${path}?beside=parent`);
  assert.match(readText(text), /2 differences from parent, a control/);
  assert.match(text, /<li>\w4[123] deleted<\/li>/);
  const unknown = await browser.open(`${path}?beside=nobody`);
  assert.equal(unknown.status, 200);
  assert.doesNotMatch(unknown.text, /differences? from/);
});

test('result: another organization → 404 for the page, its curves and its neighbors', async () => {
  const token = await issueToken({ ownOrganization: true });
  const stranger = await openSignedIn(
    service,
    getText((await ask('GET', '/whoami', { token })).body.user_id),
  );
  const result = findId(before, 'parent');
  for (const part of ['', '/curves.json', '/plot.svg', '?beside=shorter', '?against=1']) {
    const { status, text } = await stranger.open(`/results/${result}${part}`);
    assert.equal(status, 404, part);
    assert.ok(!text.includes(VHH.slice(0, 20)), part);
  }
  expectStatus(await ask('GET', `/results/${result}/neighbors`, { token }), 404);
});

test('result: a new analysis → the page says nothing of it before the amendment, then both versions, the reason and what differs', async () => {
  const old = `/results/${findId(before, 'parent')}`;
  const body = { settings: { baseline: 'shared' }, reason: 'Secret of the lab.' };
  const asked = await ask('POST', `/lab/experiments/${id}/reanalyze`, { body });
  assert.equal(asked.status, 201, JSON.stringify(asked.body));
  while ((await service.service.worker.runDue()) > 0);
  const waiting = await browser.open(old);
  assert.doesNotMatch(waiting.text, /Versions|Secret of the lab|has replaced/);
  expectStatus(await ask('POST', `/lab/experiments/${id}/amend`, { body: { reason: REASON } }), 200);
  const replaced = await browser.open(old);
  const current = findId(await listItems(), 'parent');
  assert.match(readText(replaced.text), /Version 2 has replaced this one\. Open version 2/);
  assert.match(replaced.text, new RegExp(`href="/results/${current}">Open version 2`));
  const page = await browser.open(`/results/${current}`);
  assert.match(readText(page.text), new RegExp(`Version 2 this page.*${REASON}`));
  assert.match(page.text, /Beside version 1/);
  assert.match((await browser.open(`${old}?against=2`)).text, /Beside version 2/);
});
