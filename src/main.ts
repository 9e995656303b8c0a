/** The composition root: the only file that constructs things and lets them meet. */
import { hkdfSync } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance } from 'fastify';
import pino, { type Logger } from 'pino';
import { analyzeAssayRun, type AssayRun } from '#analysis/assay-run.ts';
import { analyzeRun, type RunToAnalyze } from '#analysis/batches.ts';
import { refusedSetting } from '#analysis/check-settings.ts';
import { AnalysisPool } from '#analysis/pool.ts';
import { zipStream } from '#adapters/archive/zip.ts';
import { smtpMailer, type SmtpMailer } from '#adapters/mail/smtp.ts';
import { accessTokenReader } from '#adapters/people/access-token.ts';
import { oauthPlugins, oauthRoutes } from '#adapters/people/oauth.ts';
import { createPeople } from '#adapters/people/people.ts';
import { providerPlugin, providerRoutes } from '#adapters/people/provider.ts';
import { directoryBlobs } from '#adapters/blobs/directory.ts';
import type { DatabaseConnection } from '#adapters/postgres/connection.ts';
import { createPdfRenderer } from '#adapters/pdf/renderer.ts';
import { startEmbedded, type EmbeddedPostgres } from '#adapters/postgres/embedded.ts';
import { migrate } from '#adapters/postgres/migrate.ts';
import { createDatabase, type PostgresDatabase } from '#adapters/postgres/pool.ts';
import { stripeProcessor } from '#adapters/processors/stripe/index.ts';
import { STRIPE } from '#adapters/processors/stripe/invoices.ts';
import { systemClock, type Clock } from '#core/clock.ts';
import type { Site, Work } from '#core/context.ts';
import { createCursorSigner } from '#core/filter/index.ts';
import { createSealer } from '#core/sealer.ts';
import { createLinkSigner } from '#core/signed-link.ts';
import { createSingleFlight } from '#core/single-flight.ts';
import { createIds, type Ids } from '#core/ids.ts';
import { labScope } from '#core/scope.ts';
import { oauthKeys } from '#domain/oauth/store.ts';
import { BUILTIN_RAIL } from '#domain/payments/rails.ts';
import type { RefundPorts } from '#domain/payments/refund-port.ts';
import { SHARED_TOKEN_RAIL, sharedTokenRail } from '#domain/payments/shared-token-rail.ts';
import type { TokenProcessor } from '#domain/payments/token-processor.ts';
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
import { createDispatcher } from '#transports/dispatch.ts';
import { bindings } from '#transports/operations.ts';
import { addOpenapiRoute } from '#transports/openapi/route.ts';
import { addMcp } from '#transports/mcp/index.ts';
import type { OAuthParts } from '#transports/mcp/oauth.ts';
import { addPages } from '#transports/pages/index.ts';
import { addFiles } from '#transports/files/index.ts';
import { createLog } from '#transports/log.ts';
import { addDeviceLogin } from '#transports/rest/device-login.ts';
import { addNotificationRoute, NOTIFICATION_PATH } from '#transports/rest/notifications.ts';
import { createRateLimiter } from '#transports/rest/rate-limit.ts';
import { API_PREFIX, createServer } from '#transports/rest/server.ts';
import { createWorker, type JobHandler, type Worker } from '#transports/worker.ts';
import { ensureFounder, ensurePriceList, ensureSigningKeys } from '#workflows/bootstrap.ts';
import { builtinRefunds } from '#workflows/builtin-refunds.ts';
import { NOTIFY_PAYMENT, notifyPayment, type DeliverNotification } from '#workflows/collect-payment.ts';
import { periodicChores, sendQuoteOf } from '#workflows/chores.ts';
import { SEND_REFUND } from '#workflows/issue-credit.ts';
import { SEND_MAIL, sendMail } from '#workflows/mail.ts';
import { MAIL_LINK, mailLink } from '#workflows/people/mailed-links.ts';
import { oauthEffects } from '#workflows/oauth-effects.ts';
import { peopleEffects } from '#workflows/people/effects.ts';
import { NOTE_FAILURE, noteFailure } from '#workflows/people/sign-in.ts';
import { reconcilePayments, type DriveParts } from '#workflows/drive-attempt.ts';
import { SEND_QUOTE } from '#workflows/prepare-quote.ts';
import { REANALYSE, reanalyse } from '#workflows/reanalyse-experiment.ts';
import { SANDBOX_STEP } from '#workflows/schedule-lab.ts';
import { attendDueInvoices, attendInvoice, type HostedParts } from '#workflows/hosted-invoices.ts';
import { ATTEND_INVOICE } from '#workflows/order-at-processor.ts';
import { testTokenProcessor, testTokenRefunds } from '#workflows/test-tokens.ts';
import { sendRefund } from '#workflows/send-refund.ts';
import type { Settings } from './settings.ts';

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
): Promise<{ connection: DatabaseConnection; embedded: EmbeddedPostgres | null; migrated: string[] }> {
  const embedded = settings.databaseUrl === null ? await startEmbeddedIn(settings, log) : null;
  const connection = embedded?.connection ?? { connectionString: settings.databaseUrl ?? '' };
  try {
    const migrated = await migrate({ connection, directory: migrationsDirectory });
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
  const { clock, ids } = sources;
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
    processor: settings.stripe === null ? null : STRIPE,
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
    const outside = outsideProcessor(settings, work, database);
    rails = sources.rails ?? [...(await chainRails(settings)), ...sharedTokenRails(work, outside, keys)];
    const payments = { rails: machineRails(rails), flights: createSingleFlight() };
    const parts = assemble(settings, sources, { work, database, payments, outside }, keyring, keys);
    return { ...parts, work, database, keyring, founder, setBaseUrl: (url) => void (baseUrl = url) };
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** Loaded only where they are served: the libraries of a chain take a quarter of a second and 70 MB. */
async function chainRails({ x402 }: Settings): Promise<MachineRail[]> {
  if (x402 === null) return [];
  const { createX402Rail } = await import('#adapters/x402/rail.ts');
  return [createX402Rail(x402)];
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
  readonly outside: OutsideProcessor;
}

function assemble(
  settings: Settings,
  { clock, ids, log }: Sources,
  { work, database, payments, outside }: DriveParts & Joined,
  keyring: RotatingKeyring,
  keys: readonly SigningKey[],
) {
  const cursors = createCursorSigner(derivedKey(keys, 'list cursors'));
  const links = createLinkSigner(derivedKey(keys, 'signed links'));
  const answers = createSealer(derivedKey(keys, 'stored answers'));
  const processorSecret = derivedKey(keys, 'processor notifications').toString('hex');
  const dispatcher = createDispatcher({ ...work, database, cursors, links, keyring, answers, payments });
  const door = {
    bindings,
    dispatcher,
    authenticate: createAuthenticator(keyring, database.read, clock),
    rateLimiter: createRateLimiter(settings.ratePolicy, clock),
    branding: settings.branding,
    log,
  };
  const app = createServer({ ...door, ids, bodyBytesMax: settings.limits.bodyBytes });
  addOpenapiRoute(app, `${API_PREFIX}/openapi.json`, door);
  addNotificationRoute(app, { work, database, secret: processorSecret, hosted: outside.hosted });
  const pdf = createPdfRenderer();
  addFiles(app, { work, database, links, writeArchive: zipStream, renderPdf: pdf.render });
  const people = signInOf(settings, { work, database, log, keys });
  addDeviceLogin(app, { work, database, keyring });
  const redirectHosts = settings.oauthRedirectHosts;
  addPages(app, { ...door, work, database, people, redirectHosts, renderPdf: pdf.render });
  addMcp(app, { ...door, site: work.site, oauth: oauthOf(work, database) });
  const pool = new AnalysisPool({ size: settings.analysisWorkers });
  const ports = {
    database,
    blobs: directoryBlobs(join(resolve(settings.dataDir), 'blobs')),
    ...analysesOf(pool),
    simulate: simulateOnThread,
  };
  const refundPorts: RefundPorts = { ...outside.refunds, [BUILTIN_RAIL]: builtinRefunds(work, database) };
  const mailer = settings.smtp === null ? null : smtpMailer(settings.smtp);
  const worker = createWorker({
    database,
    clock,
    log,
    handlers: {
      [SANDBOX_STEP]: (payload) => takeLabStep(work, ports, labStep(payload)),
      [REANALYSE]: (payload) => reanalyse(work, ports, payload),
      [SEND_REFUND]: (payload) => sendRefund(work, database, refundPorts, String(payload.refund_id)),
      ...peopleJobs(work, database, mailer),
      [SEND_QUOTE]: (payload) => sendQuoteOf(work, database, String(payload.experiment_id)),
      ...outside.handlers,
      [NOTIFY_PAYMENT]: (payload) =>
        notifyPayment(work, database.read, String(payload.payment_id), processorSecret, deliverTo(app)),
    },
    chores: [
      ...periodicChores(work, database),
      () => reconcilePayments({ work, database, payments }),
      () => keyring.reload(),
      ...outside.chores,
    ],
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

function analysesOf(pool: AnalysisPool) {
  return {
    analyze: (run: RunToAnalyze) => analyzeRun(run, pool),
    analyzeAssay: (run: AssayRun) => analyzeAssayRun(run, pool),
  };
}

function peopleJobs(work: Work, database: PostgresDatabase, mailer: SmtpMailer | null) {
  return {
    [SEND_MAIL]: (payload: JobPayload) => sendMail(work, database, mailer, String(payload.mail_id)),
    [MAIL_LINK]: (payload: JobPayload) => mailLink(work, database, payload),
    [NOTE_FAILURE]: (payload: JobPayload) => noteFailure(work, database, payload),
  };
}

type JobPayload = Readonly<Record<string, unknown>>;

/** The sign-in library, mounted by the pages. Further plugins and the routes they open are added here. */
function signInOf(
  settings: Settings,
  parts: {
    readonly work: Work;
    readonly database: PostgresDatabase;
    readonly log: Logger;
    readonly keys: readonly SigningKey[];
  },
) {
  const { work, database, log, keys } = parts;
  const { provider } = settings;
  return createPeople({
    work,
    database,
    log,
    secret: derivedKey(keys, 'browser sessions').toString('hex'),
    attemptsPerMinute: settings.signInAttemptsPerMinute,
    provider,
    effects: { ...peopleEffects(work), ...oauthEffects(work) },
    plugins: (baseUrl) => [
      ...(provider === null ? [] : [providerPlugin(provider)]),
      ...oauthPlugins(baseUrl),
    ],
    routes: [...(provider === null ? [] : providerRoutes), ...oauthRoutes],
  });
}

/** How the tool protocol reads the access tokens of programs that a person lets act for them. */
function oauthOf({ site, clock }: Work, database: PostgresDatabase): OAuthParts {
  const loadKeys = () => oauthKeys(labScope, database.read);
  const read = accessTokenReader({ baseUrl: () => site.baseUrl, loadKeys });
  return { environment: site.environment, clock, sql: database.read, read };
}

/** What the worker and the doors need of the processor that the settings name; nothing when it is the built-in one. */
interface OutsideProcessor {
  readonly hosted: HostedParts | null;
  /** Who charges shared payment tokens; null: nobody, and the rail is not served. */
  readonly tokens: TokenProcessor | null;
  readonly refunds: RefundPorts;
  readonly handlers: Readonly<Record<string, JobHandler>>;
  readonly chores: readonly (() => Promise<void>)[];
}

function outsideProcessor(settings: Settings, work: Work, database: PostgresDatabase): OutsideProcessor {
  const isSandbox = settings.environment === 'sandbox';
  const testTokens = isSandbox ? testTokenProcessor(work, database) : null;
  const testRefunds: RefundPorts = isSandbox ? { [SHARED_TOKEN_RAIL]: testTokenRefunds(work, database) } : {};
  if (settings.stripe === null)
    return { hosted: null, tokens: testTokens, refunds: testRefunds, handlers: {}, chores: [] };
  const stripe = stripeProcessor(settings.stripe);
  const hosted = { work, database, processor: stripe.hosted };
  return {
    hosted,
    tokens: stripe.tokens ?? testTokens,
    refunds: {
      ...(stripe.tokens === null ? testRefunds : { [SHARED_TOKEN_RAIL]: stripe.refunds }),
      [STRIPE]: stripe.refunds,
    },
    handlers: { [ATTEND_INVOICE]: (payload) => attendInvoice(hosted, String(payload.invoice_id)) },
    chores: [() => attendDueInvoices(hosted)],
  };
}

function sharedTokenRails(
  work: Work,
  { tokens }: OutsideProcessor,
  keys: readonly SigningKey[],
): readonly MachineRail[] {
  if (tokens === null) return [];
  const sealer = createSealer(derivedKey(keys, 'payment tokens'));
  return [sharedTokenRail({ ...work, processor: tokens, sealer, baseUrl: () => work.site.baseUrl })];
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

/** Secrets of one purpose each, from the oldest signing key, so that every process of the environment has them. */
function derivedKey(keys: readonly SigningKey[], purpose: string): Buffer {
  const oldest = keys.at(-1);
  if (oldest?.privateJwk.d === undefined) throw new Error('the signing key has no private part');
  return Buffer.from(hkdfSync('sha256', oldest.privateJwk.d, 'assayer', purpose, 32));
}
