/** The composition root: here, and in the `*-parts.ts` beside it, things are constructed and meet. */
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance } from 'fastify';
import pino, { type Logger } from 'pino';
import { refusedSetting } from '#analysis/assays/check-settings.ts';
import { AnalysisPool } from '#analysis/pool/pool.ts';
import { analysesOf } from '#analysis/pool/pool-ports.ts';
import { zipStream } from '#adapters/archive/zip.ts';
import { smtpMailer } from '#adapters/mail/smtp.ts';
import type { createPeople } from '#adapters/people/people.ts';
import { directoryBlobs } from '#adapters/blobs/directory.ts';
import type { DatabaseConnection } from '#adapters/postgres/connection.ts';
import { createPdfRenderer } from '#adapters/pdf/renderer.ts';
import { startEmbedded, type EmbeddedPostgres } from '#adapters/postgres/embedded.ts';
import { migrate } from '#adapters/postgres/migrate.ts';
import { createDatabase, type PostgresDatabase } from '#adapters/postgres/pool.ts';
import type { DeliverNotification } from '#adapters/processors/builtin/index.ts';
import { STRIPE } from '#adapters/processors/stripe/invoices.ts';
import { systemClock, type Clock } from '#core/clock.ts';
import type { Site, Work } from '#core/context.ts';
import { createCursorSigner } from '#core/filter/index.ts';
import { createSealer } from '#core/sealer.ts';
import { createLinkSigner } from '#core/signed-link.ts';
import { createSingleFlight } from '#core/single-flight.ts';
import { createIds, type Ids } from '#core/ids.ts';
import { labScope } from '#core/scope.ts';
import { BUILTIN } from '#domain/payments/rails.ts';
import {
  createKeyring,
  type Keyring,
  type RotatingKeyring,
  type SigningKey,
} from '#domain/tokens/capability.ts';
import { machineRails, type MachineRail } from '#domain/payments/machine-rail.ts';
import { signingKeys } from '#domain/tokens/store.ts';
import { labStep, takeLabStep } from '#sandbox/lab.ts';
import { seedCatalogue } from '#sandbox/seed-catalogue.ts';
import { simulateOnThread } from '#sandbox/simulate.ts';
import { createAuthenticator } from '#transports/authenticate.ts';
import { createBodies } from '#transports/bodies/bodies.ts';
import { createBodyBudget } from '#transports/bodies/budget.ts';
import { createTurns } from '#transports/bodies/turns.ts';
import { createDispatcher } from '#transports/dispatch.ts';
import { bindings } from '#transports/operations.ts';
import { addOpenapiRoute } from '#transports/openapi/route.ts';
import { addMcp } from '#transports/mcp/index.ts';
import { addPages } from '#transports/pages/index.ts';
import { addFiles } from '#transports/files/index.ts';
import { createLog } from '#transports/log.ts';
import { addDeviceLogin } from '#transports/rest/device-login.ts';
import { addNotificationRoute, NOTIFICATION_PATH } from '#transports/rest/notifications.ts';
import { createRequestLimiter } from '#transports/rest/rate-limit.ts';
import { API_PREFIX, createServer } from '#transports/rest/server.ts';
import { createWorker, type Worker } from '#transports/worker.ts';
import { ensureFounder, ensurePriceList, ensureSigningKeys } from '#workflows/bootstrap.ts';
import { ANALYSE, analyseRun, analysisFailed } from '#workflows/analyse-run.ts';
import { NOTIFY_PAYMENT } from '#workflows/collect-payment.ts';
import { periodicChores, sendQuoteOf } from '#workflows/chores.ts';
import { outsideDocuments } from '#workflows/processor-documents.ts';
import { SEND_REFUND } from '#workflows/issue-credit.ts';
import { reconcilePayments, type DriveParts } from '#workflows/drive-attempt.ts';
import { SEND_QUOTE } from '#workflows/prepare-quote.ts';
import { REANALYSE, reanalyse, reanalysisFailed } from '#workflows/reanalyse-experiment.ts';
import { SANDBOX_STEP } from '#workflows/schedule-lab.ts';
import { sendRefund } from '#workflows/send-refund.ts';
import { derivedKey } from '#composition/derived-key.ts';
import { ledgerCheck } from '#composition/ledger-parts.ts';
import {
  chainRails,
  paymentProcessors,
  sharedTokenRails,
  warnOfStranded,
  type PaymentProcessors,
} from '#composition/payment-parts.ts';
import { oauthOf, peopleJobs, signInOf } from '#composition/people-parts.ts';
import type { Settings } from '#settings/settings.ts';

export const migrationsDirectory = fileURLToPath(new URL('../migrations', import.meta.url));

export interface Sources {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Logger;
  /** Instead of the payment rails for machines that the settings name. */
  readonly rails?: readonly MachineRail[];
}

/** A service that is put together and not yet listening: tests drive it through `app.inject` and `worker.runDue`. */
export interface Service {
  readonly app: FastifyInstance;
  readonly worker: Worker;
  readonly work: Work;
  readonly database: PostgresDatabase;
  readonly keyring: Keyring;
  readonly people: ReturnType<typeof createPeople>;
  readonly founder: { readonly organizationId: string; readonly userId: string; readonly isNew: boolean };
  setBaseUrl(baseUrl: string): void;
  close(): Promise<void>;
}

export function systemSources(settings: Settings): Sources {
  // Logs go to standard error; standard output belongs to what a person or a script asked for.
  const log = createLog(settings.logLevel, pino.destination({ fd: 2, sync: true }));
  return { clock: systemClock, ids: createIds(systemClock), log };
}

/** Brings up the database that the settings name, with its schema. */
export async function openDatabase(
  settings: Settings,
  log: Logger,
  limits: { readonly connectTimeoutMs?: number } = {},
): Promise<{ connection: DatabaseConnection; embedded: EmbeddedPostgres | null; migrated: string[] }> {
  const embedded = settings.databaseUrl === null ? await startEmbeddedIn(settings, log) : null;
  const connection = embedded?.connection ?? { connectionString: settings.databaseUrl ?? '' };
  try {
    const migrated = await migrate({ connection, directory: migrationsDirectory, ...limits });
    return { connection, embedded, migrated };
  } catch (error) {
    await embedded?.stop();
    throw error;
  }
}

function startEmbeddedIn(settings: Settings, log: Logger): Promise<EmbeddedPostgres> {
  const dataDir = join(resolve(settings.dataDir), 'postgres');
  mkdirSync(resolve(settings.dataDir), { recursive: true });
  return startEmbedded({
    dataDir,
    database: `assayer_${settings.environment}`,
    log: (message: string) => log.info(message),
  });
}

/** Joins every part over an open database. */
export async function createService(
  settings: Settings,
  sources: Sources,
  connection: DatabaseConnection,
): Promise<Service> {
  const { clock, ids, log } = sources;
  const database = createDatabase({
    connection,
    max: settings.databasePoolSize,
    readTimeoutMs: settings.listTimeoutMs,
  });
  let rails: readonly MachineRail[] = sources.rails ?? [];
  let baseUrl = settings.baseUrl ?? `http://${settings.host}:${settings.port}`;
  const site: Site = {
    environment: settings.environment,
    get baseUrl() {
      return baseUrl;
    },
    limits: settings.limits,
    mail: settings.smtp === null ? (settings.environment === 'sandbox' ? 'mailbox' : 'none') : 'smtp',
    signUp: settings.signUp,
    sandboxSpeed: settings.sandboxSpeed,
    offeredTypes: new Set(settings.offeredTypes),
    get machineMethods() {
      return rails.map(({ method }) => method);
    },
    processor: settings.stripe === null ? BUILTIN : STRIPE,
    mirrorsQuotes: settings.stripe !== null,
    letterhead: settings.letterhead,
    refusedSetting,
  };
  const work: Work = { site, clock, ids };
  try {
    const keys = await ensureSigningKeys(work, database);
    await ensurePriceList(work, database);
    if (site.environment === 'sandbox') await seedCatalogue(work, database);
    const founder = await ensureFounder(work, database, founderOf(settings));
    const keyring = await createKeyring(site.environment, keys, () => signingKeys(labScope, database.read));
    const processors = paymentProcessors(settings, work, database, keys);
    rails = sources.rails ?? [...(await chainRails(settings)), ...sharedTokenRails(work, processors, keys)];
    await warnOfStranded(processors, database, log);
    const payments = { rails: machineRails(rails), flights: createSingleFlight() };
    const parts = assemble(settings, sources, { work, database, payments, processors }, keyring, keys);
    return { ...parts, work, database, keyring, founder, setBaseUrl: (url) => void (baseUrl = url) };
  } catch (error) {
    await database.close();
    throw error;
  }
}

function founderOf(settings: Settings) {
  return settings.environment === 'sandbox'
    ? {
        organizationName: 'Demo organization',
        slug: 'DEMO',
        email: 'demo@example.org',
        name: 'Demo',
        isStaff: true,
      }
    : {
        organizationName: 'The lab',
        slug: 'LAB',
        email: 'operator@example.org',
        name: 'Operator',
        isStaff: true,
      };
}

interface Joined {
  readonly database: PostgresDatabase;
  readonly processors: PaymentProcessors;
}

function assemble(
  settings: Settings,
  { clock, ids, log }: Sources,
  { work, database, payments, processors }: DriveParts & Joined,
  keyring: RotatingKeyring,
  keys: readonly SigningKey[],
) {
  const cursors = createCursorSigner(derivedKey(keys, 'list cursors'));
  const links = createLinkSigner(derivedKey(keys, 'signed links'));
  const answers = createSealer(derivedKey(keys, 'stored answers'));
  const pool = new AnalysisPool({ size: settings.analysisWorkers });
  const rawFiles = { blobs: directoryBlobs(join(resolve(settings.dataDir), 'blobs')), ...analysesOf(pool) };
  const documents = outsideDocuments(processors.hosted, settings.documents);
  const doors = { cursors, links, outsideDocuments: documents, keyring, answers, payments, rawFiles };
  const dispatcher = createDispatcher({ ...work, database, ...doors });
  const door = {
    bindings,
    dispatcher,
    authenticate: createAuthenticator(keyring, database.read, clock),
    rateLimiter: createRequestLimiter(settings.ratePolicies, clock),
    branding: settings.branding,
    bodies: createBodies({ budget: createBodyBudget(settings.bodyBudget), turns: createTurns() }),
    log,
  };
  const app = createServer({ ...door, ...settings, ids, blobs: rawFiles.blobs });
  addOpenapiRoute(app, `${API_PREFIX}/openapi.json`, door);
  addNotificationRoute(app, processors.hosted);
  const pdf = createPdfRenderer();
  const rendering = { renderPdf: pdf.render, outsideDocuments: documents };
  addFiles(app, { work, database, links, writeArchive: zipStream, ...rendering });
  const people = signInOf(settings, { work, database, log, keys });
  addDeviceLogin(app, { work, database, keyring });
  const redirectHosts = settings.oauthRedirectHosts;
  addPages(app, { ...door, work, database, people, redirectHosts, ...rendering });
  addMcp(app, { ...door, site: work.site, oauth: oauthOf(work, database) });
  const ports = { database, ...rawFiles, simulate: simulateOnThread };
  const mailer = settings.smtp === null ? null : smtpMailer(settings.smtp);
  const ledger = ledgerCheck(settings, work, database, log);
  const worker = createWorker({
    database,
    clock,
    log,
    handlers: {
      [SANDBOX_STEP]: (payload) => takeLabStep(work, ports, labStep(payload)),
      [ANALYSE]: (payload) => analyseRun(work, ports, payload),
      [REANALYSE]: (payload) => reanalyse(work, ports, payload),
      [SEND_REFUND]: (payload) => sendRefund(work, database, processors.refunds, String(payload.refund_id)),
      ...peopleJobs(work, database, mailer),
      [SEND_QUOTE]: (payload) => sendQuoteOf(work, database, String(payload.experiment_id)),
      ...processors.handlers,
      ...ledger.handlers,
      [NOTIFY_PAYMENT]: (payload) => processors.builtin.notify(String(payload.payment_id), deliverTo(app)),
    },
    givenUp: {
      [ANALYSE]: (tx, payload) => analysisFailed(work, tx, payload),
      [REANALYSE]: (tx, payload) => reanalysisFailed(work, tx, payload),
    },
    chores: [...choresOf({ work, database, payments, processors }, keyring), ledger.chore],
  });
  const close = async (): Promise<void> => {
    await worker.stop();
    await app.close();
    await pool.close();
    await pdf.close();
    mailer?.close();
    await database.close();
  };
  return { app, worker, people, close };
}

function choresOf(parts: DriveParts & Joined, keyring: RotatingKeyring): (() => Promise<void>)[] {
  return [
    ...periodicChores(parts.work, parts.database),
    () => reconcilePayments(parts),
    () => keyring.reload(),
    ...parts.processors.chores,
  ];
}

/** The built-in processor takes the same road as any other, without leaving the process. */
function deliverTo(app: FastifyInstance): DeliverNotification {
  return async (body, headers) => {
    const answer = await app.inject({
      method: 'POST',
      url: NOTIFICATION_PATH,
      headers: { ...headers, 'content-type': 'application/json' },
      payload: body,
    });
    return answer.statusCode;
  };
}
