/** `assayer config`: lists every setting with its current value and its meaning. */
import { settingList } from '#settings/settings.ts';
import { readSettingsWith } from './data-directory.ts';
import { getTerminal, print } from './terminal.ts';

export const guide = {
  name: 'config',
  usage: [''],
  about: `Lists every setting with its current value and its meaning. Settings are environment variables; of secret ones it says
only whether they are set.`,
  options: {},
};

export async function run(): Promise<void> {
  readSettingsWith({});
  const variables = getTerminal().environment;
  const width = Math.max(...settingList.map(({ name }) => name.length));
  for (const { name, fallback, meaning, isSecret } of settingList) {
    const variable = variables[name];
    const value = variable === undefined || variable === '' ? fallback : variable;
    const shown = value === '' ? '(not set)' : isSecret === true ? '(set)' : value;
    print(`${name.padEnd(width)}  ${shown}\n${' '.repeat(width)}  ${meaning}`);
  }
}
