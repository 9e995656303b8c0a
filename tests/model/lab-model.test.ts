/**
 * Clients, staff, payers, the clock and faults act at random, and after each operation the service is compared with a
 * small model of orders, money and releases. A seed that fails prints the command that replays it.
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { labScope } from '#core/scope.ts';
import { checkLedger } from '#features/ledger/store.ts';
import { appendAuditEntries, verifyAuditTrail } from '#features/audit/chain.ts';
import { createBuilders, expectStatus } from '#testing/builders.ts';
import { createFragileConnections } from '#testing/fragile-connections.ts';
import { RememberedAnalyses } from '#testing/lab-model/remembered-analyses.ts';
import { World } from '#testing/lab-model/world.ts';
import { listSeeds } from '#testing/seeds.ts';
import { testService } from '#testing/service.ts';
import { ANALYSIS_WORKER } from '#composition/parts.ts';
import { sharedThreads } from '#testing/shared-threads.ts';

const SEEDS = Number(process.env.ASSAYER_MODEL_SEEDS ?? '5');
const OPERATIONS = Number(process.env.ASSAYER_MODEL_OPERATIONS ?? '200');
const LOG_SHOWN = 25;

const connections = createFragileConnections();
const threads = { ...sharedThreads, analyses: new RememberedAnalyses({ workerUrl: ANALYSIS_WORKER }) };
after(() => threads.analyses.close());
const service = await testService(
  { RELEASE_NEEDS_SECOND_PERSON: 'yes' },
  { takeLogLine: () => undefined, threads },
);
const { database } = service.service;
const { targets } = await createBuilders(service);
expectStatus(await service.ask('PUT', '/lab/simulated-lab', { body: { mode: 'manual' } }), 200);

async function runSeed(seed: number): Promise<void> {
  const world = new World({ service, targets, connections }, seed);
  await world.open();
  try {
    for (let operation = 1; operation <= OPERATIONS; operation += 1) await world.step();
    await world.assertAll();
    assert.deepEqual(await checkLedger(labScope, database.read), []);
  } catch (error) {
    const replay = `ASSAYER_SEED=${seed} ASSAYER_MODEL_SEEDS=1 ASSAYER_MODEL_OPERATIONS=${OPERATIONS} scripts/node --test tests/model/lab-model.test.ts`;
    const last = world.log.slice(-LOG_SHOWN).join('\n  ');
    throw new Error(
      `seed ${seed} failed after ${world.log.length} operations; replay: ${replay}\n  ${last}`,
      {
        cause: error,
      },
    );
  }
}

test(`lab model: ${SEEDS} seeds of ${OPERATIONS} operations → orders, money, releases, feed and trail are the model's`, async () => {
  for (const seed of listSeeds(SEEDS)) await runSeed(seed);
  await appendAuditEntries(database);
  assert.deepEqual((await verifyAuditTrail(database)).broken, []);
});
