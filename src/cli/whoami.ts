/** `assayer whoami`: shows the person, organization, role and end of the token in use. */
import { formatUsd } from '#core/money.ts';
import { formatCount, joinFirst } from '#core/words.ts';
import type { Output } from '#core/operation.ts';
import type { identifyCaller } from '#features/tokens/contract.ts';
import { createApi, type Api } from './api.ts';
import { requireConnection } from './connection.ts';
import { CONNECTION, type Parsed } from './options.ts';
import { toPlainText, print } from './terminal.ts';
import { formatTime } from './words.ts';

const NAMES_SHOWN = 5;

export const guide = {
  name: 'whoami',
  usage: ['[--json]'],
  about:
    'Shows the service that the commands talk to, your organization and role, and what the token may do until when.',
  options: {
    json: 'the answer of the service, unchanged, with every permission by its name',
    ...CONNECTION,
  },
  examples: ['whoami', "whoami --json | jq -r '.permissions[]'"],
};

export type Standing = Output<typeof identifyCaller>;

/** Reads what the token in use stands for. */
export function readStanding(api: Api): Promise<Standing> {
  const members = 'organizations[].name organizations[].active:boolean organizations[].role? permissions[]';
  return api.get<Standing>('/whoami', `${members} token_expires_at? token?.resource_ids[]?`);
}

export async function run({ values }: Parsed<typeof guide>): Promise<void> {
  const connection = requireConnection(values);
  const standing = await readStanding(createApi(connection));
  if (values.json === true) return print(JSON.stringify(standing, null, 2));
  print(`Service       ${connection.url}`);
  for (const line of listStandingLines(standing)) print(line);
  print(`It comes from ${connection.tokenFile ?? '--token or ASSAYER_TOKEN'}`);
}

export function listStandingLines(standing: Standing): string[] {
  const { organizations, permissions, token_expires_at: end, token } = standing;
  const active = organizations.find((organization) => organization.active);
  const {
    max_spend_cents: most = null,
    remaining_cents: remaining = null,
    resource_ids: only = null,
  } = token ?? {};
  return [
    `Organization  ${active === undefined ? 'none' : toPlainText(active.name)}`,
    `Your role     ${toPlainText(active?.role ?? 'none')}`,
    `The token     has ${formatCount(permissions.length, 'permission')} and ${end ? `ends ${formatTime(end)}` : 'no end'}`,
    ...(most === null
      ? []
      : [`It may spend  ${formatUsd(most)}, of which ${formatUsd(remaining ?? 0)} is left`]),
    ...(only === null ? [] : [`It may touch  ${toPlainText(joinFirst(only, NAMES_SHOWN))}`]),
  ];
}
