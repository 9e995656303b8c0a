/** `assayer tokens`: creates, restricts and revokes access tokens; `tokens list` is the list command. */
import { createApi, type Api } from './api.ts';
import { askOnTerminal } from './confirm.ts';
import { requireConnection } from './connection.ts';
import {
  CONNECTION_HELP,
  CONNECTION_OPTIONS,
  getFirstOperand,
  parseOptions,
  refuseForeignOptions,
  refuseUnknownVerb,
  createUsageError,
  type CommandGuide,
} from './options.ts';
import { printNote, print } from './terminal.ts';
import type { AttenuationSpec } from '#core/capability.ts';

/** Converts options to the limits of a derived token. */
const ATTENUATION_OPTIONS = {
  'read-only': { type: 'boolean' },
  'non-destructive': { type: 'boolean' },
  actions: { type: 'string' },
  resources: { type: 'string' },
  organizations: { type: 'string' },
  experiments: { type: 'string' },
  'expires-at': { type: 'string' },
  'max-spend': { type: 'string' },
} as const;

type Given = {
  readonly [Name in keyof typeof ATTENUATION_OPTIONS]?: string | boolean | undefined;
};

/** Contains only the given limits: an absent one is no limit. */
function parseAttenuation(guide: CommandGuide, values: Given): AttenuationSpec {
  const spec = {
    read_only: values['read-only'],
    non_destructive: values['non-destructive'],
    allowed_actions: parseList(values.actions),
    allowed_resources: parseList(values.resources),
    allowed_org_ids: parseList(values.organizations),
    resource_ids: parseList(values.experiments),
    expires_at: values['expires-at'],
    max_spend_cents: parseWholeNumber(guide, values['max-spend']),
  };
  return Object.fromEntries(Object.entries(spec).filter(([, value]) => value !== undefined));
}

function parseList(text: string | boolean | undefined): string[] | undefined {
  return typeof text === 'string' ? text.split(',').map((item) => item.trim()) : undefined;
}

function parseWholeNumber(guide: CommandGuide, text: string | boolean | undefined): number | undefined {
  if (typeof text !== 'string') return undefined;
  if (!/^\d{1,15}$/.test(text))
    throw createUsageError(guide, `--max-spend is a whole number of cents, not "${text}"`);
  return Number(text);
}

const HELP = `Usage: assayer tokens create NAME [--role ROLE] [--expires-in 7d|30d|90d|1y]
       assayer tokens attenuate NAME [LIMITS]
       assayer tokens list
       assayer tokens revoke ID [--yes]

A token's value is shown only once. "attenuate" derives a token with fewer rights from the one in use:

  --role ROLE           viewer, member, billing or admin; default viewer
  --expires-in TIME     lifetime of a new token; default 90d
  --read-only           may only list and read
  --non-destructive     may not delete
  --actions LIST        only these actions, such as list,read
  --resources LIST      only these resources, such as experiment,result
  --organizations LIST  only these organizations, by id
  --experiments LIST    only these experiments, by id or code
  --expires-at TIME     expires then, such as 2026-12-31T00:00:00Z
  --max-spend CENTS     may accept quotes up to this sum
  --yes                 revoke without asking; only a terminal asks
  --json                print the answer of the API as JSON

${CONNECTION_HELP}

Examples:
  assayer tokens create pipeline --role member --expires-in 30d
  assayer tokens attenuate dashboard --read-only --resources experiment,result
  assayer tokens list
  assayer tokens revoke 01980000-0000-7000-8000-000000000a02`;

const guide = { name: 'tokens', help: HELP, operands: ['VERB'] };

const OPTIONS = {
  ...CONNECTION_OPTIONS,
  ...ATTENUATION_OPTIONS,
  role: { type: 'string' },
  'expires-in': { type: 'string' },
  yes: { type: 'boolean', short: 'y' },
  json: { type: 'boolean' },
} as const;

/** The operands of each verb. */
const operands: Readonly<Record<string, readonly string[]>> = {
  create: ['NAME'],
  attenuate: ['NAME'],
  revoke: ['ID'],
};

/** A limit that a verb ignores would leave a token with more rights than its maker wanted. */
const OWNED_OPTIONS = {
  create: ['role', 'expires-in'],
  attenuate: Object.keys(ATTENUATION_OPTIONS),
  revoke: ['yes'],
};

export async function run(args: readonly string[]): Promise<void> {
  const verb = getFirstOperand(args, OPTIONS);
  refuseUnknownVerb(guide, args, { verb, verbs: [...Object.keys(operands), 'list'] });
  const own = Object.hasOwn(operands, verb) ? (operands[verb] ?? []) : [];
  const parsed = parseOptions({ ...guide, operands: ['VERB', ...own] }, args, OPTIONS);
  if (parsed === undefined) return;
  const { values, positionals } = parsed;
  const [, operand = ''] = positionals;
  refuseForeignOptions(guide, verb, values, OWNED_OPTIONS);
  const api = createApi(requireConnection(values));
  const asJson = values.json === true;
  if (verb === 'revoke') {
    await askOnTerminal(`Revoke the token ${operand}, with all derived from it?`, values.yes === true);
    return revoke(api, operand, asJson);
  }
  const created =
    verb === 'create'
      ? await api.post<Made>('/tokens', {
          name: operand,
          role: values.role ?? 'viewer',
          expires_in: values['expires-in'] ?? '90d',
        })
      : await api.post<Made>('/tokens/attenuate', {
          name: operand,
          token: api.connection.token,
          attenuation: parseAttenuation(guide, values),
        });
  if (asJson) return print(JSON.stringify(created, null, 2));
  printNote('The token is shown only once:');
  print(created.token);
}

interface Made {
  readonly id: string;
  readonly token: string;
}

async function revoke(api: Api, id: string, asJson: boolean): Promise<void> {
  const revoked = await api.post<{ children_revoked: number }>(`/tokens/${encodeURIComponent(id)}/revoke`);
  if (asJson) return print(JSON.stringify(revoked, null, 2));
  print(`Revoked, with ${revoked.children_revoked} derived from it.`);
}
