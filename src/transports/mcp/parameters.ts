/** Checks the parameters of a message, because the library would answer with the raw report of its schemas. */
import { INVALID_PARAMS, specTypeSchemas } from '@modelcontextprotocol/server';

/** A schema of the library, as Standard Schema names it. */
interface Schema {
  readonly '~standard': { readonly validate: (value: unknown) => Checked | Promise<Checked> };
}

interface Checked {
  readonly issues?: readonly Issue[] | undefined;
}

interface Issue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

const SCHEMAS: ReadonlyMap<string, Schema> = new Map<string, Schema>([
  ['initialize', specTypeSchemas.InitializeRequest],
  ['tools/list', specTypeSchemas.ListToolsRequest],
  ['tools/call', specTypeSchemas.CallToolRequest],
  ['resources/list', specTypeSchemas.ListResourcesRequest],
  ['resources/templates/list', specTypeSchemas.ListResourceTemplatesRequest],
  ['resources/read', specTypeSchemas.ReadResourceRequest],
]);
const PROBLEMS_SHOWN = 5;

interface Refusal {
  readonly jsonrpc: '2.0';
  readonly id: string | number;
  readonly error: { readonly code: number; readonly message: string };
}

/** Finds what is wrong with the parameters of a request; undefined where nothing is, or where it is no request. */
export async function refuseParameters(message: unknown): Promise<Refusal | undefined> {
  if (typeof message !== 'object' || message === null || !('method' in message) || !('id' in message))
    return undefined;
  const { method, id } = message;
  const isRequest = 'jsonrpc' in message && message.jsonrpc === '2.0';
  if (!isRequest || typeof method !== 'string' || (typeof id !== 'string' && typeof id !== 'number'))
    return undefined;
  // Parameters that are no object make the message as a whole invalid, which the library says.
  if ('params' in message && (typeof message.params !== 'object' || Array.isArray(message.params)))
    return undefined;
  const checked = await SCHEMAS.get(method)?.['~standard'].validate(message);
  if (checked?.issues === undefined) return undefined;
  const problems = checked.issues.slice(0, PROBLEMS_SHOWN).map(({ path = [], message: text }) => {
    const place = path.map((part) => String(typeof part === 'object' ? part.key : part)).join('.');
    return `${place}: ${text.replace(/^Invalid input: /, '')}`;
  });
  const sentence = `The parameters of ${method} are not valid: ${problems.join('; ')}.`;
  return { jsonrpc: '2.0', id, error: { code: INVALID_PARAMS, message: sentence } };
}
