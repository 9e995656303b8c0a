/** The memory of the service while it makes the data package of hundreds of results. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { readPeakMegabytes } from '#testing/body-flood.ts';
import { createSequences, expectStatus } from '#testing/builders.ts';
import { multiplyResults } from '#testing/many-results.ts';
import { startOwnPostgres } from '#testing/own-postgres.ts';
import { createAsker, startProcess } from '#testing/process.ts';
import { getText } from '#testing/service.ts';

const RESULTS = 800;
const MEASURED = 8;
/** A service of 512 MiB with its database; this is the process alone. */
const PEAK_MB_MAX = 420;
const LOOK_MS = 250;

const directory = mkdtempSync(join(tmpdir(), 'assayer-package-'));
const { database, ...postgres } = await startOwnPostgres(directory);
const service = await startProcess(join(directory, 'data'), {
  DATABASE_URL: postgres.url,
  SANDBOX_SPEED: '1000000000',
  ANALYSIS_WORKERS: '1',
});
after(async () => {
  await service.stop();
  await postgres.stop();
  rmSync(directory, { recursive: true, force: true });
});
const ask = createAsker(service);

async function createReleased(): Promise<string> {
  const sequences = createSequences(MEASURED);
  const spec = { experiment_type: 'expression', n_replicates: 1, sequences };
  const body = { name: 'large', experiment_spec: spec };
  const created = expectStatus(await ask('POST', '/experiments', { body }), 201);
  const id = getText(created.body.experiment_id);
  expectStatus(await ask('POST', `/experiments/${id}/submit`), 200);
  await reach(id, 'quote_sent');
  expectStatus(await ask('POST', `/experiments/${id}/quote/confirm`, { body: {} }), 200);
  const invoice = expectStatus(await ask('GET', `/experiments/${id}/invoice`), 200);
  const paid = `/lab/invoices/${getText(invoice.body.invoice_id)}/bank-transfer`;
  expectStatus(await ask('POST', paid, { body: {} }), 201);
  await reach(id, 'done');
  return id;
}

async function reach(id: string, status: string): Promise<void> {
  while (getText((await ask('GET', `/experiments/${id}`)).body.status) !== status) await pause(LOOK_MS);
}

test('memory: a data package of 800 results is made → the process stays within its budget, and the archive is whole', async (context) => {
  const id = await createReleased();
  await multiplyResults(database.read, id, RESULTS / MEASURED - 1);
  const { headers } = await ask('GET', `/experiments/${id}/data-package`);
  const link = headers.location ?? '';
  for (;;) {
    const answer = await fetch(link, { headers: { prefer: 'respond-async, wait=5' } });
    if (answer.status === 200) {
      const bytes = Buffer.from(await answer.arrayBuffer());
      assert.equal(bytes.toString('latin1', 0, 2), 'PK');
      // The last file of a complete archive.
      assert.ok(bytes.subarray(-20_000).includes('manifest.json'));
      break;
    }
    assert.equal(answer.status, 202);
    await answer.text();
  }
  const status = expectStatus(await ask('GET', `/experiments/${id}/data-package/status`), 200).body;
  assert.equal(status.results_total, RESULTS);
  const peak = readPeakMegabytes(service.child.pid);
  context.diagnostic(`at most ${peak.toFixed(0)} MB`);
  assert.ok(peak < PEAK_MB_MAX, `${peak.toFixed(0)} MB`);
});
