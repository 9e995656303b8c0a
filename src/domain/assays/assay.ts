/** What the lab sells as an assay, apart from how it is measured, analyzed and shown. */
export interface SoldAssay {
  /** At the head of pages, reports and results. */
  readonly title: string;
  /** On quotes and invoices. */
  readonly invoiceName: string;
  /** In the price list that a new installation starts with, for one sequence and for each further replicate of it. */
  readonly firstPrice: { readonly unit_price_cents: number; readonly replicate_price_cents: number };
  /** Sequences are measured against a target, by a method of binding. */
  readonly hasTarget: boolean;
  /** A customer may name the concentrations of the analyte. */
  readonly takesConcentrations: boolean;
}
