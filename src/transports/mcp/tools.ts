/** The tools: one per operation that takes arguments and not the bytes of a file; its path, query and body flattened into one object of arguments. */
import type { Tool, ToolAnnotations } from '@modelcontextprotocol/server';
import { describeList } from '#core/filter/index.ts';
import { mayGrant } from '#core/grants.ts';
import { hasBody, type Operation } from '#core/operation.ts';
import type { Principal } from '#core/principal.ts';
import type { TObject, TSchema } from '#core/schema.ts';
import { changesSomething, type Binding } from '../binding.ts';
import { listsByOperation } from '../openapi/lists.ts';

export type Place =
  | 'params'
  | 'query'
  | 'body'
  | 'payment-method'
  | 'payment-signature'
  | 'payment-authorization'
  | 'idempotency-key';

/** Where an argument goes when the tool is called. */
export interface Argument {
  readonly place: Place;
  /** Its name there; another than the argument's where two places share one. */
  readonly name: string;
}

export interface OperationTool {
  readonly binding: Binding;
  readonly tool: Tool;
  readonly arguments: ReadonlyMap<string, Argument>;
  readonly isList: boolean;
}

interface Field extends Argument {
  readonly schema: TSchema;
  readonly isRequired: boolean;
}

const PAID_BY_MACHINE: ReadonlySet<string> = new Set(['create_exp', 'validate_exp', 'pay_invoice']);

/** What cannot be taken back: clients ask a person before they call such a tool. */
const IRREVOCABLE = /^(?:cancel|confirm|delete|mint|pay|reject|revoke|withdraw)_/;

export function createTools(bindings: readonly Binding[]): ReadonlyMap<string, OperationTool> {
  const callable = bindings.filter(({ operation }) => operation.upload === undefined);
  return new Map(callable.map((binding) => [binding.operation.id, toolOf(binding)]));
}

/** The one rule of `dispatch.ts`, asked before a call instead of during it. */
export function mayCall(principal: Principal, { permission, grants }: Operation): boolean {
  if (grants !== undefined && !mayGrant(grants, principal)) return false;
  return permission === 'public' || permission === 'any' || principal.permissions.has(permission);
}

function toolOf(binding: Binding): OperationTool {
  const { operation } = binding;
  const fields = fieldsOf(binding);
  const properties = fields.map(([name, { schema }]) => [name, schema] as const);
  const required = fields.filter(([, { isRequired }]) => isRequired).map(([name]) => name);
  const outputSchema = outputSchemaOf(operation);
  return {
    binding,
    isList: listsByOperation[operation.id] !== undefined,
    arguments: new Map(fields.map(([name, field]) => [name, { place: field.place, name: field.name }])),
    tool: {
      name: operation.id,
      title: operation.summary,
      description: descriptionOf(operation),
      inputSchema: {
        type: 'object',
        properties: asJson(Object.fromEntries(properties)),
        ...(required.length > 0 ? { required } : {}),
        additionalProperties: false,
      },
      ...(outputSchema === undefined ? {} : { outputSchema }),
      annotations: annotationsOf(binding),
    },
  };
}

function fieldsOf(binding: Binding): [string, Field][] {
  const { operation } = binding;
  const list = listsByOperation[operation.id];
  const described: Readonly<Record<string, string | undefined>> =
    list === undefined ? {} : { ...describeList(list) };
  const query = placed('query', operation.query)
    .filter(({ name }) => name !== 'search' || list === undefined || list.searchable.length > 0)
    .map((field) => ({ ...field, schema: withDescription(field.schema, described[field.name]) }));
  const fields = [
    ...placed('params', operation.params),
    ...query,
    ...placed('body', objectSchema(operation.body)),
    ...headerFields(binding),
  ];
  const taken = new Set<string>();
  return fields.map((field) => {
    const name = taken.has(field.name) ? `${field.place}_${field.name}` : field.name;
    if (taken.has(name)) throw new Error(`${operation.id} has two arguments called ${name}`);
    taken.add(name);
    return [name, field];
  });
}

function headerFields(binding: Binding): Field[] {
  const { operation } = binding;
  const text = (place: Place, name: string, description: string): Field => ({
    place,
    name,
    schema: { type: 'string', description },
    isRequired: false,
  });
  const fields: Field[] = [];
  if (PAID_BY_MACHINE.has(operation.id)) {
    const rails = 'the payment rail: async_invoice, x402-exact or mpp-spt';
    fields.push(text('payment-method', 'payment_method', rails));
  }
  if (operation.id === 'pay_invoice') {
    const signature = 'credential of x402-exact: what REST takes in the header PAYMENT-SIGNATURE';
    fields.push(text('payment-signature', 'payment_signature', signature));
    const authorization = 'credential of mpp-spt: `Payment …`, what REST takes in the header Authorization';
    fields.push(text('payment-authorization', 'payment_authorization', authorization));
  }
  if (changesSomething(binding)) {
    const promise = 'repeats of the call with the same key have one effect and one answer';
    fields.push(text('idempotency-key', 'idempotency_key', promise));
  }
  return fields;
}

function placed(place: Place, schema: TObject | undefined): Field[] {
  const properties: Readonly<Record<string, TSchema>> = schema?.properties ?? {};
  const required = new Set<string>(schema?.required ?? []);
  return Object.entries(properties).map(([name, property]) => ({
    place,
    name,
    schema: property,
    isRequired: required.has(name),
  }));
}

function objectSchema(schema: TSchema | undefined): TObject | undefined {
  if (schema === undefined) return undefined;
  if (!isObjectSchema(schema)) throw new Error('the body of an operation must be an object to become a tool');
  return schema;
}

function isObjectSchema(schema: TSchema): schema is TObject {
  return 'type' in schema && schema.type === 'object' && 'properties' in schema;
}

/** What a redirect has to say, as a tool's answer. */
const LOCATION_SCHEMA: Tool['outputSchema'] = {
  type: 'object',
  properties: { location: { type: 'string', description: 'where the document is, for a short while' } },
  required: ['location'],
};

/** A client refuses an answer that does not fit this, so it stands only where each has the one form. */
function outputSchemaOf(operation: Operation): Tool['outputSchema'] {
  const others = Object.keys(operation.alternatives ?? {}).some((status) => Number(status) < 400);
  if (operation.success === 307) return LOCATION_SCHEMA;
  const asksForPayment = operation.failures.includes('payment_required');
  if (others || asksForPayment || !hasBody(operation) || !isObjectSchema(operation.output)) return undefined;
  return { ...operation.output, type: 'object' };
}

/** How descriptions tell of media types, as in "JSON, or CSV with `Accept: text/csv`." */
const OTHER_MEDIA = /JSON(?:,(?: or)? \w+ with `Accept: [^`]+`)+\./g;

function descriptionOf({ summary, description }: Operation): string {
  const text = description === undefined ? `${summary}.` : `${summary}. ${description}`;
  // What is a header there is an argument here, and the other media types of an answer are not offered.
  return text
    .replaceAll('The header X-Service-Payment-Method', '`payment_method`')
    .replaceAll(OTHER_MEDIA, 'JSON; the REST operation offers other media types too.');
}

function annotationsOf(binding: Binding): ToolAnnotations {
  const { operation } = binding;
  const readOnlyHint = !changesSomething(binding);
  return {
    readOnlyHint,
    destructiveHint: !readOnlyHint && IRREVOCABLE.test(operation.id),
    idempotentHint: readOnlyHint || operation.method === 'DELETE' || operation.method === 'PATCH',
    openWorldHint: false,
  };
}

function withDescription(schema: TSchema, description: string | undefined): TSchema {
  return description === undefined ? schema : { ...schema, description };
}

/** The same schemas without the hidden members of their builder: plain JSON, as it is sent. */
function asJson(schemas: Readonly<Record<string, TSchema>>): NonNullable<Tool['inputSchema']['properties']> {
  return JSON.parse(JSON.stringify(schemas));
}
