/** Prints the ledger check for people who keep books. */
import { formatUsd } from '#core/money.ts';
import type { LedgerReport } from '#workflows/ledger/check-ledger.ts';
import { layTable, type Column } from './table.ts';
import { countOf } from './words.ts';

type Account = LedgerReport['accounts'][number];
type Rail = LedgerReport['rails'][number];

const accountColumns: readonly Column<Account>[] = [
  { title: 'Account', cell: ({ account, rail }) => (rail === null ? account : `${account} (${rail})`) },
  { title: 'Currency', cell: ({ currency }) => currency.toUpperCase() },
  { title: 'Debit', align: 'right', cell: (row) => formatUsd(row.debit_cents) },
  { title: 'Credit', align: 'right', cell: (row) => formatUsd(row.credit_cents) },
  { title: 'Balance', align: 'right', cell: (row) => formatUsd(row.debit_cents - row.credit_cents) },
];

/** Amounts outside may have fractions of a cent. */
function amount(cents: number): string {
  if (Number.isInteger(cents)) return formatUsd(cents);
  return `${cents < 0 ? '-' : ''}$${Math.abs(cents / 100).toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 18 })}`;
}

function railColumns(unasked: (rail: Rail) => boolean): readonly Column<Rail>[] {
  const unless = (text: (rail: Rail) => string) => (rail: Rail) => (unasked(rail) ? '' : text(rail));
  return [
    { title: 'Rail', cell: ({ rail }) => rail },
    { title: 'Money', cell: ({ direction }) => (direction === 'received' ? 'received' : 'sent back') },
    { title: 'Postings', align: 'right', cell: ({ entries }) => entries.toLocaleString('en-US') },
    { title: 'In the books', align: 'right', cell: (row) => formatUsd(row.books_cents) },
    { title: 'Outside', cell: (row) => (unasked(row) ? 'not compared' : (row.outside ?? '')) },
    { title: 'Found', align: 'right', cell: unless(({ movements }) => movements.toLocaleString('en-US')) },
    { title: 'Amount', align: 'right', cell: unless((row) => amount(row.outside_cents)) },
    {
      title: 'Difference',
      align: 'right',
      cell: unless((row) => amount(row.outside_cents - row.books_cents)),
    },
  ];
}

export function reportLines(
  report: LedgerReport,
  { isOffline }: { readonly isOffline: boolean },
): readonly string[] {
  const { accounts, findings } = report;
  return [
    ...(accounts.length === 0
      ? ['Nothing has been posted yet.']
      : [...layTable(accountColumns, accounts).lines, '']),
    ...(accounts.length === 0 ? [] : outsideLines(report, isOffline)),
    '',
    ...findings.map(({ kind, subject, found }) => `${kind.replaceAll('_', ' ')}: ${subject}\n  ${found}`),
    ...verdict(report, isOffline),
  ];
}

function outsideLines(report: LedgerReport, isOffline: boolean): string[] {
  const { rails, in_flight: flights, by_hand: byHand, not_compared: notCompared } = report;
  const day = report.since.slice(0, 10);
  const failed = new Set(notCompared.map(({ rail, outside }) => `${rail} ${outside ?? ''}`));
  const unasked = ({ rail, outside }: Rail): boolean => failed.has(`${rail} ${outside ?? ''}`);
  return [
    ...(rails.length === 0
      ? [`No money has moved since ${day}.`]
      : [`Money since ${day}:`, ...layTable(railColumns(unasked), rails).lines]),
    ...(byHand.entries === 0
      ? []
      : [
          `Sent back by hand, which no outside book contains: ${countOf(byHand.entries, 'refund')}, ${formatUsd(byHand.books_cents)}.`,
        ]),
    ...flights.map(({ rail, found }) => `On its way (${rail}): ${found}.`),
    ...notCompared.map(({ rail, outside, reason }) => {
      const where = outside === null ? rail : `${rail} at ${outside}`;
      return `${where} was not compared: ${isOffline ? '--offline was given' : reason}.`;
    }),
  ];
}

function verdict(
  { accounts, findings, not_compared: notCompared }: LedgerReport,
  isOffline: boolean,
): string[] {
  if (findings.length > 0) return [];
  const what =
    isOffline || notCompared.length > 0 ? 'The books by themselves are correct' : 'The books are correct';
  const total = (side: 'debit_cents' | 'credit_cents'): string =>
    formatUsd(accounts.reduce((sum, row) => sum + row[side], 0));
  return [`${what}: debits ${total('debit_cents')}, credits ${total('credit_cents')}.`];
}
