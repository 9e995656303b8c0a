/** The chain of an organization's audit trail: each entry's hash covers the hash before it and its own content. */
import { createHash } from 'node:crypto';

export const actorKinds = ['user', 'worker', 'operator', 'processor'] as const;
/** Who makes a change: a person, the background worker, the operator at the command line, the payment processor. */
export type ActorKind = (typeof actorKinds)[number];

/** The nil UUID (RFC 9562) stands for the installation: what is changed there belongs to no organization. */
export const INSTALLATION_ID = '00000000-0000-0000-0000-000000000000';

/** What a service does on its first start, it does for whoever starts it. */
export const FIRST_START = { actorKind: 'operator', actor: 'start of the service' } as const;

/** What the first entry of a chain names as the hash before it. */
const CHAIN_START = '0'.repeat(64);

/** An entry as the database holds it, with what the hash covers. */
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
  /** As the database writes the JSON. */
  readonly details: string | null;
  /** With microseconds, so that no digit is outside of the hash. */
  readonly created_at: string;
}

export interface ChainedEntry extends AuditContent {
  readonly chain_position: number;
  readonly prev_hash: string;
  readonly hash: string;
}

export interface ChainEnd {
  readonly position: number;
  readonly hash: string;
}

export const EMPTY_CHAIN: ChainEnd = { position: 0, hash: CHAIN_START };

/** SHA-256, in hex, over a JSON array: members in this order, nothing between them. */
export function entryHash(entry: AuditContent, position: number, prevHash: string): string {
  const content = [
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
    // People were the only kind once, and their entries are hashed as they were then.
    ...(entry.actor_kind === 'user' ? [] : [entry.actor_kind]),
  ];
  return createHash('sha256').update(JSON.stringify(content)).digest('hex');
}

/** What is wrong with an entry that should follow `end`, or undefined. */
export function breakOf(entry: ChainedEntry, end: ChainEnd): string | undefined {
  const expected = end.position + 1;
  if (entry.chain_position !== expected) return `entry ${expected} is missing before it`;
  if (entry.prev_hash !== end.hash) return 'it does not follow the entry before it';
  if (entry.hash !== entryHash(entry, entry.chain_position, entry.prev_hash))
    return 'its content is not what was chained';
  return undefined;
}
