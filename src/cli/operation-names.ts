/** The words of each operation: one rule reads them from method and path, and a table has what reads better otherwise. */
import type { Operation } from '#core/operation.ts';
import { toRecord } from '#core/records.ts';

/** Nouns whose path reads otherwise. */
const NOUNS: Readonly<Record<string, string>> = {
  'targets/request-custom': 'target-requests',
  'partners/tokens': 'partner-tokens',
};

/** Noun and verb of operations for which the rule finds no good verb, or none of their own. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  whoami: 'tokens whoami',
  revoke_token: 'tokens revoke-own',
  mint_token: 'partner-tokens mint',
  add_sequences: 'sequences add',
  trigger_event: 'sandbox trigger-event',
  send_message: 'experiments send-message',
  send_lab_message: 'lab experiments send-message',
  mint_payment_token: 'sandbox mint-payment-token',
  list_control_charts: 'lab control-charts list',
  set_tax_rate: 'lab tax-rates set',
  appoint_staff: 'lab staff appoint',
  dismiss_staff: 'lab staff dismiss',
  refund_invoice: 'lab invoices refund',
  add_lab_note: 'lab experiments add-note',
  decide_replicates: 'lab experiments decide',
  start_run: 'lab experiments start-run',
  receive_materials: 'lab experiments receive',
  put_raw_file: 'lab experiments upload',
  add_raw_file: 'lab experiments add-file',
  preview_raw_file: 'lab experiments preview-file',
  map_raw_files: 'lab experiments map',
  put_run_raw_file: 'lab runs upload',
  add_run_raw_file: 'lab runs add-raw-file',
  preview_run_raw_file: 'lab runs preview-file',
  map_run_raw_files: 'lab runs map',
  write_lab_run_file: 'lab runs write-file',
  write_run_file: 'lab run-plans write-file',
};

const VERBS = { GET: 'show', POST: 'create', PATCH: 'edit', PUT: 'set', DELETE: 'delete' } as const;
/** What stands before the words of a part: `experiments quote`, `billing edit-profile`. */
const PREFIXES = { GET: '', POST: '', PATCH: 'edit-', PUT: 'put-', DELETE: 'delete-' } as const;

const isParameter = (part: string | undefined): boolean => part?.startsWith('{') === true;

/** Every operation by its words, such as `quotes list`, or `lab quotes open` for one of staff. */
export function nameOperations(operations: readonly Operation[]): ReadonlyMap<string, Operation> {
  const collections = new Set(operations.map(({ path }) => splitPath(path).lead.join('/')));
  return new Map(
    operations.map((operation) => [
      EXCEPTIONS[operation.id] ?? nameByRule(operation, collections),
      operation,
    ]),
  );
}

/** `lead` are the words before the first parameter, where there is one. */
function splitPath(path: string) {
  const [first, ...others] = path.split('/').slice(1);
  const parts = first === 'lab' ? others : [first ?? '', ...others];
  const end = parts.findIndex(isParameter);
  return { area: first === 'lab' ? 'lab ' : '', parts, lead: end === -1 ? [] : parts.slice(0, end) };
}

function nameByRule({ method, path, output }: Operation, collections: ReadonlySet<string>): string {
  const { area, parts } = splitPath(path);
  // In /webhooks/deliveries/{delivery_id} the deliveries are the noun, in /experiments/validate the experiments.
  const [first = '', second = ''] = parts;
  const own = `${first}/${second}`;
  const noun = NOUNS[own] ?? (collections.has(own) ? second : first);
  const rest = parts.slice(collections.has(own) ? 2 : 1);
  const words = rest
    .flatMap((part, index) => {
      if (isParameter(part)) return [];
      return [isParameter(rest[index + 1]) ? part.replace(/s$/, '') : part.replace(/\.\w+$/, '')];
    })
    .join('-');
  if (words !== '') return `${area}${noun} ${PREFIXES[method]}${words}`;
  const { type, properties } = toRecord(output);
  const isList =
    method === 'GET' && rest.length === 0 && (type === 'array' || 'items' in toRecord(properties));
  return `${area}${noun} ${isList ? 'list' : VERBS[method]}`;
}
