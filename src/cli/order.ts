/** Shared by `estimate`, `submit` and `demo`: reads an experiment from a file of sequences and options. */
import { formatCount } from '#core/words.ts';
import { formatUsd } from '#core/money.ts';
import type { ExperimentSpec, ExperimentType } from '#features/experiments/contract.ts';
import { experimentTypes } from '#features/experiments/types.ts';
import { hasTarget, takesConcentrations, USUAL_ASSAY } from '#assays/registry.ts';
import type { CostBreakdown, IncompleteCostEstimate } from '#features/pricing/contract.ts';
import { ASSAY_WORDS } from './assays.ts';
import type { Api } from './api.ts';
import { requireTarget, type Target } from './find-item.ts';
import { createUsageError, requireChoice, type CommandGuide, type OptionValues } from './options.ts';
import { readSequenceFile } from './sequence-file.ts';
import { layTable, type Column } from './table.ts';
import { getTableWidth } from './terminal.ts';

export const ORDER_OPTIONS = {
  'type TYPE': `on a target: ${ASSAY_WORDS.targetedInFull}; without one: ${ASSAY_WORDS.targetless}`,
  'target TARGET': `name, gene, UniProt accession or id of the target (${ASSAY_WORDS.targeted})`,
  'method METHOD': `bli (default) or spr (${ASSAY_WORDS.targeted})`,
  'replicates N': 'independent measurements of each sequence, 1 to 5; default 3',
  'concentrations LIST': `target concentrations in nM, such as 1000,316.2,100 (${ASSAY_WORDS.withConcentrations} only)`,
  translate: 'translate DNA: standard code, reading frame 1, or the only one without a stop inside',
  'library KIND': '',
} as const;

export type OrderOptions = OptionValues<typeof ORDER_OPTIONS>;

export interface Order {
  readonly spec: ExperimentSpec;
  /** Null for assays without a target. */
  readonly target: Target | null;
  readonly count: number;
}

/** The API's answer to a cost estimate. */
export interface Estimate {
  readonly breakdown?: CostBreakdown | null;
  readonly incomplete?: IncompleteCostEstimate | null;
  readonly warnings?: readonly string[];
}

const METHODS = ['bli', 'spr'] as const;
export const LIBRARIES = ['naive', 'enriched'] as const;

export async function readOrder(
  guide: CommandGuide,
  api: Api,
  file: string,
  options: OrderOptions,
): Promise<Order> {
  const plan = readPlan(guide, options);
  const sequences = await readSequenceFile(file, options.translate);
  const target = options.target === undefined ? null : await requireTarget(api, options.target);
  const spec = { ...plan, ...(target === null ? {} : { target_id: target.id }), sequences };
  return { spec, target, count: Object.keys(sequences).length };
}

function readPlan(guide: CommandGuide, options: OrderOptions): ExperimentSpec {
  const { replicates, concentrations } = options;
  const type = requireChoice(guide, 'type', options.type, experimentTypes) ?? USUAL_ASSAY;
  const method = chooseMethod(guide, type, options);
  if (replicates !== undefined && !/^[1-5]$/.test(replicates))
    throw createUsageError(guide, '--replicates must be a whole number from 1 to 5');
  const library = requireChoice(guide, 'library', options.library, LIBRARIES);
  return {
    experiment_type: type,
    ...(method === null ? {} : { method }),
    ...(replicates === undefined ? {} : { n_replicates: Number(replicates) }),
    ...(concentrations === undefined
      ? {}
      : { antigen_concentrations: parseConcentrations(guide, concentrations) }),
    ...(library === undefined ? {} : { parameters: { sandbox: { library } } }),
  };
}

/** The method of an assay on a target. Other assays have neither target nor method nor concentrations. */
function chooseMethod(
  guide: CommandGuide,
  type: ExperimentType,
  options: OrderOptions,
): 'bli' | 'spr' | null {
  const { target, method, concentrations } = options;
  if (!takesConcentrations(type) && concentrations !== undefined)
    throw createUsageError(guide, `--concentrations does not apply to ${type}`);
  if (hasTarget(type)) {
    if (target === undefined)
      throw createUsageError(
        guide,
        `--target is missing, which --type ${ASSAY_WORDS.targetless} would not need`,
      );
    return requireChoice(guide, 'method', method, METHODS) ?? 'bli';
  }
  if (target !== undefined)
    throw createUsageError(guide, `--target does not apply to ${type}, which has no target`);
  if (method !== undefined)
    throw createUsageError(guide, `--method does not apply to ${type}, which has only one`);
  return null;
}

function parseConcentrations(guide: CommandGuide, text: string): number[] {
  const values = text.split(',').map((part) => (part.trim() === '' ? Number.NaN : Number(part)));
  if (!values.every((value) => Number.isFinite(value) && value > 0))
    throw createUsageError(guide, '--concentrations must be positive numbers of nM separated by commas');
  return values;
}

interface CostLine {
  readonly label: string;
  readonly quantity: string;
  readonly cents: number | null;
}

const costColumns: readonly Column<CostLine>[] = [
  { title: 'ITEM', getCell: ({ label }) => label },
  { title: 'PRICE', align: 'right', getCell: ({ quantity }) => quantity },
  { title: 'SUM', align: 'right', getCell: ({ cents }) => (cents === null ? '?' : formatUsd(cents)) },
];

/** Asks for the price of an experiment, which changes nothing. */
export async function readEstimate(api: Api, spec: ExperimentSpec): Promise<Estimate> {
  const estimate = await api.post<Estimate>('/experiments/cost-estimate', { experiment_spec: spec });
  const prices = ['sequence_count', 'n_replicates', 'unit_price_cents', 'replicate_price_cents'];
  const members = ['breakdown', 'incomplete'].flatMap((part) =>
    prices.map((name) => `${part}?.assay.${name}:number`),
  );
  return api.check(estimate, `${members.join(' ')} breakdown?.total_cents:number warnings[]?`);
}

/** Lists the lines of a price, as a table without column heads. */
export function listCostLines(estimate: Estimate): string[] {
  const { breakdown, incomplete } = estimate;
  const assay = breakdown?.assay ?? incomplete?.assay;
  if (assay === undefined) return [];
  const { sequence_count: sequences, unit_price_cents: unit, replicate_price_cents: further } = assay;
  const extra = Math.max(0, assay.n_replicates - 1);
  const rows: CostLine[] = [
    { label: 'First replicate', quantity: `${sequences} × ${formatUsd(unit)}`, cents: sequences * unit },
  ];
  if (extra > 0)
    rows.push({
      label: extra === 1 ? 'Second replicate' : 'Further replicates',
      quantity: `${sequences} × ${extra === 1 ? '' : `${extra} × `}${formatUsd(further)}`,
      cents: sequences * extra * further,
    });
  rows.push(...listMaterialLines(breakdown?.materials));
  if (breakdown?.discount_cents !== undefined)
    rows.push({ label: 'Volume discount', quantity: '', cents: -breakdown.discount_cents });
  rows.push({ label: 'Total', quantity: '', cents: breakdown?.total_cents ?? null });
  return [...layTable(costColumns, rows, { width: getTableWidth() - 2 }).rows];
}

function listMaterialLines(material: CostBreakdown['materials']): CostLine[] {
  if (material === null || material === undefined) return [];
  if (material.type === 'per_sequence')
    return [
      {
        label: `Target ${material.target_name}`,
        quantity: `${material.sequence_count} × ${formatUsd(material.price_per_sequence_cents)}`,
        cents: material.subtotal_cents,
      },
    ];
  return material.lots.map(({ quantity, lot_price_cents: price, num_sequences: enoughFor }) => ({
    label: `Target ${material.target_name}, lot for ${formatCount(enoughFor, 'sequence')}`,
    quantity: `${quantity} × ${formatUsd(price)}`,
    cents: quantity * price,
  }));
}
