/** Names in every script, from the order to pages, tables, FASTA, the archive and mail; each arrives as it was given. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { unzip } from '#analysis/formats/reading/zip.ts';
import { openSignedIn } from '#testing/browser.ts';
import { createBuilders, createSequences, expectStatus } from '#testing/builders.ts';
import { getItems, getText, testService } from '#testing/service.ts';

const NAMES = [
  'Ångström-π',
  'Антитело 7',
  'Αντίσωμα',
  '抗体一号',
  'こうたい',
  '항체',
  'נוגדן',
  'جسم مضاد',
  'प्रतिपिंड',
  'แอนติบอดี',
  'அணு',
  '🧬 x',
];
const EXPERIMENT = 'Erste Runde – 第一輪 תיבה 🧪';

const host = await testService();
const { ask, service } = host;
const { createBody, createReleased } = await createBuilders(host);
const residues = Object.values(createSequences(NAMES.length));
const sequences = Object.fromEntries(NAMES.map((name, index) => [name, residues[index]]));
const ordered = await createReleased({
  ...createBody({ experiment_type: 'expression', method: null, target_id: null, sequences, n_replicates: 1 }),
  name: EXPERIMENT,
});
const person = await openSignedIn({ service });

function expectNames(text: string, place: string): void {
  for (const name of NAMES) assert.ok(text.includes(name), `${place} lacks ${name}`);
}

/** RFC 6266: a name of ASCII letters in quotes needs no second form for other scripts. */
function expectPlainDownload(header: unknown, place: string): void {
  assert.match(String(header), /^(?:attachment|inline); filename="[\w.-]+"$/, place);
}

test('names in every script: API, pages and CSV of results → each name as it was given', async () => {
  const results = await ask('GET', `/experiments/${ordered.code}/results`);
  const names = getItems(results.body.items).map(({ sequence_name: name }) => getText(name));
  assert.deepEqual(names.toSorted(), NAMES.toSorted());
  const page = await person.open(`/experiments/${ordered.code}`);
  expectNames(page.text, 'the page');
  assert.ok(page.text.includes(EXPERIMENT));
});

test('names in every script: FASTA → each name, and a file name of ASCII letters', async () => {
  const fasta = await person.open(`/experiments/${ordered.code}/sequences.fasta`);
  expectNames(fasta.text, 'FASTA');
  expectPlainDownload(fasta.headers['content-disposition'], 'FASTA');
});

test('names in every script: the data package → its tables have each name, and its entries can be unpacked everywhere', async () => {
  const { headers } = expectStatus(await ask('GET', `/experiments/${ordered.code}/data-package`), 307);
  const link = new URL(headers.location ?? '');
  const answer = await service.app.inject({ method: 'GET', url: link.pathname + link.search });
  expectPlainDownload(answer.headers['content-disposition'], 'the archive');
  const entries = unzip({ name: 'package.zip', bytes: answer.rawPayload });
  for (const path of ['results.csv', 'replicates.csv', 'sequences.fasta', 'fits.json']) {
    const entry = entries.find(({ name }) => name === path);
    expectNames(Buffer.from(entry?.bytes ?? []).toString('utf8'), path);
  }
  for (const { name } of entries) assert.match(name, /^[\w./-]+$/);
});
