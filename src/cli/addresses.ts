/** The address of an operation on the service, from its operands and its query. */
import type { UnknownRecord } from '#core/records.ts';
import { CommandError } from './command-error.ts';
import { toText } from './words.ts';

/** The address with the operands in their places. */
export function fillPath(path: string, params: UnknownRecord = {}): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodePart(name, params[name]));
}

/** Refuses what the URL standard would read as another path. */
function encodePart(name: string, part: unknown): string {
  const text = toText(part);
  if (!/^\.{0,2}$/.test(text)) return encodeURIComponent(text);
  throw new CommandError(`${name.toUpperCase().replaceAll('_', '-')} must not be "${text}".`, 2);
}

export function formatQuery(query: UnknownRecord): string {
  const parts = Object.entries(query).map(([name, value]): [string, string] => [name, toText(value)]);
  return parts.length === 0 ? '' : `?${new URLSearchParams(parts).toString()}`;
}
