/** `assayer webhooks`: endpoints, what was sent to them, and events for a program on this machine. */
import { formatCount } from '#core/words.ts';
import type { Output } from '#core/operation.ts';
import type { createWebhook, listWebhooks, rollWebhookSecret } from '#features/webhooks/contract.ts';
import type { listDeliveries, resendWebhookDeliveries } from '#features/webhooks/delivery-contract.ts';
import { createApi, type Api } from './api.ts';
import { askOnTerminal } from './confirm.ts';
import { requireConnection } from './connection.ts';
import {
  CONNECTION_HELP,
  CONNECTION_OPTIONS,
  createUsageError,
  parseVerb,
  refuseForeignOptions,
} from './options.ts';
import { layTable, type Column } from './table.ts';
import { print, printNote, toPlainText } from './terminal.ts';
import { requestEvent } from './webhooks-trigger.ts';
import { sendEvents } from './webhooks-listen.ts';

const HELP = `Usage: assayer webhooks list
       assayer webhooks create URL [--event TYPE]... [--header NAME=VALUE]...
       assayer webhooks test ID
       assayer webhooks deliveries [ID] [--failed]
       assayer webhooks redeliver DELIVERY | ID --since TIME [--until TIME] [--all]
       assayer webhooks roll ID [--yes]
       assayer webhooks trigger TYPE
       assayer webhooks listen --forward URL [--after UPDATE]

"create" makes a secret and shows it once; "roll" makes a new one, and the previous one signs beside it for a day;
at a terminal it asks first.
"redeliver" sends one delivery again, or with --since those of an endpoint that failed (--all: every one).
"listen" sends the events of the organization to a program on this machine, signed, as they happen; with --after
those that followed an update as well. "trigger" brings an event about in a sandbox: it places an order, takes it as
far as the event needs, and waits until the event is there.

  --event TYPE         what the endpoint receives, such as results.released; may be repeated; default: status changes
  --header NAME=VALUE  a header of every delivery; may be repeated
  --failed             only deliveries that failed
  --since, --until     UTC times such as 2026-01-20T00:00:00Z
  --all                also deliveries that arrived
  --forward URL        address of the program, such as http://localhost:3000/hook
  --after UPDATE       id of the last update that the program knows
  --yes                do not ask
  --json               print the answer of the API as JSON

${CONNECTION_HELP}

Examples:
  assayer webhooks create https://hooks.example.org/assayer --event results.released --event invoice.paid
  assayer webhooks deliveries --failed
  assayer webhooks trigger invoice.paid
  assayer webhooks listen --forward http://localhost:3000/hook`;

const guide = { name: 'webhooks', help: HELP, operands: ['VERB'] };

const OPTIONS = {
  ...CONNECTION_OPTIONS,
  event: { type: 'string', multiple: true },
  header: { type: 'string', multiple: true },
  failed: { type: 'boolean' },
  since: { type: 'string' },
  until: { type: 'string' },
  all: { type: 'boolean' },
  forward: { type: 'string' },
  after: { type: 'string' },
  yes: { type: 'boolean', short: 'y' },
  json: { type: 'boolean' },
} as const;

/** The operands of each verb; one in brackets may be missing. */
const operands: Readonly<Record<string, readonly string[]>> = {
  list: [],
  create: ['URL'],
  test: ['ID'],
  deliveries: ['[ID]'],
  redeliver: ['ID'],
  roll: ['ID'],
  trigger: ['TYPE'],
  listen: [],
};

const OWNED_OPTIONS = {
  create: ['event', 'header'],
  deliveries: ['failed'],
  redeliver: ['since', 'until', 'all'],
  roll: ['yes'],
  listen: ['forward', 'after'],
};

type Endpoint = Output<typeof createWebhook>;
type Delivery = Output<typeof listDeliveries>['items'][number];

export async function run(args: readonly string[]): Promise<void> {
  const parsed = parseVerb(guide, operands, args, OPTIONS);
  if (parsed === undefined) return;
  const { values, verb, operand } = parsed;
  refuseForeignOptions(guide, verb, values, OWNED_OPTIONS);
  const api = createApi(requireConnection(values));
  const asJson = values.json === true;
  const path = `/webhooks/${encodeURIComponent(operand)}`;
  if (verb === 'list') return listEndpoints(api, asJson);
  if (verb === 'create') return createEndpoint(api, operand, values, asJson);
  if (verb === 'deliveries')
    return showDeliveries(api, operand === '' ? '/webhooks/deliveries' : `${path}/deliveries`, {
      onlyFailed: values.failed === true,
      asJson,
    });
  if (verb === 'redeliver') return resend(api, operand, values, asJson);
  if (verb === 'roll') {
    await askOnTerminal(`Make a new secret for the endpoint ${toPlainText(operand)}?`, values.yes === true);
    return roll(api, path, asJson);
  }
  if (verb === 'trigger') {
    return requestEvent(api, operand, asJson);
  }
  if (verb === 'test') {
    const delivery = await api.post<Delivery>(`${path}/test`);
    print(asJson ? JSON.stringify(delivery, null, 2) : `Delivery ${delivery.id} is on its way.`);
    return;
  }
  if (values.forward === undefined) throw createUsageError(guide, 'listen needs --forward URL');
  await sendEvents(api, { forward: values.forward, after: values.after ?? null });
}

const endpointColumns: readonly Column<Endpoint>[] = [
  { title: 'Id', getCell: ({ id }) => id },
  { title: 'Address', getCell: ({ url }) => url },
  { title: 'Events', getCell: ({ event_types: types }) => types.join(', ') || 'status changes', rank: 1 },
  { title: 'State', getCell: describeState },
];

function describeState({ enabled, failing_since: since }: Endpoint): string {
  if (!enabled) return 'off';
  return since === null ? 'on' : `failing since ${since.slice(0, 16)}Z`;
}

async function listEndpoints(api: Api, asJson: boolean): Promise<void> {
  const endpoints = await api.get<Output<typeof listWebhooks>>('/webhooks');
  if (asJson) return print(JSON.stringify(endpoints, null, 2));
  if (endpoints.length === 0) return printNote('There is no endpoint. Make one: assayer webhooks create URL');
  print(layTable(endpointColumns, endpoints).lines.join('\n'));
}

async function createEndpoint(
  api: Api,
  url: string,
  { event, header }: { readonly event?: readonly string[]; readonly header?: readonly string[] },
  asJson: boolean,
): Promise<void> {
  const headers = Object.fromEntries((header ?? []).map(parseHeader));
  const endpoint = await api.post<Endpoint>('/webhooks', { url, headers, event_types: event ?? [] });
  const { secret } = await api.post<Output<typeof rollWebhookSecret>>(`/webhooks/${endpoint.id}/roll-secret`);
  if (asJson) return print(JSON.stringify({ ...endpoint, secret_set: true, secret }, null, 2));
  printNote(`Endpoint ${endpoint.id}. Its secret is shown only once:`);
  print(secret);
  if (endpoint.warning !== null) printNote(endpoint.warning);
}

function parseHeader(text: string): [string, string] {
  const at = text.indexOf('=');
  if (at < 1) throw createUsageError(guide, `--header must be NAME=VALUE, not "${text}"`);
  return [text.slice(0, at), text.slice(at + 1)];
}

const deliveryColumns: readonly Column<Delivery>[] = [
  { title: 'Id', getCell: ({ id }) => id },
  { title: 'Event', getCell: ({ event_type: type }) => type },
  { title: 'Status', getCell: ({ status }) => status },
  { title: 'Attempts', align: 'right', getCell: ({ attempts }) => String(attempts), rank: 2 },
  { title: 'Last outcome', getCell: ({ last_outcome: outcome }) => outcome ?? '', rank: 1 },
];

async function showDeliveries(
  api: Api,
  path: string,
  { onlyFailed, asJson }: { readonly onlyFailed: boolean; readonly asJson: boolean },
): Promise<void> {
  const page = await api.get<Output<typeof listDeliveries>>(
    `${path}?limit=100${onlyFailed ? '&filter=eq(status,failed)' : ''}`,
  );
  if (asJson) return print(JSON.stringify(page, null, 2));
  if (page.total === 0) return printNote('There is no such delivery.');
  print(layTable(deliveryColumns, page.items).lines.join('\n'));
  if (page.total > page.count) printNote(`Not shown: ${formatCount(page.total - page.count, 'older one')}.`);
}

async function resend(
  api: Api,
  id: string,
  values: { readonly since?: string; readonly until?: string; readonly all?: boolean },
  asJson: boolean,
): Promise<void> {
  if (values.since === undefined) {
    const delivery = await api.post<Delivery>(`/webhooks/deliveries/${encodeURIComponent(id)}/redeliver`);
    print(asJson ? JSON.stringify(delivery, null, 2) : `Delivery ${delivery.id} is on its way again.`);
    return;
  }
  const { count } = await api.post<Output<typeof resendWebhookDeliveries>>(
    `/webhooks/${encodeURIComponent(id)}/redeliver`,
    { since: values.since, until: values.until ?? null, only_failed: values.all !== true },
  );
  print(
    asJson
      ? JSON.stringify({ count })
      : `${count} ${count === 1 ? 'delivery is' : 'deliveries are'} on the way again.`,
  );
}

async function roll(api: Api, path: string, asJson: boolean): Promise<void> {
  const rolled = await api.post<Output<typeof rollWebhookSecret>>(`${path}/roll-secret`);
  if (asJson) return print(JSON.stringify(rolled, null, 2));
  printNote(
    rolled.previous_secret_until === null
      ? 'The new secret is shown only once:'
      : `The previous secret signs until ${rolled.previous_secret_until}. The new one is shown only once:`,
  );
  print(rolled.secret);
}
