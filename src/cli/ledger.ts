/**
 * `assayer ledger check`: verifies that the ledger balances, agrees with invoices and refunds, and contains exactly
 * the money that processors and chains have recorded.
 */
import { addMs, DAY_MS, systemClock } from '#core/clock.ts';
import { formatCount } from '#core/words.ts';
import type { Database } from '#core/sql.ts';
import { createLedgerReport, decideOutcome, type LedgerReport } from '#features/ledger/check-ledger.ts';
import { openSandboxChainBook, createOutsideBooks, createOwnBooks } from '#composition/payment-rails.ts';
import { CommandError } from './command-error.ts';
import { listReportLines } from './ledger-report.ts';
import { withKeptDatabase } from './open-database.ts';
import { DATA_DIR, type Parsed, createUsageError } from './options.ts';
import { readSettingsWith } from './data-directory.ts';
import { print } from './terminal.ts';

const DEFAULT_SPAN_DAYS = 31;
/** No error was found, but not every outside could be asked. */
const EXIT_NOT_COMPARED = 3;

export const guide = {
  name: 'ledger',
  usage: ['check [--since DATE] [--offline] [--json] [--data-dir DIR]'],
  about: `Prints the sums of every account, then proves that each posting balances and that the books agree with every invoice,
refund and quote, and with the numbers of invoices and credit notes. Then compares them with the outside, in both
directions: each payment and refund in the books must be at its processor or on its chain with the same amount, and each
one there must be in the books. Stripe and the RPC are those of the settings.
Works on the database that the settings name; the service may go on running.`,
  options: {
    'since DATE': `payments and refunds since then, as 2026-01-31; default: the last ${DEFAULT_SPAN_DAYS} days`,
    offline: 'compares nothing with the outside',
    json: 'the same as JSON',
    ...DATA_DIR,
  },
  notes: `Exit codes: 0 the books are correct, 1 there are errors (each is named), 3 there are no errors, but an outside could
not be asked (it is named).`,
};

export async function run({ values }: Parsed<typeof guide>): Promise<void> {
  const { since, offline = false, json = false, 'data-dir': dataDir } = values;
  const options = { since: parseInstant(since), isOffline: offline, dataDir };
  const report = await withKeptDatabase(dataDir, (database) => prepareReport(database, options));
  if (json) print(JSON.stringify(report, null, 2));
  else for (const line of listReportLines(report, { isOffline: offline })) print(line);
  conclude(report, offline);
}

/** Days are in UTC, like those of the ledger. */
function parseInstant(text: string | undefined): Date {
  if (text === undefined) return addMs(systemClock.now(), -DEFAULT_SPAN_DAYS * DAY_MS);
  const instant = /^\d{4}-\d{2}-\d{2}(?:T[\d:.]+Z)?$/.test(text) ? new Date(text) : new Date(Number.NaN);
  if (Number.isNaN(instant.getTime()) || !instant.toISOString().startsWith(text.slice(0, 10)))
    throw createUsageError(guide, `--since takes a day such as 2026-01-31, not "${text}"`);
  return instant;
}

async function prepareReport(
  database: Database,
  options: { readonly since: Date; readonly isOffline: boolean; readonly dataDir: string | undefined },
): Promise<LedgerReport> {
  const settings = readSettingsWith({ DATA_DIR: options.dataDir });
  const sql = database.read;
  const chain = options.isOffline ? undefined : await openSandboxChainBook(settings, sql);
  try {
    const outside = options.isOffline ? [] : await createOutsideBooks(settings, sql);
    const books = [...createOwnBooks(sql), ...outside, ...(chain === undefined ? [] : [chain.book])];
    return await createLedgerReport({ database, clock: systemClock, books }, options.since);
  } finally {
    await chain?.stop();
  }
}

function conclude(report: LedgerReport, isOffline: boolean): void {
  const { findings, more_findings: more, not_compared: notCompared } = report;
  if (findings.length > 0)
    throw new CommandError(`The books have ${formatCount(findings.length + more, 'error')}.`);
  if (decideOutcome(report) === 'not compared' && !isOffline) {
    const rails = [...new Set(notCompared.map(({ rail }) => rail))].join(', ');
    throw new CommandError(
      `The books could not be compared with the outside of ${rails}.`,
      EXIT_NOT_COMPARED,
    );
  }
}
