/** The whole service as a server of the bench: real listening, request log, rate limit and worker included. */
import { grantByOperator } from '#core/grants.ts';
import type { ServerConnection } from '#adapters/postgres/connection.ts';
import { createX402Rail, type X402Options } from '#adapters/x402/rail.ts';
import { issueSignInLink } from '#features/people/links.ts';
import { issueRootToken } from '#features/tokens/issue-root-token.ts';
import { createSystemSources } from '#composition/system-sources.ts';
import { createService } from '../../src/main.ts';
import { readSettings } from '#settings/settings.ts';
import { serveBench } from '../support/server-process.ts';
import { createTimedRail } from '../support/timed-rail.ts';
import type { Caller } from './statements.ts';

export interface ServiceArgument {
  readonly connection: ServerConnection;
  readonly dataDir: string;
  /** Threads that analyze raw data; one unless given. */
  readonly analysisWorkers?: number;
  /** Serves this rail, and counts how long chain and facilitator take. */
  readonly x402?: X402Options;
  /** Seconds of the simulated lab per second. */
  readonly sandboxSpeed?: number;
  /** Sends deliveries of webhooks. */
  readonly delivers?: boolean;
  /** Further settings. */
  readonly variables?: Readonly<Record<string, string>>;
  /** Whose token is made; the founder's unless given. */
  readonly holder?: { readonly organizationId: string; readonly userId: string };
}

export interface ServiceReady {
  readonly port: number;
  readonly baseUrl: string;
  readonly token: string;
  /** Signs the holder of the token in, once. */
  readonly signInPath: string;
  readonly caller: Caller;
}

const {
  connection,
  dataDir,
  holder,
  analysisWorkers = 1,
  x402,
  sandboxSpeed,
  delivers = false,
  variables = {},
}: ServiceArgument = JSON.parse(process.argv[2] ?? '{}');
const settings = readSettings({
  PORT: '0',
  DATA_DIR: dataDir,
  ANALYSIS_WORKERS: String(analysisWorkers),
  // The limiter does its work on every request and never says no.
  RATE_LIMIT_PER_SECOND: '1000000',
  RATE_LIMIT_BURST: '1000000',
  // The simulated lab does not begin with what was paid while payments are measured.
  ...(x402 === undefined ? {} : { SANDBOX_SPEED: '1' }),
  ...(sandboxSpeed === undefined ? {} : { SANDBOX_SPEED: String(sandboxSpeed) }),
  ...variables,
});
const timed = x402 === undefined ? undefined : createTimedRail(createX402Rail(x402));
const sources = { ...createSystemSources(settings), ...(timed === undefined ? {} : { rails: [timed.rail] }) };
const service = await createService(settings, sources, connection);
const baseUrl = await service.app.listen({ host: settings.host, port: settings.port });
service.setBaseUrl(baseUrl);
service.worker.start();
if (delivers) service.sender.start();
const { organizationId, userId } = holder ?? service.founder;
const token = await service.database.runTransaction((tx) =>
  issueRootToken(service.work, tx, service.keyring, grantByOperator({ organizationId, role: 'admin' }), {
    userId,
    name: 'bench',
    lifetimeMs: 3_600_000,
  }),
);
const link = await service.database.runTransaction((tx) => issueSignInLink(service.work, tx, { userId }));
const ready: ServiceReady = {
  port: Number(new URL(baseUrl).port),
  baseUrl,
  token: token.value,
  signInPath: new URL(link).pathname,
  caller: { organizationId, userId, tokenId: token.id, slug: 'DEMO' },
};
serveBench(ready, () => service.close(), timed?.getWaitedMs);
