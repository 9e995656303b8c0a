/**
 * The tools: one per operation, except for operations that are not offered as tools. Path, query and body are merged
 * into one object of arguments.
 */
import { paymentMethodWords } from '#core/capability.ts';
import type { Tool, ToolAnnotations } from '@modelcontextprotocol/server';
import { describeList } from '#core/filter/index.ts';
import { canGrant } from '#core/grants.ts';
import { audiences, findMissingPermission, getAudience } from '../permissions.ts';
import { changesSomething, hasBody, needsCare, type Operation, type PaymentHeader } from '#core/operation.ts';
import type { Principal } from '#core/principal.ts';
import type { TObject, TSchema } from '#core/schema.ts';
import type { Steps } from '#core/slices.ts';
import type { Binding } from '#features/binding.ts';

export type Place = 'params' | 'query' | 'body' | PaymentHeader | 'idempotency-key';

/** The place of an argument in the operation's request. */
export interface Argument {
  readonly place: Place;
  /** Its name there; it differs from the argument's name where two places share one. */
  readonly name: string;
}

export interface OperationTool {
  readonly binding: Binding;
  readonly tool: Tool;
  readonly arguments: ReadonlyMap<string, Argument>;
  /** Tools of the same kind about the same noun whose path has this parameter. */
  readonly listTakers: (parameter: string) => readonly string[];
}

interface Field extends Argument {
  readonly schema: TSchema;
  readonly isRequired: boolean;
}

/** Tools of clients come first, because some programs read only the first hundred of a list. */
export function* createTools(bindings: readonly Binding[]): Steps<ReadonlyMap<string, OperationTool>> {
  const offered = bindings.filter(({ operation }) => isTool(operation));
  const callable = audiences.flatMap((audience) =>
    offered.filter(({ operation }) => getAudience(operation) === audience),
  );
  const tools = new Map<string, OperationTool>();
  for (const binding of callable) {
    tools.set(binding.operation.id, buildTool(binding, callable));
    yield;
  }
  return tools;
}

function isTool({ id, isTool: isOffered = true, upload }: Operation): boolean {
  if (isOffered && upload !== undefined)
    throw new Error(`${id} takes the bytes of a file and cannot be a tool`);
  return isOffered;
}

/** Whether only the staff of the lab may call it. */
export function isOfLab(operation: Operation): boolean {
  return getAudience(operation) === 'staff';
}

/** Whether the dispatcher would let the caller call the operation. */
export function canCall(principal: Principal, operation: Operation): boolean {
  const { grants } = operation;
  if (grants !== undefined && !canGrant(grants, principal)) return false;
  return findMissingPermission(operation, principal) === undefined;
}

function buildTool(binding: Binding, others: readonly Binding[]): OperationTool {
  const { operation } = binding;
  const fields = listFields(operation);
  const properties = fields.map(([name, { schema }]) => [name, schema] as const);
  const required = fields.filter(([, { isRequired }]) => isRequired).map(([name]) => name);
  const outputSchema = buildOutputSchema(operation);
  const example = buildExample(operation);
  return {
    binding,
    listTakers: (parameter) => listTakers(operation, others, parameter),
    arguments: new Map(fields.map(([name, field]) => [name, { place: field.place, name: field.name }])),
    tool: {
      name: operation.id,
      title: operation.summary,
      description: writeDescription(operation),
      inputSchema: {
        type: 'object',
        properties: toJsonSchemas(Object.fromEntries(properties)),
        ...(required.length > 0 ? { required } : {}),
        additionalProperties: false,
        ...(Object.keys(example).length === 0 ? {} : { examples: [example] }),
      },
      ...(outputSchema === undefined ? {} : { outputSchema }),
      annotations: buildAnnotations(operation),
    },
  };
}

function listTakers(
  { tag, effect, path }: Operation,
  others: readonly Binding[],
  parameter: string,
): readonly string[] {
  const takers = others.filter(
    ({ operation }) =>
      operation.tag === tag &&
      operation.effect === effect &&
      operation.success !== 307 &&
      operation.path !== path &&
      operation.path.includes(`{${parameter}}`),
  );
  return takers.map(({ operation }) => operation.id);
}

/** The arguments of the operation's example: names that two places share do not occur in examples. */
function buildExample({ example }: Operation): Readonly<Record<string, unknown>> {
  const { params, query, body } = example;
  return { ...params, ...query, ...(typeof body === 'object' ? body : {}) };
}

function listFields(operation: Operation): [string, Field][] {
  const { list } = operation;
  const described: Readonly<Record<string, string | undefined>> =
    list === undefined ? {} : { ...describeList(list) };
  const query = listPlacedFields('query', operation.query)
    .filter(({ name }) => name !== 'search' || list === undefined || list.searchable.length > 0)
    .map((field) => ({ ...field, schema: withDescription(field.schema, described[field.name]) }));
  const fields = [
    ...listPlacedFields('params', operation.params),
    ...query,
    ...listPlacedFields('body', requireObjectSchema(operation.body)),
    ...listHeaderFields(operation),
  ];
  const used = new Set<string>();
  return fields.map((field) => {
    const name = used.has(field.name) ? `${field.place}_${field.name}` : field.name;
    if (used.has(name)) throw new Error(`${operation.id} has two arguments called ${name}`);
    used.add(name);
    return [name, field];
  });
}

const headerDescriptions: Readonly<Record<PaymentHeader | 'idempotency-key', string>> = {
  'payment-method': `the payment rail: ${paymentMethodWords}`,
  'payment-signature':
    'credential of x402-exact: base64 of the signed payload; the same as `_meta["x402/payment"]`',
  'payment-authorization':
    'credential of mpp-spt: `Payment …`; the same as `_meta["org.paymentauth/credential"]`',
  'idempotency-key': 'repeats of the call with the same key have one effect and one answer',
};

function listHeaderFields(operation: Operation): Field[] {
  const keys = changesSomething(operation) ? (['idempotency-key'] as const) : [];
  return [...(operation.paymentHeaders ?? []), ...keys].map((place) => ({
    place,
    name: place.replaceAll('-', '_'),
    schema: { type: 'string', description: headerDescriptions[place] },
    isRequired: false,
  }));
}

function listPlacedFields(place: Place, schema: TObject | undefined): Field[] {
  const properties: Readonly<Record<string, TSchema>> = schema?.properties ?? {};
  const required = new Set<string>(schema?.required ?? []);
  return Object.entries(properties).map(([name, property]) => ({
    place,
    name,
    schema: property,
    isRequired: required.has(name),
  }));
}

function requireObjectSchema(schema: TSchema | undefined): TObject | undefined {
  if (schema === undefined) return undefined;
  if (!isObjectSchema(schema)) throw new Error('the body of an operation must be an object to become a tool');
  return schema;
}

function isObjectSchema(schema: TSchema): schema is TObject {
  return 'type' in schema && schema.type === 'object' && 'properties' in schema;
}

/** The content of a redirect as a tool's answer. */
const LOCATION_SCHEMA: Tool['outputSchema'] = {
  type: 'object',
  properties: { location: { type: 'string', description: 'short-lived address of the document' } },
  required: ['location'],
};

/**
 * A client rejects an answer that does not match this schema, so it is given only where every answer has one form.
 */
function buildOutputSchema(operation: Operation): Tool['outputSchema'] {
  const others = Object.keys(operation.alternatives ?? {}).some((status) => Number(status) < 400);
  if (operation.success === 307) return LOCATION_SCHEMA;
  const asksForPayment = operation.failures.includes('payment_required');
  if (others || asksForPayment || !hasBody(operation) || !isObjectSchema(operation.output)) return undefined;
  return { ...toJsonSchemas(operation.output), type: 'object' };
}

function writeDescription(operation: Operation): string {
  const { description, media = [] } = operation;
  const others = media.length > 1 ? 'JSON; the REST operation offers other media types too.' : undefined;
  return [`${writeFirstSentence(operation)}.`, description, others]
    .filter((part) => part !== undefined)
    .join(' ');
}

/** Agents read the first sentence before all others, so it says whether the call commits money. */
function writeFirstSentence({ summary, effect, spendsWhen }: Operation): string {
  if (effect !== 'spends') return summary;
  const condition = spendsWhen === undefined ? '' : ` ${spendsWhen}`;
  return `Commits money${condition}: ${summary.charAt(0).toLowerCase()}${summary.slice(1)}`;
}

function buildAnnotations(operation: Operation): ToolAnnotations {
  const readOnlyHint = !changesSomething(operation);
  return {
    readOnlyHint,
    destructiveHint: needsCare(operation),
    idempotentHint: readOnlyHint || operation.method === 'DELETE' || operation.method === 'PATCH',
    openWorldHint: false,
  };
}

function withDescription(schema: TSchema, description: string | undefined): TSchema {
  return description === undefined ? schema : { ...schema, description };
}

/** The schemas as plain JSON, without the hidden members of their builder. */
function toJsonSchemas(schemas: object): NonNullable<Tool['inputSchema']['properties']> {
  return JSON.parse(JSON.stringify(schemas));
}
