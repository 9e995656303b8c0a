/**
 * `assayer start`: runs the database, the API, the worker and the simulated lab in one process until it is stopped.
 */
import { toRecord } from '#core/records.ts';
import { chmodSync, writeFileSync, readFileSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { locateEntry } from '#core/package-root.ts';
import { requireDurability } from '#adapters/postgres/durability.ts';
import type { SandboxChain } from '#adapters/x402/sandbox-chain.ts';
import { labScope } from '#core/scope.ts';
import { releaseLeases } from '#features/jobs/store.ts';
import { releaseDeliveries } from '#features/webhooks/delivery-store.ts';
import { releaseAttempts } from '#features/payments/attempt-store.ts';
import { systemClock } from '#core/clock.ts';
import { issueSignInLink } from '#features/people/links.ts';
import { issueSetUpLink } from '#features/people/set-up.ts';
import { ensureMachineToken } from '#features/tokens/ensure-machine-token.ts';
import { createSystemSources } from '#composition/system-sources.ts';
import { createService, type Service } from '../main.ts';
import type { Settings } from '#settings/settings.ts';
import { CommandError, SIGNALS } from './command-error.ts';
import { explainFile, requireDataDirectory, readSettingsWith } from './data-directory.ts';
import { explainDatabase } from './database-failures.ts';
import { loadLateModules } from '#composition/late-modules.ts';
import { openOrExplain } from './open-database.ts';
import type { Parsed } from './options.ts';
import { describeListenFailure, tryToListen, type ListenAddress } from '#adapters/listen.ts';
import { toText } from './words.ts';
import { openRawFileDirectory } from '#composition/raw-file-directory.ts';
import {
  claimRawFileDirectory,
  DIRECTORY_PROBLEMS,
} from '#features/runs/raw-files/claim-raw-file-directory.ts';

/** Throws the sentence for the operator where the directory is not that of the database. */
export async function requireRawFileDirectory(
  { work, database }: Pick<Service, 'work' | 'database'>,
  settings: Settings,
): Promise<void> {
  const directory = openRawFileDirectory(settings);
  const problem = await claimRawFileDirectory(work, database.read, directory).catch((error: unknown) => {
    throw isAboutFiles(error) ? explainFile(directory.root, error) : error;
  });
  if (problem === undefined) return;
  throw new CommandError(
    `DATA_DIR: ${directory.root} is not the directory of raw files of this database: ${DIRECTORY_PROBLEMS[problem]}. ` +
      'Name the DATA_DIR of the other services on this database, share its directory blobs with them, or restore ' +
      'blobs from the backup. To go on with this directory and without the raw files that it lacks, run ' +
      '"assayer raw-files adopt" once.',
  );
}

function isAboutFiles(error: unknown): boolean {
  return error instanceof Error && 'path' in error && 'syscall' in error;
}

const ENTRY = fileURLToPath(locateEntry(new URL('./main.ts', import.meta.url)));

export const guide = {
  name: 'start',
  usage: ['[--port N] [--host ADDRESS] [--data-dir DIR] [--with-chain] [--ready-json]'],
  about: '',
  options: {
    'port N': 'port to listen on (PORT)',
    'host ADDRESS': 'address to listen on (HOST)',
    'data-dir DIR': 'where the embedded database and raw files live (DATA_DIR)',
    'with-chain':
      'in a sandbox: a local chain, a facilitator and a demo wallet, to pay over x402 (SANDBOX_CHAIN=1)',
    'ready-json':
      'print one JSON object on the first line when ready: url, token, portal_url, mcp_url, environment, and set_up_url while a live environment is not set up',
  },
  notes: 'Further settings are environment variables; "assayer config" lists them.',
};

export interface Ready {
  readonly url: string;
  /** A token for this machine, in a sandbox only. */
  readonly token?: string;
  readonly portal_url: string;
  readonly mcp_url: string;
  readonly environment: string;
  /** Makes whoever opens it the first administrator; only in a live environment, until one was used. */
  readonly set_up_url?: string;
}

export async function run({ values }: Parsed<typeof guide>): Promise<void> {
  const settings = readSettingsWith({
    PORT: values.port,
    HOST: values.host,
    DATA_DIR: values['data-dir'],
    SANDBOX_CHAIN: values['with-chain'] === true ? '1' : undefined,
    ...(values['ready-json'] === true ? {} : { LOG_LEVEL: chooseLogLevel() }),
  });
  await serve(settings, values['ready-json'] === true).catch((error: unknown) => {
    throw explainDatabase(error, settings);
  });
}

/** At a terminal the request log would hide the addresses, so only warnings are logged unless LOG_LEVEL is set. */
function chooseLogLevel(): string | undefined {
  return process.stdout.isTTY ? 'warn' : undefined;
}

async function serve(settings: Settings, asJson: boolean): Promise<void> {
  requireDataDirectory(settings.dataDir);
  await requireListenAddress(settings);
  const sources = createSystemSources(settings);
  const stopping = stopSignal();
  const { connection, embedded } = await openOrExplain(settings, sources.log);
  void stopping.then(() => embedded?.announceStop());
  const chain = await startChain(settings, (message) => sources.log.warn(message)).catch(async (error) => {
    await embedded?.stop();
    throw explainChain(error);
  });
  try {
    const service = await createService(
      chain === null ? settings : { ...settings, x402: chain.options },
      sources,
      connection,
    );
    try {
      await requireDurability(service.database.read);
      await requireRawFileDirectory(service, settings);
      // The embedded database has one service at a time, so an earlier holder of a job or a payment is dead.
      if (embedded !== null) {
        await releaseLeases(service.database.read);
        await releaseDeliveries(labScope, service.database.read);
        await releaseAttempts(labScope, service.database.read);
      }
      // Before anybody is served: writing what a first start compiled holds the event loop for a second. A service that is
      // killed writes nothing at its end, and its next start would compile everything anew.
      flushCompileCache();
      await listen(service, settings);
      service.worker.start();
      service.sender.start();
      const ready = await announce(service, settings);
      console.log(asJson ? JSON.stringify(ready) : await writeGreeting(service, ready, chain));
      const ending = new AbortController();
      const loading = loadLateModules(service, ending.signal);
      await stopping;
      ending.abort();
      await loading;
      sources.log.info('stopping: finishing the running requests and jobs');
    } finally {
      await service.close();
    }
  } finally {
    await chain?.stop();
    await embedded?.stop();
  }
}

async function startChain(settings: Settings, log: (message: string) => void): Promise<SandboxChain | null> {
  if (!settings.sandboxChain) return null;
  const { startSandboxChain } = await import('#adapters/x402/sandbox-chain.ts');
  return startSandboxChain({
    directory: join(resolve(settings.dataDir), 'chain'),
    command: [process.execPath, ENTRY],
    log,
  });
}

/** The error is recognized by its class name, because its module is loaded only with the chain. */
function explainChain(error: unknown): unknown {
  if (error instanceof Error && error.name === 'LocalChainError') return new CommandError(error.message);
  return error;
}

async function listen(service: Service, settings: Settings): Promise<void> {
  const { host, port } = settings;
  const address = await service.app.listen({ host, port }).catch((error: unknown) => {
    throw explainListen(error, settings);
  });
  if (settings.baseUrl === null)
    service.setBaseUrl(address.replace('[::1]', 'localhost').replace('0.0.0.0', 'localhost'));
}

/**
 * In a sandbox, writes the address and a token to the data directory, where other commands on this machine look for
 * them.
 */
async function announce(service: Service, settings: Settings): Promise<Ready> {
  const { baseUrl } = service.work.site;
  const ready: Ready = {
    url: baseUrl,
    portal_url: `${baseUrl}/`,
    mcp_url: `${baseUrl}/mcp/`,
    environment: settings.environment,
  };
  if (settings.environment === 'live') return addSetUpLink(service, ready);
  const file = join(resolve(settings.dataDir), `${settings.environment}.json`);
  const { url, ...others } = ready;
  const withToken: Ready = { url, token: await ensureMachineToken(service, readKeptToken(file)), ...others };
  try {
    writeFileSync(file, `${JSON.stringify(withToken, null, 2)}\n`, { mode: 0o600 });
    chmodSync(file, 0o600);
  } catch (error) {
    throw explainFile(file, error);
  }
  return withToken;
}

function readKeptToken(file: string): string | undefined {
  try {
    return toText(toRecord(JSON.parse(readFileSync(file, 'utf8')))['token']) || undefined;
  } catch {
    return undefined;
  }
}

/** Until the environment is set up, each start prints a new link, and only the newest works. It stands in no file and no log. */
async function addSetUpLink(service: Service, ready: Ready): Promise<Ready> {
  const link = await issueSetUpLink(service.work, service.database, service.founder);
  return link === undefined ? ready : { ...ready, set_up_url: link };
}

async function writeGreeting(service: Service, ready: Ready, chain: SandboxChain | null): Promise<string> {
  const lines =
    ready.token === undefined ? listLiveLines(ready) : await listSandboxLines(service, ready.token);
  return [
    '',
    `  Assayer is ready (${ready.environment}).`,
    '',
    `  Portal    ${ready.portal_url}`,
    `  API       ${ready.url}/api/v1`,
    ...lines,
    '',
    ...listChainLines(chain),
    '  Stop with Ctrl+C.',
    '',
  ].join('\n');
}

function listChainLines(chain: SandboxChain | null): string[] {
  if (chain === null) return [];
  const { options, demoWallet } = chain;
  return [
    `  Chain     ${options.rpcUrl} (${options.token.network}, ${options.token.name} at ${options.token.asset})`,
    `  Wallet    ${demoWallet.address} holds test dollars; its key is in ${demoWallet.keyFile}`,
    '',
    '  Pay an invoice over x402:',
    `    npx assayer pay INVOICE --key-file ${demoWallet.keyFile} --max-usd 5000`,
    '',
  ];
}

async function listSandboxLines(service: Service, token: string): Promise<string[]> {
  const { baseUrl, mail } = service.work.site;
  const link = await service.database.runTransaction((tx) =>
    issueSignInLink(service.work, tx, service.founder),
  );
  return [
    `  Sign in   ${link}   (works once, for 24 hours)`,
    ...(mail === 'mailbox' ? [`  Mailbox   ${baseUrl}/mailbox`] : []),
    `  Token     ${token}`,
    '',
    '  Try it:',
    `    curl -H "Authorization: Bearer ${token}" ${baseUrl}/api/v1/whoami`,
    '    npx assayer demo',
  ];
}

function listLiveLines({ set_up_url: link }: Ready): string[] {
  if (link === undefined) return [];
  return [
    '',
    '  Set up    Open this once, within 24 hours, to become the first administrator:',
    `            ${link}`,
  ];
}

/** One Ctrl+C may arrive twice: from the terminal, and forwarded by the launcher. */
const SAME_REQUEST_MS = 500;

/** Resolves at the first request to stop; a second request ends the process at once. */
function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    let askedMs: number | undefined;
    const stop = (): void => {
      const nowMs = systemClock.readMonotonicMs();
      if (askedMs !== undefined && nowMs - askedMs > SAME_REQUEST_MS) process.exit(1);
      askedMs ??= nowMs;
      resolve();
    };
    for (const signal of SIGNALS) process.on(signal, stop);
  });
}

/** Checks that the service may listen on the address of its settings, before the database is started. */
export async function requireListenAddress(address: ListenAddress): Promise<void> {
  await tryToListen(address).catch((error: unknown) => {
    throw explainListen(error, address);
  });
}

/** Converts an error of listening to a sentence; returns any other error unchanged. */
function explainListen(error: unknown, address: ListenAddress): unknown {
  const reason = describeListenFailure(error, address);
  return reason === undefined ? error : new CommandError(reason);
}
