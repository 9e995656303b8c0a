/** The planner of runs: from the queue to a plan, its edits and its files. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Browser, openSignedIn, type Page } from '#testing/browser.ts';
import { createBuilders, createSequences, expectStatus } from '#testing/builders.ts';
import type { NewPerson } from '#testing/people.ts';
import { getText, testService } from '#testing/service.ts';

const service = await testService();
const build = await createBuilders(service);
const browser = await openSignedIn(service);
const HOSTILE = '<img src=x onerror=alert(1)>';

const orderTwo = async (): Promise<readonly string[]> => {
  const named = { sequences: createSequences(2), n_replicates: 2 };
  const one = await build.createQueued(build.createBody(named));
  const other = await build.createQueued(build.createBody({ ...named, sequences: createSequences(3) }));
  return [one.code, other.code];
};
const codes = await orderTwo();

const CHOICES = {
  size: '96',
  positive: 'lysozyme',
  negatives: 'negative-1',
  concentrations: '1000, 100, 10, 1',
  seed: '7',
};

/** The page of choices; its search has the same address as the form of the choices. */
async function openChoices(path = '/lab/plans'): Promise<Page> {
  const page = await browser.open(path);
  return { ...page, text: page.text.replace(/<form class="filters".*?<\/form>/s, '') };
}

async function plan(typed: Readonly<Record<string, string>> = {}): Promise<Page> {
  const chosen = Object.fromEntries(codes.map((code) => [`experiment:${code}`, 'yes']));
  const page = await openChoices();
  return browser.send(page, '/lab/plans', { ...chosen, ...CHOICES, ...typed });
}

const edit = (page: Page, typed: Readonly<Record<string, string>>): Promise<Page> =>
  browser.send(page, '/lab/plans/edit', typed);

/** Sends the form of the plan to the address of downloads, as its buttons do. */
function download(page: Page, typed: Readonly<Record<string, string>>): Promise<Page> {
  const text = page.text.replace('action="/lab/plans/edit"', 'action="/lab/plans/file"');
  return browser.send({ ...page, text }, '/lab/plans/file', typed);
}

/** The label of a well, without its name. */
function readWell({ text }: Page, well: string): string {
  return new RegExp(`data-well="${well}"\\s+aria-label="${well}, ([^"]*)"`).exec(text)?.[1] ?? 'no such well';
}

function findWell({ text }: Page, pattern: RegExp): string {
  for (const [, well = '', label = ''] of text.matchAll(/data-well="(\w+)"\s+aria-label="\w+, ([^"]*)"/g))
    if (pattern.test(label)) return well;
  throw new Error(`no well is ${pattern.source}`);
}

test('planner: two orders of the queue → every well has a letter and a label, empty ones too', async () => {
  const queue = await browser.open('/lab/plans');
  for (const code of codes) assert.match(queue.text, new RegExp(`name="experiment:${code}"`));
  const page = await plan();
  assert.equal(page.status, 200, page.text);
  assert.match(page.text, /Plan of 2 experiments/);
  assert.match(page.text, /A run can follow this plan/);
  assert.equal([...page.text.matchAll(/data-well="/g)].length, 96);
  const well = findWell(page, /^design-3, replicate 2, 100 nM$/);
  assert.match(page.text, new RegExp(`data-well="${well}"[^>]*><span class="letter">S</span>`));
  assert.match(
    readWell(page, findWell(page, /positive control/)),
    /^lysozyme, positive control, replicate \d/,
  );
  assert.equal(readWell(page, findWell(page, /^empty$/)), 'empty');
});

test('planner: an order of the queue is not paid → a mark says so, and no other order has it', async () => {
  const { code } = await build.createInvoiced(build.createBody({ sequences: createSequences(1) }));
  expectStatus(await service.ask('POST', `/lab/experiments/${code}/materials`, { body: {} }), 200);
  const { text } = await browser.open('/lab/plans');
  const rows = text.split('</tr>').filter((row) => row.includes('name="experiment:'));
  const unpaid = rows.filter((row) => row.includes('<span class="chip warn">not paid</span>'));
  assert.equal(rows.length, codes.length + 1);
  assert.deepEqual(
    unpaid.map((row) => /name="experiment:([^"]+)"/.exec(row)?.[1]),
    [code],
  );
});

test('planner: 384 wells → 384 of them, and the same seed gives the same plan', async () => {
  const [first, again] = [await plan({ size: '384' }), await plan({ size: '384' })];
  const wells = ({ text }: Page): string[] => [...text.matchAll(/aria-label="\w+, [^"]*"/g)].map(String);
  assert.equal([...first.text.matchAll(/data-well="/g)].length, 384);
  assert.deepEqual(wells(again), wells(first));
  assert.notDeepEqual(wells(await plan({ size: '384', seed: '8' })), wells(first));
});

test('control_missing: no positive control → 422 beside its field, with what was typed', async () => {
  const page = await plan({ positive: '', negatives: '"quoted"' });
  assert.equal(page.status, 422);
  assert.match(page.text, /id="lab-plans-positive-problem"><li>The layout needs a positive control/);
  assert.match(page.text, /name="negatives"[^>]*value="&quot;quoted&quot;"/);
  assert.match(page.text, new RegExp(`name="experiment:${codes[0]}" value="yes" checked`));
});

test('settings: no experiment, a concentration or seed that is no number, an unknown code → 422 beside its field', async () => {
  const empty = await browser.send(await openChoices(), '/lab/plans', CHOICES);
  assert.equal(empty.status, 422);
  assert.match(empty.text, /id="lab-plans-others-problem"><li>Choose one to 50 experiments/);
  const wrong = await plan({ concentrations: '10, abc', seed: 'x' });
  assert.equal(wrong.status, 422);
  assert.match(wrong.text, /id="lab-plans-concentrations-problem"><li>“abc” is no number/);
  assert.match(wrong.text, /id="lab-plans-seed-problem"/);
  const unknown = await plan({ others: 'DEMO-999-999' });
  assert.equal(unknown.status, 422);
  assert.match(unknown.text, /id="lab-plans-others-problem"/);
});

test('planner: search and a link that names an experiment → the list narrows, the box is ticked', async () => {
  const none = await browser.open('/lab/plans?search=nothing-of-that-name');
  assert.match(none.text, /No experiment of the queue matches/);
  const linked = await browser.open(`/lab/plans?experiment=${codes[1]}`);
  assert.match(linked.text, new RegExp(`name="experiment:${codes[1]}" value="yes" checked`));
  assert.doesNotMatch(linked.text, new RegExp(`name="experiment:${codes[0]}" value="yes" checked`));
});

test('concentration_unreferenced: a run of fewer columns than concentrations → a warning, until empty wells hold references', async () => {
  const { code } = await build.createQueued(build.createBody({ n_replicates: 1 }));
  const page = await browser.send(await openChoices(), '/lab/plans', {
    ...CHOICES,
    [`experiment:${code}`]: 'yes',
    concentrations: '1000, 31.6, 1',
  });
  assert.match(page.text, /A run can follow this plan/);
  assert.match(
    page.text,
    /<strong>Warning<\/strong> Plate P1 has no reference sensor at 31\.6 nM and 1 nM for replicate 1 of design-1\./,
  );
  const reference = { act: 'fill', role: 'reference', sample: '', replicate: '12' };
  const one = await edit(page, { ...reference, well: 'A12', concentration_nm: '31.6' });
  assert.match(one.text, /no reference sensor at 1 nM for replicate 1 of design-1\./);
  const both = await edit(one, { ...reference, well: 'B12', concentration_nm: '1' });
  assert.match(both.text, /No problem/);
});

test('edit: two filled wells are swapped → they change places, and undo puts them back', async () => {
  const page = await plan();
  const [one, other] = [findWell(page, /^design-3, replicate 1/), findWell(page, /^design-3, replicate 2/)];
  const swapped = await edit(page, { act: 'swap', well: one.toLowerCase(), other });
  assert.equal(swapped.status, 200);
  assert.equal(readWell(swapped, one).replace(', has a problem', ''), readWell(page, other));
  assert.equal(readWell(swapped, other).replace(', has a problem', ''), readWell(page, one));
  assert.match(swapped.text, /data-said="Swapped/);
  const undone = await edit(swapped, { act: 'undo' });
  assert.equal(readWell(undone, one), readWell(page, one));
  assert.match(undone.text, /value="undo" disabled/);
  const nothing = await edit(page, { act: 'undo' });
  assert.equal(nothing.status, 422);
  assert.match(nothing.text, /There is nothing to undo/);
});

test('edit: a well is moved, emptied and filled again → the problems follow, and each undo takes back one', async () => {
  const page = await plan();
  const [from, to] = [findWell(page, /^design-3, replicate 1/), findWell(page, /^empty$/)];
  const moved = await edit(page, { act: 'swap', well: to, other: from });
  assert.equal(readWell(moved, from).replace(', has a problem', ''), 'empty');
  const cleared = await edit(moved, { act: 'clear', well: to });
  assert.match(cleared.text, /A run cannot start by it/);
  assert.match(cleared.text, /Replicate 1 of design-3 has no well/);
  const label = readWell(page, from);
  const level = /, (\d+) nM$/.exec(label)?.[1] ?? (label.endsWith('buffer') ? '0' : '1000');
  const nm = label.endsWith('µM') ? '1000' : level;
  const content = { role: 'sample', sample: 'design-3', replicate: '1', concentration_nm: nm };
  const filled = await edit(cleared, { act: 'fill', well: from, ...content });
  assert.equal(readWell(filled, from).replace(', has a problem', ''), label);
  let back = filled;
  for (let step = 0; step < 3; step++) back = await edit(back, { act: 'undo' });
  assert.equal(readWell(back, from), label);
  assert.equal(readWell(back, to), 'empty');
});

test('edit: no well, a well off the plate, too many wells, an unknown name or number → 422, and the plan stays', async () => {
  const page = await plan();
  const many = Array.from({ length: 25 }, (_, index) => `A${(index % 12) + 1}`).join(' ');
  for (const [typed, said] of [
    [{ act: 'swap', well: '', other: 'A1' }, /Name a well/],
    [{ act: 'swap', well: 'A1', other: '' }, /Name the other well/],
    [{ act: 'swap', well: 'Z99', other: 'A1' }, /“Z99” is no well/],
    [{ act: 'clear', well: 'P24' }, /outside a plate of 96 wells/],
    [{ act: 'clear', well: many }, /at most 24 wells/],
    [{ act: 'fill', well: 'A1', role: 'sample', sample: 'nobody', replicate: '1' }, /no sequence of the run/],
    [{ act: 'fill', well: 'A1', role: 'blank', sample: '', replicate: '0' }, /whole number from 1/],
    [{ act: 'fill', well: 'A1', role: 'king', sample: '', replicate: '1' }, /Choose a role/],
    [{ act: 'fill', well: 'A1', role: 'blank', replicate: '1', concentration_nm: 'x' }, /is no number/],
  ] as const) {
    const refused = await edit(page, typed);
    assert.equal(refused.status, 422, said.source);
    assert.match(refused.text, said);
    assert.equal(readWell(refused, 'A1'), readWell(page, 'A1'));
  }
});

test('settings: changed from the plan → the form has what the plan was made of', async () => {
  const page = await edit(await plan(), { act: 'settings' });
  assert.match(page.text, /name="concentrations"[^>]*value="1000, 100, 10, 1"/);
  assert.match(page.text, /name="seed"[^>]*value="7"/);
  assert.match(page.text, /<option value="sensor_columns" selected>/);
});

test('plan: a field that no page wrote → 400 with a sentence, not an error of the service', async () => {
  const page = await plan();
  for (const forged of ['', 'x', 'e30', Buffer.from('{}').toString('base64url')]) {
    const refused = await edit(page, { act: 'swap', well: 'A1', other: 'A2', plan: forged });
    assert.equal(refused.status, 400, refused.text);
    assert.match(refused.text, /Plan the run again/);
  }
});

test('write_run_file: a plate map → downloaded; the plan of the form counts, with its edits', async () => {
  const page = await plan();
  const from = findWell(page, /^design-3, replicate 1/);
  const cleared = await edit(page, { act: 'clear', well: from });
  const [before, after] = [
    await download(page, { kind: 'plate_list' }),
    await download(cleared, { kind: 'plate_list' }),
  ];
  assert.equal(before.status, 200, before.text);
  assert.equal(before.headers['content-disposition'], 'attachment; filename="P1-plate_list.csv"');
  assert.match(before.text, new RegExp(`^P1,${from},sample,design-3,1,`, 'm'));
  assert.doesNotMatch(after.text, new RegExp(`^P1,${from},`, 'm'));
});

test('run_file_refused: a worklist without what its robot needs → 422 beside the fields; complete → the file', async () => {
  const page = await plan();
  const sources = /<textarea id="sources"[^>]*>\n([^<]*)</.exec(page.text)?.[1] ?? '';
  const typed = { kind: 'tecan_worklist', sources, volume_ul: '10' };
  const refused = await download(page, typed);
  assert.equal(refused.status, 422);
  assert.match(refused.text, /needs liquid_class/);
  assert.match(refused.text, /<details open><summary>Worklists for robots/);
  const wrong = await download(page, { ...typed, sources: 'design-1 somewhere', liquid_class: 'Water' });
  assert.equal(wrong.status, 422);
  assert.match(wrong.text, /Row 1 of the sources, “design-1 somewhere”/);
  const file = await download(page, { ...typed, liquid_class: 'Water' });
  assert.equal(file.status, 200, file.text);
  assert.match(String(file.headers['content-disposition']), /filename="P1-tecan_worklist\.gwl"/);
  const echo = await download(page, {
    ...typed,
    kind: 'echo_pick_list',
    source_type: '384PP',
    destination_type: '96',
  });
  assert.equal(echo.status, 200, echo.text);
  const deck = { source_labware: 'a', source_slot: '1', destination_labware: 'b', destination_slot: '2' };
  const robot = await download(page, { ...typed, ...deck, kind: 'opentrons_csv', aspiration_height_mm: '1' });
  assert.equal(robot.status, 200, robot.text);
});

test('escaping: names of an experiment, a sequence and a control are hostile → shown as text', async () => {
  const body = build.createBody({ sequences: { [HOSTILE]: 'QVQLVESGGGLVQAGGSLRLSCAAS' } }, { name: HOSTILE });
  const { code } = await build.createQueued({ ...body, name: HOSTILE });
  const queue = await openChoices();
  assert.doesNotMatch(queue.text, /<img/);
  assert.match(queue.text, /&lt;img src=x/);
  const page = await browser.send(queue, '/lab/plans', {
    ...CHOICES,
    [`experiment:${code}`]: 'yes',
    positive: `${HOSTILE}, a control`,
  });
  assert.equal(page.status, 200, page.text);
  assert.doesNotMatch(page.text, /<img/);
  assert.match(page.text, /&lt;img src=x/);
});

test('permission: a client, finance staff and a stranger → 404, 404 and 401 for page, plan, edit and file', async () => {
  const own = await plan();
  const [, plan64 = ''] = /name="plan" value="([^"]+)"/.exec(own.text) ?? [];
  const clients: NewPerson[] = [{ role: 'admin' }, { staffRoles: ['finance'] }];
  for (const person of clients) {
    const token64 = await service.issueToken(person);
    const { body } = await service.ask('GET', '/whoami', { token: token64 });
    const other = await openSignedIn(service, getText(body.user_id));
    const [, token = ''] = /name="form_token" value="([^"]+)"/.exec((await other.open('/')).text) ?? [];
    assert.equal((await other.open('/lab/plans')).status, 404);
    for (const path of ['/lab/plans', '/lab/plans/edit', '/lab/plans/file']) {
      const answer = await other.post(path, { form_token: token, plan: plan64, act: 'undo' });
      assert.equal(answer.status, 404, path);
      assert.doesNotMatch(answer.text, /design-/);
    }
  }
  assert.equal((await new Browser(service).open('/lab/plans')).status, 401);
});
