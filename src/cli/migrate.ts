/** `assayer migrate`: applies the migrations and stops. */
import { createSystemSources } from '#composition/system-sources.ts';
import { openOrExplain } from './open-database.ts';
import { parseOptions } from './options.ts';
import { readSettingsWith } from './settings-from.ts';
import { print } from './terminal.ts';

const HELP = `Usage: assayer migrate [--data-dir DIR]

Brings the database schema up to date and stops. Every start of the service does the same; run it alone to update the
database before the new version starts.

With the embedded database, stop the service first; with DATABASE_URL it may keep running.

  --data-dir DIR   where the service keeps its data (DATA_DIR)`;

const guide = { name: 'migrate', help: HELP, operands: [] };

export async function run(args: readonly string[]): Promise<void> {
  const parsed = parseOptions(guide, args, {
    'data-dir': { type: 'string' },
    help: { type: 'boolean', short: 'h' },
  });
  if (parsed === undefined) return;
  const settings = readSettingsWith({ DATA_DIR: parsed.values['data-dir'], LOG_LEVEL: 'warn' });
  const { embedded, migrated } = await openOrExplain(settings, createSystemSources(settings).log);
  await embedded?.stop();
  print(
    migrated.length === 0
      ? 'The schema is up to date.'
      : `Applied:\n${migrated.map((name) => `  ${name}`).join('\n')}`,
  );
}
