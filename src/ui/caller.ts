/** Calls operations from a page, by the same dispatcher, permissions and validation as the API. */
import type { FastifyRequest } from 'fastify';
import type { StagedFile } from '#core/blobs.ts';
import { Failure } from '#core/failures.ts';
import type { Operation, Output } from '#core/operation.ts';
import { writeBody, type Reply } from '#core/reply.ts';
import type { PagesParts } from './parts.ts';
import type { Session } from './session.ts';

/** Times that a form waits for another with its key; each time the dispatcher waits some seconds. */
const WAITS_MAX = 3;

export interface CallInput {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number | boolean>>;
  readonly body?: unknown;
  /** The file of an operation that takes one. */
  readonly upload?: StagedFile;
  readonly headers?: Readonly<Record<string, string>>;
  /** A form that is sent twice has the same key, so that it acts once. */
  readonly idempotencyKey?: string | undefined;
}

export interface Caller {
  call<Op extends Pick<Operation, 'id'>>(operation: Op, input?: CallInput): Promise<Output<Op>>;
  reply(operation: Pick<Operation, 'id'>, input?: CallInput): Promise<Reply>;
}

export function createCaller(
  parts: PagesParts,
  request: FastifyRequest,
  session: Pick<Session, 'principal'>,
): Caller {
  async function reply(operation: Pick<Operation, 'id'>, input: CallInput = {}): Promise<Reply> {
    return waitForFirst(() => parts.callOperation(operation, input, { request, session }));
  }
  return {
    reply,
    async call<Op extends Pick<Operation, 'id'>>(operation: Op, input: CallInput = {}): Promise<Output<Op>> {
      const answer = await reply(operation, input);
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the operation's contract says what it answers
      return JSON.parse(writeBody(answer.body)) as Output<Op>;
    },
  };
}

/** A form that is sent twice at once shows the outcome of the first, also where that takes its time. */
export async function waitForFirst<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  for (let waits = 1; ; waits += 1) {
    try {
      return await ask();
    } catch (error) {
      const isInFlight = error instanceof Failure && error.code === 'idempotency_in_flight';
      if (!isInFlight || waits === WAITS_MAX) throw error;
    }
  }
}
