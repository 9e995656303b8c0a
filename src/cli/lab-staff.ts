/** `assayer lab staff`: the staff of the lab with their roles, and how somebody is appointed. */
import type { Static } from '#core/schema.ts';
import type { appointStaff, listStaff } from '#features/people/staff/contract.ts';
import { createApi } from './api.ts';
import { requireConnection } from './connection.ts';
import { LIST_HELP, LIST_OPTIONS, printList } from './lab-list.ts';
import { formatTime } from './words.ts';
import { CONNECTION_HELP, createUsageError, parseOptions } from './options.ts';
import type { Column } from './table.ts';
import { print } from './terminal.ts';

type Item = Static<(typeof listStaff)['output']>['items'][number];
type Appointed = Static<(typeof appointStaff)['output']>;

const HELP = `Usage: assayer lab staff [--filter FILTER] [--sort SORT] [--search TEXT] [--json]
       assayer lab staff --appoint EMAIL --roles ROLES [--json]

The staff of the lab with their roles.

  --appoint EMAIL  appoints a person who has an account
  --roles ROLES    operator, manager, finance, or several with commas
${LIST_HELP}

${CONNECTION_HELP}

Examples:
  assayer lab staff
  assayer lab staff --appoint operator@example.org --roles operator`;

const guide = { name: 'lab staff', help: HELP, operands: [] };

const columns: readonly Column<Item>[] = [
  { title: 'E-MAIL', getCell: ({ email }) => email },
  { title: 'NAME', rank: 2, getCell: ({ name }) => name ?? '' },
  { title: 'ROLES', getCell: ({ roles }) => roles.join(', ') },
  { title: 'SINCE', rank: 1, getCell: ({ staff_since: since }) => formatTime(since) },
  { title: 'ID', rank: 3, getCell: ({ user_id: id }) => id },
];

export async function run(args: readonly string[]): Promise<void> {
  const parsed = parseOptions(guide, args, {
    ...LIST_OPTIONS,
    appoint: { type: 'string' },
    roles: { type: 'string' },
  });
  if (parsed === undefined) return;
  const { values } = parsed;
  const { appoint: email, roles } = values;
  if ((email === undefined) !== (roles === undefined))
    throw createUsageError(guide, '--appoint and --roles belong together');
  if (email === undefined || roles === undefined) {
    const nothing = 'Nobody matches.';
    return printList<Item>('/lab/staff', values, { columns, nothing, sort: 'asc(email)' });
  }
  const body = { email, roles: roles.split(',').map((role) => role.trim()) };
  const appointed = await createApi(requireConnection(values)).post<Appointed>('/lab/staff', body);
  if (values.json === true) return print(JSON.stringify(appointed, null, 2));
  print(`${appointed.email}: ${appointed.roles.join(', ')}`);
}
