/** The frame of the lab's pages: who sees which screen, what stands in its list, and that names stay text. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createBuilders, expectStatus } from '#testing/builders.ts';
import { openSignedIn } from '#testing/browser.ts';
import { testService, getText } from '#testing/service.ts';
import type { NewPerson } from '#testing/people.ts';

const service = await testService();
const { ask, clock, issueToken } = service;
const build = await createBuilders(service);
const HOSTILE = '<img src=x onerror=alert(1)>';

async function openAs(person: NewPerson) {
  const token = await issueToken(person);
  return openSignedIn(service, getText((await ask('GET', '/whoami', { token })).body.user_id));
}

const manager = await openSignedIn(service);
const operator = await openAs({ staffRoles: ['operator'] });
const client = await openAs({ role: 'admin' });

const listScreens = (text: string): string[] =>
  [...text.matchAll(/<a href="([^"]+)" data-key="/g)].map(([, path = '']) => path);

test('screens: every one in the navigation → opens, with a heading, its own mark and its key', async () => {
  const screens = listScreens((await manager.open('/lab')).text);
  assert.ok(screens.includes('/lab') && screens.includes('/lab/experiments'));
  const letters: string[] = [];
  for (const path of screens) {
    const { status, text } = await manager.open(path);
    assert.equal(status, 200, path);
    assert.match(text, /<h1>/);
    letters.push(new RegExp(`<a href="${path}" data-key="(\\w)" aria-current="page"`).exec(text)?.[1] ?? '');
  }
  assert.equal(new Set(letters).size, screens.length, letters.join(' '));
  assert.ok(letters.every((letter) => letter !== ''));
});

test('screens: a client, and staff without the permission → 404 like an unknown address, and no link', async () => {
  const known = listScreens((await manager.open('/lab')).text);
  const allowed = listScreens((await operator.open('/lab')).text);
  assert.doesNotMatch((await client.open('/')).text, /href="\/lab/);
  assert.match((await operator.open('/')).text, /<a href="\/lab">Lab<\/a>/);
  const unknown = await client.open('/nothing-at-all');
  const strip = (text: string): string =>
    text.replaceAll(/req_[\w-]+/g, '').replaceAll(/form_token" value="[^"]+"/g, '');
  for (const path of known) {
    const refused = await client.open(path);
    assert.equal(refused.status, 404, path);
    assert.equal(strip(refused.text), strip(unknown.text), path);
    assert.equal((await operator.open(path)).status, allowed.includes(path) ? 200 : 404, path);
  }
});

test('queue: orders of two states → each stands under its own, the strip counts both; a filter stays in the address', async () => {
  const queued = await build.createQueued(build.createBody({}, { name: HOSTILE }));
  const open = await build.createQuoted();
  const { text } = await manager.open('/lab/experiments');
  assert.ok(text.includes(`href="/lab/experiments/${queued.code}"`) && text.includes(open.code));
  assert.ok(!text.includes('<img'));
  assert.ok(text.includes('&lt;img src=x onerror=alert(1)&gt;'));
  const narrowed = await manager.open('/lab/experiments?state=in_queue&waiting=lab');
  assert.ok(narrowed.text.includes(queued.code) && !narrowed.text.includes(open.code));
  assert.match(narrowed.text, /waiting=lab&amp;state=in_queue" aria-current="page"/);
  assert.match(
    (await manager.open('/lab/experiments?state=in_review')).text,
    /Nothing matches these filters/,
  );
  assert.match(
    (await manager.open(`/lab/experiments?search=${queued.code}`)).text,
    /1 order with these filters</,
  );
});

test('queue: the lab takes longer than usual → late; in time → not; over → how long it took', async () => {
  const { code, id } = await build.createQueued();
  const readRow = async (): Promise<string> => {
    const browser = await openSignedIn(service);
    const { text } = await browser.open(`/lab/experiments?search=${code}&state=every`);
    return text.slice(text.indexOf('<tbody>'));
  };
  assert.doesNotMatch(await readRow(), /late/);
  clock.advance(14 * 86_400_000);
  assert.match(await readRow(), /\d+ workdays late/);
  const body = { reason: 'The antigen is gone.' };
  expectStatus(await service.ask('POST', `/lab/experiments/${id}/cancel`, { body }), 200);
  const over = await readRow();
  assert.match(over, /in 10 workdays</);
  assert.doesNotMatch(over, /late/);
});

/** Screens that list nothing. */
const WITHOUT_LIST = new Set(['/lab', '/lab/plans', '/lab/calendar']);

test('lists: every screen with a list → says how many there are; an empty one says what to do', async () => {
  const empty = await openSignedIn(await testService());
  for (const path of listScreens((await manager.open('/lab')).text)) {
    const { text } = await manager.open(path);
    assert.equal(/class="hint list-count"/.test(text), !WITHOUT_LIST.has(path), path);
    if (WITHOUT_LIST.has(path)) continue;
    const [, nothing] = /<div class="empty">(.*?)<\/div>/s.exec((await empty.open(path)).text) ?? [];
    if (nothing !== undefined) assert.match(nothing, /<h2>.+<\/h2><p class="muted">.{20,}/s, path);
  }
});

test('lists of money: an open invoice and its quote → the client, who is awaited and since when; searched by the client', async () => {
  const { code } = await build.createInvoiced();
  clock.advance(3 * 86_400_000);
  const staff = await openSignedIn(service);
  const { text } = await staff.open(`/lab/invoices?search=${code}`);
  assert.match(text, /href="\/lab\/clients\/[\w-]+"><bdi>Demo/);
  assert.match(text, /<strong>Client:<\/strong> <span class="muted">pay it<\/span>/);
  assert.match(text, /[1-3] workdays?, since/);
  for (const path of ['/lab/invoices', '/lab/quotes']) {
    assert.doesNotMatch((await staff.open(`${path}?search=Demo`)).text, /Nothing matches/, path);
    assert.match((await staff.open(`${path}?search=nobody-is-called-so`)).text, /Nothing matches/, path);
  }
});

test('history: a quote was opened → its number is a link; no page shows the id of a quote as text', async () => {
  const { code, quoteId } = await build.createQuoted();
  const token = await issueToken({ role: 'admin' });
  const own = await openSignedIn(service, getText((await ask('GET', '/whoami', { token })).body.user_id));
  for (const [browser, path] of [
    [manager, `/lab/experiments/${code}`],
    [own, `/experiments/${code}`],
  ] as const) {
    const { text } = await browser.open(path);
    assert.match(text, new RegExp(`quotes/${quoteId}">(?:Open the quote )?Q-`), path);
    assert.doesNotMatch(text, new RegExp(`>[^<]*${quoteId}`), path);
  }
});

test('today: an operator → what can be run, and no money; a manager with every role → both', async () => {
  await build.createQueued();
  await build.createAutoAccepted();
  const staff = await openAs({ staffRoles: ['operator'] });
  const ofOperator = (await staff.open('/lab')).text;
  assert.match(ofOperator, /Ready to run/);
  assert.doesNotMatch(ofOperator, /Invoices to send|To be reviewed/);
  assert.match((await (await openSignedIn(service)).open('/lab')).text, /Invoices to send/);
});
