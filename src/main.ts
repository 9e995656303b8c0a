/** The composition root: joins the parts of `composition/` over an open database to a service. */
import type { FastifyInstance } from 'fastify';
import type { createPeople } from '#adapters/people/people.ts';
import type { DatabaseConnection } from '#adapters/postgres/connection.ts';
import { createDatabase, type PostgresDatabase } from '#adapters/postgres/pool.ts';
import { createDoors } from '#composition/door-parts.ts';
import { openRawFiles, type Parts } from '#composition/parts.ts';
import { createPackageThreads } from '#composition/package-threads.ts';
import { createPaymentProcessors, warnOfStranded } from '#composition/payment-parts.ts';
import { createMachineRails } from '#composition/payment-rails.ts';
import { createSite, getFounder } from '#composition/site-parts.ts';
import type { Sources } from '#composition/system-sources.ts';
import { createSenderOver, createWebhookPorts } from '#composition/webhook-parts.ts';
import { createWorkerOver } from '#composition/worker-parts.ts';
import type { Work } from '#core/context.ts';
import { createSingleFlight } from '#core/single-flight.ts';
import { indexMachineRails } from '#features/payments/machine-rail.ts';
import { createKeyring, type Keyring } from '#features/tokens/capability.ts';
import { selectSigningKeys } from '#features/tokens/store.ts';
import { seedCatalog } from '#sandbox/seed/targets.ts';
import { seedPrices } from '#sandbox/seed/prices.ts';
import type { Settings } from '#settings/settings.ts';
import type { WebhookSender } from '#transports/webhook-sender.ts';
import type { Worker } from '#transports/worker.ts';
import { ensureAssayTypes, ensureFounder } from '#features/installation/found-installation.ts';
import { createFeed } from '#features/updates/give-places.ts';
import { ensureSigningKeys } from '#features/tokens/signing-keys.ts';

/** Applies to the first contact with a database on a busy machine. */
const FIRST_ANSWER_LIMIT_MS = 30_000;

/** A complete service that does not listen yet: tests drive it through `app.inject` and `worker.runDue`. */
export interface Service {
  readonly app: FastifyInstance;
  readonly worker: Worker;
  readonly sender: WebhookSender;
  readonly work: Work;
  readonly database: PostgresDatabase;
  readonly keyring: Keyring;
  readonly people: ReturnType<typeof createPeople>;
  readonly founder: { readonly organizationId: string; readonly userId: string; readonly isNew: boolean };
  setBaseUrl(baseUrl: string): void;
  close(): Promise<void>;
}

/** Joins every part over an open database. */
export async function createService(
  settings: Settings,
  sources: Sources,
  connection: DatabaseConnection,
): Promise<Service> {
  const { clock, ids, log, threads, blobFiles, receivers } = sources;
  const database = createDatabase({
    connection,
    max: settings.databasePoolSize,
    readTimeoutMs: settings.listTimeoutMs,
    ...sources.databaseWaits,
  });
  const late = {
    baseUrl: settings.baseUrl ?? `http://${settings.host}:${settings.port}`,
    rails: sources.rails ?? [],
  };
  const site = createSite(settings, late);
  const work: Work = { site, clock, ids };
  try {
    await database.waitUntilAnswering(FIRST_ANSWER_LIMIT_MS);
    const keys = await ensureSigningKeys(work, database);
    await ensureAssayTypes(work, database);
    if (site.environment === 'sandbox') {
      await seedCatalog(work, database);
      await seedPrices(work, database);
    }
    const founder = await ensureFounder(work, database, getFounder(settings));
    const keyring = await createKeyring(site.environment, keys, () => selectSigningKeys(database.read));
    const processors = await createPaymentProcessors(settings, work, database, keys);
    late.rails =
      sources.rails ?? (await createMachineRails(settings, { work, keys, tokens: processors.tokens }));
    await warnOfStranded(processors, database, log);
    const payments = { rails: indexMachineRails(late.rails), flights: createSingleFlight() };
    const webhooks = createWebhookPorts(settings, keys, receivers);
    const feed = createFeed(database, clock);
    const joined = join({
      webhooks,
      feed,
      settings,
      log,
      work,
      database,
      connection,
      payments,
      processors,
      keyring,
      keys,
      threads,
      blobFiles,
    });
    const setBaseUrl = (url: string): void => void (late.baseUrl = url);
    return { ...joined, work, database, keyring, founder, setBaseUrl };
  } catch (error) {
    await database.close();
    throw error;
  }
}

function join(
  open: Omit<Parts, 'rawFiles' | 'packages' | 'wakeWorker'> & Pick<Sources, 'blobFiles'>,
): Pick<Service, 'app' | 'worker' | 'sender' | 'people' | 'close'> {
  const { rawFiles, close: closeRawFiles } = openRawFiles(open.settings, open);
  const packages = createPackageThreads(open);
  const wakeWorker = (): void => background.worker.wake();
  const parts = { ...open, rawFiles, packages, wakeWorker };
  const doors = createDoors(parts);
  const background = createWorkerOver(parts, doors.app);
  const sender = createSenderOver(parts);
  const close = async (): Promise<void> => {
    packages.close();
    await Promise.all([background.worker.stop(), sender.stop()]);
    await doors.close();
    await closeRawFiles();
    background.close();
    await open.database.close();
  };
  return { app: doors.app, worker: background.worker, sender, people: doors.people, close };
}
