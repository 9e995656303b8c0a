/** Chooses the server and the token of the client commands. */
import { readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { toRecord } from '#core/records.ts';
import { CommandError } from './command-error.ts';
import { getCredentialsFile, findCurrentCredential, findCredential, type Credential } from './credentials.ts';
import { getTerminal } from './terminal.ts';

export interface ConnectionOptions {
  readonly url?: string | undefined;
  readonly token?: string | undefined;
  readonly 'data-dir'?: string | undefined;
}

export interface Connection {
  readonly url: string;
  readonly token: string;
  /** The file of the local service with the address, if the address came from it. */
  readonly urlFile?: string;
  /** The file with the token, if the token came from it. */
  readonly tokenFile?: string;
}

const NO_SERVER =
  'No service is known on this machine: start one with "npm start", or sign in to one with "assayer login --url URL".';

/**
 * Uses options first, then environment variables, then the last login, then the files that the local service left in
 * its data directory.
 */
export function requireConnection(options: ConnectionOptions): Connection {
  const connection = findKnownConnection(options);
  if (connection === undefined) throw new CommandError(NO_SERVER);
  return connection;
}

/** Like `requireConnection`; returns undefined where no server is named. */
export function findKnownConnection(options: ConnectionOptions): Connection | undefined {
  const variables = getTerminal().environment;
  const url = findFirst(options.url, variables.ASSAYER_URL);
  const token = findFirst(options.token, variables.ASSAYER_TOKEN);
  if (url !== undefined && token !== undefined) return { url: checkUrl(url), token };
  const local = findLocalConnection(getDataDirectory(options));
  if (url === undefined) {
    // With --data-dir, the service that left its address there is meant, not that of the last login.
    const current = options['data-dir'] === undefined ? findCurrentCredential() : undefined;
    if (current !== undefined)
      return token === undefined ? toConnection(current) : { url: current.url, token };
    if (local === undefined || token === undefined) return local;
    return { url: local.url, token, ...(local.urlFile === undefined ? {} : { urlFile: local.urlFile }) };
  }
  // The local token is only for the local service: it is never sent to another address.
  const address = checkUrl(url);
  const credential = findCredential(address);
  if (credential !== undefined) return toConnection(credential);
  if (local?.url === address) return local;
  throw new CommandError(
    `${address} needs an access token: sign in with "assayer login --url ${address}", or give one with --token or ASSAYER_TOKEN.`,
    2,
  );
}

function toConnection({ url, token }: Credential): Connection {
  return { url, token, tokenFile: getCredentialsFile() };
}

/** Returns the address to sign in at: the named one, else that of the local service. */
export function getServiceAddress(options: ConnectionOptions): string {
  const url = findFirst(options.url, getTerminal().environment.ASSAYER_URL);
  if (url !== undefined) return checkUrl(url);
  const local = findLocalConnection(getDataDirectory(options));
  if (local === undefined) throw new CommandError('Name the service with --url.', 2);
  return local.url;
}

export function getDataDirectory(options: ConnectionOptions): string {
  return resolve(findFirst(options['data-dir'], getTerminal().environment.DATA_DIR) ?? '.assayer');
}

function findLocalConnection(directory: string): Connection | undefined {
  for (const name of ['sandbox.json', 'live.json']) {
    const file = join(directory, name);
    const left = readReady(file);
    const shown = relative(process.cwd(), file);
    if (left !== undefined) return { ...left, urlFile: shown, tokenFile: shown };
  }
  return undefined;
}

function readReady(file: string): { url: string; token: string } | undefined {
  try {
    const left: unknown = JSON.parse(readFileSync(file, 'utf8'));
    const { url, token } = toRecord(left);
    return typeof url === 'string' && typeof token === 'string' ? { url, token } : undefined;
  } catch {
    return undefined;
  }
}

export function checkUrl(url: string): string {
  // A password or a token may stand in it, so that it is not said again.
  if (/[?#]|@/.test(url))
    throw new CommandError(
      'The address of the service may hold no name, password or query; --token or ASSAYER_TOKEN gives a token.',
      2,
    );
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new CommandError(`The address must begin with http:// or https://; it is "${url}".`, 2);
  // A copied API address means the same server.
  return url.replace(/\/+$/, '').replace(/\/api\/v1$/, '');
}

function findFirst(...values: readonly (string | undefined)[]): string | undefined {
  return values.find((value) => value !== undefined && value !== '');
}
