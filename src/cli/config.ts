/** `assayer config`: lists every setting with its present value and its meaning. */
import { settingList } from '#settings/settings.ts';
import { readEnvironment } from '#settings/environment.ts';
import { readSettingsWith } from './settings-from.ts';

export async function run(): Promise<void> {
  readSettingsWith({});
  const variables = readEnvironment();
  const width = Math.max(...settingList.map(({ name }) => name.length));
  for (const { name, fallback, meaning, isSecret } of settingList) {
    const given = variables[name];
    const value = given === undefined || given === '' ? fallback : given;
    const shown = value === '' ? '(not set)' : isSecret === true ? '(set)' : value;
    console.log(`${name.padEnd(width)}  ${shown}\n${' '.repeat(width)}  ${meaning}`);
  }
}
