/** `assayer whoami`: shows the person, organization, role and end of the token in use. */
import { formatCount } from '#core/words.ts';
import { createApi } from './api.ts';
import { requireConnection } from './connection.ts';
import { CONNECTION_HELP, CONNECTION_OPTIONS, parseOptions, type CommandGuide } from './options.ts';
import { toPlainText, print } from './terminal.ts';

const guide: CommandGuide = {
  name: 'whoami',
  operands: [],
  help: `Usage: assayer whoami [--json]

Shows the service that the commands talk to, the organization, the role and the end of the token.

  --json           the answer of the service, unchanged

${CONNECTION_HELP}`,
};

export interface Standing {
  readonly organizations: readonly {
    readonly name: string;
    readonly role?: string | null;
    readonly active: boolean;
  }[];
  readonly permissions: readonly string[];
  readonly token_expires_at?: string | null;
}

export async function run(args: readonly string[]): Promise<void> {
  const parsed = parseOptions(guide, args, { ...CONNECTION_OPTIONS, json: { type: 'boolean' } });
  if (parsed === undefined) return;
  const connection = requireConnection(parsed.values);
  const standing = await createApi(connection).get<Standing>('/whoami');
  if (parsed.values.json === true) return print(JSON.stringify(standing, null, 2));
  print(`Service       ${connection.url}`);
  for (const line of listStandingLines(standing)) print(line);
  if (connection.tokenFile !== undefined) print(`Token from    ${connection.tokenFile}`);
}

export function listStandingLines({ organizations, permissions, token_expires_at: end }: Standing): string[] {
  const active = organizations.find((each) => each.active);
  return [
    `Organization  ${active === undefined ? 'none' : toPlainText(active.name)}`,
    `Your role     ${active?.role ?? 'none'}; the token has ${formatCount(permissions.length, 'permission')}`,
    `Ends          ${end ?? 'never'}`,
  ];
}
