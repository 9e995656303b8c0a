/** `assayer partners`: mints, lists, renews and revokes tokens for clients of a partner. */
import { formatCount } from '#core/words.ts';
import type { Output } from '#core/operation.ts';
import type { mintToken, listPartnerTokens } from '#features/tokens/partners/contract.ts';
import { createApi, type Api } from './api.ts';
import { askOnTerminal } from './confirm.ts';
import { requireConnection } from './connection.ts';
import { CONNECTION_HELP, CONNECTION_OPTIONS, createUsageError, parseVerb } from './options.ts';
import { formatDay } from './words.ts';
import { layTable, type Column } from './table.ts';
import { print, printNote } from './terminal.ts';

const HELP = `Usage: assayer partners mint EMAIL --organization-name NAME | --organization ID [options]
       assayer partners tokens
       assayer partners renew ID [--expires-at TIME] [--yes]
       assayer partners revoke ID [--yes]

For partners: tokens of the users of your clients. A token's value is shown only once. "renew" makes a new value
for the same user and organization, and revokes the old one at once.

  --organization-name NAME  makes a new organization
  --organization ID         adds the user to an organization that you have made
  --role ROLE               viewer, member (default), billing or admin
  --expires-at TIME         end of the token, such as 2026-12-31T00:00:00Z; default in 90 days
  --yes                     renew or revoke without asking; only a terminal asks
  --json                    print the answer of the API as JSON

${CONNECTION_HELP}

Examples:
  assayer partners mint scientist@client.example --organization-name "Client Biologics"
  assayer partners tokens
  assayer partners renew 01980000-0000-7000-8000-000000000a02`;

const guide = { name: 'partners', help: HELP, operands: ['VERB'] };

const OPTIONS = {
  ...CONNECTION_OPTIONS,
  'organization-name': { type: 'string' },
  organization: { type: 'string' },
  role: { type: 'string' },
  'expires-at': { type: 'string' },
  yes: { type: 'boolean', short: 'y' },
  json: { type: 'boolean' },
} as const;

/** The operands of each verb. */
const operands: Readonly<Record<string, readonly string[]>> = {
  mint: ['EMAIL'],
  tokens: [],
  renew: ['ID'],
  revoke: ['ID'],
};

type Minted = Output<typeof mintToken>;
type Listed = Output<typeof listPartnerTokens>;

export async function run(args: readonly string[]): Promise<void> {
  const parsed = parseVerb(guide, operands, args, OPTIONS);
  if (parsed === undefined) return;
  const { values, verb, operand } = parsed;
  const end = values['expires-at'] === undefined ? {} : { expires_at: values['expires-at'] };
  const api = createApi(requireConnection(values));
  const asJson = values.json === true;
  if (verb === 'tokens') return listMinted(api, asJson);
  if (verb === 'revoke' || verb === 'renew')
    await askOnTerminal(`End the token ${operand} at once?`, values.yes === true);
  const path = `/partners/tokens/${encodeURIComponent(operand)}`;
  if (verb === 'revoke') {
    const revoked = await api.post<{ children_revoked: number }>(`${path}/revoke`);
    print(asJson ? JSON.stringify(revoked, null, 2) : 'Revoked.');
    return;
  }
  const minted =
    verb === 'renew'
      ? await api.post<Minted>(`${path}/renew`, end)
      : await api.post<Minted>('/partners/mint-token', {
          org: chooseOrganization(values['organization-name'], values.organization),
          user: { email: operand },
          ...(values.role === undefined ? {} : { role: values.role }),
          ...end,
        });
  if (asJson) return print(JSON.stringify(minted, null, 2));
  printNote(`The token ${minted.token_id} ends ${minted.expires_at}. It is shown only once:`);
  print(minted.token);
}

function chooseOrganization(name: string | undefined, id: string | undefined): object {
  if ((name === undefined) === (id === undefined))
    throw createUsageError(guide, 'give either --organization-name or --organization');
  return name === undefined ? { type: 'existing_org', organization_id: id } : { type: 'new_org', name };
}

const columns: readonly Column<Listed['items'][number]>[] = [
  { title: 'Id', getCell: ({ id }) => id },
  { title: 'User', getCell: ({ user_email: email }) => email },
  { title: 'Organization', getCell: ({ organization_name: name }) => name },
  { title: 'Role', getCell: ({ role }) => role },
  { title: 'Expires', getCell: ({ expires_at: end }) => (end ? formatDay(end) : '') },
  { title: 'State', getCell: describeState },
];

function describeState({ revoked_at: revokedAt, renewed_by: renewedBy }: Listed['items'][number]): string {
  if (renewedBy !== null && renewedBy !== undefined) return 'renewed';
  return revokedAt === null || revokedAt === undefined ? '' : 'revoked';
}

async function listMinted(api: Api, asJson: boolean): Promise<void> {
  const page = await api.get<Listed>('/partners/tokens?limit=100');
  if (asJson) return print(JSON.stringify(page, null, 2));
  print(layTable(columns, page.items).lines.join('\n'));
  if (page.total > page.count)
    printNote(
      `Not shown: ${formatCount(page.total - page.count, 'older token')}; --json has a cursor for GET /partners/tokens.`,
    );
}
