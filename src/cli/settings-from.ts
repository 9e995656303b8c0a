import { readSettings, type Settings } from '#settings/settings.ts';
import { SettingsError } from '#settings/setting.ts';
import { CommandError } from './command-error.ts';
import { getTerminal } from './terminal.ts';

/** Reads the environment's settings, overridden by the flags of the command. */
export function readSettingsWith(overrides: Readonly<Record<string, string | undefined>>): Settings {
  const defined = Object.fromEntries(Object.entries(overrides).filter(([, value]) => value !== undefined));
  try {
    return readSettings({ ...getTerminal().environment, ...defined });
  } catch (error) {
    if (error instanceof SettingsError) throw new CommandError(error.message, 2);
    throw error;
  }
}
