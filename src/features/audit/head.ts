/**
 * The signed head of a chain: the position and hash of its last entry at a time. Whoever keeps one can show later that
 * the trail still contains everything up to it. The signature proves who said so: it is no protection against a person
 * who controls the service, the kept head is.
 */
import { createPublicKey, verify } from 'node:crypto';
import type { Keyring } from '#core/capability.ts';
import type { ChainEnd } from './rules.ts';

export interface AuditHead extends ChainEnd {
  readonly organization_id: string;
  /** RFC 3339, UTC. */
  readonly signed_at: string;
  readonly nonce: string | null;
}

export interface PublicJwk {
  readonly kid: string;
  readonly kty?: string;
  readonly crv?: string;
  readonly x?: string;
}

const ALGORITHM = 'EdDSA';
/** A type of its own, so that a head is never taken for an access token, which the same key signs. */
const TYPE = 'asy-audit-head+jws';
const FORM = /^([\w-]+)\.([\w-]+)\.([\w-]{86})$/;

/** Writes the head as a compact JWS. */
export function signHead(keyring: Pick<Keyring, 'signStatement'>, head: AuditHead): string {
  return keyring.signStatement(TYPE, {
    organization_id: head.organization_id,
    position: head.position,
    hash: head.hash,
    signed_at: head.signed_at,
    nonce: head.nonce,
  });
}

export type ReadHead = { readonly head: AuditHead } | { readonly problem: string };

/** Reads a head whose signature one of the keys verifies, or says what is wrong with it. */
export function readHead(jws: string, keys: readonly PublicJwk[]): ReadHead {
  const [, header = '', payload = '', signature = ''] = FORM.exec(jws) ?? [];
  const named = decodeJson(header);
  if (named === undefined) return { problem: 'it is not a signed head' };
  if (named['typ'] !== TYPE || named['alg'] !== ALGORITHM)
    return { problem: 'it is signed for another purpose than a head' };
  const key = keys.find(({ kid }) => kid === named['kid']);
  if (key === undefined)
    return {
      problem:
        'none of the published keys signed it, so it is of another installation or the keys were replaced',
    };
  const head = isSignedBy(key, `${header}.${payload}`, signature) ? toHead(decodeJson(payload)) : undefined;
  return head === undefined ? { problem: 'its signature does not match its content' } : { head };
}

/** False for what is no public key of Ed25519, too: a service may publish anything. */
function isSignedBy({ kty, crv, x = '' }: PublicJwk, text: string, signature: string): boolean {
  if (kty !== 'OKP' || crv !== 'Ed25519') return false;
  try {
    const key = createPublicKey({ key: { kty, crv, x }, format: 'jwk' });
    return verify(null, Buffer.from(text), key, Buffer.from(signature, 'base64url'));
  } catch {
    return false;
  }
}

function decodeJson(part: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString());
    return typeof value === 'object' && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

function toHead(payload: Readonly<Record<string, unknown>> | undefined): AuditHead | undefined {
  const { organization_id: organizationId, position, hash, signed_at: signedAt, nonce } = payload ?? {};
  if (typeof organizationId !== 'string' || typeof hash !== 'string' || typeof signedAt !== 'string')
    return undefined;
  if (typeof position !== 'number' || (nonce !== null && typeof nonce !== 'string')) return undefined;
  return { organization_id: organizationId, position, hash, signed_at: signedAt, nonce };
}

/** Collects, while a chain is walked, what its current entries say about heads that were kept earlier. */
export class KeptHeads {
  readonly #heads: readonly AuditHead[];
  readonly #problems: string[] = [];

  constructor(heads: readonly AuditHead[], organizationId: string) {
    this.#heads = heads.filter((head) => head.organization_id === organizationId);
  }

  /** Compares an entry of the chain, or its empty beginning, with the heads at its position. */
  compare(end: ChainEnd): void {
    for (const head of this.#heads)
      if (head.position === end.position && head.hash !== end.hash)
        this.#problems.push(
          `entry ${head.position} is another one than in the head of ${head.signed_at}: the trail was written anew`,
        );
  }

  /** Says what is wrong once the last entry is known; empty when the chain contains every kept head. */
  findProblems(last: ChainEnd): readonly string[] {
    const missing = this.#heads
      .filter(({ position }) => position > last.position)
      .map(
        ({ position, signed_at: signedAt }) =>
          `it ends at entry ${last.position}, and the head of ${signedAt} is entry ${position}: later entries were removed, or an earlier backup was restored`,
      );
    return [...this.#problems, ...missing];
  }
}
