/** Chooses the server and the token of the client commands. */
import { readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { environment } from '#settings/environment.ts';
import { CommandError } from './command-error.ts';
import { credentialsFile, currentCredential, keptCredential, type Credential } from './credentials.ts';

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
export function findConnection(options: ConnectionOptions): Connection {
  const found = knownConnection(options);
  if (found === undefined) throw new CommandError(NO_SERVER);
  return found;
}

/** Like `findConnection`; returns undefined where no server is named. */
export function knownConnection(options: ConnectionOptions): Connection | undefined {
  const variables = environment();
  const url = firstOf(options.url, variables.ASSAYER_URL);
  const token = firstOf(options.token, variables.ASSAYER_TOKEN);
  if (url !== undefined && token !== undefined) return { url: checkedUrl(url), token };
  const local = localConnection(dataDirectory(options));
  if (url === undefined) {
    // With --data-dir, the service that left its address there is meant, not that of the last login.
    const current = options['data-dir'] === undefined ? currentCredential() : undefined;
    if (current !== undefined) return token === undefined ? signedIn(current) : { url: current.url, token };
    if (local === undefined || token === undefined) return local;
    return { url: local.url, token, ...(local.urlFile === undefined ? {} : { urlFile: local.urlFile }) };
  }
  // The local token is only for the local service: it is never sent to another address.
  const address = checkedUrl(url);
  const kept = keptCredential(address);
  if (kept !== undefined) return signedIn(kept);
  if (local?.url === address) return local;
  throw new CommandError(
    `${address} needs an access token: sign in with "assayer login --url ${address}", or give one with --token or ASSAYER_TOKEN.`,
    2,
  );
}

function signedIn({ url, token }: Credential): Connection {
  return { url, token, tokenFile: credentialsFile() };
}

/** The address to sign in at: the named one, else that of the local service. */
export function serviceAddress(options: ConnectionOptions): string {
  const url = firstOf(options.url, environment().ASSAYER_URL);
  if (url !== undefined) return checkedUrl(url);
  const local = localConnection(dataDirectory(options));
  if (local === undefined) throw new CommandError('Name the service with --url.', 2);
  return local.url;
}

export function dataDirectory(options: ConnectionOptions): string {
  return resolve(firstOf(options['data-dir'], environment().DATA_DIR) ?? '.assayer');
}

function localConnection(directory: string): Connection | undefined {
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
    if (typeof left !== 'object' || left === null || !('url' in left) || !('token' in left)) return undefined;
    const { url, token } = left;
    return typeof url === 'string' && typeof token === 'string' ? { url, token } : undefined;
  } catch {
    return undefined;
  }
}

export function checkedUrl(url: string): string {
  const isHttp = URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
  if (!isHttp) throw new CommandError(`The address must begin with http:// or https://; it is "${url}".`, 2);
  // A copied API address means the same server.
  return url.replace(/\/+$/, '').replace(/\/api\/v1$/, '');
}

function firstOf(...values: readonly (string | undefined)[]): string | undefined {
  return values.find((value) => value !== undefined && value !== '');
}
