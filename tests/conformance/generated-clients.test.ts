/** Clients that two generators make of the published document: they compile, and they order and read results. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { VHH } from '#testing/builders.ts';
import { testService } from '#testing/service.ts';
import { listen } from './mcp-clients.ts';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '..', '..');
const PACKAGES = join(ROOT, 'node_modules');
const CACHE = join(PACKAGES, '.cache');

const service = await testService();
const address = await listen(service);

interface Order {
  readonly baseUrl: string;
  readonly token: string;
  readonly sequences: Readonly<Record<string, string>>;
  /** Lets the lab do its work. */
  readonly wait: () => Promise<void>;
}

interface Generator {
  readonly name: string;
  /** Arguments of its command, which writes `client.ts` into the working directory. */
  readonly command: readonly string[];
  /** Whether its own helpers also compile with `exactOptionalPropertyTypes`. */
  readonly isExact: boolean;
  /** A program over its client; answers the number of results. */
  readonly program: string;
}

const OPENING = `
interface Order { baseUrl: string; token: string; sequences: Record<string, string>; wait: () => Promise<void> }
const spec = (sequences: Record<string, string>) => ({
  experiment_type: 'screening' as const, method: 'bli' as const, target: 'EGFR', n_replicates: 1, sequences,
});`;

const generators: readonly Generator[] = [
  {
    name: 'swagger-typescript-api',
    command: [
      join(PACKAGES, 'swagger-typescript-api', 'dist', 'cli.mjs'),
      'generate',
      '--path',
      join(ROOT, 'openapi.json'),
      '--output',
      '.',
      '--name',
      'client.ts',
      '--silent',
      '--enum-style=union',
    ],
    isExact: true,
    program: `
import { Api } from './client.js';
${OPENING}
export async function order({ baseUrl, token, sequences, wait }: Order): Promise<number> {
  const api = new Api({
    baseUrl: baseUrl + '/api/v1',
    baseApiParams: { secure: true, format: 'json' },
    securityWorker: () => ({ headers: { authorization: 'Bearer ' + token } }),
  });
  const name = 'by swagger-typescript-api';
  const rail = { headers: { 'x-service-payment-method': 'mpp-spt' } };
  await api.experiments.createExp({ name, experiment_spec: spec(sequences) }, rail);
  const listed = await api.experiments.listExperiments({ search: name });
  const id = listed.data.items[0]?.id ?? '';
  await api.experiments.submitExperiment(id);
  const quote = await api.experiments.getQuoteMetadata(id);
  const { data: accepted } = await api.experiments.confirmExperimentQuote(id, {});
  const { data: minted } = await api.sandbox.mintPaymentToken({ max_amount_cents: quote.data.amount_total });
  const { data: paid } = await api.invoices.payInvoice(accepted.invoice_id ?? '', { spt: minted.spt });
  if (paid.status !== 'paid') throw new Error('the invoice is ' + paid.status);
  await wait();
  const { data: results } = await api.experiments.getExperimentResults(id);
  return results.items.filter(({ result_type }) => result_type === 'screening').length;
}`,
  },
  {
    name: 'oazapfts',
    command: [join(PACKAGES, 'oazapfts', 'dist', 'cli.js'), join(ROOT, 'openapi.json'), 'client.ts'],
    isExact: false,
    program: `
import * as api from './client.js';
import { ok } from '@oazapfts/runtime';
${OPENING}
export async function order({ baseUrl, token, sequences, wait }: Order): Promise<number> {
  api.defaults.baseUrl = baseUrl + '/api/v1';
  api.defaults.headers = { authorization: 'Bearer ' + token };
  const body = { name: 'by oazapfts', experiment_spec: spec(sequences) };
  const created = await ok(api.createExp(body, { xServicePaymentMethod: 'mpp-spt' }));
  if (!('experiment_code' in created)) throw new Error('nothing was to be accepted yet');
  const id = created.experiment_code;
  await ok(api.submitExperiment(id));
  const quote = await ok(api.getQuoteMetadata(id));
  const accepted = await ok(api.confirmExperimentQuote(id, {}));
  const minted = await ok(api.mintPaymentToken({ max_amount_cents: quote.amount_total }));
  const paid = await ok(api.payInvoice(accepted.invoice_id ?? '', { spt: minted.spt }));
  if (paid.status !== 'paid') throw new Error('the invoice is ' + paid.status);
  await wait();
  const results = await ok(api.getExperimentResults(id));
  return results.items.filter(({ result_type }) => result_type === 'screening').length;
}`,
  },
];

/** The client and its program as JavaScript; the compiler's complaint is the failure. */
async function compile({ command, isExact, program }: Generator, directory: string): Promise<string> {
  await run(process.execPath, [...command], { cwd: directory });
  writeFileSync(join(directory, 'program.ts'), program);
  writeFileSync(join(directory, 'package.json'), '{ "type": "module" }');
  const compilerOptions = {
    strict: true,
    exactOptionalPropertyTypes: isExact,
    module: 'nodenext',
    target: 'es2022',
    lib: ['es2022', 'dom', 'dom.iterable'],
    types: [],
    skipDefaultLibCheck: true,
    rootDir: '.',
    outDir: 'out',
  };
  const configuration = { compilerOptions, files: ['client.ts', 'program.ts'] };
  writeFileSync(join(directory, 'tsconfig.json'), JSON.stringify(configuration));
  const compiler = join(PACKAGES, 'typescript-compiler', 'bin', 'tsc');
  await run(process.execPath, [compiler, '-p', '.'], { cwd: directory }).catch((error: unknown) => {
    const output = typeof error === 'object' && error !== null && 'stdout' in error ? error.stdout : error;
    assert.fail(String(output));
  });
  return join(directory, 'out', 'program.js');
}

for (const generator of generators) {
  test(`generated client: ${generator.name} → compiles under strict, orders, pays and reads results`, async () => {
    mkdirSync(CACHE, { recursive: true });
    const directory = mkdtempSync(join(CACHE, 'client-'));
    after(() => rmSync(directory, { recursive: true, force: true }));
    const program = await compile(generator, directory);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the program above
    const { order } = (await import(pathToFileURL(program).href)) as {
      readonly order: (order: Order) => Promise<number>;
    };
    const { token, runLab: wait } = service;
    const sequences = { one: VHH, two: `${VHH}W` };
    assert.equal(await order({ baseUrl: address, token, sequences, wait }), 2);
  });
}
