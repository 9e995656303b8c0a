/** One inconsistency, within the ledger or between the ledger and an outside book. */
export interface LedgerFinding {
  readonly kind: string;
  /** The posting, invoice, refund or payment that is wrong. */
  readonly subject: string;
  /** A clause for people. */
  readonly found: string;
}

/** The text of each finding within the ledger. */
const MEANINGS: Readonly<Record<string, string>> = {
  unbalanced_posting: 'the debits of this posting do not equal its credits',
  posting_without_entries: 'this posting has no entries',
  paid_invoice_not_settled: 'the invoice is paid, but its payments in the books do not equal its total',
  settled_invoice_not_paid: 'a payment settled this invoice, but it is not marked paid',
  finalized_invoice_not_posted: 'the invoice was issued, but the books do not contain it',
  receivable_differs_from_what_is_owed:
    'the receivable of this invoice in the books does not equal the amount owed',
  void_invoice_left_in_the_books: 'the invoice is void or a draft, but the books still contain it',
  refunds_owed_differ_from_refunds:
    'the books owe back for this invoice an amount other than the sum of its open refunds',
  refunded_amount_differs_from_refunds:
    'the refunded amount of this invoice does not equal the sum of its refunds',
  refund_not_posted: 'the refund was sent, but the books do not contain it',
  work_ended_with_revenue_deferred: 'the work of this invoice has ended, but the books still owe it',
  collected_twice: 'the built-in processor collected this invoice more than once',
  collected_and_not_posted: 'the built-in processor collected this payment, but the books do not contain it',
  sent_back_and_not_posted: 'the built-in processor sent this refund, but the books do not contain it',
  sent_back_more_than_collected: 'more was refunded than was collected with this payment',
  accepted_quote_without_its_invoice: 'the status or the amounts of the quote and its invoice do not match',
  replacement_of_another_invoice: 'the invoice replaces one that is not void or belongs to another quote',
  document_numbers_with_a_gap: 'numbers of this series were assigned but have no document',
};

export function getMeaning(kind: string): string {
  return MEANINGS[kind] ?? 'unexpected state';
}
