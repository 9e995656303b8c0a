/**
 * The OpenAPI 3.1 document, generated from the operations and committed as `openapi.json`.
 * This folder: the OpenAPI document, made from the operations. Not here: operations of its own.
 */
import manifest from '../../../package.json' with { type: 'json' };
import { paymentMethodWords } from '#core/capability.ts';
import { describeList, type ListFields } from '#core/filter/index.ts';
import { getFailureSentence } from '#core/failures.ts';
import { listPermissions, takesIdempotencyKey, type Operation, type PaymentHeader } from '#core/operation.ts';
import { isRecord } from '#core/records.ts';
import type { TObject, TSchema } from '#core/schema.ts';
import type { Steps } from '#core/slices.ts';
import type { Binding } from '#features/binding.ts';
import { formatSize } from '#core/size.ts';
import { getAudience } from '../permissions.ts';
import { groupFailuresByStatus } from '../declared-failures.ts';
import { isTemporaryRefusal } from '../rest/errors.ts';
import { Components } from './components.ts';
import { shareSchemas } from './shared-schemas.ts';
import { describeForRest, JSON_MEDIA } from './media.ts';

const API_VERSION = '0.0.2';
const PROBLEM_MEDIA = 'application/problem+json';
type Json = Record<string, unknown>;

export const TAGS: Readonly<Record<string, string>> = {
  experiments: 'Create, price, submit and follow experiments',
  sequences: 'The amino-acid sequences of experiments',
  targets: 'The catalog of antigens',
  'new-experiments': 'Experiments copied from earlier ones or imported from files',
  'assay-types': 'The assays that the lab offers',
  'custom-targets': 'Requests for targets that the catalog does not have',
  quotes: 'Offers and their acceptance',
  invoices: 'Invoices and their payment',
  results: 'Measured results, their curves and plots',
  designs: 'Every design over experiments, and experiments beside each other',
  shares: 'Read-only links to results',
  updates: 'The feed of updates',
  messages: 'What you and the lab write to each other',
  notifications: 'The mails that you get',
  webhooks: 'Where events are delivered, and each delivery',
  tokens: 'The identity and the tokens of the caller',
  feedback: 'Feedback to the lab',
  audit: 'The audit trail: who changed what',
  organization: 'The members and the invitations of your organization',
  partners: 'For partners who add their own clients',
  sandbox: 'Available in a sandbox only',
  info: 'Probes',
  lab: 'For the staff of the lab',
  billing: 'Billing details and tax rates',
  'lab-catalog': 'For the staff of the lab: the catalog of targets, with lots and stock',
  'lab-prices': 'For the staff of the lab: price lists, and the assay types that are offered',
  'lab-price-drafts': 'For the staff of the lab: what a price list would cost, and its import and export',
  'lab-staff': 'For the staff of the lab: who is of the staff',
  'lab-health': 'For the staff of the lab: what is set up, and jobs of the background worker',
  'lab-quotes': 'For the staff of the lab: quotes by hand, and the quotes of every organization',
  'lab-charts': 'For the staff of the lab: control charts',
  'lab-files': 'For the staff of the lab: what raw files hold, and what people say of them by hand',
  'lab-plans': 'For the staff of the lab: plans of runs, and their files',
  'lab-stored-runs': 'For the staff of the lab: planned runs over one or several experiments',
  'lab-run-files': 'For the staff of the lab: raw files of planned runs, cut for each of their experiments',
  'lab-notifications': 'For the staff of the lab: the mails that you get',
  'lab-queue': 'For the staff of the lab: the experiments of every organization, their sequences and notes',
  'lab-messages': 'For the staff of the lab: messages from clients and to them',
  'lab-materials': 'For the staff of the lab: what must be in the lab before a run',
  'lab-runs': 'For the staff of the lab: materials, runs, raw files and release',
  'lab-sandbox': 'For the staff of the lab: who plays the lab of a sandbox',
  'lab-review': 'For the staff of the lab: unreleased results, decisions, release and amendment',
  'lab-billing': 'For the staff of the lab: invoices, refunds and cancellation',
};

export function* buildOpenapiDocument(bindings: readonly Binding[]): Steps<Json> {
  const paths: Record<string, Json> = {};
  const components = new Components();
  const used = new Set(bindings.map(({ operation }) => operation.tag));
  for (const binding of bindings) {
    const { path, method } = binding.operation;
    const methods = (paths[path] ??= {});
    methods[method.toLowerCase()] = describe(binding, components);
    yield;
  }
  const shared = yield* shareSchemas({
    paths,
    schemas: {
      ErrorResponse: errorSchema,
      ProblemResponse: problemSchema,
      PaymentErrorResponse: addTerms(errorSchema),
      PaymentProblemResponse: addTerms(problemSchema),
      ...components.getSchemas(),
    },
  });
  return {
    openapi: '3.1.0',
    info: {
      title: 'Assayer: experiment characterization service',
      version: API_VERSION,
      'x-software-version': manifest.version,
      description:
        'Submit amino-acid sequences to a lab, see a price, accept a quote, pay, follow progress and read measured results.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/api/v1', description: 'This installation' }],
    tags: Object.entries(TAGS)
      .filter(([name]) => used.has(name))
      .map(([name, description]) => ({ name, description })),
    security: [{ bearer: [] }, { api_key: [] }],
    paths: shared.paths,
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'An access token of this environment' },
        api_key: {
          type: 'apiKey',
          in: 'header',
          name: 'X-Service-Api-Key',
          description: 'The same token, for callers whose Authorization header carries a payment',
        },
      },
      schemas: shared.schemas,
      responses: components.getResponses(),
    },
  };
}

const errorMembers = ['error', 'request_id', 'code'];
const errorProperties: Json = {
  error: { type: 'string', description: 'what went wrong, for a person' },
  request_id: { type: 'string', description: 'also in the x-request-id header' },
  code: { type: 'string', description: 'stable code of the failure; /docs/errors lists them' },
  problems: {
    type: 'array',
    items: {
      type: 'object',
      required: ['path', 'message'],
      properties: {
        path: { type: 'string', description: 'where in the request, such as experiment_spec.method' },
        message: { type: 'string', description: 'what is wrong there, for a person' },
      },
    },
    description: 'every single problem; absent where `error` says it all',
  },
};
const errorSchema = { type: 'object', required: errorMembers, properties: errorProperties };

/** RFC 9457: the standard members, and those of the plain error. */
const problemSchema = {
  ...errorSchema,
  required: [...errorMembers, 'type', 'title', 'status', 'instance'],
  properties: {
    ...errorProperties,
    type: { type: 'string', description: 'address of the page about this `code`, with its cause and remedy' },
    title: { type: 'string', description: 'the same as error' },
    status: { type: 'integer', description: 'HTTP status of the answer' },
    instance: { type: 'string', description: 'the same as request_id' },
  },
};

/** What a 402 says besides, for payers that read its body. */
const termsProperties: Json = {
  hint: { type: 'string', description: 'how the payment and the API token are sent together' },
  api_token_header: { type: 'string', description: 'header for the API token beside a payment credential' },
  x402Version: { type: 'integer', description: '1: `accepts` has the terms of version 1 of x402' },
  accepts: { type: 'array', items: { type: 'object' }, description: 'terms of version 1 of x402' },
};

const PAYMENT_REQUIRED = '402';

function addTerms(schema: { readonly properties: Json }): Json {
  return { ...schema, properties: { ...schema.properties, ...termsProperties } };
}

const OUTAGE = '503';

/** Both error formats; a client gets the second by asking for it in `Accept`. */
function buildErrorContent(status: string, { outage, output }: Operation): Json {
  if (status === OUTAGE && outage !== undefined) {
    const members = 'properties' in output && isRecord(output.properties) ? output.properties : {};
    const withMembers = (schema: { readonly properties: Json }): Json => ({
      schema: { ...schema, properties: { ...members, ...schema.properties } },
    });
    return { [JSON_MEDIA]: withMembers(errorSchema), [PROBLEM_MEDIA]: withMembers(problemSchema) };
  }
  const prefix = status === PAYMENT_REQUIRED ? 'Payment' : '';
  return {
    [JSON_MEDIA]: { schema: { $ref: `#/components/schemas/${prefix}ErrorResponse` } },
    [PROBLEM_MEDIA]: { schema: { $ref: `#/components/schemas/${prefix}ProblemResponse` } },
  };
}

function describe(binding: Binding, components: Components): Json {
  const { operation } = binding;
  const audience = getAudience(operation);
  const isPublic = operation.permission === 'public';
  const permissionNames = listPermissions(operation).map((permission) => `\`${permission}\``);
  const needs =
    permissionNames.length === 0
      ? ''
      : `Needs the permission${permissionNames.length > 1 ? 's' : ''} ${permissionNames.join(' and ')}.`;
  const description = [describeForRest(operation), needs].filter((part) => part !== '').join('\n\n');
  return {
    operationId: operation.id,
    tags: [operation.tag],
    summary: operation.summary,
    description: description === '' ? operation.summary : description,
    'x-effect': operation.effect,
    ...(audience === 'everyone' ? {} : { 'x-audience': audience }),
    ...(isPublic ? { security: [] } : {}),
    parameters: buildParameters(operation),
    ...buildRequestBody(operation, components),
    responses: buildResponses(binding, components),
  };
}

function buildRequestBody(operation: Operation, components: Components): Json {
  const { body, upload, bodyMode, example, text } = operation;
  if (upload !== undefined) {
    const description = `${upload.description}; at most ${formatSize(upload.bytesMax)}`;
    return { requestBody: { required: true, description, content: { 'application/octet-stream': {} } } };
  }
  if (body === undefined) return {};
  const texts = (text?.media ?? []).map((media) => [media, { schema: { type: 'string' } }] as const);
  const content = {
    ...Object.fromEntries(texts),
    'application/json': { schema: components.addSchema(body), example: example.body ?? {} },
  };
  return { requestBody: { required: bodyMode !== 'optional', content } };
}

function buildParameters(operation: Operation): Json[] {
  const { list } = operation;
  const path = listProperties(operation.params).map(([name, schema]) =>
    buildParameter('path', name, schema, true),
  );
  const query = listProperties(operation.query)
    .filter(([name]) => name !== 'search' || list === undefined || list.searchable.length > 0)
    .map(([name, schema]) => buildParameter('query', name, schema, isRequired(operation.query, name), list));
  return [...path, ...query, ...buildHeaderParameters(operation)];
}

function isRequired(schema: TObject | undefined, name: string): boolean {
  return schema?.required?.includes(name) ?? false;
}

type Header = readonly [name: string, description: string];

const KEY_HEADER: Header = [
  'Idempotency-Key',
  'Repeats of the request with the same key have one effect and one answer',
];

/** OpenAPI allows the header Authorization only as a security scheme, never as a parameter. */
const paymentHeaders: Readonly<Record<PaymentHeader, readonly Header[]>> = {
  'payment-method': [['X-Service-Payment-Method', `The payment rail: ${paymentMethodWords}`]],
  'payment-signature': [
    ['PAYMENT-SIGNATURE', 'Credential of x402-exact: base64 of the signed payload'],
    ['X-PAYMENT', 'The same from a client of x402 version 1'],
  ],
  'payment-authorization': [],
};

function buildHeaderParameters(operation: Operation): Json[] {
  const headers = [
    ...(takesIdempotencyKey(operation) ? [KEY_HEADER] : []),
    ...(operation.paymentHeaders ?? []).flatMap((header) => paymentHeaders[header]),
  ];
  return headers.map(([name, description]) => ({
    name,
    in: 'header',
    required: false,
    description,
    schema: { type: 'string' },
  }));
}

function buildParameter(
  place: 'path' | 'query',
  name: string,
  schema: TSchema,
  required: boolean,
  list?: ListFields,
): Json {
  const described = list === undefined ? undefined : describeList(list);
  const { description: own, ...bare } = schema as TSchema & { description?: string };
  const description = place === 'query' ? (listText(name, described) ?? own) : own;
  return {
    name,
    in: place,
    required,
    ...(description === undefined ? {} : { description }),
    schema: bare,
  };
}

function listText(name: string, list: ReturnType<typeof describeList> | undefined): string | undefined {
  if (name === 'filter') return list?.filter;
  if (name === 'sort') return list?.sort;
  return name === 'search' ? list?.search : undefined;
}

function buildResponses(binding: Binding, components: Components): Json {
  const { operation } = binding;
  const success = operation.success ?? 200;
  const responses: Record<string, Json> = { [success]: buildSuccess(operation, success, components) };
  for (const [status, alternative] of Object.entries(operation.alternatives ?? {})) {
    responses[status] = {
      description: alternative.description,
      ...describeRetryAfter(Number(status)),
      content: {
        'application/json': { schema: components.addSchema(alternative.schema ?? operation.output) },
      },
    };
  }
  for (const [status, codes] of groupFailuresByStatus(binding)) {
    const sentences = codes.map((code) => `- \`${code}\`: ${getFailureSentence(code)}`).join('\n');
    responses[status] = components.addResponse(status, {
      description: sentences,
      ...describeRetryAfter(status),
      content: buildErrorContent(String(status), operation),
    });
  }
  return responses;
}

const RETRY_AFTER: Json = {
  description: 'Seconds to wait before the request is sent again',
  schema: { type: 'integer', minimum: 1 },
};

function describeRetryAfter(status: number): Json {
  return isTemporaryRefusal(status) ? { headers: { 'Retry-After': RETRY_AFTER } } : {};
}

const LOCATION: Json = {
  description:
    'Short-lived address of the document, which needs no token; follow it at once and do not store it.',
  schema: { type: 'string', format: 'uri' },
};

function buildSuccess(operation: Operation, status: number, components: Components): Json {
  if (status === 204) return { description: 'Done; the answer has no body' };
  const media = operation.media ?? (status === 307 ? [] : [JSON_MEDIA]);
  const content = media.map((type) => [type, buildContent(operation, type, components)]);
  return {
    description: operation.summary,
    ...(status === 307 ? { headers: { Location: LOCATION } } : {}),
    ...(content.length === 0 ? {} : { content: Object.fromEntries(content) }),
  };
}

function buildContent(operation: Operation, media: string, components: Components): Json {
  if (media !== JSON_MEDIA) return { schema: { type: 'string' } };
  const { output } = operation.example;
  return {
    schema: components.addSchema(operation.output),
    ...(output === undefined ? {} : { example: output }),
  };
}

function listProperties(schema: TObject | undefined): [string, TSchema][] {
  return Object.entries((schema?.properties ?? {}) as Readonly<Record<string, TSchema>>);
}

/** Writes the document without indentation, which would be half of it. */
export function* writeOpenapi(bindings: readonly Binding[]): Steps<string> {
  return `${JSON.stringify(yield* buildOpenapiDocument(bindings))}\n`;
}
