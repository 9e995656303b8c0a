/** Splits the arguments of a tool into the path, query and body of its operation. */
import { fail, type Failure } from '#core/failures.ts';
import type { AnyInput } from '../binding.ts';
import type { Argument, OperationTool, Place } from './tools.ts';

export interface SplitArguments {
  readonly input: AnyInput;
  readonly idempotencyKey: string | undefined;
}

const SHOWN_NAME_MAX = 64;
const PROBLEMS_MAX = 100;

export function splitArguments(
  tool: OperationTool,
  given: Readonly<Record<string, unknown>>,
): SplitArguments {
  refuseUnknown(tool, given);
  const listArgumentsAt = (place: Place): [Argument, unknown][] =>
    [...tool.arguments]
      .filter(([name, argument]) => argument.place === place && Object.hasOwn(given, name))
      .map(([name, argument]) => [argument, given[name]]);
  // Agents send null for omitted arguments; a path or a query has no null.
  const record = (place: Place, keepNull = false): Record<string, unknown> =>
    Object.fromEntries(
      listArgumentsAt(place)
        .filter(([, value]) => keepNull || value !== null)
        .map(([{ name }, value]) => [name, value]),
    );
  const { operation } = tool.binding;
  return {
    input: {
      params: record('params'),
      query: record('query'),
      body: operation.body === undefined ? undefined : record('body', true),
      headers: {
        'payment-method': getText('payment_method', listArgumentsAt('payment-method')),
        'payment-signature': getText('payment_signature', listArgumentsAt('payment-signature')),
        'payment-authorization': getText('payment_authorization', listArgumentsAt('payment-authorization')),
        accept: 'application/json',
      },
    },
    idempotencyKey: getText('idempotency_key', listArgumentsAt('idempotency-key')),
  };
}

function getText(name: string, [found]: readonly [Argument, unknown][]): string | undefined {
  const value = found?.[1];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string') throw createRefusal([{ path: name, message: 'must be string' }]);
  return value;
}

function refuseUnknown(tool: OperationTool, given: Readonly<Record<string, unknown>>): void {
  const unknown = Object.keys(given).filter((name) => !tool.arguments.has(name));
  if (unknown.length === 0) return;
  const message = tool.isList
    ? 'is not a known field; compare fields with `filter`, such as eq(status,done)'
    : 'is not a known field';
  throw createRefusal(
    unknown.slice(0, PROBLEMS_MAX).map((name) => ({ path: toPrintableName(name), message })),
  );
}

function createRefusal(problems: readonly { path: string; message: string }[]): Failure {
  const [first] = problems;
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : '';
  const reason = `${first?.path ?? 'arguments'}: ${first?.message ?? 'not valid'}${more}.`;
  return fail('invalid_request', { reason }, { problems });
}

function toPrintableName(name: string): string {
  const clean = name.replaceAll(/[^\x20-\x7e]/g, '?');
  return clean.length > SHOWN_NAME_MAX ? `${clean.slice(0, SHOWN_NAME_MAX)}…` : clean;
}
