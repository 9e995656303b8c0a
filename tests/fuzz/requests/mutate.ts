/** Changes a request in one way at a time: its body, its path, its query, its headers, its method. */
import type { Caller } from './callers.ts';
import type { Chance } from './chance.ts';
import * as hostile from './hostile.ts';
import {
  changeRecord,
  changeSomewhere,
  createRaw,
  writeTree,
  type Entry,
  type JsonTree,
} from './json-tree.ts';
import type { Pool } from './pool.ts';

/** A request that is still being made. */
export interface Draft {
  method: string;
  /** Segments as they are written on the wire, without the slashes. */
  segments: string[];
  /** Pairs as they are written on the wire. */
  query: string[];
  headers: Record<string, string>;
  tree: JsonTree | null;
  /** Instead of the tree. */
  bytes: Buffer | null;
  caller: Caller;
  readonly story: string[];
}

export interface MutationSources {
  readonly chance: Chance;
  readonly pool: Pool;
  readonly callers: readonly Caller[];
}

type Mutation = (draft: Draft, sources: MutationSources) => string;

export function writeBytes({ tree, bytes }: Draft): Buffer | null {
  return bytes ?? (tree === null ? null : Buffer.from(writeTree(tree)));
}

export function mutate(draft: Draft, sources: MutationSources): void {
  const hasBody = draft.tree !== null || draft.bytes !== null;
  const chosen = sources.chance.drawWeighted<Mutation>([
    [draft.tree === null ? 0 : 40, changeTree],
    [hasBody ? 14 : 2, changeBytes],
    [hasBody ? 8 : 1, changeContentType],
    [10, changePath],
    [10, changeQuery],
    [8, changeHeader],
    [4, changeMethod],
    [8, changeCaller],
  ]);
  draft.story.push(chosen(draft, sources));
}

function changeTree(draft: Draft, { chance, pool }: MutationSources): string {
  const { tree } = draft;
  if (tree === null) return 'nothing';
  const [name, change] = chance.pick(treeChanges);
  draft.tree = change(tree, chance, pool);
  return name;
}

type TreeChange = (tree: JsonTree, chance: Chance, pool: Pool) => JsonTree;

function withMember(entries: readonly Entry[], chance: Chance, member: Entry): readonly Entry[] {
  const at = chance.drawBelow(entries.length + 1);
  return [...entries.slice(0, at), member, ...entries.slice(at)];
}

const treeChanges: readonly (readonly [name: string, change: TreeChange])[] = [
  [
    'a hostile value',
    (tree, chance) => changeSomewhere(tree, chance, () => createRaw(chance.pick(hostile.hostileValues))),
  ],
  [
    'a hostile value',
    (tree, chance) => changeSomewhere(tree, chance, () => createRaw(chance.pick(hostile.hostileValues))),
  ],
  [
    'a hostile number',
    (tree, chance) => changeSomewhere(tree, chance, () => createRaw(chance.pick(hostile.hostileNumbers))),
  ],
  ['a null', (tree, chance) => changeSomewhere(tree, chance, () => createRaw('null'))],
  [
    'every member null',
    (tree, chance) =>
      changeRecord(tree, chance, (entries) => entries.map(([name]) => [name, createRaw('null')])),
  ],
  ['in a list', (tree, chance) => changeSomewhere(tree, chance, (node) => ({ kind: 'list', items: [node] }))],
  [
    'in a record',
    (tree, chance) => changeSomewhere(tree, chance, (node) => ({ kind: 'record', entries: [['x', node]] })),
  ],
  [
    'as a text',
    (tree, chance) => changeSomewhere(tree, chance, (node) => createRaw(JSON.stringify(writeTree(node)))),
  ],
  [
    'a list for a record',
    (tree, chance) =>
      changeRecord(tree, chance, (entries) => entries.map(([, value], index) => [String(index), value])),
  ],
  [
    'an id of another kind',
    (tree, chance, pool) =>
      changeSomewhere(tree, chance, () => createRaw(JSON.stringify(pool.pickAny(chance) ?? 'x'))),
  ],
  [
    'a member missing',
    (tree, chance) =>
      changeRecord(tree, chance, (entries) =>
        entries.filter((_, at) => at !== chance.drawBelow(entries.length)),
      ),
  ],
  ['no members', (tree, chance) => changeRecord(tree, chance, () => [])],
  [
    'a member more',
    (tree, chance) =>
      changeRecord(tree, chance, (entries) =>
        withMember(entries, chance, [
          chance.pick(hostile.hostileNames),
          createRaw(chance.pick(hostile.hostileValues)),
        ]),
      ),
  ],
  [
    'a member twice',
    (tree, chance) =>
      changeRecord(tree, chance, (entries) =>
        entries.length === 0
          ? entries
          : withMember(entries, chance, [
              chance.pick(entries)[0],
              createRaw(chance.pick(hostile.hostileValues)),
            ]),
      ),
  ],
  [
    'a member by another name',
    (tree, chance) =>
      changeRecord(tree, chance, (entries) => {
        const at = chance.drawBelow(entries.length);
        return entries.map(([name, value], index) => [
          index === at ? chance.pick(hostile.hostileNames) : name,
          value,
        ]);
      }),
  ],
  [
    'many members',
    (tree, chance) =>
      changeRecord(tree, chance, (entries) => [
        ...entries,
        ...Array.from({ length: 500 }, (_, index): Entry => [`k${index}`, createRaw('1')]),
      ]),
  ],
  [
    'deep',
    (tree, chance) => {
      const levels = chance.pick([10, 60, 70, 2_000]);
      return changeSomewhere(tree, chance, () => createRaw('['.repeat(levels) + ']'.repeat(levels)));
    },
  ],
  [
    'deep records',
    (tree, chance) => {
      const levels = chance.pick([30, 66]);
      return changeSomewhere(tree, chance, () =>
        createRaw('{"a":'.repeat(levels) + '1' + '}'.repeat(levels)),
      );
    },
  ],
];

function changeBytes(draft: Draft, { chance }: MutationSources): string {
  const bytes = writeBytes(draft) ?? Buffer.from('{}');
  const at = chance.drawBelow(bytes.length + 1);
  const insert = (more: Buffer | string): Buffer =>
    Buffer.concat([bytes.subarray(0, at), Buffer.from(more), bytes.subarray(at)]);
  const [name, made] = chance.pick<readonly [string, () => Buffer]>([
    ['empty', () => Buffer.alloc(0)],
    ['blank', () => Buffer.from(' \r\n\t')],
    ['cut off', () => bytes.subarray(0, at)],
    [
      'with more behind it',
      () => Buffer.concat([bytes, Buffer.from(chance.pick(['}', ',', '{}', '\u0000', ' x']))]),
    ],
    [
      'a piece in it',
      () => insert(chance.pick([',', ':', '"', '\\', '/*x*/', 'NaN', "'", '\u0000', '\u2028', '-'])),
    ],
    [
      'bytes that are no UTF-8',
      () =>
        insert(
          chance.pick([
            Buffer.from([0xff]),
            Buffer.from([0xc0, 0xaf]),
            Buffer.from([0xed, 0xa0, 0x80]),
            Buffer.from([0xf5, 0x80, 0x80, 0x80]),
            Buffer.from([0xe2, 0x82]),
          ]),
        ),
    ],
    ['a byte order mark', () => Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), bytes])],
    ['UTF-16', () => Buffer.from(`\ufeff${bytes.toString('utf8')}`, 'utf16le')],
    [
      'another text',
      () =>
        Buffer.from(
          chance.pick([
            'null',
            '[]',
            '""',
            '0',
            'true',
            'undefined',
            '{',
            '[1,2',
            '{"a":}',
            '{a:1}',
            "{'a':1}",
            '-',
            '1e',
            '"\\u12"',
            '\u0000',
          ]),
        ),
    ],
    [
      'random bytes',
      () => Buffer.from(Array.from({ length: 1 + chance.drawBelow(200) }, () => chance.drawBelow(256))),
    ],
    [
      'blanks around it',
      () => Buffer.concat([Buffer.from(' '.repeat(2_000)), bytes, Buffer.from('\n'.repeat(500))]),
    ],
    ['large', () => createLargeBody(chance)],
  ]);
  draft.bytes = made();
  return `the body ${name}`;
}

const MANY_NAMES = 900_000;
let manyNames: Buffer | undefined;

/** Seldom one that is as long as any may be, with more names than anything needs. */
function createLargeBody(chance: Chance): Buffer {
  if (!chance.isDrawn(2))
    return Buffer.from(JSON.stringify({ note: 'x'.repeat(chance.pick([20_000, 300_000])) }));
  manyNames ??= Buffer.from(
    `{${Array.from({ length: MANY_NAMES }, (_, index) => `"name${index}":10`).join(',')}}`,
  );
  return manyNames;
}

function changeContentType(draft: Draft, { chance }: MutationSources): string {
  const type = chance.pick(hostile.contentTypes);
  if (type === null) delete draft.headers['content-type'];
  else draft.headers['content-type'] = type;
  return type === null ? 'no content type' : `the content type ${type.slice(0, 40)}`;
}

function changePath(draft: Draft, { chance, pool }: MutationSources): string {
  const at = chance.drawBelow(draft.segments.length + 1);
  const piece = chance.pick(hostile.pathPieces);
  switch (chance.drawBelow(7)) {
    case 0:
      draft.segments.splice(at, 0, piece);
      return 'a piece more in the path';
    case 1:
      draft.segments.push('');
      return 'a slash at the end';
    case 2:
      draft.segments.splice(at, 0, '');
      return 'a slash twice';
    case 3:
      draft.segments = draft.segments.map((segment, index) =>
        index === at ? segment.toUpperCase() : segment,
      );
      return 'a segment in capitals';
    case 4:
      draft.segments[draft.segments.length - 1] = encodeURIComponent(pool.pickAny(chance) ?? 'x');
      return 'an id of another kind in the path';
    default:
      draft.segments[Math.max(0, draft.segments.length - 1 - chance.drawBelow(3))] = piece;
      return `${piece.slice(0, 20)} in the path`;
  }
}

const PARAMETERS = [
  'limit',
  'offset',
  'cursor',
  'filter',
  'sort',
  'search',
  'experiment_id',
  'against',
  'view',
  'detailed',
  'status',
  'x',
  '__proto__',
  'constructor',
  'filter[]',
  'a[b][c]',
  '%00',
  '%ff',
  '',
];

function changeQuery(draft: Draft, { chance }: MutationSources): string {
  const [first] = draft.query;
  if (first !== undefined && chance.isDrawn(30)) {
    draft.query.push(first);
    return 'a parameter twice';
  }
  if (chance.isDrawn(3)) {
    draft.query.push(...Array.from({ length: 1_100 }, (_, index) => `p${index}=1`));
    return 'a thousand parameters';
  }
  if (chance.isDrawn(5)) {
    draft.query.push(`search=${'a'.repeat(chance.pick([4_000, 9_000, 14_000]))}`);
    return 'a long query';
  }
  const pair = `${chance.pick(PARAMETERS)}=${chance.pick(hostile.queryValues)}`;
  draft.query.push(chance.isDrawn(10) ? `${pair}&&=&${pair}` : pair);
  return `the parameter ${pair.slice(0, 40)}`;
}

let keys = 0;

function changeHeader(draft: Draft, { chance }: MutationSources): string {
  const [name, value] = chance.drawWeighted<() => readonly [string, string]>([
    [30, () => ['accept', chance.pick(hostile.accepts)]],
    [10, () => ['idempotency-key', chance.pick(hostile.idempotencyKeys)]],
    [15, () => ['idempotency-key', `again-${(keys += chance.drawBelow(2))}`]],
    [15, () => chance.pick(hostile.paymentHeaders)],
    [30, () => chance.pick(hostile.oddHeaders)],
  ])();
  draft.headers[name] = value;
  return `the header ${name}: ${value.slice(0, 40)}`;
}

const METHODS = ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE'];

function changeMethod(draft: Draft, { chance }: MutationSources): string {
  draft.method = chance.pick(METHODS);
  return `the method ${draft.method}`;
}

function changeCaller(draft: Draft, { chance, callers }: MutationSources): string {
  draft.caller = chance.pick(callers);
  // What the one before would have sent in the place of its own header.
  delete draft.headers.authorization;
  delete draft.headers['x-service-api-key'];
  return `as ${draft.caller.name}`;
}
