/**
 * The port of a machine payment rail. A rail makes the challenge, checks a credential, collects the money outside and
 * finds out the outcome. It never changes an invoice: `workflows/pay/pay-invoice.ts` records every attempt
 * before the rail acts, and `features/payments/settle-payment.ts` alone marks an invoice paid.
 */
import type { MachineMethod } from '#core/capability.ts';

/** The part of an invoice that a rail may see. */
export interface PayableInvoice {
  readonly id: string;
  readonly externalId: string;
  readonly number: string;
  readonly totalCents: number;
  /** Lower case ISO 4217. */
  readonly currency: string;
  /** Address at which programs pay it: `…/api/v1/invoices/{id}/pay`. */
  readonly payUrl: string;
}

export interface NewChallenge {
  /** Response headers of the 402, stored and repeated byte for byte. */
  readonly headers: Readonly<Record<string, string>>;
  /** JSON against which `admit` checks a credential. */
  readonly terms: unknown;
  /** Null: valid until the invoice is paid or void. After this time the next request gets a new challenge. */
  readonly expires_at: Date | null;
}

export interface Challenge {
  readonly id: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly terms: unknown;
  readonly expires_at: string | null;
}

export interface Attempt {
  readonly id: string;
  readonly organization_id: string;
  readonly invoice_id: string;
  readonly rail: MachineMethod;
  /** 1, 2, 3 … within the invoice; part of the idempotency key outside. */
  readonly n: number;
  readonly external_key: string;
  readonly state: 'prepared' | 'settling' | 'paid' | 'returned' | 'refused';
  /** The request that `admit` recorded. */
  readonly request: unknown;
  /** Null: the outside was never asked to move money for this attempt. */
  readonly handed_over_at: string | null;
  readonly outcome: PaidOutcome | null;
  readonly refusal: Refusal | null;
}

/** The failure that a rejection becomes; a 402 repeats the challenge. */
export type RefusalCode = 'payment_refused' | 'payment_credential_mismatch' | 'payment_declined';

export interface Refusal {
  readonly code: RefusalCode;
  /** A clause for people: `the signature has expired`. */
  readonly reason: string;
}

export interface PaidOutcome {
  /** Shown as `settlement_reference`. */
  readonly reference: Readonly<Record<string, unknown>> & { readonly type: string };
  /** Receipt headers of the 200, such as PAYMENT-RESPONSE. */
  readonly headers: Readonly<Record<string, string>>;
}

export type Refused = { readonly kind: 'refused' } & Refusal;

/**
 * The known outcome of an attempt. A rail that does not know the outcome says so; it never reports an unknown outcome
 * as a failure.
 */
export type Verdict =
  /** `externalReference`: the reference of the payment outside, where the credential does not contain it. */
  | ({ readonly kind: 'paid'; readonly externalReference?: string } & PaidOutcome)
  /**
   * Answers 402 with the same challenge; the client repeats the same credential. `mayRepeat`: nothing has happened so
   * far.
   */
  | { readonly kind: 'not_yet_settled'; readonly mayRepeat: boolean }
  /** The attempt did not move money and never will; the invoice can be paid by another one. */
  | Refused
  /** Answers 503: the outcome is unknown. */
  | { readonly kind: 'unavailable'; readonly reason: string };

export type Admission =
  { readonly kind: 'admitted'; readonly externalKey: string; readonly request: unknown } | Refused;

export interface MachineRail {
  readonly method: MachineMethod;
  /** The failure for a credential that belongs to another invoice. */
  readonly foreignCredential: Refusal;
  /**
   * True for payers that answer every 402 with a new payment. Such a payer gets no 402 once it has sent a credential,
   * and 503 while the outcome of an earlier attempt is unknown.
   */
  readonly paysAnewOn402?: boolean;
  /** Finds the credential in the headers of a request. */
  findCredential(headers: Readonly<Record<string, string | undefined>>): string | undefined;
  createChallenge(invoice: PayableInvoice, at: Date): NewChallenge | Promise<NewChallenge>;
  /** The members by which the body of a 402 says the terms, for clients that read no header. */
  describeChallenge?(challenge: Pick<Challenge, 'terms'>): Readonly<Record<string, unknown>>;
  /** Builds the credential for a payer who has a token of the sandbox and no client that answers challenges. */
  answerWithToken?(challenge: Challenge, invoiceId: string, token: string): string | undefined;
  /** Runs every check that needs nothing outside. `challenges` are those of this invoice, newest first. */
  admit(
    credential: string,
    request: {
      readonly invoice: PayableInvoice;
      readonly challenges: readonly Challenge[];
      readonly at: Date;
    },
  ): Promise<Admission>;
  /** Asks whether the attempt could succeed, without moving money. Only for an attempt that was never handed over. */
  verify(attempt: Attempt): Promise<{ readonly kind: 'fit' } | Verdict>;
  /** Collects the money. The attempt is stored as `settling` before this is called. */
  settle(attempt: Attempt): Promise<Verdict>;
  /** Asks the outside for the outcome of the attempt, also of one that was interrupted after it was prepared. */
  reconcile(attempt: Attempt): Promise<Verdict>;
  /**
   * For rails where staff send money back by hand and the outside can be asked: checks that the transfer they name
   * returned this amount to the payer. Throws when the outside cannot be reached.
   */
  confirmRefund?(
    attempt: Attempt,
    refund: { readonly reference: string; readonly amountCents: number },
  ): Promise<Proof>;
}

export type Proof =
  /** `reference` in the form to record. */
  | { readonly kind: 'confirmed'; readonly reference: string }
  | { readonly kind: 'unconfirmed'; readonly reason: string };

export type MachineRails = ReadonlyMap<MachineMethod, MachineRail>;

export function indexMachineRails(rails: readonly MachineRail[]): MachineRails {
  return new Map(rails.map((rail) => [rail.method, rail]));
}
