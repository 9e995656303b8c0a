/** Quotes, taxes and books from the shell. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { startProcess, type ServiceProcess } from '#testing/process.ts';
import { readPdf } from '#testing/pdf.ts';
import { runAssayer, type CliAnswer } from './cli-process.ts';

const folder = mkdtempSync(join(tmpdir(), 'assayer-cli-billing-'));
const dataDir = join(folder, 'data');
let service: ServiceProcess | undefined;
before(async () => {
  service = await startProcess(dataDir, {});
});
after(async () => {
  await service?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const GERMANY = ['--country', 'DE', '--name', 'VAT', '--treatment', 'reverse_charge'];

async function run(...args: string[]): Promise<CliAnswer> {
  if (service === undefined) throw new Error('no service');
  return runAssayer(args, {
    server: { url: service.url, token: service.token },
    input: '>one\nACDEFGHIKLMNPQRSTVWY\n',
  });
}

async function runForOutput(...args: string[]): Promise<string> {
  const answer = await run(...args);
  assert.equal(answer.code, 0, answer.err);
  return answer.out;
}

test('assayer quote, quotes reject, lab tax-rates, ledger check: correct and wrong arguments → a table, a file, or exit code 1 or 2', async () => {
  assert.match(await runForOutput('lab', 'tax-rates', 'list', '--json'), /"items": \[\]/);
  assert.match(
    await runForOutput('lab', 'tax-rates', 'set', ...GERMANY, '--rate-basis-points', '1900'),
    /^country +DE\nname +VAT\n[^]*treatment +reverse_charge\n/,
  );
  for (const wrong of [
    ['tax', 'DE', '--percent', '19'],
    ['lab', 'tax-rates', 'set', ...GERMANY, '--rate-basis-points', 'x'],
    ['quotes', 'reject', 'X-1', '--reason', 'why'],
  ])
    assert.equal((await run(...wrong)).code, 2);

  const submitted = await runForOutput('submit', '-', '--target', 'EGFR', '--type', 'screening', '--json');
  const code = /[A-Z]+-\d{3}-\d{3}/.exec(submitted)?.[0] ?? '';
  const shown = await runForOutput('quote', code);
  assert.match(shown, /Quote Q-\d{4}-00001 for Demo organization, open/);
  assert.match(shown, /Total USD\s+\$212\.00/);
  const file = join(folder, 'quote.pdf');
  await runForOutput('quote', code, '--output', file);
  assert.match((await readPdf(readFileSync(file))).text, /Total \(USD\) \$212\.00/);
  assert.equal((await run('quote', code, '--output', join(folder, 'no', 'such', 'folder.pdf'))).code, 1);
  assert.match((await run('quote', code, '--output', file)).err, /exists already; --force replaces it/);
  await runForOutput('quote', code, '--output', file, '--force');
  await runForOutput('quotes', 'reject', code, '--reason', 'price', '--feedback', 'too much', '--yes');
  assert.equal(await runForOutput('experiments', 'show', code, '--fields', 'status'), 'draft\n');
  assert.equal((await run('quote', 'DEMO-001-999')).code, 1);

  await service?.stop();
  service = undefined;
  const books = await runAssayer(['ledger', 'check', '--data-dir', dataDir]);
  assert.equal(books.code, 0, books.err);
  assert.match(books.out, /The books are correct/);
});
