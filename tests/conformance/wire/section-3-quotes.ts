import type { WireRule } from './rules.ts';

const PRICES = 'tests/journeys/lifecycle-prices.test.ts';
const LIFECYCLE = 'tests/journeys/lifecycle.test.ts';
const QUOTES = 'tests/operations/quotes.test.ts';
const INVOICES = 'tests/operations/invoices.test.ts';

/** Prices, quotes, invoices and their documents; section 2 also has rules on the quote of an experiment. */
export const section3Quotes: readonly WireRule[] = [
  {
    rule: 'The assay costs the unit price for each sequence and the replicate price for each further replicate; the example of the contract is equal to the cent.',
    test: { file: PRICES, title: 'price: the example of the contract → equal to the cent' },
  },
  {
    rule: 'Control sequences are charged like any other.',
    test: {
      file: PRICES,
      title:
        'price: a control beside a sequence, one replicate → both are charged the price of a first replicate',
    },
  },
  {
    rule: 'Types without a target have no cost of materials.',
    test: { file: PRICES, title: 'price: an assay without a target → no materials' },
  },
  {
    rule: 'Materials sold by broken lots cost the cheapest combination of lots that covers the sequences.',
    test: {
      file: PRICES,
      title: 'price: a target sold by lots → the cheapest combination of its own lots',
    },
  },
  {
    rule: 'A target without a price is incomplete, with the reason under materials_unavailable and no total.',
    test: {
      file: 'tests/journeys/lifecycle-prices.test.ts',
      title: 'cost_estimate: a target without an immediate price → incomplete, without a total',
    },
  },
  {
    rule: 'A quote keeps the pricing version that made it.',
    test: {
      file: PRICES,
      title: 'price: a new price list takes effect → an earlier quote keeps its version',
    },
  },
  {
    rule: 'Prices exclude tax; lines add up to the subtotal, and with the tax to the total.',
    test: {
      file: 'tests/payments/one-calculation.test.ts',
      title: 'totals: random orders of the price list → the same cents from the estimate to the books',
    },
  },
  {
    rule: 'A fully priced experiment has a draft quote from its creation on, its fields name it, and submission opens the same quote.',
    test: {
      file: QUOTES,
      title:
        'get_quote_metadata: a priced draft, then its submission → the draft quote from creation on, then the same open',
    },
  },
  {
    rule: '404 quote_not_ready is answered only while there is no quote.',
    test: {
      file: QUOTES,
      title: 'quote_not_ready: no price list has the target, before and after submission → 404',
    },
  },
  {
    rule: 'A draft that a change of the experiment discarded is no quote of it.',
    test: {
      file: QUOTES,
      title:
        'quote_not_ready: a draft is changed to a target without a price → 404, and quote fields are null',
    },
  },
  {
    rule: 'A quote has every published field and is valid for 30 days.',
    test: { file: QUOTES, title: 'get_quote_info: a new quote → every published field, valid for 30 days' },
  },
  {
    rule: 'A rejected quote is canceled with its reason.',
    test: {
      file: QUOTES,
      title: 'reject_quote: an open quote → the experiment is a draft again and can be submitted again',
    },
  },
  {
    rule: 'A confirmation needs a JSON body: 400 without one, 415 for another media type.',
    test: {
      file: QUOTES,
      title: 'confirm_quote: no body, or one that is not JSON → 400 and 415, and the quote stays open',
    },
  },
  {
    rule: 'A confirmation answers the accepted quote, its invoice and how to pay; a second one is 409.',
    test: {
      file: QUOTES,
      title: 'confirm_quote: by quote or by experiment → accepted once, with its order number and notes',
    },
  },
  {
    rule: 'A quote past its date is stale, its confirmation is 409, and its experiment is a draft again.',
    test: {
      file: LIFECYCLE,
      title: 'quote_expired: a quote passes its date → it becomes stale and the experiment is a draft again',
    },
  },
  {
    rule: 'The quote document is a redirect to a short-lived address and carries the PDF itself.',
    test: {
      file: QUOTES,
      title: 'get_quote_pdf: a quote → the PDF, and a short-lived link to the same PDF that needs no token',
    },
  },
  {
    rule: 'The invoice document is a redirect that carries the PDF itself, and 404 while the invoice is a draft.',
    test: {
      file: INVOICES,
      title: 'invoice_is_draft: a draft → 404; a finalized invoice → its current PDF',
    },
  },
  {
    rule: 'Where the processor makes the documents, the redirect leads to its address and carries its PDF.',
    test: {
      file: 'tests/payments/stripe-documents.test.ts',
      title:
        'get_invoice_pdf: an invoice at Stripe → 307 to the current address with its document, asked of Stripe each time',
    },
  },
  {
    rule: 'An invoice is read by its UUID and by its external id.',
    test: {
      file: INVOICES,
      title: 'get_invoice: by either id, in the list and at its experiment → the same invoice',
    },
  },
  {
    rule: 'An invoice has every published field, open and paid.',
    test: {
      file: INVOICES,
      title: 'get_invoice: open, then paid → every published field, and what was paid by what',
    },
  },
  {
    rule: 'A void or uncollectible invoice is not payable.',
    test: { file: INVOICES, title: 'invoice_not_payable: a void or uncollectible invoice → 422' },
  },
  {
    rule: 'Paying without a method header on the hosted rail answers 200 with the state and the page, and already_paid once it is paid.',
    test: {
      file: INVOICES,
      title: 'pay_invoice: the hosted rail, before and after payment → where to pay, then that it is paid',
    },
  },
  {
    rule: 'A method header that contradicts the rail of the experiment is 409.',
    test: {
      file: INVOICES,
      title: 'method_rail_mismatch: another rail than that of the creation → 409',
    },
  },
  {
    rule: 'Estimate, quote, invoice and ledger have the same cents, and the ledger balances.',
    test: { file: PRICES, title: 'price: estimate, quote, invoice and ledger of one order → the same cents' },
  },
  {
    rule: 'The ledger is append-only.',
    test: {
      file: 'tests/payments/ledger-hazards.test.ts',
      title: 'ledger: a statement changes or removes a posting → nothing changes',
    },
  },
];
