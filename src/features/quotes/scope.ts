/** What a quote is for, in words that a purchaser signs: on its page and in its document. Pure. */
import { findAssay } from '#assays/registry.ts';
import { formatCount } from '#core/words.ts';

/** An order as far as its quote names it. */
export interface QuotedOrder {
  readonly experiment_type: string;
  readonly method: string | null;
  /** Of the catalog or as it was requested; null where the assay takes none. */
  readonly target_name: string | null;
  readonly sequence_count: number;
  readonly control_count: number;
  readonly n_replicates: number;
  readonly antigen_concentrations_nm: readonly number[] | null;
}

const DELIVERED = 'Values with intervals, grades and flags, curves, raw files, report, data package';

/** Lists the facts of the order, each with its name. */
export function describeQuotedOrder(order: QuotedOrder): (readonly [label: string, value: string])[] {
  const assay = findAssay(order.experiment_type)?.title ?? order.experiment_type.replaceAll('_', ' ');
  const method = order.method === null ? '' : ` by ${order.method.toUpperCase()}`;
  const controls =
    order.control_count === 0 ? '' : `, ${formatCount(order.control_count, 'control')} of them`;
  const doses = order.antigen_concentrations_nm;
  return [
    ['Assay', `${assay}${method}`],
    ...(order.target_name === null ? [] : [['Target', order.target_name] as const]),
    ['Sequences', `${formatCount(order.sequence_count, 'sequence')}${controls}`],
    ['Replicates', `${order.n_replicates} of each sequence`],
    ...(doses === null ? [] : [['Concentrations', `${doses.join(', ')} nM`] as const]),
    ['Delivered', DELIVERED],
  ];
}
