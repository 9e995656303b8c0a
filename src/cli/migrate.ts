/** `assayer migrate`: applies the migrations and stops. */
import { migrateRunningDatabase } from '#composition/database-parts.ts';
import { createSystemSources } from '#composition/system-sources.ts';
import type { Settings } from '#settings/settings.ts';
import { explainDatabase } from './database-failures.ts';
import { openOrExplain } from './open-database.ts';
import { DATA_DIR, type Parsed } from './options.ts';
import { readSettingsWith } from './data-directory.ts';
import { print } from './terminal.ts';

export const guide = {
  name: 'migrate',
  usage: ['[--data-dir DIR]'],
  about: `Brings the database schema up to date and stops. Every start of the service does the same; run it alone to update the
database before the new version starts.

The service may keep running; it uses what a migration adds once the new version starts.`,
  options: DATA_DIR,
};

export async function run({ values }: Parsed<typeof guide>): Promise<void> {
  const settings = readSettingsWith({ DATA_DIR: values['data-dir'], LOG_LEVEL: 'warn' });
  const migrated = await migrateOrExplain(settings);
  print(
    migrated.length === 0
      ? 'The schema is up to date.'
      : `Applied:\n${migrated.map((name) => `  ${name}`).join('\n')}`,
  );
}

/** A running service keeps its embedded database; where none runs, the database is started for the migrations. */
async function migrateOrExplain(settings: Settings): Promise<string[]> {
  try {
    const applied = await migrateRunningDatabase(settings);
    if (applied !== undefined) return applied;
  } catch (error) {
    throw explainDatabase(error, settings);
  }
  const { embedded, migrated } = await openOrExplain(settings, createSystemSources(settings).log);
  await embedded?.stop();
  return migrated;
}
