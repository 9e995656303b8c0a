/** `assayer migrate`: applies the migrations and stops. */
import { createSystemSources } from '../main.ts';
import { openOrExplain } from './open-database.ts';
import { parseFlags, readSettingsWith } from './settings-from.ts';

export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseFlags(args, { 'data-dir': { type: 'string' } });
  const settings = readSettingsWith({ DATA_DIR: values['data-dir'], LOG_LEVEL: 'warn' });
  const { embedded, migrated } = await openOrExplain(settings, createSystemSources(settings).log);
  await embedded?.stop();
  console.log(
    migrated.length === 0
      ? 'The schema is up to date.'
      : `Applied:\n${migrated.map((name) => `  ${name}`).join('\n')}`,
  );
}
