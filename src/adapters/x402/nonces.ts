/**
 * The nonces of a wallet that sends many transactions at once. They are counted in memory, and anew from the chain
 * after a failure: a number that was counted and never sent leaves a gap, behind which every later transaction waits.
 */
import { createNonceManager, jsonRpc, type NonceManager, type NonceManagerSource } from 'viem/nonce';

export interface Nonces {
  readonly manager: NonceManager;
  /** Sends a transaction; after one that failed, those in flight end first. */
  send<Outcome extends { readonly success: boolean }>(work: () => Promise<Outcome>): Promise<Outcome>;
}

export function createNonces(source: NonceManagerSource = jsonRpc()): Nonces {
  let current = createNonceManager({ source });
  let isDoubtful = false;
  const inFlight = new Set<Promise<unknown>>();
  const hasToWait = (): boolean => isDoubtful && inFlight.size > 0;
  return {
    manager: {
      consume: (wallet) => current.consume(wallet),
      increment: (wallet) => current.increment(wallet),
      get: (wallet) => current.get(wallet),
      reset: (wallet) => current.reset(wallet),
    },
    async send(work) {
      while (hasToWait()) await Promise.allSettled(inFlight);
      if (isDoubtful) {
        current = createNonceManager({ source });
        isDoubtful = false;
      }
      const sending = work();
      inFlight.add(sending);
      try {
        const outcome = await sending;
        isDoubtful ||= !outcome.success;
        return outcome;
      } catch (error) {
        isDoubtful = true;
        throw error;
      } finally {
        inFlight.delete(sending);
      }
    },
  };
}
