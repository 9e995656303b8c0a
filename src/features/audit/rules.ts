/** The chain of an organization's audit trail: each entry's hash covers the hash before it and its own content. */
import { createHash } from 'node:crypto';

export const actorKinds = ['user', 'worker', 'operator', 'processor'] as const;
/** Kinds of actors: a person, the background worker, the operator at the command line, the payment processor. */
export type ActorKind = (typeof actorKinds)[number];

/** The nil UUID (RFC 9562) stands for the installation: changes to it belong to no organization. */
export const INSTALLATION_ID = '00000000-0000-0000-0000-000000000000';

/** What a service does on its first start, it does for whoever starts it. */
export const FIRST_START = { actorKind: 'operator', actor: 'start of the service' } as const;

/** The previous hash that the first entry of a chain has. */
const CHAIN_START = '0'.repeat(64);

/** An entry as the database stores it: everything that its hash covers. */
export interface AuditContent {
  readonly id: string;
  readonly organization_id: string;
  readonly sequence: number;
  readonly user_id: string | null;
  readonly token_id: string | null;
  readonly token_path: readonly string[];
  readonly actor_kind: ActorKind;
  readonly actor: string;
  readonly operation_id: string;
  readonly subject: string | null;
  readonly status: number;
  readonly request_id: string | null;
  readonly address: string | null;
  /** The JSON text as the database writes it. */
  readonly details: string | null;
  /** Has microseconds, so that the hash covers every digit. */
  readonly created_at: string;
}

export interface ChainedEntry extends AuditContent {
  readonly chain_position: number;
  readonly prev_hash: string;
  readonly hash: string;
  readonly hash_version: HashVersion;
}

export interface ChainEnd {
  readonly position: number;
  readonly hash: string;
}

export const EMPTY_CHAIN: ChainEnd = { position: 0, hash: CHAIN_START };

/**
 * 1: covers the number of the entry among those of all organizations, which no client sees. 2: covers what `GET /audit`
 * answers, so that a client can compute it.
 */
export type HashVersion = 1 | 2;

/** The formula of entries that are chained from now on. */
export const HASH_VERSION = 2;

/** What the formula of version 2 covers: what `GET /audit` answers. */
export type ReadableContent = Omit<AuditContent, 'sequence'>;

/** SHA-256, in hex, of a JSON array with the members in this order and without spaces. */
export function computeEntryHash(entry: ReadableContent, position: number, prevHash: string): string {
  return hashMembers([
    HASH_VERSION,
    entry.organization_id,
    position,
    prevHash,
    entry.id,
    entry.created_at,
    entry.actor_kind,
    entry.actor,
    entry.user_id,
    entry.token_id,
    entry.token_path,
    entry.operation_id,
    entry.subject,
    entry.status,
    entry.details,
    entry.request_id,
    entry.address,
  ]);
}

function hashMembers(members: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(members)).digest('hex');
}

/** The formula of version 1. Its array begins with a text and that of version 2 with a number: they never agree. */
function computeEarlierHash(entry: AuditContent, position: number, prevHash: string): string {
  return hashMembers([
    prevHash,
    position,
    entry.organization_id,
    entry.sequence,
    entry.id,
    entry.user_id,
    entry.token_id,
    entry.token_path,
    entry.actor,
    entry.operation_id,
    entry.subject,
    entry.status,
    entry.request_id,
    entry.address,
    entry.details,
    entry.created_at,
    // The hash covers the kind of actor, except for people: stored entries of people were hashed without it.
    ...(entry.actor_kind === 'user' ? [] : [entry.actor_kind]),
  ]);
}

/** Says why an entry cannot follow `end`; returns undefined when it can. */
export function findChainBreak(entry: ChainedEntry, end: ChainEnd): string | undefined {
  const expected = end.position + 1;
  if (entry.chain_position !== expected) return `entry ${expected} is missing before it`;
  if (entry.prev_hash !== end.hash) return 'it does not follow the entry before it';
  const computeHash = entry.hash_version === 1 ? computeEarlierHash : computeEntryHash;
  if (entry.hash !== computeHash(entry, entry.chain_position, entry.prev_hash))
    return 'its content does not match its hash';
  return undefined;
}
