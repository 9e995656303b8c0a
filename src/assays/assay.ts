/** What the folder of an assay gives to the registry. */
import type { Assay as Analyzed, ResultOf } from '#analysis/assays/assay.ts';
import type { TSchema } from '#core/schema.ts';
import type { AssayColumns } from './columns.ts';
import type { ShownAssay } from './shown-assay.ts';
import type { SimulatedAssay } from './simulated-assay.ts';
import type { LayoutName } from '#features/runs/layouts.ts';

export type ExperimentPlot = 'plates' | 'rates' | 'melts';

/** An assay as the lab sells it. */
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
  /** The label where people choose an assay. */
  readonly label: string;
  /** File names of upload templates that its analysis reads. */
  readonly templates: readonly string[];
  /** Its place in forms and in the help. */
  readonly offeredAs: number;
}

/**
 * An entry of the registry. Contracts and commands need what the lab sells at once; the parts load where they are
 * needed, so that a worker thread loads no page and a command no analysis.
 */
export interface Assay<Engine extends Analyzed = Analyzed, Row extends TSchema = never> extends SoldAssay {
  /** The shape of its summary row, where the contract has one for it alone. */
  readonly loadRow?: () => Promise<Row>;
  /** Reads raw files and analyzes them, in worker threads. */
  readonly loadEngine: () => Promise<Engine>;
  /** Writes the raw files of the simulated lab. */
  readonly loadSimulated: () => Promise<SimulatedAssay>;
  /** Presents results: on the wire, on pages, in figures, reports and packages. */
  readonly loadShown: () => Promise<ShownAssay<ResultOf<Engine>>>;
  /** Columns of the command line. */
  readonly loadColumns: () => Promise<AssayColumns>;
}
