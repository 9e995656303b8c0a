/**
 * A rail for machines without an outside: what it is asked to do it does at once, or fails in the way a test has set.
 * A credential is `<payer>:<nonce>`; one that starts with `bad`, `late` or `poor` is refused in its three ways.
 */
import type { Attempt, MachineRail, Refused, Verdict } from '#features/payments/machine-rail.ts';

export interface FakeRail extends MachineRail {
  /** Effects at the outside, by external key. */
  readonly moved: Map<string, number>;
  readonly calls: { verify: number; settle: number; reconcile: number };
  /** What happens to the next settlement. */
  next: 'works' | 'answer lost' | 'nothing happens' | 'unknown';
  /** Takes place within the next settlement, before its answer. */
  meanwhile: (() => Promise<void>) | undefined;
}

export function fakeRail(method: 'x402-exact' | 'mpp-spt' = 'x402-exact'): FakeRail {
  const moved = new Map<string, number>();
  const calls = { verify: 0, settle: 0, reconcile: 0 };
  let challenges = 0;

  function findKnownVerdict({ external_key: key }: Attempt): Verdict {
    if (!moved.has(key)) return { kind: 'not_yet_settled', mayRepeat: true };
    return { kind: 'paid', reference: { type: 'fake', tx_hash: key }, headers: { 'payment-response': key } };
  }

  const rail: FakeRail = {
    method,
    moved,
    calls,
    next: 'works',
    meanwhile: undefined,
    foreignCredential: { code: 'payment_refused', reason: 'it was given for another invoice' },
    findCredential: (headers) => headers['payment-signature'],
    createChallenge: (invoice) => {
      const terms = Buffer.from(JSON.stringify({ url: invoice.payUrl, n: ++challenges })).toString('base64');
      return {
        headers: { 'payment-required': terms },
        terms: { amount: invoice.totalCents },
        expires_at: null,
      };
    },
    admit: async (credential) =>
      findRefusal(credential) ?? { kind: 'admitted', externalKey: credential, request: {} },
    verify: async ({ external_key: key }) => {
      calls.verify += 1;
      return key.startsWith('poor')
        ? { kind: 'refused', code: 'payment_declined', reason: 'the balance is too low' }
        : { kind: 'fit' };
    },
    settle: async (attempt) => {
      calls.settle += 1;
      const happens = rail.next;
      rail.next = 'works';
      const { meanwhile } = rail;
      rail.meanwhile = undefined;
      await meanwhile?.();
      if (happens === 'unknown') return { kind: 'unavailable', reason: 'no answer' };
      if (happens === 'nothing happens') return findKnownVerdict(attempt);
      moved.set(attempt.external_key, (moved.get(attempt.external_key) ?? 0) + 1);
      if (happens === 'answer lost') throw new Error('the connection was lost');
      return findKnownVerdict(attempt);
    },
    reconcile: async (attempt) => {
      calls.reconcile += 1;
      return findKnownVerdict(attempt);
    },
    confirmRefund: async (_attempt, { reference }) => {
      if (reference === 'unreachable') throw new Error('no answer');
      return reference.startsWith('sent')
        ? { kind: 'confirmed', reference }
        : { kind: 'unconfirmed', reason: 'there is no such transfer' };
    },
  };
  return rail;
}

function findRefusal(credential: string): Refused | undefined {
  if (credential.startsWith('bad'))
    return { kind: 'refused', code: 'payment_refused', reason: 'the signature is not of the payer' };
  if (credential.startsWith('late'))
    return { kind: 'refused', code: 'payment_credential_mismatch', reason: 'the challenge has expired' };
  return undefined;
}
