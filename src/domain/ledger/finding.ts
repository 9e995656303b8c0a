/** One thing that should never be, found in the books or between them and the outside. */
export interface LedgerFinding {
  readonly kind: string;
  /** The posting, invoice, refund or payment that is wrong. */
  readonly subject: string;
  /** A clause for a person. */
  readonly found: string;
}

/** What each finding of the books alone says. */
const MEANINGS: Readonly<Record<string, string>> = {
  unbalanced_posting: 'the debits of this posting are not its credits',
  posting_without_entries: 'this posting has no entries',
  paid_invoice_not_settled: 'the invoice is paid, and its payments in the books are not its total',
  settled_invoice_not_paid: 'a payment settled this invoice, and it is not paid',
  finalized_invoice_not_posted: 'the invoice was issued, and the books do not know it',
  receivable_differs_from_what_is_owed: 'what the books expect for this invoice is not what is owed',
  void_invoice_left_in_the_books: 'the invoice is void or a draft, and the books still hold it',
  refunds_owed_differ_from_refunds:
    'what the books owe back for this invoice is not the sum of its open refunds',
  refunded_amount_differs_from_refunds: 'the refunded amount of this invoice is not the sum of its refunds',
  refund_not_posted: 'the refund was sent, and the books do not know it',
  work_ended_with_revenue_deferred: 'the work of this invoice has ended, and the books still owe it',
  collected_twice: 'the built-in processor collected this invoice more than once',
  collected_and_not_posted: 'the built-in processor collected this payment, and the books do not know it',
  sent_back_and_not_posted: 'the built-in processor sent this refund, and the books do not know it',
  sent_back_more_than_collected: 'more went back than was collected with this payment',
  accepted_quote_without_its_invoice: 'the quote and its invoice do not agree',
  replacement_of_another_invoice:
    'the invoice was issued again, and the one it replaces is not void or of another quote',
  document_numbers_with_a_gap: 'numbers of this series were given and have no document',
};

export function meaningOf(kind: string): string {
  return MEANINGS[kind] ?? 'this should never be';
}
