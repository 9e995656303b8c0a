/** Verifies the audit trail that a service answers, without trusting the service: entries, chain, and heads kept earlier. */
import { randomBytes } from 'node:crypto';
import { toRecord } from '#core/records.ts';
import type { Static } from '#core/schema.ts';
import type { AuditItem } from '#features/audit/contract.ts';
import type { AuditHead as HeadAnswer } from '#features/audit/head-contract.ts';
import { KeptHeads, readHead, type AuditHead, type PublicJwk } from '#features/audit/head.ts';
import { EMPTY_CHAIN, findChainBreak, type ChainedEntry, type ChainEnd } from '#features/audit/rules.ts';
import type { Api } from './api.ts';
import { CommandError } from './command-error.ts';
import { readTextFile } from './files.ts';

type Item = Static<typeof AuditItem>;
export type SignedHead = Static<typeof HeadAnswer>;

const PAGE_ITEMS = 100;
const NONCE_BYTES = 16;

/** Reads a file that `assayer audit head` wrote, or a bare JWS; `-` is standard input. */
export async function readKeptHead(file: string): Promise<string> {
  const text = (await readTextFile(file)).trim();
  try {
    const { jws } = toRecord(JSON.parse(text));
    if (typeof jws === 'string') return jws;
  } catch {
    if (/^[\w-]+\.[\w-]+\.[\w-]+$/.test(text)) return text;
  }
  throw new CommandError(`${file} is not a head; "assayer audit head" writes one.`, 2);
}

/** Reads a kept head, or says why it proves nothing. */
export function requireHead(jws: string, keys: readonly PublicJwk[], name: string): AuditHead {
  const read = readHead(jws, keys);
  if ('problem' in read) throw new CommandError(`The head ${name} cannot be used: ${read.problem}.`);
  return read.head;
}

/** The current head, signed for this request alone, so that an earlier one cannot be sent again. */
export async function requestHead(api: Api, keys: readonly PublicJwk[]): Promise<SignedHead> {
  const nonce = randomBytes(NONCE_BYTES).toString('base64url');
  const answer = await api.get<SignedHead>(`/audit/head?nonce=${nonce}`, 'jws');
  const head = requireHead(answer.jws, keys, 'of the service');
  const { organization_id: organizationId, position, hash } = head;
  const isSame =
    head.nonce === nonce &&
    organizationId === answer.organization_id &&
    position === answer.position &&
    hash === answer.hash;
  if (!isSame)
    throw new CommandError(
      'The service sent a head that was signed earlier or says something else than its signature.',
    );
  return answer;
}

export async function requestKeys(api: Api): Promise<readonly PublicJwk[]> {
  return (await api.get<{ readonly keys: readonly PublicJwk[] }>('/audit/keys', 'keys[]:object')).keys;
}

export interface Verdict {
  readonly entries: number;
  readonly problems: readonly string[];
}

/** Checks every entry from the first to the current head, and that the chain contains each kept head. */
export async function verifyServedTrail(
  api: Api,
  present: SignedHead,
  heads: readonly AuditHead[],
): Promise<Verdict> {
  const { organization_id: organizationId } = present;
  const foreign = heads.filter((head) => head.organization_id !== organizationId);
  if (foreign.length > 0)
    return {
      entries: 0,
      problems: foreign.map(
        (head) =>
          `the head of ${head.signed_at} is of organization ${head.organization_id}, and this token reads that of ${organizationId}: use a token of that organization; if the service has none, the organization was removed`,
      ),
    };
  const keptHeads = new KeptHeads(heads, organizationId);
  const walked = await walkServed(api, present, keptHeads);
  if ('problem' in walked) return { entries: walked.entries, problems: [walked.problem] };
  const { end } = walked;
  const isWhole = end.position === present.position && end.hash === present.hash;
  return {
    entries: end.position,
    problems: [
      ...(isWhole
        ? []
        : [`its signed head is entry ${present.position}, and the entries end at ${end.position}`]),
      ...keptHeads.findProblems(end),
    ],
  };
}

type Walked = { readonly end: ChainEnd } | { readonly problem: string; readonly entries: number };

/** Entries that were chained after the head was signed are not looked at. */
async function walkServed(api: Api, present: SignedHead, kept: KeptHeads): Promise<Walked> {
  let end = EMPTY_CHAIN;
  kept.compare(end);
  while (end.position < present.position) {
    const limit = Math.min(PAGE_ITEMS, present.position - end.position);
    const filter = encodeURIComponent(`gt(position,${end.position})`);
    const { items } = await api.get<{ readonly items: readonly Item[] }>(
      `/audit?filter=${filter}&sort=position&limit=${limit}`,
      'items[].id',
    );
    if (items.length === 0) break;
    for (const item of items) {
      const entry = toChained(item, present.organization_id);
      const problem = entry === undefined ? 'its answer has no hash' : findChainBreak(entry, end);
      if (entry === undefined || problem !== undefined)
        return {
          entries: end.position,
          problem: `entry ${item.position} (${item.id}) is broken: ${problem}`,
        };
      end = { position: entry.chain_position, hash: entry.hash };
      kept.compare(end);
    }
  }
  return { end };
}

/** Whether the text that the hash covers says the same as the readable details. */
function isTextOf(text: string | null, details: unknown): boolean {
  if (text === null) return details === null;
  try {
    return JSON.stringify(JSON.parse(text)) === JSON.stringify(details);
  } catch {
    return false;
  }
}

/** Undefined for an entry without a place, and for one whose readable details are not those that the hash covers. */
function toChained(item: Item, organizationId: string): ChainedEntry | undefined {
  const { position, prev_hash: previous, hash, hash_version: version, details_text: text } = item;
  if (position === null || previous === null || hash === null) return undefined;
  if (item.organization_id !== organizationId || (version !== 1 && version !== 2)) return undefined;
  if (!isTextOf(text, item.details)) return undefined;
  return {
    ...item,
    sequence: item.sequence ?? 0,
    operation_id: item.operation,
    details: text,
    // The hash covers microseconds, which are zero in every entry of the service.
    created_at: item.created_at.replace('Z', '000Z'),
    chain_position: position,
    prev_hash: previous,
    hash,
    hash_version: version,
  };
}
