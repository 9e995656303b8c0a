/** What the wire's records of all assays share: provenance, quality, quantities, spelling. */
import type { Flag } from '#analysis/flags.ts';
import type { Quantity as MeasuredQuantity } from '#analysis/quantity.ts';
import type { Outcome, Quantity, ResultSummary } from '#domain/results/contract.ts';

export interface ResultSubject {
  readonly sequenceId: string;
  readonly sequenceName: string;
  readonly aaString: string;
  readonly isControl: boolean;
  readonly target: {
    name: string;
    sequence: string | null;
    supplier_url: string;
    target_catalog_id: string;
  } | null;
  readonly method: string | null;
}

export interface WireResult {
  readonly outcome: Outcome;
  readonly bindingScore: number | null;
  readonly summary: ResultSummary[];
  readonly record: Readonly<Record<string, unknown>>;
  /** See `joinPackedCurves`. */
  readonly packedCurves: Uint8Array;
}

/** What the records of every analysis need of it. */
export interface AnalysisFacts {
  readonly plates: readonly {
    readonly plate: string;
    readonly instrument: string | null;
    readonly pass: boolean;
    readonly flags: readonly Flag[];
  }[];
  readonly analysis: {
    readonly engine: { readonly name: string; readonly version: string };
    readonly model: string;
    readonly settings: object;
    readonly inputs: readonly { readonly sha256: string }[];
  };
}

export interface Judged {
  readonly place: number | null;
  readonly nReplicates: number;
  readonly nReplicatesPassed: number;
  readonly flags: readonly Flag[];
}

export const UNTESTED: Judged = { place: null, nReplicates: 0, nReplicatesPassed: 0, flags: [] };

export function recordOf(
  facts: AnalysisFacts,
  subject: ResultSubject,
  judged: Judged,
  quantities: Readonly<Record<string, Quantity>>,
): Record<string, unknown> {
  const { analysis, plates } = facts;
  return {
    sequence_name: subject.sequenceName,
    is_control: subject.isControl,
    target_name: subject.target?.name ?? null,
    method: subject.method,
    instrument: plates[0]?.instrument ?? null,
    place: judged.place,
    n_replicates: judged.nReplicates,
    n_replicates_passed: judged.nReplicatesPassed,
    qc: { pass: judged.nReplicatesPassed > 0, flags: codesOf(judged.flags), details: judged.flags },
    quantities,
    analysis: {
      engine: analysis.engine,
      model: analysis.model,
      settings: wireKeys(analysis.settings),
      input_sha256: analysis.inputs.map((file) => file.sha256),
      plates: plates.map((plate) => ({
        plate: plate.plate,
        pass: plate.pass,
        flags: codesOf(plate.flags),
      })),
    },
  };
}

/** What a reader has to know before trusting the value, each code once; mere information stays in the details. */
export function codesOf(flags: readonly Flag[]): string[] {
  return [...new Set(flags.filter((flag) => flag.severity !== 'info').map((flag) => flag.code))];
}

/** `dissociationS` → `dissociation_s`, at every depth: the wire's spelling. Keys that are names stay as they are. */
export function wireKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => wireKeys(item));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      /^[a-z][A-Za-z0-9]*$/.test(key)
        ? key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
        : key,
      wireKeys(item),
    ]),
  );
}

/** The quantities that have a value, in the wire's form. */
export function present(
  quantities: Readonly<Record<string, MeasuredQuantity | null>>,
): Record<string, Quantity> {
  const found: Record<string, Quantity> = {};
  for (const [name, quantity] of Object.entries(quantities)) {
    const wire = wireQuantity(quantity);
    if (wire !== null) found[name] = wire;
  }
  return found;
}

export function interval(quantity: MeasuredQuantity | null) {
  return quantity === null
    ? null
    : { value: quantity.value, ci_low: quantity.ci95Low, ci_high: quantity.ci95High };
}

export function wireQuantity(quantity: MeasuredQuantity | null): Quantity | null {
  if (quantity === null) return null;
  return {
    value: quantity.value,
    unit: quantity.unit,
    relation: quantity.relation,
    ci95_low: quantity.ci95Low,
    ci95_high: quantity.ci95High,
    log10_sd: quantity.log10Sd,
    n: quantity.n,
  };
}
