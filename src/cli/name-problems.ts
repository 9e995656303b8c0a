/** Names what is wrong in the words of a command: flags and operands in place of the members of the API. */
import type { Problem } from '#core/failures.ts';
import { writeExampleFilter, type ListFields } from '#core/filter/index.ts';
import { findNearest } from '#core/nearest.ts';
import type { UnknownRecord } from '#core/records.ts';
import { CommandError, type RefusedError } from './command-error.ts';
import { FIRST, POSITION, type Flag, type Request } from './kit-flags.ts';

/** The name of a member of the API, unlike a line of a file. */
const MEMBER = /^[a-z\d]+(?:[._][a-z\d]+)+$/;

/** The flag of the longest part of the path. */
function findFlag(flags: readonly Flag[], parts: readonly string[]): Flag | undefined {
  const isAt = (name: string, part: string | undefined): boolean =>
    name === part || (name === FIRST && POSITION.test(part ?? ''));
  const isAbout = (flag: Flag): boolean => flag.path.every((name, index) => isAt(name, parts[index]));
  return flags.filter(isAbout).toSorted((a, b) => b.path.length - a.path.length)[0];
}

/** Names a problem by the flag or the operand that it is about, and the value that is none of the choices. */
export function nameProblem(
  flags: readonly Flag[],
  { path, message }: Problem,
  { params = {}, query, body }: Request = {},
): string {
  const parts = path.split('.');
  const flag = findFlag(flags, parts);
  if (flag === undefined) return nameMember(flags, { path, message }, params);
  const whole: unknown = flag.place === 'query' ? query : body;
  const value = parts.reduce<unknown>((record, name) => Object(record ?? {})[name], whole);
  const position = Number(flag.path.includes(FIRST) ? parts[1] : 0);
  const rest = parts.slice(flag.path.length).filter((name) => !(flag.isList && POSITION.test(name)));
  const place = [...rest, ...(position > 0 ? [`of entry ${position + 1}`] : [])];
  const choices = /^must be one of (.+)$/.exec(message)?.[1]?.split(/, | or /) ?? [];
  const said = choices.length > 0 && typeof value === 'string' ? describeChoice(value, choices) : message;
  return [`--${flag.name}`, ...place, said].join(' ');
}

/** Of an operand, of a member whose parts have flags, or of one that only a body can have. */
function nameMember(flags: readonly Flag[], { path, message }: Problem, params: UnknownRecord): string {
  if (Object.hasOwn(params, path)) return `${path.toUpperCase().replaceAll('_', '-')} ${message}`;
  const part = flags.find((flag) => flag.path.join('.').startsWith(`${path}.`));
  if (part !== undefined) return `"${path}" of the body ${message}: give flags such as --${part.name}`;
  return path === '' ? `The body ${message}` : `"${path}" of the body ${message}`;
}

function describeChoice(value: string, choices: readonly string[]): string {
  const near = findNearest(value, choices);
  return `must not be "${value}"${near === undefined ? `, but one of ${choices.join(', ')}` : ` (did you mean "${near}"?)`}`;
}

/** Members of the API in the sentence of a refusal become the flags that gave them. */
export function nameRefusal(flags: readonly Flag[], error: RefusedError, list?: ListFields): CommandError {
  const { problems } = error.refusal;
  let text = error.message;
  for (const problem of problems) {
    const { path, message } = problem;
    const isKnown = findFlag(flags, path.split('.')) !== undefined;
    if (!isKnown && !MEMBER.test(path)) continue;
    const own = /^[A-Z]/.test(message) ? message : `"${path}" ${message}`;
    const sentence = isKnown ? nameProblem(flags, problem) : own;
    const said = `${path} ${message}`;
    // Only the whole name: "name" is the end of another one.
    for (const start of [' ', '\n'])
      text = text
        .replaceAll(`${start}${path}: ${message}`, start + said)
        .replaceAll(start + said, start + sentence);
  }
  const named = text.replaceAll(/\b[a-z\d]+(?:_[a-z\d]+)+\b/g, (word) => {
    const flag = problems.length === 0 ? undefined : flags.find(({ path }) => path.join('.') === word);
    return flag === undefined ? word : `--${flag.name}`;
  });
  const isFilter = list !== undefined && problems.some(({ path }) => path === 'filter');
  return new CommandError(isFilter ? `${named}\n${formatFilterAdvice(list)}` : named, error.exitCode, {
    cause: error,
  });
}

/** A filter that the list takes, and the search where it has one. */
function formatFilterAdvice(list: ListFields): string {
  const search = list.searchable.length === 0 ? '' : ', or --search TEXT for a part of a name';
  return `  Write it like --filter '${writeExampleFilter(list)}' ("assayer help filter")${search}.`;
}
