/**
 * Stores the tokens of `assayer login`: one file per person, readable only by its owner, with one entry per service.
 */
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { findErrorCode, hasMembers, toRecord } from '#core/records.ts';
import { CommandError } from './command-error.ts';
import { getTerminal, printNote } from './terminal.ts';

export interface Credential {
  readonly url: string;
  readonly token: string;
  /**
   * True for a token that `assayer login` made, which `assayer logout` revokes; a pasted one may be in use elsewhere.
   */
  readonly isOwn: boolean;
}

interface Kept {
  /** The service of the last login, used by commands unless another is named. */
  readonly current: string | null;
  readonly services: Readonly<Record<string, { readonly token: string; readonly own: boolean }>>;
}

const NOTHING: Kept = { current: null, services: {} };

/** XDG Base Directory Specification: `$XDG_CONFIG_HOME`, which must be absolute, else `~/.config`. */
export function getCredentialsFile(): string {
  const { XDG_CONFIG_HOME: configHome } = getTerminal().environment;
  const directory = configHome?.startsWith('/') === true ? configHome : join(homedir(), '.config');
  return join(directory, 'assayer', 'credentials.json');
}

export function findCredential(url: string): Credential | undefined {
  return findEntry(requireKept(), url);
}

export function findCurrentCredential(): Credential | undefined {
  const credentials = requireKept();
  return credentials.current === null ? undefined : findEntry(credentials, credentials.current);
}

export function keepCredential({ url, token, isOwn }: Credential): void {
  const { services } = readKept() ?? moveAside();
  writeKept({ current: url, services: { ...services, [url]: { token, own: isOwn } } });
}

export function deleteCredential(url: string): void {
  const { current, services } = requireKept();
  const others = Object.fromEntries(Object.entries(services).filter(([known]) => known !== url));
  if (Object.keys(others).length === 0) rmSync(getCredentialsFile(), { force: true });
  else writeKept({ current: current === url ? null : current, services: others });
}

function findEntry({ services }: Kept, url: string): Credential | undefined {
  const entry = Object.hasOwn(services, url) ? services[url] : undefined;
  return entry === undefined ? undefined : { url, token: entry.token, isOwn: entry.own };
}

/** Undefined where the file is damaged. */
function readKept(): Kept | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(getCredentialsFile(), 'utf8'));
    return isKept(value) ? value : undefined;
  } catch (error) {
    return /^(?:ENOENT|ENOTDIR)$/.test(findErrorCode(error) ?? '') ? NOTHING : undefined;
  }
}

function requireKept(): Kept {
  const kept = readKept();
  if (kept !== undefined) return kept;
  const file = getCredentialsFile();
  throw new CommandError(
    `${file} is damaged, so that its tokens are not known. Mend it, or sign in again: "assayer login" moves it to ${file}.damaged first.`,
  );
}

/** A damaged file may hold tokens of other services. */
function moveAside(): Kept {
  const file = getCredentialsFile();
  let copy = `${file}.damaged`;
  for (let count = 2; existsSync(copy); count++) copy = `${file}.damaged-${count}`;
  renameSync(file, copy);
  printNote(`${file} was damaged; it is now ${copy}.`);
  return NOTHING;
}

function isKept(value: unknown): value is Kept {
  const { services } = toRecord(value);
  return (
    hasMembers(value, 'current? services:object') &&
    Object.values(toRecord(services)).every((entry) => hasMembers(entry, 'token own:boolean'))
  );
}

/** Replaces the file atomically, and never makes it readable to others. */
function writeKept(kept: Kept): void {
  const file = getCredentialsFile();
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${process.pid}.new`;
  writeFileSync(draft, `${JSON.stringify(kept, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
  chmodSync(draft, 0o600);
  renameSync(draft, file);
}
