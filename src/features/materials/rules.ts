/**
 * What must be in the lab before the run of an experiment can start.
 * This folder: materials of experiments: which are needed, and what staff say about each. Not here: the stock of
 * targets (`features/targets`), plans of runs.
 */

export const materialStatuses = ['missing', 'ordered', 'received', 'in_stock'] as const;
export type MaterialStatus = (typeof materialStatuses)[number];

export const materialForms = ['gene_fragment', 'protein'] as const;
export type MaterialForm = (typeof materialForms)[number];

/** One thing that an experiment needs, with what is known of it. */
export interface Material {
  readonly kind: 'sequence' | 'antigen';
  /** The sequence; for the antigen the experiment itself. */
  readonly subject_id: string;
  /** Name of the sequence or of the target. */
  readonly name: string;
  readonly status: MaterialStatus;
  readonly form: MaterialForm;
  readonly lot: string | null;
  readonly amount_ug: number | null;
  readonly concentration_mg_per_ml: number | null;
  /** The last day on which it may be used, such as `2027-03-31`. */
  readonly expires_on: string | null;
  readonly recorded_by: string | null;
  readonly updated_at: string | null;
}

/** What the catalog says about the stock of the antigen; mass in µg. */
export interface AntigenStock {
  readonly lot: string | null;
  readonly stock_ug: number | null;
}

/** The day in UTC, such as `2027-03-31`. */
export function formatDay(at: Date): string {
  return at.toISOString().slice(0, 10);
}

function isExpired({ expires_on: expiresOn }: Pick<Material, 'expires_on'>, today: string): boolean {
  return expiresOn !== null && expiresOn < today;
}

/** Whether a run can use it on this day: it is in the lab and has not expired. */
export function isUsable(material: Pick<Material, 'status' | 'expires_on'>, today: string): boolean {
  const { status } = material;
  return (status === 'received' || status === 'in_stock') && !isExpired(material, today);
}

/** Why a material cannot be marked as in stock; null where it can. */
export function findStockProblem(material: Material, stock: AntigenStock | null): string | null {
  const { kind, name, amount_ug: amountUg } = material;
  if (kind !== 'antigen')
    return `is for the antigen; mark ${name} ordered or received, because sequences are made for their experiment`;
  if (stock === null) return `needs a target of the catalog; mark ${name} ordered or received`;
  const { stock_ug: stockUg } = stock;
  if (stockUg === null || stockUg <= 0)
    return `needs stock; the catalog has none of ${name}: enter its stock with edit_target, or mark it ordered`;
  if (amountUg !== null && amountUg > stockUg)
    return `takes ${amountUg} µg, and the catalog has ${stockUg} µg of ${name}: choose a smaller amount or correct the stock`;
  return null;
}
