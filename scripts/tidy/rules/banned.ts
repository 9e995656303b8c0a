/** Words that do not belong where they stand: types that check nothing, and sources that must be injected. */
import { isValueEnd, isAt, type Token } from '../tokens.ts';
import { isTest, getRoom, type Finding, type Rule, type Source } from '../tree.ts';

interface Ban {
  readonly rule: string;
  /** Whether the word may stand in this file all the same. */
  isAllowed(path: string): boolean;
  /** What is wrong at this token; undefined when nothing is. */
  find(tokens: readonly Token[], at: number): string | undefined;
}

const allowInRooms =
  (...rooms: string[]) =>
  (path: string): boolean =>
    isTest(path) || rooms.includes(getRoom(path));
const allowNowhere = (): boolean => false;

/** Modules that reach the network, and those that read the environment. */
const NETWORK = /^node:(?:net|http|https|http2|tls|dgram|dns|dns\/promises|inspector)$/;

const bans: readonly Ban[] = [
  { rule: 'no-any', isAllowed: allowNowhere, find: findAny },
  { rule: 'no-non-null', isAllowed: allowNowhere, find: findNonNull },
  {
    rule: 'no-environment',
    isAllowed: (path) =>
      path === 'src/settings/environment.ts' || allowInRooms('scripts', 'bench', 'bin')(path),
    find: (tokens, at) =>
      isAt(tokens, at, 'process', '.', 'env') ||
      isAt(tokens, at, 'process', '?.', 'env') ||
      isAt(tokens, at, 'env', '}', '=', 'process') ||
      (isAt(tokens, at, 'process', '[') && tokens[at + 2]?.text === 'env')
        ? 'process.env is read only by src/settings/environment.ts'
        : undefined,
  },
  {
    rule: 'no-ambient-time',
    isAllowed: (path) =>
      path === 'src/core/clock.ts' ||
      path === 'src/core/ids.ts' ||
      allowInRooms('adapters', 'cli', 'scripts', 'bench', 'bin')(path),
    find: findAmbient,
  },
  {
    rule: 'no-network',
    isAllowed: allowInRooms('adapters', 'cli', 'transports', 'scripts', 'bench', 'bin', 'web'),
    find: findNetworkCall,
  },
  {
    rule: 'no-console',
    isAllowed: allowInRooms('cli', 'scripts', 'bench', 'bin'),
    find: (tokens, at) =>
      isAt(tokens, at, 'console') &&
      ['.', '?.', ';'].includes(tokens[at + 1]?.text ?? '') &&
      (!isMember(tokens, at) || isAt(tokens, at - 2, 'globalThis'))
        ? 'console is for the command line; a service writes to its log'
        : undefined,
  },
];

export const bannedRules: Rule = {
  names: bans.map((ban) => ban.rule),
  check: (tree) =>
    tree.sources.flatMap((source) => [...findBannedWords(source), ...findBannedModules(source)]),
};

function findBannedWords(source: Source): Finding[] {
  const applying = bans.filter((ban) => !ban.isAllowed(source.path));
  return source.tokens.flatMap((token, at) =>
    applying.flatMap((ban) => {
      const message = ban.find(source.tokens, at);
      return message === undefined ? [] : [{ rule: ban.rule, file: source.path, line: token.line, message }];
    }),
  );
}

function findBannedModules(source: Source): Finding[] {
  const isAllowed = (rule: string): boolean =>
    bans.some((ban) => ban.rule === rule && ban.isAllowed(source.path));
  return source.imports.flatMap((entry) => {
    const at = { file: source.path, line: entry.line };
    if (entry.specifier === 'node:process' && entry.names.includes('env') && !isAllowed('no-environment')) {
      return [
        {
          rule: 'no-environment',
          ...at,
          message: 'the environment is read only by src/settings/environment.ts',
        },
      ];
    }
    if (NETWORK.test(entry.specifier) && !entry.typeOnly && !isAllowed('no-network')) {
      return [{ rule: 'no-network', ...at, message: `${entry.specifier} belongs to src/adapters` }];
    }
    return [];
  });
}

function isMember(tokens: readonly Token[], at: number): boolean {
  return isAt(tokens, at - 1, '.') || isAt(tokens, at - 1, '?.');
}

function findAny(tokens: readonly Token[], at: number): string | undefined {
  if (!isAt(tokens, at, 'any') || isMember(tokens, at)) return undefined;
  const isKey = isAt(tokens, at + 1, ':') || isAt(tokens, at + 1, '(');
  return isKey ? undefined : 'any checks nothing; name the type, or unknown';
}

function findNonNull(tokens: readonly Token[], at: number): string | undefined {
  if (!isAt(tokens, at, '!') || !isValueEnd(tokens[at - 1])) return undefined;
  const isStatement = isAt(tokens, at - 1, ')') && tokens[at + 1]?.kind === 'word';
  return isStatement ? undefined : 'a non-null ! hides a case; decide it';
}

function findAmbient(tokens: readonly Token[], at: number): string | undefined {
  const date =
    isAt(tokens, at, 'Date', '.', 'now') ||
    isAt(tokens, at, 'Date', '?.', 'now') ||
    isAt(tokens, at, 'Temporal', '.', 'Now') ||
    isAt(tokens, at, 'process', '.', 'hrtime') ||
    (isAt(tokens, at, 'Date', '(', ')') && !isMember(tokens, at)) ||
    isNewDate(tokens, at);
  if (date) return 'time comes from the injected clock (core/clock.ts)';
  const isRandom =
    isAt(tokens, at, 'Math', '.', 'random') ||
    isAt(tokens, at, 'random', '}', '=', 'Math') ||
    isAt(tokens, at, 'randomUUID', '(') ||
    isAt(tokens, at, 'getRandomValues', '(');
  return isRandom ? 'randomness comes from an injected source (core/ids.ts)' : undefined;
}

function isNewDate(tokens: readonly Token[], at: number): boolean {
  if (!isAt(tokens, at, 'new', 'Date')) return false;
  return !isAt(tokens, at + 2, '(') || isAt(tokens, at + 3, ')');
}

function findNetworkCall(tokens: readonly Token[], at: number): string | undefined {
  const isFetch =
    isAt(tokens, at, 'fetch', '(') && (!isMember(tokens, at) || isAt(tokens, at - 2, 'globalThis'));
  const isSocket = isAt(tokens, at, 'new', 'WebSocket') || isAt(tokens, at, 'new', 'EventSource');
  if (isAt(tokens, at, 'process', '.', 'getBuiltinModule'))
    return 'import the module statically; what reaches the network is behind src/adapters';
  return isFetch || isSocket ? 'the network is behind src/adapters' : undefined;
}
