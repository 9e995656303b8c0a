/** The named records of the contract: each is defined once in the document. */
import { getOriginal, type TSchema } from '#core/schema.ts';
import * as audit from '#features/audit/contract.ts';
import * as experiments from '#features/experiments/contract.ts';
import * as feedback from '#features/feedback/contract.ts';
import * as invoices from '#features/invoices/contract.ts';
import * as mappings from '#features/runs/raw-files/mapping-contract.ts';
import * as previews from '#features/runs/raw-files/preview-contract.ts';
import * as rawFiles from '#features/runs/raw-files/run-contract.ts';
import * as partners from '#features/tokens/partners/contract.ts';
import * as pricing from '#features/pricing/contract.ts';
import * as priceLists from '#features/pricing/list-contract.ts';
import * as quotes from '#features/quotes/contract.ts';
import * as refunds from '#features/invoices/refunds/contract.ts';
import * as results from '#features/results/contract.ts';
import * as runPlans from '#features/runs/plan-schemas.ts';
import * as runs from '#features/runs/run-contract.ts';
import * as sequences from '#features/sequences/contract.ts';
import * as targetRequests from '#features/targets/request-contract.ts';
import * as targets from '#features/targets/contract.ts';
import * as tokens from '#features/tokens/contract.ts';
import * as updates from '#features/updates/contract.ts';

type Json = Record<string, unknown>;

const contracts: readonly object[] = [
  audit,
  experiments,
  feedback,
  invoices,
  mappings,
  partners,
  previews,
  priceLists,
  pricing,
  quotes,
  rawFiles,
  refunds,
  results,
  runPlans,
  runs,
  sequences,
  targetRequests,
  targets,
  tokens,
  updates,
];

/** Described in place: path parameters, and fields whose only description is their own. */
const INLINE = new Set(['ExperimentParams', 'FileName', 'Edit']);

function isSchema(value: unknown): value is TSchema {
  return (
    typeof value === 'object' &&
    value !== null &&
    !('permission' in value) &&
    ('type' in value || 'anyOf' in value || 'enum' in value)
  );
}

const nameOf = new Map<unknown, string>();
for (const contract of contracts) {
  for (const [name, value] of Object.entries(contract)) {
    if (/^[A-Z]/.test(name) && !INLINE.has(name) && isSchema(value) && !nameOf.has(value))
      nameOf.set(value, name);
  }
}

/** Collects the records that the document refers to. */
export class Components {
  readonly #schemas = new Map<string, unknown>();
  readonly #responses = new Map<string, { readonly name: string; readonly response: Json }>();

  /** The schema as the document has it: a reference for a named record. */
  addSchema(schema: unknown): unknown {
    if (typeof schema !== 'object' || schema === null) return schema;
    const original = getOriginal(schema);
    const name = nameOf.get(original);
    if (name === undefined) return this.#addInside(schema);
    if (!this.#schemas.has(name)) {
      this.#schemas.set(name, null);
      this.#schemas.set(name, this.#addInside(original));
    }
    const reference = { $ref: `#/components/schemas/${name}` };
    if (original === schema || !('description' in schema)) return reference;
    return { ...reference, description: schema.description };
  }

  #addInside(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item: unknown) => this.addSchema(item));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, this.addSchema(item)]));
  }

  /** A failure response; the same sentences under the same status are defined once. */
  addResponse(status: number, response: Json): Json {
    const key = `${status} ${JSON.stringify(response)}`;
    const same = [...this.#responses.keys()].filter((other) => other.startsWith(`${status} `)).length;
    const component = this.#responses.get(key) ?? { name: `Failure${status}_${same + 1}`, response };
    this.#responses.set(key, component);
    return { $ref: `#/components/responses/${component.name}` };
  }

  getSchemas(): Json {
    return Object.fromEntries([...this.#schemas].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  getResponses(): Json {
    const named = [...this.#responses.values()].map(({ name, response }): [string, Json] => [name, response]);
    return Object.fromEntries(named.sort(([a], [b]) => (a < b ? -1 : 1)));
  }
}
