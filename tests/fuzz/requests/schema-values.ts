/** Values that a schema admits, filled with what earlier answers named. */
import type { Chance } from './chance.ts';
import type { Pool } from './pool.ts';

type Schema = Readonly<Record<string, unknown>>;

const OPTIONAL_PERCENT = 35;
const DEPTH_MAX = 8;

export interface ValueSources {
  readonly chance: Chance;
  readonly pool: Pool;
  /** A text of the organization that sends it: found anywhere else, it has leaked. */
  readonly getWords: () => string;
  /** A protein of that organization. */
  readonly getProtein: () => string;
  /** The secret of a webhook. */
  readonly secret: string;
  readonly token: string;
}

export function drawValue(schema: unknown, name: string, sources: ValueSources, depth = 0): unknown {
  const known = findKnownValue(name, sources);
  if (known !== undefined && isText(schema)) return known;
  if (!isSchema(schema)) return sources.getWords();
  const { chance } = sources;
  if (Array.isArray(schema.enum) && schema.enum.length > 0) return chance.pick(schema.enum as unknown[]);
  if ('const' in schema) return schema.const;
  const union = schema.anyOf ?? schema.oneOf;
  if (Array.isArray(union)) return drawValue(pickBranch(union, chance), name, sources, depth);
  const type = Array.isArray(schema.type) ? chance.pick(schema.type as unknown[]) : schema.type;
  switch (type) {
    case 'object':
      return recordFor(schema, sources, depth);
    case 'array': {
      const least = toNumber(schema.minItems, 0);
      const length = Math.max(least, Math.min(toNumber(schema.maxItems, 3), 1 + chance.drawBelow(3)));
      return Array.from({ length }, () => drawValue(schema.items, name, sources, depth + 1));
    }
    case 'string':
      return drawText(schema, name, sources);
    case 'integer':
      return chance.pick(listWholeNumbers(schema));
    case 'number':
      return chance.pick([...listWholeNumbers(schema), toNumber(schema.minimum, 0) + 0.5]);
    case 'boolean':
      return chance.isDrawn(50);
    case 'null':
      return null;
    default:
      return sources.getWords();
  }
}

/** Mostly what is not null. */
function pickBranch(branches: readonly unknown[], chance: Chance): unknown {
  const full = branches.filter((branch) => !(isSchema(branch) && branch.type === 'null'));
  return full.length > 0 && chance.isDrawn(85) ? chance.pick(full) : chance.pick(branches);
}

function recordFor(schema: Schema, sources: ValueSources, depth: number): Record<string, unknown> {
  const { chance } = sources;
  const made: Record<string, unknown> = {};
  const properties = isSchema(schema.properties) ? schema.properties : {};
  const required = new Set(Array.isArray(schema.required) ? schema.required : []);
  for (const [name, property] of Object.entries(properties)) {
    if (!required.has(name) && (depth >= DEPTH_MAX || !chance.isDrawn(OPTIONAL_PERCENT))) continue;
    made[name] = drawValue(property, name, sources, depth + 1);
  }
  const [pattern] = isSchema(schema.patternProperties) ? Object.values(schema.patternProperties) : [];
  const rest = pattern ?? (isSchema(schema.additionalProperties) ? schema.additionalProperties : undefined);
  if (rest !== undefined) {
    for (let count = 1 + chance.drawBelow(3); count > 0; count--)
      made[`${sources.getWords()}-${count}`] = drawValue(rest, 'sequence', sources, depth + 1);
  }
  return made;
}

function drawText(schema: Schema, name: string, sources: ValueSources): string {
  const { chance, pool } = sources;
  switch (schema.format) {
    case 'uuid':
      return pool.pickAny(chance) ?? '01980000-0000-7000-8000-00000000ffff';
    case 'date-time':
      return chance.pick(['2026-03-02T09:00:00Z', '2026-12-31T23:59:59+02:00', '2027-01-01T00:00:00.5Z']);
    case 'date':
      return chance.pick(['2026-03-02', '2026-02-28', '2028-02-29']);
    case 'uri':
      return 'https://example.org/hook';
    default:
      break;
  }
  if (name === 'sequence' || name === 'aa_string') return sources.getProtein();
  if (typeof schema.pattern === 'string') return drawFitting(schema.pattern, chance);
  const length = toNumber(schema.maxLength, 100);
  return sources.getWords().slice(0, length).padEnd(toNumber(schema.minLength, 0), 'x');
}

/** Texts that the patterns of our schemas ask for; where none fits, the refusal is tried. */
function drawFitting(pattern: string, chance: Chance): string {
  const form = new RegExp(pattern, 'u');
  const samples = [
    'DE',
    'FR',
    'IT',
    'P00533',
    '1IVO',
    '2026-03-02',
    'usd',
    'abc',
    '1',
    'A-1',
    'x@example.org',
  ];
  const fits = samples.filter((sample) => form.test(sample));
  return fits.length > 0 ? chance.pick(fits) : chance.pick(samples);
}

function listWholeNumbers(schema: Schema): number[] {
  const low = toNumber(schema.minimum, toNumber(schema.exclusiveMinimum, -1) + 1);
  const high = Math.min(toNumber(schema.maximum, low + 100_000), low + 100_000);
  return [low, low + 1, Math.min(high, low + 7), Math.floor((low + high) / 2), high];
}

let emails = 0;

/** Members whose name says more than their schema. */
function findKnownValue(name: string, { chance, pool, secret, token }: ValueSources): string | undefined {
  switch (name) {
    case 'token':
      return token;
    case 'webhook_secret':
      return secret;
    case 'webhook_url':
      return 'https://example.org/hook';
    case 'email':
      return `fuzz-${++emails}@example.org`;
    case 'experiment_code':
      return pool.pick('experiment_id', chance);
    case 'cursor':
      return pool.pick('cursor', chance);
    case 'country':
      return chance.pick(['DE', 'FR', 'IT', 'US']);
    case 'content_base64':
      return 'IyBhc3NheWVyLXRyYWNlczogMQo=';
    default:
      return name.endsWith('_id') || name === 'request_uuid' ? pool.pick(name, chance) : undefined;
  }
}

function isText(schema: unknown): boolean {
  if (!isSchema(schema)) return false;
  if (Array.isArray(schema.anyOf)) return schema.anyOf.some((branch) => isText(branch));
  return schema.type === 'string' || (Array.isArray(schema.type) && schema.type.includes('string'));
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function toNumber(value: unknown, fallback: number): number {
  return typeof value === 'number' ? value : fallback;
}
