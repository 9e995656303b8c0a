/** `assayer ledger check`: proves that the books balance and agree with invoices, refunds and the processor. */
import { formatUsd } from '#core/money.ts';
import { labScope } from '#core/scope.ts';
import type { Database } from '#core/sql.ts';
import {
  checkLedger,
  trialBalance,
  type LedgerFinding,
  type TrialBalanceRow,
} from '#domain/ledger/check-store.ts';
import { CommandError } from './command-error.ts';
import { withDatabase } from './operator-database.ts';
import { parseOptions, usageError, type CommandGuide } from './options.ts';
import { layTable, type Column } from './table.ts';
import { print } from './terminal.ts';
import { countOf } from './words.ts';

const guide: CommandGuide = {
  name: 'ledger',
  operands: ['check'],
  help: `Usage: assayer ledger check [--json] [--data-dir DIR]

Prints the sums of every account, then proves that each posting balances and that the books agree with every invoice,
refund and quote, with the numbers of invoices and credit notes, and with the book of the built-in processor.
Works on the database that the settings name; one that runs below a data directory must not be in use by a service.

  --json   the same as JSON

Exit codes: 0 the books are right, 1 something disagrees (every case is named).`,
};

interface Books {
  readonly accounts: readonly TrialBalanceRow[];
  readonly findings: readonly LedgerFinding[];
}

export async function run(args: readonly string[]): Promise<void> {
  const parsed = parseOptions(guide, args, {
    json: { type: 'boolean' },
    'data-dir': { type: 'string' },
    help: { type: 'boolean', short: 'h' },
  });
  if (parsed === undefined) return;
  const [verb] = parsed.positionals;
  if (verb !== 'check') throw usageError(guide, `There is nothing called "ledger ${verb}"`);
  const books = await withDatabase(parsed.values['data-dir'], readBooks);
  if (parsed.values.json === true) print(JSON.stringify(books, null, 2));
  else report(books);
  const { findings } = books;
  if (findings.length > 0)
    throw new CommandError(`The books are wrong in ${countOf(findings.length, 'place')}.`);
}

/** Both from one view of the data, so that a payment in between does not look like a mistake. */
function readBooks(database: Database): Promise<Books> {
  return database.transaction(
    async (tx) => ({
      accounts: await trialBalance(labScope, tx),
      findings: await checkLedger(labScope, tx),
    }),
    { isolation: 'repeatable read', readOnly: true },
  );
}

const amount = (cents: number): string => formatUsd(cents);

const columns: readonly Column<TrialBalanceRow>[] = [
  { title: 'Account', cell: ({ account, rail }) => (rail === null ? account : `${account} (${rail})`) },
  { title: 'Currency', cell: ({ currency }) => currency.toUpperCase() },
  { title: 'Debit', align: 'right', cell: (row) => amount(row.debit_cents) },
  { title: 'Credit', align: 'right', cell: (row) => amount(row.credit_cents) },
  { title: 'Balance', align: 'right', cell: (row) => amount(row.debit_cents - row.credit_cents) },
];

function report({ accounts, findings }: Books): void {
  if (accounts.length === 0) print('Nothing has been posted yet.');
  else for (const line of layTable(columns, accounts).lines) print(line);
  const total = (side: 'debit_cents' | 'credit_cents'): string =>
    amount(accounts.reduce((sum, row) => sum + row[side], 0));
  if (findings.length === 0) {
    print(`\nThe books are right: debits ${total('debit_cents')}, credits ${total('credit_cents')}.`);
    return;
  }
  print('');
  for (const { kind, subject } of findings) print(`${kind.replaceAll('_', ' ')}: ${subject}`);
}
