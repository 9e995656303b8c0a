/** Joins API, OpenAPI document, notifications, files, pages and tool protocol on one server. */
import type { FastifyInstance } from 'fastify';
import { createPdfRenderer } from '#adapters/pdf/renderer.ts';
import type { createPeople } from '#adapters/people/people.ts';
import { createCursorSigner } from '#core/filter/index.ts';
import { changesSomething } from '#core/operation.ts';
import { createSealer } from '#core/sealer.ts';
import { createLinkSigner } from '#core/signed-link.ts';
import { createCustomTargetRequest } from '#features/targets/request-contract.ts';
import { createAuthenticator } from '#transports/authenticate.ts';
import { createBodies } from '#transports/bodies/bodies.ts';
import { createBodyBudget } from '#transports/bodies/budget.ts';
import { createTurns } from '#transports/bodies/turns.ts';
import { createDispatcher } from '#transports/dispatch.ts';
import { addFiles } from '#transports/files/index.ts';
import { addMcp } from '#transports/mcp/index.ts';
import { SameKeyRequests } from '#transports/same-key-requests.ts';
import { addOpenapiRoute } from '#transports/openapi/route.ts';
import { bindings } from '#transports/operations.ts';
import { addPages } from '#transports/pages/index.ts';
import { addDeviceLogin } from '#transports/rest/device-login.ts';
import { addNotificationRoute } from '#transports/rest/notifications.ts';
import { createRequestLimiter } from '#transports/rest/rate-limit.ts';
import { ServedRoutes } from '#transports/rest/serve-routes.ts';
import { API_PREFIX, createServer } from '#transports/rest/server.ts';
import { createDocuments } from '#features/quotes/documents.ts';
import { createOutsideDocuments } from '#features/payments/processor-documents.ts';
import { LiveFeed } from '#features/updates/live-feed.ts';
import { deriveKey } from '#features/tokens/signing-keys.ts';
import type { Parts } from './parts.ts';
import { addAllPages, answerPageError } from './all-pages.ts';
import { createOAuth, createSignIn, createUnsubscribeLinks } from './people-parts.ts';

interface Doors {
  readonly app: FastifyInstance;
  readonly people: ReturnType<typeof createPeople>;
  close(): Promise<void>;
}

export function createDoors(parts: Parts): Doors {
  const {
    settings,
    log,
    work,
    database,
    keyring,
    keys,
    payments,
    processors,
    rawFiles,
    threads,
    webhooks,
    feed,
  } = parts;
  const links = createLinkSigner(deriveKey(keys, 'signed links'));
  const pdf = threads?.documents ?? createPdfRenderer();
  const outside = createOutsideDocuments(processors.hosted, settings.documents);
  const documents = createDocuments({ ...work, sql: database.read, renderPdf: pdf.render, outside });
  const liveFeed = createLiveFeed(parts);
  const dispatcher = createDispatcher({
    ...work,
    database,
    cursors: createCursorSigner(deriveKey(keys, 'list cursors')),
    feed,
    links,
    documents,
    outsideDocuments: outside,
    keyring,
    answers: createSealer(deriveKey(keys, 'stored answers')),
    payments,
    rawFiles,
    webhooks,
    sameKeyRequests: new SameKeyRequests(),
  });
  const door = {
    bindings,
    dispatcher,
    authenticate: createAuthenticator(keyring, database.read, work.clock),
    rateLimiter: createRequestLimiter(settings.ratePolicies, work.clock),
    branding: settings.branding,
    bodies: createBodies({ budget: createBodyBudget(settings.bodyBudget), turns: createTurns() }),
    blobs: rawFiles.blobs,
    liveFeed,
    log,
  };
  const routes = new ServedRoutes();
  const app = createServer({ ...door, ...settings, ids: work.ids, site: work.site, routes });
  addOpenapiRoute(routes.open(), `${API_PREFIX}/openapi.json`, door);
  addNotificationRoute(routes.open(), processors.hosted);
  const packages = { ...parts, ...work };
  addFiles(routes.open(), { work, links, documents, packages });
  const people = createSignIn(settings, { work, database, log, keys });
  addDeviceLogin(routes.open(), { work, database, keyring });
  const shared = { ...door, work, database, people, packages, documents };
  const mails = { unsubscribeLinks: createUnsubscribeLinks(keys) };
  addPages(
    routes,
    { ...shared, ...mails, redirectPolicy: settings.redirectPolicy, outsideDocuments: outside },
    { addAllPages, answerPageError },
  );
  addMcp(routes, { ...door, site: work.site, oauth: createOAuth(work, database) });
  return {
    app,
    people,
    close: () => app.close().then(() => (threads === undefined ? pdf.close() : undefined)),
  };
}

function createLiveFeed({ feed, database, work, log }: Parts): LiveFeed {
  return new LiveFeed({
    feed,
    database,
    now: () => work.clock.now(),
    logError: (error) => log.error({ err: error }, 'the live feed failed a look'),
    labOperations: listLabOperations(),
  });
}

/** Parts of an order or a run that no list shows. */
const PARTS_OFF_LISTS: ReadonlySet<string> = new Set(['decisions', 'files', 'mapping', 'notes', 'raw-files']);

/**
 * The operations that change what pages of the lab show, each with the first word of its address, or with the part that
 * it changes where no list shows it.
 */
function listLabOperations(): Map<string, string> {
  const byStaff = bindings
    .map(({ operation }) => operation)
    .filter((operation) => operation.path.startsWith('/lab/') && changesSomething(operation))
    .map(({ id, path }): [string, string] => {
      const [, , list = '', , part = ''] = path.split('/');
      return [id, PARTS_OFF_LISTS.has(part) ? part : list];
    });
  // A client asks for a target, and no update tells it.
  return new Map([...byStaff, [createCustomTargetRequest.id, 'target-requests']]);
}
