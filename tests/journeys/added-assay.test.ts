/** An assay that is only a folder and a line in the registry goes through every door: order, price, run, analysis, wire, page, figure, package, command line. */
import '../fixtures/assays/register.ts';
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { unzip } from '#analysis/formats/reading/zip.ts';
import { createAsker, startProcess } from '#testing/process.ts';
import { expectStatus } from '#testing/builders.ts';
import { getItems, getText, parseJson } from '#testing/service.ts';
import { runAssayer, type CliAnswer } from './cli-process.ts';

const LOOK_EVERY_MS = 20;
/** A minute, where it takes a moment. */
const LOOKS_MAX = 3_000;
const folder = mkdtempSync(join(tmpdir(), 'assayer-added-'));
const service = await startProcess(
  join(folder, 'data'),
  { SANDBOX_SPEED: '1000000000' },
  { first: new URL('../fixtures/assays/register.ts', import.meta.url) },
);
after(async () => {
  await service.stop();
  rmSync(folder, { recursive: true, force: true });
});
const ask = createAsker(service);

async function run(...args: readonly string[]): Promise<CliAnswer> {
  const answer = await runAssayer(args, { server: service });
  assert.equal(answer.code, 0, answer.err);
  return answer;
}

const FROM_HERE = { origin: service.url, 'sec-fetch-site': 'same-origin' };

/** Signs the founder in by a link that the mailbox of the sandbox holds; the answer gives the text of a page. */
async function signIn(): Promise<(path: string) => Promise<string>> {
  const body = new URLSearchParams({ email: 'demo@example.org' });
  await fetch(`${service.url}/sign-in/mail`, { method: 'POST', headers: FROM_HERE, body });
  const link = await findMailedLink();
  const answer = await fetch(link, { method: 'POST', headers: FROM_HERE, redirect: 'manual' });
  assert.equal(answer.status, 303);
  const cookie = answer.headers
    .getSetCookie()
    .map((set) => set.split(';')[0])
    .join('; ');
  return async (path) => {
    const page = await fetch(service.url + path, { headers: { accept: 'text/html', cookie } });
    assert.equal(page.status, 200, path);
    return page.text();
  };
}

async function findMailedLink(): Promise<string> {
  for (let look = 0; look < LOOKS_MAX; look += 1) {
    const mailbox = await fetch(`${service.url}/mailbox`, { headers: { accept: 'application/json' } });
    const link = /http[^\s"\\]+\/sign-in\/link\/[\w-]+/.exec(await mailbox.text())?.[0];
    if (link !== undefined) return link;
    await delay(LOOK_EVERY_MS);
  }
  throw new Error('the mailbox got no link');
}

test('added assay: ordered, measured and read by the command line of a client → its own price, run, result, figure, package, pages and columns', async () => {
  const designs = join(folder, 'designs.fasta');
  writeFileSync(designs, '>murky\nMKVLAAGG\n>hazy\nMKVLAAGGH\n>clear\nMKVLAAGGHH\n');
  const submitted = await run('submit', designs, '--type', 'turbidity', '--accept', '--pay', '--json');
  const order = parseJson(submitted.out);
  const code = getText(order.experiment_code);
  // Three sequences at $59.00, and two more replicates of each at $9.00.
  assert.equal(order.quote?.amount_total, 3 * 5_900 + 3 * 2 * 900);
  const watched = await run('watch', code);
  assert.match(watched.out, /3 plates recorded on Simulated photometer/);
  assert.match(watched.out, /3 sequences analyzed; the lab reviews their results[^]*Results released  done/);

  const table = await run('results', code);
  assert.match(table.out, /A600[^]*1  clear  measured  0\.100 AU[^]*2  hazy [^]*3  murky/);
  const csv = await run('results', code, '--csv');
  assert.match(csv.out, /,turbidity_au,turbidity_au_relation,[^]*,clear,false,,measured,0\.1\d*,=,3,3,3,/);

  const listed = expectStatus(await ask('GET', `/experiments/${code}/results`), 200);
  const items = getItems(listed.body.items);
  assert.deepEqual(
    items.map((item) => [item.sequence_name, item.result_type, item.place, item.quantities?.turbidity?.unit]),
    [
      ['clear', 'turbidity', 1, 'AU'],
      ['hazy', 'turbidity', 2, 'AU'],
      ['murky', 'turbidity', 3, 'AU'],
    ],
  );
  const [best] = items;
  const [row] = getItems(best?.summary);
  assert.equal(row?.turbidity_au, best?.quantities?.turbidity?.value);
  assert.equal(getItems(row?.replicates).length, 3);

  const figure = expectStatus(await ask('GET', `/results/${getText(best?.id)}/plot.svg`), 200);
  assert.match(figure.text, /^<svg[^]*clear[^]*0\.1\d* AU/);
  const ranking = expectStatus(await ask('GET', `/experiments/${code}/plot.svg`), 200);
  assert.match(ranking.text, /A600 \(AU\)/);

  const file = join(folder, 'package.zip');
  await run('download', code, '--output', file);
  const files = unzip({ name: 'package.zip', bytes: readFileSync(file) });
  const texts = new Map(files.map(({ name, bytes }) => [basename(name), new TextDecoder().decode(bytes)]));
  assert.match(texts.get('results.csv') ?? '', /turbidity_au[^]*\r\n[^]*clear/);
  assert.match(texts.get('methods.md') ?? '', /Turbidity was read at 600 nm/);
  for (const name of ['report.pdf', 'ranking.svg', '0001_clear.svg', '0003_murky.svg'])
    assert.ok(texts.has(name), name);

  const openPage = await signIn();
  assert.match(await openPage(`/experiments/${code}`), /A600[^]*clear[^]*0\.100 AU/);
  assert.match(await openPage('/experiments/new'), /Turbidity: A600/);
  assert.match(await openPage(`/results/${getText(best?.id)}`), /Turbidity[^]*A600 \(AU\)/);
});

test('added assay: what the service says of itself → the contract and the offer have it', async () => {
  const document = expectStatus(await ask('GET', '/openapi.json'), 200);
  assert.ok(document.text.includes('turbidity_au'));
  const types = expectStatus(await ask('GET', '/assay-types?limit=100'), 200);
  assert.ok(getItems(types.body.items).some((item) => getText(item.experiment_type) === 'turbidity'));
});
