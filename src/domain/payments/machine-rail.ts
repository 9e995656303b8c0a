/**
 * Paying by machine. A rail knows what to ask for, what a credential must look like, how money is taken outside and
 * how to find out what became of it. It never touches an invoice: `workflows/invoices/pay-invoice.ts` writes every
 * attempt down before the rail acts, and `workflows/payments/settle-payment.ts` alone marks an invoice paid.
 */
import type { MachineMethod } from '#core/capability.ts';

/** The invoice as far as a rail may know it. */
export interface PayableInvoice {
  readonly id: string;
  readonly externalId: string;
  readonly number: string;
  readonly totalCents: number;
  /** Lower case ISO 4217. */
  readonly currency: string;
  /** Where it is paid: `…/api/v1/invoices/{id}/pay`. */
  readonly payUrl: string;
}

export interface NewChallenge {
  /** Response headers of the 402; stored and answered byte for byte. */
  readonly headers: Readonly<Record<string, string>>;
  /** JSON; what `admit` compares a credential with. */
  readonly terms: unknown;
  /** Null: until the invoice is paid or void. Past it the next request gets a new challenge. */
  readonly expiresAt: Date | null;
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
  /** 1, 2, 3 … within the invoice: a stable part of an idempotency key outside. */
  readonly n: number;
  readonly external_key: string;
  readonly state: 'prepared' | 'settling' | 'paid' | 'returned' | 'refused';
  /** What `admit` wrote down. */
  readonly request: unknown;
  /** Null: surely nothing outside was asked to move money for it. */
  readonly handed_over_at: string | null;
  readonly outcome: PaidOutcome | null;
  readonly refusal: Refusal | null;
}

/** Which failure a refusal becomes; a 402 carries the challenge again. */
export type RefusalCode = 'payment_refused' | 'payment_credential_mismatch' | 'payment_declined';

export interface Refusal {
  readonly code: RefusalCode;
  /** A clause for a person: `the signature has expired`. */
  readonly reason: string;
}

export interface PaidOutcome {
  /** Shown as `settlement_reference`. */
  readonly reference: Readonly<Record<string, unknown>> & { readonly type: string };
  /** Receipt headers of the 200, such as PAYMENT-RESPONSE. */
  readonly headers: Readonly<Record<string, string>>;
}

export type Refused = { readonly kind: 'refused' } & Refusal;

/** What is known about an attempt. A rail that cannot tell says so; it never reports the unknown as a failure. */
export type Verdict =
  /** `externalReference`: what the payment is called outside, where the credential does not name it. */
  | ({ readonly kind: 'paid'; readonly externalReference?: string } & PaidOutcome)
  /** 402 with the same challenge; the client repeats the same credential. `mayRepeat`: nothing has happened so far. */
  | { readonly kind: 'not_yet_settled'; readonly mayRepeat: boolean }
  /** The attempt did not move money and never will; the invoice is free for another one. */
  | Refused
  /** 503: the outcome is unknown. */
  | { readonly kind: 'unavailable'; readonly reason: string };

export type Admission =
  { readonly kind: 'admitted'; readonly externalKey: string; readonly request: unknown } | Refused;

export interface MachineRail {
  readonly method: MachineMethod;
  /** The failure of a credential that belongs to another invoice. */
  readonly foreignCredential: Refusal;
  /**
   * A payer that answers every 402 with new money. It gets none once it has sent a credential, and none while an earlier
   * attempt is in doubt: 503 instead.
   */
  readonly paysAnewOn402?: boolean;
  /** The credential among the headers of a request. */
  credentialOf(headers: Readonly<Record<string, string | undefined>>): string | undefined;
  challenge(invoice: PayableInvoice, at: Date): NewChallenge | Promise<NewChallenge>;
  /** Every check that needs nothing outside. `challenges` are those of this invoice, newest first. */
  admit(
    credential: string,
    asked: { readonly invoice: PayableInvoice; readonly challenges: readonly Challenge[]; readonly at: Date },
  ): Promise<Admission>;
  /** Asks whether the attempt could succeed, moving nothing. Only for one that was never handed over here. */
  verify(attempt: Attempt): Promise<{ readonly kind: 'fit' } | Verdict>;
  /** Has the money moved. The attempt stands as `settling` before this is called. */
  settle(attempt: Attempt): Promise<Verdict>;
  /** Asks the outside what became of the attempt; also for one that was prepared and forgotten. */
  reconcile(attempt: Attempt): Promise<Verdict>;
  /**
   * Where staff send money back by hand and the outside can be asked: whether the transfer they name returned this
   * amount to the payer. Throws when the outside cannot be asked.
   */
  confirmRefund?(
    attempt: Attempt,
    refund: { readonly reference: string; readonly amountCents: number },
  ): Promise<Proof>;
}

export type Proof =
  /** `reference` as it is to be recorded. */
  | { readonly kind: 'confirmed'; readonly reference: string }
  | { readonly kind: 'unconfirmed'; readonly reason: string };

export type MachineRails = ReadonlyMap<MachineMethod, MachineRail>;

export function machineRails(rails: readonly MachineRail[]): MachineRails {
  return new Map(rails.map((rail) => [rail.method, rail]));
}
