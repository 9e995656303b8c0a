/** The content of a capability token, and the port that signs and verifies it. */
import type { Environment } from './context.ts';
import type { Role } from './permissions.ts';
import { joinWords } from './words.ts';

/**
 * One step of a restriction, as its creator wrote it. Absent and null set no limit. Every step of a chain must hold,
 * so a step can only take rights away.
 */
export interface AttenuationSpec {
  readonly read_only?: boolean;
  readonly non_destructive?: boolean;
  readonly allowed_actions?: readonly string[] | null;
  readonly allowed_resources?: readonly string[] | null;
  readonly allowed_org_ids?: readonly string[] | null;
  readonly expires_at?: string | null;
  readonly max_spend_cents?: number | null;
  /** Ids or codes of experiments. */
  readonly resource_ids?: readonly string[] | null;
  /** Within the policies of the steps before it and of the root. */
  readonly payment_policy?: PaymentPolicy | null;
}

export const machineMethods = ['x402-exact', 'mpp-spt'] as const;
export type MachineMethod = (typeof machineMethods)[number];

/** Every payment method: the hosted page, which people use, and the rails for machines. */
export const paymentMethods = ['async_invoice', ...machineMethods] as const;
export type PaymentMethod = (typeof paymentMethods)[number];

export const machineMethodWords = joinWords(machineMethods, 'or');
/** `async_invoice (a hosted page), x402-exact, or mpp-spt`. */
export const paymentMethodWords = joinWords(['async_invoice (a hosted page)', ...machineMethods], 'or');

/** How a token pays when no person is present: by its first method unless the request names another. */
export interface PaymentPolicy {
  readonly methods: readonly MachineMethod[];
  readonly max_spend_cents?: number | null;
}

export interface TokenClaims {
  readonly v: 1;
  readonly env: Environment;
  /** The id of the token and of every ancestor, from the root down. */
  readonly tid: string;
  readonly path: readonly string[];
  readonly sub: string;
  readonly org: string;
  readonly role: Role;
  /** Seconds since the epoch. */
  readonly iat: number;
  readonly exp: number | null;
  /** One step per ancestor; absent from a root. */
  readonly cav?: readonly AttenuationSpec[];
  readonly pay?: PaymentPolicy;
}

export interface Keyring {
  sign(claims: TokenClaims): Promise<string>;
  /**
   * Signs anything that is no token, as a compact JWS (RFC 7515) with Ed25519 (RFC 8037). `type` is the `typ` of its
   * header, which keeps statements of one purpose from being taken for those of another.
   */
  signStatement(type: string, payload: Readonly<Record<string, unknown>>): string;
  /** Returns the claims of a token that this environment signed; throws the failure that says what is wrong. */
  verify(token: string, now: Date): Promise<TokenClaims>;
}
