/**
 * What Stripe accepts: a JSON Schema of every request that the fake serves. The schemas are generated from the type
 * definitions of the SDK, once for each version, and cached in `node_modules/.cache`.
 */
import { createRequire } from 'node:module';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv, type ValidateFunction } from 'ajv';
import { QUICKLY_COMPILED } from '../validators.ts';
import { toRecord } from './values.ts';

const ROOTS = [
  'CustomerCreateParams',
  'InvoiceAddLinesParams',
  'InvoiceCreateParams',
  'InvoiceFinalizeInvoiceParams',
  'InvoiceListParams',
  'InvoicePaymentListParams',
  'InvoiceRetrieveParams',
  'InvoiceUpdateParams',
  'InvoiceVoidInvoiceParams',
  'PaymentIntentCancelParams',
  'PaymentIntentCreateParams',
  'PaymentIntentListParams',
  'PaymentIntentRetrieveParams',
  'PaymentIntentSearchParams',
  'ProductCreateParams',
  'ProductRetrieveParams',
  'QuoteAcceptParams',
  'QuoteCancelParams',
  'QuoteCreateParams',
  'QuoteFinalizeQuoteParams',
  'QuoteListParams',
  'QuotePdfParams',
  'QuoteRetrieveParams',
  'RefundCreateParams',
  'RefundListParams',
  'RefundRetrieveParams',
] as const;
export type Root = (typeof ROOTS)[number];

/** The files that declare the roots. */
const DECLARED_IN = [
  'Customers',
  'InvoicePayments',
  'Invoices',
  'PaymentIntents',
  'Products',
  'Quotes',
  'Refunds',
] as const;

/** Parameters of a preview that the types of this SDK lack: a shared payment token is charged by this one. */
const PREVIEW: Readonly<Partial<Record<Root, Readonly<Record<string, unknown>>>>> = {
  PaymentIntentCreateParams: { shared_payment_granted_token: { type: 'string', pattern: '^spt_' } },
};

const require = createRequire(import.meta.url);
const SDK = dirname(dirname(require.resolve('stripe')));
const MODULES = fileURLToPath(new URL('../../../node_modules', import.meta.url));

type Schemas = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

export type RequestValidators = (root: Root) => ValidateFunction;

let loading: Promise<RequestValidators> | undefined;

/**
 * Loads the validators of all requests, once in a process. They convert text of a query or form to the number or boolean
 * of the schema.
 */
export function loadRequestValidators(): Promise<RequestValidators> {
  loading ??= loadRequestSchemas().then((schemas) => {
    const ajv = new Ajv({ strict: false, coerceTypes: true, allErrors: true, ...QUICKLY_COMPILED });
    // Compiled when first asked for: most tests send few kinds of requests.
    return (root) => ajv.compile(schemas[root] ?? false);
  });
  return loading;
}

/** Reads the schemas, and generates them first where nobody has; a run of many files does so once, before its processes. */
export async function loadRequestSchemas(): Promise<Schemas> {
  const versions = ['stripe', 'ts-json-schema-generator'].map(readVersion).join('-');
  const path = join(MODULES, '.cache', 'assayer', `stripe-requests-${versions}-${ROOTS.length}.json`);
  const kept = readKept(path);
  if (kept !== undefined) return kept;
  const made = await makeSchemas();
  mkdirSync(dirname(path), { recursive: true });
  const aside = `${path}.${process.pid}`;
  writeFileSync(aside, JSON.stringify(made));
  renameSync(aside, path);
  return made;
}

function readKept(path: string): Schemas | undefined {
  try {
    const kept: Schemas = JSON.parse(readFileSync(path, 'utf8'));
    return kept;
  } catch {
    return undefined;
  }
}

function readVersion(name: string): string {
  const text = readFileSync(join(MODULES, name, 'package.json'), 'utf8');
  return String(toRecord(JSON.parse(text)).version);
}

/** Generates all schemas from one TypeScript program; one program for each request would take five times as long. */
async function makeSchemas(): Promise<Schemas> {
  const { createFormatter, createParser, createProgram, DEFAULT_CONFIG, SchemaGenerator } =
    await import('ts-json-schema-generator');
  const shared = {
    ...DEFAULT_CONFIG,
    path: join(SDK, 'esm', 'resources', `{${DECLARED_IN.join(',')}}.d.ts`),
    skipTypeCheck: true,
    additionalProperties: false,
    expose: 'none' as const,
    topRef: false,
    jsDoc: 'none' as const,
  };
  const program = createProgram({ ...shared, type: '*' });
  const declaring = program.getRootFileNames().map((name) => program.getSourceFile(name));
  // The generator looks for each root in all files that it is told of, and these take two thirds of its time.
  const searched = { ...program, getSourceFiles: () => declaring.filter((file) => file !== undefined) };
  const made = ROOTS.map((root) => {
    const config = { ...shared, type: root };
    const generator = new SchemaGenerator(
      searched,
      createParser(program, config),
      createFormatter(config),
      config,
    );
    return [root, withPreview(root, generator.createSchema(root))] as const;
  });
  return Object.fromEntries(made);
}

function withPreview(root: Root, schema: object): Readonly<Record<string, unknown>> {
  const { properties, ...rest } = toRecord(schema);
  return { ...rest, properties: { ...toRecord(properties), ...PREVIEW[root] } };
}
