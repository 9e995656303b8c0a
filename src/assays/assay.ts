import type { LayoutName } from '#features/runs/layouts.ts';

export type ExperimentPlot = 'plates' | 'rates' | 'melts';

/** An assay as the lab sells it. How it is measured, analyzed and shown is defined in other folders. */
export interface SoldAssay {
  /** Title at the head of pages, reports and results. */
  readonly title: string;
  /** Name on quotes and invoices. */
  readonly invoiceName: string;
  /** True when sequences are measured against a target by a binding method. */
  readonly hasTarget: boolean;
  /** Before the target in a title, as in `Affinity of X to Y`; `against` unless said otherwise. */
  readonly targetPreposition?: 'to' | 'against';
  /** True when a client may choose the analyte concentrations. */
  readonly takesConcentrations: boolean;
  /** Whether its summary row has one of the shapes that were published first. */
  readonly hasPublishedRow: boolean;
  /** Plots of a whole experiment, in addition to its ranking. */
  readonly plots: readonly ExperimentPlot[];
  /** The grade of a result looks at the first of these quantities that it has; an assay that answers yes or no has none. */
  readonly gradedBy: readonly string[];
  /** Layouts of its plates; the first that fits the method is the usual one. */
  readonly layouts: readonly LayoutName[];
}
