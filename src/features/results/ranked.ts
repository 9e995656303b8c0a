/** The released results of an experiment, by rank. */
import type { Grade } from './assessment.ts';
import type { ShownQuantity } from './store.ts';

export interface RankedResult {
  readonly sequence_name: string;
  readonly is_control: boolean;
  readonly grade?: Grade | undefined;
  readonly outcome: string;
  readonly place: number | null;
  readonly quantities: Readonly<Record<string, ShownQuantity>>;
  /** The first summary row. */
  readonly summary: Readonly<Record<string, unknown>>;
}

export interface RankedExperiment {
  readonly code: string;
  readonly experiment_type: string;
  /** Best first. */
  readonly results: readonly RankedResult[];
  readonly total: number;
}
