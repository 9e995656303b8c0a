/** Designs in the order form: files beside pasted text, columns, marks of controls, rows that are left out. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { writeWorkbook } from '#documents/workbook.ts';
import { openSignedIn, readFormToken } from '#testing/browser.ts';
import { createBuilders, VHH } from '#testing/builders.ts';
import { sendFiles } from '#testing/form-data.ts';
import { getItems, getText, testService } from '#testing/service.ts';

const service = await testService();
const build = await createBuilders(service);
const browser = await openSignedIn(service);
const PATH = '/experiments/new';
const form_token = await readFormToken(browser);
const usual = {
  form_token,
  name: 'from files',
  experiment_type: 'affinity',
  method: 'bli',
  target_id: build.targets.perSequence,
  n_replicates: '2',
};
const LETTERS = 'ACDEFGHIKLMNPQRSTVWY';
const designs = Array.from({ length: 50 }, (_, index) => {
  const [first, second] = [LETTERS.charAt(index % 20), LETTERS.charAt((index * 7 + 3) % 20)];
  return [`design ${index}`, `${VHH.slice(0, 50)}${first}${second}${VHH.slice(52)}`] as const;
});
const send = (
  fields: Readonly<Record<string, string>>,
  files: Readonly<Record<string, string | Uint8Array>> = {},
) => sendFiles(service, browser, PATH, { ...usual, ...fields }, files);
const readText = (text: string): string =>
  (/<textarea [^>]*name="sequences"[^>]*>\n([^<]*)<\/textarea>/.exec(text)?.[1] ?? '').replaceAll(
    '&gt;',
    '>',
  );
const readShown = (text: string): string => /name="shown_designs" value="(\w+)"/.exec(text)?.[1] ?? '';

for (const [name, content] of [
  [
    'fifty.fasta',
    designs.map(([named, letters]) => `>${named.replace(' ', '_')}\r\n${letters}\r\n`).join(''),
  ],
  ['fifty.csv', ['Design,Sequence', ...designs.map((row) => row.join(','))].join('\r\n')],
  ['fifty.tsv', ['sequence_id\tsequence_alignment_aa', ...designs.map((row) => row.join('\t'))].join('\n')],
  [
    'fifty.xlsx',
    writeWorkbook('picks', [
      ['binder', 'score', 'AA sequence'],
      ...designs.map(([named, letters], at) => [named, at, letters]),
    ]),
  ],
] as const)
  test(`order form: ${name} of 50 designs → added, priced, then ordered as one draft`, async () => {
    const added = await send({ intent: 'add' }, { [name]: content });
    assert.equal(added.status, 200, added.text);
    assert.match(added.text, /50 designs to order/);
    const sequences = readText(added.text);
    const checked = await send({ intent: 'check', sequences, shown_designs: readShown(added.text) });
    assert.match(checked.text, /\$[\d,]+\.\d\d <span>USD/);
    const made = await send({ intent: 'create', sequences });
    assert.equal(made.status, 303, made.text);
    const { body } = await service.ask('GET', made.location ?? '');
    assert.deepEqual(
      getItems(body.sequences).map(({ fasta }) => getText(fasta).split('\n')[1]),
      designs.map(([, letters]) => letters),
    );
  });

test('order form: two files beside pasted text → one order; what is wrong is named by file, row and column, all at once', async () => {
  const files = {
    'one.csv': `name,sequence,kind\na,${VHH}\nb,${VHH}Z1\n`,
    'two.fasta': `>c\n${VHH}K\n>d\nQV1L\n`,
  };
  const bad = await send({ intent: 'check', n_replicates: '9', sequences: `>pasted\n${VHH}W\n` }, files);
  assert.equal(bad.status, 400);
  assert.match(bad.text, /one\.csv, row 3, column sequence: b, chain 1, position 102: Z/);
  assert.match(bad.text, /one\.csv, row 3, column sequence: b, chain 1, position 103: &quot;1&quot;/);
  assert.match(bad.text, /two\.fasta, line 4: &quot;1&quot; in column 3/);
  assert.match(bad.text, /id="order-n_replicates-problem"/);
  const sequences = readText(bad.text);
  assert.deepEqual(
    [...sequences.matchAll(/^>(\w+)/gm)].map(([, name]) => name),
    ['pasted', 'a', 'b', 'c', 'd'],
  );
  const left = { 'out:b': 'yes', 'out:d': 'yes', 'control:a': 'yes', 'control:pasted': 'yes' };
  const made = await send({ ...left, intent: 'create', sequences, shown_designs: readShown(bad.text) });
  assert.equal(made.status, 303, made.text);
  const { body } = await service.ask('GET', made.location ?? '');
  const ordered = body.experiment_spec.sequences;
  assert.deepEqual(Object.keys(ordered), ['pasted', 'a', 'c']);
  assert.deepEqual([ordered.pasted.control, ordered.a.control, ordered.c], [true, true, `${VHH}K`]);
});

test('order form: boxes of the shown table → decide who is a control; of another text, its column does', async () => {
  const sequences = `name,sequence,control\na,${VHH},yes\nb,${VHH}W,\n`;
  const shown = await send({ intent: 'add', sequences });
  assert.match(shown.text, /name="control:a" value="yes" aria-label="Control: a" checked/);
  const order = async (fields: Readonly<Record<string, string>>) => {
    const made = await send({ intent: 'create', ...fields });
    return (await service.ask('GET', made.location ?? '')).body.experiment_spec.sequences;
  };
  const moved = await order({ sequences, shown_designs: readShown(shown.text), 'control:b': 'yes' });
  assert.deepEqual([moved.a, moved.b.control], [VHH, true]);
  const edited = await order({ sequences: `${sequences}c,${VHH}K,\n`, shown_designs: readShown(shown.text) });
  assert.equal(edited.a.control, true);
});

test('order form: a table whose sequences are not found → the column is chosen; ordered before → said with the experiment', async () => {
  const { code } = await build.create(build.createBody({ sequences: { known: `${VHH}YYY` } }));
  const sequences = `x,y\nfirst,QVQLVESG\n`;
  const lost = await send({ intent: 'add', sequences });
  assert.match(lost.text, /no column looks like amino acids/);
  assert.match(lost.text, /<select [^>]*name="column_sequence"/);
  const found = await send({ intent: 'add', sequences, column_sequence: 'y', column_name: 'x' });
  assert.match(found.text, /1 design to order/);
  const before = await send({ intent: 'add', sequences: `>new\n${VHH}YYY\n` });
  assert.ok(before.text.includes(`ordered before in <a href="/experiments/${code}">`));
});

test('order form: a file that is too large, or a form of another session → refused', async () => {
  const large = await send({ intent: 'add' }, { 'large.fasta': Buffer.alloc(8 * 1024 * 1024 + 1, 65) });
  assert.equal(large.status, 413);
  const foreign = await sendFiles(service, browser, PATH, { ...usual, form_token: 'x' }, {});
  assert.equal(foreign.status, 400);
});

test('order form: names with markup and quotes → shown as text, and their boxes work', async () => {
  const name = `<img src=x onerror=alert(1)> "a", 'b'`;
  const csv = `name,sequence\n"${name.replaceAll('"', '""')}",${VHH}\n`;
  const added = await send({ intent: 'add' }, { 'x.csv': csv });
  assert.doesNotMatch(added.text, /<img src=x/);
  const sequences = readText(added.text)
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&#39;', "'");
  const box = `control:${name}`.replaceAll('"', '%22');
  const made = await send({
    intent: 'create',
    sequences,
    shown_designs: readShown(added.text),
    [box]: 'yes',
  });
  assert.equal(made.status, 303, made.text);
  const { body } = await service.ask('GET', made.location ?? '');
  assert.equal(body.experiment_spec.sequences[name].control, true);
});

test('order form: a search by name, gene, accession or species → hits with construct and price; a button takes one', async () => {
  for (const search of ['EGFR', 'ERBB2', 'P00533', 'Homo sapiens']) {
    const { text } = await send({ intent: 'search', target_id: '', target_search: search });
    assert.match(text, /<ul class="hits"><li>/, search);
    assert.match(text, /per sequence|quoted by the lab/);
  }
  const { text } = await send({ intent: 'search', target_id: '', target_search: 'P00533' });
  const [, id = ''] = /name="choose_target" value="([^"]+)"/.exec(text) ?? [];
  const chosen = await send({
    target_id: '',
    target_search: 'P00533',
    choose_target: id,
    sequences: `>a\n${VHH}\n`,
  });
  assert.match(chosen.text, new RegExp(`<option value="${id}" selected>EGFR`));
  assert.match(chosen.text, /\$[\d,]+\.\d\d <span>USD, no tax/);
  const none = await send({ intent: 'search', target_id: '', target_search: '<nothing>' });
  assert.match(none.text, /No target of the catalog matches “&lt;nothing&gt;”/);
});

test('order form: a target that is requested in place → the draft asks the lab for it; a wrong accession stands beside its field', async () => {
  const requested = {
    target_id: '',
    requested_name: 'KRAS G12D',
    requested_uniprot_id: 'P01116',
    requested_note: 'two\nlines',
  };
  const made = await send({ ...requested, intent: 'create', sequences: `>a\n${VHH}\n` });
  assert.equal(made.status, 303, made.text);
  const { body } = await service.ask('GET', made.location ?? '');
  const { requested_target: target } = body.experiment_spec;
  assert.deepEqual([target.name, target.uniprot_id, target.note], ['KRAS G12D', 'P01116', 'two\nlines']);
  const live = await send({ intent: 'live', target_id: '', sequences: `>a\n${VHH}\n` });
  assert.match(live.text, /The price needs:.*Choose a target from the catalog, or request one below/s);
});

test('order form: an expected KD → doses around it, tenfold above to a third below; a webhook and words → of the draft', async () => {
  const proposed = await send({ intent: 'propose', expected_kd_nm: '5' });
  assert.match(proposed.text, /name="antigen_concentrations"[^>]* value="50, 15.81, 5, 1.58, 0"/);
  const more = { description: 'words', webhook_url: 'https://hooks.example.com/x' };
  const made = await send({ ...more, intent: 'create', sequences: `>a\n${VHH}\n` });
  const { body } = await service.ask('GET', made.location ?? '');
  assert.deepEqual([body.description, body.webhook_url], ['words', 'https://hooks.example.com/x']);
  const bad = await send({ webhook_url: 'ftp://x', intent: 'create', sequences: `>a\n${VHH}\n` });
  assert.match(bad.text, /id="order-webhook_url-problem"/);
});

test('order form: a character that cannot be stored, in a form with or without files, or in a file → refused or named, never a 500', async () => {
  for (const field of ['description', 'from', 'target_search', 'sequences']) {
    assert.equal((await send({ [field]: 'a\u0000b', intent: 'create' })).status, 400, field);
    const plain = await browser.post(PATH, { ...usual, [field]: 'a\u0000b', intent: 'create' });
    assert.equal(plain.status, 400, field);
  }
  const file = await send({ intent: 'add' }, { 'x.fasta': '>a\u0000b\nQVQL\n' });
  assert.match(file.text, /x\.fasta.*the file is no text/);
});
