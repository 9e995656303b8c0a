/** `assayer migrate`: applies the migrations and stops. */
import { systemSources } from '../main.ts';
import { openOrExplain } from './open-database.ts';
import { flags, settingsFrom } from './settings-from.ts';

export async function run(args: readonly string[]): Promise<void> {
  const { values } = flags(args, { 'data-dir': { type: 'string' } });
  const settings = settingsFrom({ DATA_DIR: values['data-dir'], LOG_LEVEL: 'warn' });
  const { embedded, migrated } = await openOrExplain(settings, systemSources(settings).log);
  await embedded?.stop();
  console.log(
    migrated.length === 0
      ? 'The schema is up to date.'
      : `Applied:\n${migrated.map((name) => `  ${name}`).join('\n')}`,
  );
}
