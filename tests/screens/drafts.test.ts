/** Drafts on their pages: edited, duplicated, renamed, deleted, with their designs in a table. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openSignedIn } from '#testing/browser.ts';
import { createBuilders, VHH } from '#testing/builders.ts';

import { getItems, getText, testService } from '#testing/service.ts';

const service = await testService();
const build = await createBuilders(service);
const browser = await openSignedIn(service);

const ANTIBODY = { type: 'ScFv', VH: VHH, VL: 'DIQMTQSPSS' };
const sequences = [
  { name: 'parent, wild type', aa_string: VHH, control: true },
  { name: '10', aa_string: `${VHH}DGC` },
  {
    name: '2',
    aa_string: `${VHH}:DIQMTQSPSSLSASVGDRVTITCRASQ`,
    metadata: { ...ANTIBODY, chain_order: ['H', 'L'] },
  },
];
const createDraft = async () =>
  build.create(
    build.createBody(
      { experiment_type: 'affinity', n_replicates: 2, antigen_concentrations: [100, 10], sequences },
      { name: 'round 1', description: 'first words' },
    ),
  );
const read = async (code: string) => (await service.ask('GET', `/experiments/${code}`)).body;

/** The fields of a page's form with what they hold, as a browser sends them. */
function listFilled(text: string): Record<string, string> {
  const decode = (value: string): string =>
    value.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&gt;', '>').replaceAll('&amp;', '&');
  const inputs = [...text.matchAll(/<input type="text"[^>]* name="(\w+)"[^>]* value="([^"]*)"/g)];
  const areas = [...text.matchAll(/<textarea [^>]*name="(\w+)"[^>]*>\n([^<]*)<\/textarea>/g)];
  const choices = [
    ...text.matchAll(/<select [^>]*name="(\w+)"[^>]*>.*?<option value="([^"]*)"[^>]* selected>/gs),
  ];
  const boxes = [...text.matchAll(/<input type="checkbox" name="([^"]+)" value="(yes)"[^>]* checked>/g)];
  return Object.fromEntries(
    [...inputs, ...areas, ...choices, ...boxes].map(([, name = '', value = '']) => [name, decode(value)]),
  );
}

test('draft: its page → name, chains, length, checks and control of each design', async () => {
  const { code } = await createDraft();
  const { text } = await browser.open(`/experiments/${code}`);
  const rows = [...text.matchAll(/<tr><th scope="row">(.*?)<\/tr>/gs)].map(([, row = '']) => row);
  assert.equal(rows.length, 3);
  assert.match(rows[0] ?? '', /parent, wild type<\/bdi> <span class="chip idle">Control/);
  assert.match(
    rows[2] ?? '',
    /<td class="number">2<span class="sub">101 \+ 27<\/span><\/td><td class="number">128</,
  );
  assert.match(
    rows[1] ?? '',
    /<summary>.*odd cysteines, labile motif<\/summary>.*DG \(isomerization\) at 102/s,
  );
  assert.match(text, /checks? found something<\/summary><ul><li>/);
});

test('draft: edited without a change → nothing changes; the sequences keep ids, order, controls and metadata', async () => {
  const { code } = await createDraft();
  const before = await read(code);
  const ids = async () => (await service.ask('GET', `/experiments/${code}/sequences`)).body.items;
  const idsBefore = await ids();
  const page = await browser.open(`/experiments/${code}/edit`);
  const filled = listFilled(page.text);
  assert.match(filled.sequences ?? '', /^name,sequence,control,type,VH,VL\n"parent, wild type",/);
  const saved = await browser.send(page, `/experiments/${code}/edit`, { ...filled, intent: 'create' });
  assert.equal(saved.status, 303, saved.text);
  const { updated_at: _, ...after } = await read(code);
  const { updated_at: __, ...first } = before;
  assert.deepEqual(after, first);
  assert.deepEqual(await ids(), idsBefore);
});

test('draft: edited → name, description, target, replicates, concentrations and sequences change; metadata of a kept design stay', async () => {
  const { code } = await createDraft();
  const page = await browser.open(`/experiments/${code}/edit`);
  const filled = listFilled(page.text);
  const change = {
    ...filled,
    name: 'round 2',
    description: '',
    target_id: build.targets.byHand,
    n_replicates: '4',
    antigen_concentrations: '500; 50 5',
    sequences: `${(filled.sequences ?? '').replace(/^10,.*\n/m, '').replaceAll('\n', '\r\n')}new,${VHH}A\r\n`,
    intent: 'check',
  };
  const checked = await browser.send(page, `/experiments/${code}/edit`, change);
  assert.match(checked.text, /Price on request/);
  const saved = await browser.send(page, `/experiments/${code}/edit`, { ...change, intent: 'create' });
  assert.equal(saved.status, 303, saved.text);
  const after = await read(code);
  assert.deepEqual(
    [after.name, after.description, after.target_id, after.n_replicates, after.antigen_concentrations],
    ['round 2', null, build.targets.byHand, 4, [500, 50, 5]],
  );
  assert.deepEqual(
    getItems(after.sequences).map(({ name }) => getText(name)),
    ['parent, wild type', '2', 'new'],
  );
  assert.deepEqual(after.experiment_spec.sequences['2'].metadata.chain_order, ['H', 'L']);
  assert.equal(after.experiment_spec.sequences['parent, wild type'].control, true);
});

test('draft: edited with several mistakes → each stands beside its field, the letters by their line, and nothing changes', async () => {
  const { code } = await createDraft();
  const before = await read(code);
  const page = await browser.open(`/experiments/${code}/edit`);
  const bad = await browser.send(page, `/experiments/${code}/edit`, {
    ...listFilled(page.text),
    name: '',
    n_replicates: '9',
    antigen_concentrations: 'ten',
    sequences: '>a\nQVQLZ\n>b\nQV1L\n',
    intent: 'create',
  });
  assert.equal(bad.status, 400);
  for (const field of ['name', 'n_replicates', 'antigen_concentrations', 'sequences'])
    assert.match(bad.text, new RegExp(`id="order-${field}-problem"`));
  assert.match(bad.text, /Line 4: &quot;1&quot; in column 3/);
  assert.match(bad.text, /Line 1: a, chain 1, position 5: Z/);
  assert.deepEqual(await read(code), before);
});

test('duplicate: its link → the form filled like the experiment, from which another assay can be ordered', async () => {
  const { code } = await createDraft();
  const page = await browser.open(`/experiments/${code}`);
  assert.ok(page.text.includes(`href="/experiments/new?from=${code}"`));
  const form = await browser.open(`/experiments/new?from=${code}`);
  const filled = listFilled(form.text);
  assert.equal(filled.name, 'round 1 (copy)');
  const made = await browser.send(form, '/experiments/new', {
    ...filled,
    experiment_type: 'screening',
    intent: 'create',
  });
  assert.equal(made.status, 303, made.text);
  const copy = await service.ask('GET', made.location ?? '');
  assert.equal(copy.body.experiment_spec.experiment_type, 'screening');
  const { sequences: copied } = copy.body.experiment_spec;
  assert.deepEqual(copied, (await read(code)).experiment_spec.sequences);
});

test('duplicate: an order with a requested target → the copy requests the same', async () => {
  const requested_target = { name: 'KRAS G12D', uniprot_id: 'P01116' };
  const { code } = await build.create(
    build.createBody({ target_id: null, target: null, requested_target }, { name: 'asked' }),
  );
  const form = await browser.open(`/experiments/new?from=${code}`);
  assert.match(form.text, /<option value="" selected>KRAS G12D \(requested\)/);
  const typed = { ...listFilled(form.text), intent: 'create' };
  const made = await browser.send(form, '/experiments/new', typed);
  assert.equal(made.status, 303, made.text);
  const { body } = await service.ask('GET', made.location ?? '');
  assert.deepEqual(body.experiment_spec.requested_target, requested_target);
});

test('rename: an order under way → its name and description change; experiment_not_editable: its form → 409', async () => {
  const { code } = await build.createQuoted();
  const page = await browser.open(`/experiments/${code}`);
  assert.ok(!page.text.includes(`/experiments/${code}/edit`));
  const renamed = await browser.send(page, `/experiments/${code}/rename`, {
    name: 'better name',
    description: 'words',
  });
  assert.equal(renamed.location, `/experiments/${code}`);
  assert.deepEqual([(await read(code)).name, (await read(code)).description], ['better name', 'words']);
  const cleared = await browser.open(`/experiments/${code}`);
  await browser.send(cleared, `/experiments/${code}/rename`, { name: 'better name', description: '' });
  assert.equal((await read(code)).description, null);
  assert.equal((await browser.open(`/experiments/${code}/edit`)).status, 409);
});

test('delete: a draft → gone; permission_denied: a viewer has neither the buttons nor the form', async () => {
  const { code } = await createDraft();
  const page = await browser.open(`/experiments/${code}`);
  const whoami = await service.ask('GET', '/whoami', { token: await service.issueToken({ role: 'viewer' }) });
  const viewer = await openSignedIn(service, getText(whoami.body.user_id));
  const seen = await viewer.open(`/experiments/${code}`);
  assert.equal(seen.status, 200);
  assert.doesNotMatch(seen.text, /\/edit"|\/delete"|Duplicate/);
  assert.equal((await viewer.open(`/experiments/${code}/edit`)).status, 403);
  assert.equal((await browser.send(page, `/experiments/${code}/delete`)).location, '/experiments');
  assert.equal((await service.ask('GET', `/experiments/${code}`)).status, 404);
});

test('experiment_not_found: the draft of another organization → 404 for its form and for a copy of it', async () => {
  const other = await testService();
  const stranger = await openSignedIn(other);
  const { code } = await createDraft();
  for (const path of [`/experiments/${code}/edit`, `/experiments/new?from=${code}`])
    assert.equal((await stranger.open(path)).status, 404, path);
});
