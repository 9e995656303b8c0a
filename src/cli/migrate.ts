/** `assayer migrate`: applies the migrations and stops. */
import { EmbeddedPostgresError } from '#adapters/postgres/embedded.ts';
import { MigrationError } from '#adapters/postgres/migrate.ts';
import { openDatabase, systemSources } from '../main.ts';
import { CommandError } from './command-error.ts';
import { flags, settingsFrom } from './settings-from.ts';

export async function run(args: readonly string[]): Promise<void> {
  const { values } = flags(args, { 'data-dir': { type: 'string' } });
  const settings = settingsFrom({ DATA_DIR: values['data-dir'], LOG_LEVEL: 'warn' });
  try {
    const { embedded, migrated } = await openDatabase(settings, systemSources(settings).log);
    await embedded?.stop();
    console.log(
      migrated.length === 0
        ? 'The schema is up to date.'
        : `Applied:\n${migrated.map((name) => `  ${name}`).join('\n')}`,
    );
  } catch (error) {
    if (error instanceof EmbeddedPostgresError || error instanceof MigrationError)
      throw new CommandError(error.message);
    throw error;
  }
}
