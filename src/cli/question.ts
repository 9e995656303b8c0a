/** What stands in a question before an operation that cannot be undone: the values given, and the thing it is about. */
import { needsCare, type Operation } from '#core/operation.ts';
import { isRecord, toRecord, type UnknownRecord } from '#core/records.ts';
import { fillPath } from './requests.ts';
import type { Api } from './api.ts';
import { RefusedError } from './command-error.ts';
import { requireConsent } from './confirm.ts';
import type { Request } from './kit-flags.ts';
import { findReadings } from './siblings.ts';
import { getTableWidth, shortenText, toPlainText, wrapText } from './terminal.ts';
import { ENTRIES_MAX, formatLabel, formatMember, isMoney } from './values.ts';
import { toText } from './words.ts';

const VALUE_WIDTH = 60;
const LINE_WIDTH = 100;
const INDENT = '  ';
const SECRET = /^(?:token|spt)$/;
const NAME = /^(?:code|name|email|title|url|role|reference|\w+_(?:number|code|name))$/;
/** Of an amount that is said, too. */
const PART = /subtotal|^tax_/;
const STATE = /^(?:status|in_effect|expires_at|valid_until)$/;

/** Asks before what commits money or cannot be undone, and names what it is about. */
export async function askFirst(
  api: Api,
  operation: Operation,
  request: Request,
  { words, isAgreed = false }: { readonly words: string; readonly isAgreed: boolean | undefined },
): Promise<void> {
  if (!needsConsent(operation, request) || isAgreed) return;
  const act = await describeAct(api, operation, request);
  const start = act === '' ? `assayer ${words}: ` : `assayer ${words}\n${act}\n`;
  await requireConsent(`${start}${describeEffect(operation)} Go on?`, false);
}

/** Money may depend on a switch of the request. */
function needsConsent(operation: Operation, { query, body }: Request): boolean {
  const [, name] = /^when `(\w+)` is true$/.exec(operation.spendsWhen ?? '') ?? [];
  const members = { ...query, ...toRecord(body) };
  return needsCare(operation) && (name === undefined || members[name] === true);
}

/** One sentence for a person who is about to call it; empty where a call can be undone. */
export function describeEffect({ effect, spendsWhen }: Operation): string {
  if (effect === 'spends') return `It commits money${spendsWhen === undefined ? '' : ` ${spendsWhen}`}.`;
  return effect === 'irrevocable' ? 'It cannot be undone.' : '';
}

/** A line for each; empty where nothing is given and nothing reads the thing. */
async function describeAct(api: Api, operation: Operation, request: Request): Promise<string> {
  const isShown = (name: string): boolean => !SECRET.test(name);
  const body = request.typedBody ?? {};
  const given = describeMembers(body, isShown);
  // Each entry on a line: a flag that stands at the wrong one is seen.
  const entries = Object.entries(body).flatMap(([name, value]) => {
    if (!Array.isArray(value) || !value.some(isRecord)) return [];
    const lines = value
      .slice(0, ENTRIES_MAX)
      .map(
        (entry, index) => `${formatLabel(name)} ${index + 1}: ${describeMembers(toRecord(entry), isShown)}`,
      );
    const more = value.length - lines.length;
    return more > 0 ? [...lines, `and ${more} more`] : lines;
  });
  const thing = await readThing(api, operation, request);
  const about = thing === undefined ? '' : describeMembers(thing, isTelling);
  return [given, ...entries, about === '' ? '' : `of ${about}`]
    .filter((part) => part !== '')
    .flatMap((part) => wrapText(part, Math.min(getTableWidth(), LINE_WIDTH) - INDENT.length))
    .map((line) => INDENT + line)
    .join('\n');
}

const isTelling = (name: string): boolean =>
  NAME.test(name) || STATE.test(name) || (isMoney(name) && !PART.test(name));

function describeMembers(record: UnknownRecord, isShown: (name: string) => boolean): string {
  const entries = Object.entries(record).filter(([name, value]) => isShown(name) && isPlain(value));
  // An amount is said once, whatever it is called.
  const isRepeated = (name: string, value: unknown): boolean =>
    isMoney(name) && entries.find(([other, known]) => isMoney(other) && known === value)?.[0] !== name;
  return entries
    .filter(([name, value]) => !isRepeated(name, value))
    .map(([name, value]) => {
      const text = shortenText(toPlainText(formatMember(name, value, record)), VALUE_WIDTH);
      return `${formatLabel(name)} ${text}`;
    })
    .join(', ');
}

const isPlain = (value: unknown): boolean =>
  Array.isArray(value)
    ? value.length > 0 && !value.some(isRecord)
    : value !== null && value !== '' && value !== 0 && typeof value !== 'object';

/** Of readings that fail, only one that knows no such thing matters: then there is nothing to ask. */
async function readThing(
  api: Api,
  operation: Operation,
  { params = {} }: Request,
): Promise<UnknownRecord | undefined> {
  for (const { path, member, isWhole = false } of findReadings(operation)) {
    try {
      const last = toText(Object.values(params).at(-1));
      const filter =
        member === undefined || isWhole
          ? ''
          : `?filter=${encodeURIComponent(`eq(${member},${last})`)}&limit=1`;
      const answer = await api.get<unknown>(`${fillPath(path, params)}${filter}`);
      const { items } = toRecord(answer);
      const things = Array.isArray(answer)
        ? answer.filter((item) => member !== undefined && toText(toRecord(item)[member]) === last)
        : items;
      const thing: unknown = member === undefined ? answer : Array.isArray(things) ? things[0] : undefined;
      if (isRecord(thing)) return thing;
    } catch (error) {
      if (!(error instanceof RefusedError)) throw error;
      if (error.refusal.status === 404) throw error;
    }
  }
  return undefined;
}
