/**
 * Reads a quote under the lock of its experiment, so that no other transaction changes it before this one ends. Locks are
 * always taken on the experiment first.
 */
import type { Scope } from '#core/scope.ts';
import type { Transaction } from '#core/sql.ts';
import { lockExperimentOfQuote, type ExperimentRow } from '../experiments/store.ts';
import { findQuote, type QuoteRow } from './store.ts';

export interface HeldQuote {
  readonly experiment: ExperimentRow;
  readonly quote: QuoteRow;
}

export async function holdQuote(
  scope: Scope,
  tx: Transaction,
  quoteId: string,
): Promise<HeldQuote | undefined> {
  const experiment = await lockExperimentOfQuote(scope, tx, quoteId);
  if (experiment === undefined) return undefined;
  const quote = await findQuote(scope, tx, quoteId);
  return quote === undefined ? undefined : { experiment, quote };
}
