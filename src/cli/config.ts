/** `assayer config`: lists every setting with its present value and its meaning. */
import { settingList } from '#settings/settings.ts';
import { environment } from '#settings/environment.ts';
import { settingsFrom } from './settings-from.ts';

/** Settings whose values must not be shown. */
const SECRET_NAMES: ReadonlySet<string> = new Set([
  'DATABASE_URL',
  'STRIPE_SECRET_KEY',
  'STRIPE_WEBHOOK_SECRET',
  'X402_FACILITATOR_TOKEN',
  'X402_FACILITATOR_URL',
  'X402_RPC_URL',
]);

export async function run(): Promise<void> {
  settingsFrom({});
  const variables = environment();
  const width = Math.max(...settingList.map(({ name }) => name.length));
  for (const { name, fallback, meaning } of settingList) {
    const given = variables[name];
    const value = given === undefined || given === '' ? fallback : given;
    const shown = value === '' ? '(not set)' : SECRET_NAMES.has(name) ? '(set)' : value;
    console.log(`${name.padEnd(width)}  ${shown}\n${' '.repeat(width)}  ${meaning}`);
  }
}
