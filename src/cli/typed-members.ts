/** What a command gives for the members of its query and its body, in the order in which it is typed. */
import type { Command } from 'commander';
import { toRecord, type UnknownRecord } from '#core/records.ts';
import { CommandError, createRepeatError, requireValue } from './command-error.ts';
import { FIRST, POSITION, type Flag } from './kit-flags.ts';
import { readValue } from './kit-values.ts';
import { readPath } from './list-columns.ts';
import { toText } from './words.ts';

/** The texts that a command gives for one member; a switch is true or false already. */
interface Typed {
  readonly flag: Flag;
  /** Of the member, with the position of its entry. */
  readonly path: readonly string[];
  readonly texts: readonly (string | boolean)[];
}

/** The members that a command gives by their paths. */
export type TypedMembers = ReadonlyMap<string, Typed>;

/**
 * Collects what the command gives while it is parsed. A flag of an entry that is given again begins the next entry;
 * other flags for one value are refused the second time.
 */
export function collectTyped(command: Command, flags: readonly Flag[]): TypedMembers {
  const typed = new Map<string, Typed>();
  const positions = new Map<string, number>();
  const seen = new Set<string>();
  const locate = ({ path }: Flag): string[] =>
    path.map((name) => (name === FIRST ? String(positions.get(path[0] ?? '') ?? 0) : name));
  const addText = (flag: Flag, text: string | boolean): void => {
    const [first = ''] = flag.path;
    const isAgain = typed.has(locate(flag).join('.')) && !flag.isList;
    if (isAgain && !flag.path.includes(FIRST)) throw createRepeatError(flag.name);
    if (isAgain) positions.set(first, (positions.get(first) ?? 0) + 1);
    const path = locate(flag);
    const key = path.join('.');
    const isPart = (part: string, whole: string): boolean => part.startsWith(`${whole}.`);
    const [, other] = [...typed].find(([known]) => isPart(known, key) || isPart(key, known)) ?? [];
    if (other !== undefined)
      throw new CommandError(`--${flag.name} and --${other.flag.name} exclude each other.`, 2);
    typed.set(key, { flag, path, texts: [...(typed.get(key)?.texts ?? []), text] });
  };
  for (const option of command.options)
    command.on(`option:${option.name()}`, (text?: string) => {
      const flag = flags.find(({ options }) => options.some(({ long }) => long === option.long));
      if (flag !== undefined) return addText(flag, text ?? !option.negate);
      if (option.required && seen.has(option.name())) throw createRepeatError(option.name());
      if (option.required) requireValue(option.name(), text ?? '');
      seen.add(option.name());
    });
  return typed;
}

/** Puts the values that a command gives into the query or the body. */
export async function fillMembers(
  typed: TypedMembers,
  place: Flag['place'],
  start: UnknownRecord,
): Promise<UnknownRecord> {
  let record = start;
  for (const { flag, path, texts } of typed.values()) {
    if (flag.place !== place) continue;
    const entry = path.findIndex((name) => POSITION.test(name));
    const whole = path.slice(0, entry === -1 ? undefined : entry);
    // A flag would replace all that stands there, and nobody would see what is gone.
    if (typeof (readPath(start, whole) ?? '') === 'object')
      throw new CommandError(
        `--${flag.name} and "${whole.join('.')}" of --body exclude each other: give it in one of them.`,
        2,
      );
    record = setMember(record, path, await readTexts(flag, texts));
  }
  return record;
}

async function readTexts(flag: Flag, texts: Typed['texts']): Promise<unknown> {
  const last = texts.at(-1);
  if (typeof last === 'boolean') return last;
  if (last === 'null' && flag.isNullable) return null;
  const isNone = flag.isList && texts.includes('[]');
  if (isNone && texts.length > 1)
    throw new CommandError(`--${flag.name} [] is an empty list, and goes with no other --${flag.name}.`, 2);
  const values: unknown[] = [];
  for (const text of isNone ? [] : texts) values.push(await readValue(flag, toText(text)));
  return flag.isList ? values : values[0];
}

function setMember(
  record: UnknownRecord,
  [name = '', ...rest]: readonly string[],
  value: unknown,
): UnknownRecord {
  if (rest.length === 0) return { ...record, [name]: value };
  const { [name]: before } = record;
  const [position = ''] = rest;
  if (!POSITION.test(position)) return { ...record, [name]: setMember(toRecord(before), rest, value) };
  const entries: readonly unknown[] = Array.isArray(before) ? before : [];
  const entry = setMember(toRecord(entries[Number(position)]), rest.slice(1), value);
  return { ...record, [name]: entries.toSpliced(Number(position), 1, entry) };
}
