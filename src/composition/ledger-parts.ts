/** Joins the parts of the daily ledger check. */
import type { Logger } from 'pino';
import type { PostgresDatabase } from '#adapters/postgres/pool.ts';
import type { Work } from '#core/context.ts';
import { CHECK_LEDGER, checkLedgerDaily, requestLedgerCheck } from '#features/ledger/check-ledger.ts';
import type { Settings } from '#settings/settings.ts';

const NAMED_IN_THE_LOG = 20;

export function createLedgerCheck(settings: Settings, work: Work, database: PostgresDatabase, log: Logger) {
  const check = async (): Promise<void> => {
    const { createOutsideBooks, createOwnBooks } = await import('./payment-rails.ts');
    const sql = database.read;
    const books = [...createOwnBooks(sql), ...(await createOutsideBooks(settings, sql))];
    await checkLedgerDaily(work, { database, books }, (outcome, { findings, not_compared: notCompared }) => {
      if (outcome === 'findings')
        log.error({ findings: findings.slice(0, NAMED_IN_THE_LOG) }, 'the books have errors');
      if (notCompared.length > 0) log.warn({ notCompared }, 'the books could not be compared');
    });
  };
  return { handlers: { [CHECK_LEDGER]: check }, chore: () => requestLedgerCheck(work, database) };
}
