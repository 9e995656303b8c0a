/** Prints the ledger check for people who keep books. */
import { formatCount } from '#core/words.ts';
import { formatUsd } from '#core/money.ts';
import type { LedgerReport } from '#features/ledger/check-ledger.ts';
import { layTable, type Column } from './table.ts';

type Account = LedgerReport['accounts'][number];
type Rail = LedgerReport['rails'][number];

const accountColumns: readonly Column<Account>[] = [
  { title: 'ACCOUNT', getCell: ({ account, rail }) => (rail === null ? account : `${account} (${rail})`) },
  { title: 'CURRENCY', getCell: ({ currency }) => currency.toUpperCase() },
  { title: 'DEBIT', align: 'right', getCell: (row) => formatUsd(row.debit_cents) },
  { title: 'CREDIT', align: 'right', getCell: (row) => formatUsd(row.credit_cents) },
  { title: 'BALANCE', align: 'right', getCell: (row) => formatUsd(row.debit_cents - row.credit_cents) },
];

/** Amounts outside may have fractions of a cent. */
function formatAmount(cents: number): string {
  if (Number.isInteger(cents)) return formatUsd(cents);
  return `${cents < 0 ? '-' : ''}$${Math.abs(cents / 100).toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 18 })}`;
}

function createRailColumns(unasked: (rail: Rail) => boolean): readonly Column<Rail>[] {
  const writeUnlessUnasked = (text: (rail: Rail) => string) => (rail: Rail) =>
    unasked(rail) ? '' : text(rail);
  return [
    { title: 'RAIL', getCell: ({ rail }) => rail },
    { title: 'MONEY', getCell: ({ direction }) => (direction === 'received' ? 'received' : 'sent back') },
    { title: 'POSTINGS', align: 'right', getCell: ({ entries }) => entries.toLocaleString('en-US') },
    { title: 'IN THE BOOKS', align: 'right', getCell: (row) => formatUsd(row.books_cents) },
    { title: 'OUTSIDE', getCell: (row) => (unasked(row) ? 'not compared' : (row.outside ?? '')) },
    {
      title: 'FOUND',
      align: 'right',
      getCell: writeUnlessUnasked(({ movements }) => movements.toLocaleString('en-US')),
    },
    {
      title: 'AMOUNT',
      align: 'right',
      getCell: writeUnlessUnasked((row) => formatAmount(row.outside_cents)),
    },
    {
      title: 'DIFFERENCE',
      align: 'right',
      getCell: writeUnlessUnasked((row) => formatAmount(row.outside_cents - row.books_cents)),
    },
  ];
}

export function listReportLines(
  report: LedgerReport,
  { isOffline }: { readonly isOffline: boolean },
): readonly string[] {
  const { accounts, findings } = report;
  return [
    ...(accounts.length === 0
      ? ['Nothing has been posted yet.']
      : [...layTable(accountColumns, accounts).lines, '']),
    ...(accounts.length === 0 ? [] : listOutsideLines(report, isOffline)),
    '',
    ...findings.map(({ kind, subject, found }) => `${kind.replaceAll('_', ' ')}: ${subject}\n  ${found}`),
    ...describeVerdict(report, isOffline),
  ];
}

function listOutsideLines(report: LedgerReport, isOffline: boolean): string[] {
  const { rails, in_flight: flights, by_hand: byHand, not_compared: notCompared } = report;
  const day = report.since.slice(0, 10);
  const failed = new Set(notCompared.map(({ rail, outside }) => `${rail} ${outside ?? ''}`));
  const isUnasked = ({ rail, outside }: Rail): boolean => failed.has(`${rail} ${outside ?? ''}`);
  return [
    ...(rails.length === 0
      ? [`No money has moved since ${day}.`]
      : [`Money since ${day}:`, ...layTable(createRailColumns(isUnasked), rails).lines]),
    ...(byHand.entries === 0
      ? []
      : [
          `Sent back by hand, which no outside book contains: ${formatCount(byHand.entries, 'refund')}, ${formatUsd(byHand.books_cents)}.`,
        ]),
    ...flights.map(({ rail, found }) => `On its way (${rail}): ${found}.`),
    ...notCompared.map(({ rail, outside, reason }) => {
      const where = outside === null ? rail : `${rail} at ${outside}`;
      return `${where} was not compared: ${isOffline ? '--offline was given' : reason}.`;
    }),
  ];
}

function describeVerdict(
  { accounts, findings, not_compared: notCompared }: LedgerReport,
  isOffline: boolean,
): string[] {
  if (findings.length > 0) return [];
  const verdict =
    isOffline || notCompared.length > 0 ? 'The books by themselves are correct' : 'The books are correct';
  const formatTotal = (side: 'debit_cents' | 'credit_cents'): string =>
    formatUsd(accounts.reduce((sum, row) => sum + row[side], 0));
  return [`${verdict}: debits ${formatTotal('debit_cents')}, credits ${formatTotal('credit_cents')}.`];
}
