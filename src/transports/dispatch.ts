/**
 * Runs one operation for one caller: permission, validation, one transaction with its idempotency key and audit
 * entry, and the answer. REST, the tool protocol and the pages all use it.
 * This folder: how a call reaches its handler: identity, permission, validation, idempotency. Not here: decisions.
 */
import { findErrorCode, isRecord } from '#core/records.ts';
import type { Keyring } from '#core/capability.ts';
import type { Documents, Feed, OutsideDocuments, PublicContext, Work } from '#core/context.ts';
import { createUnauthenticatedFailure, fail, type FailureCode, type Problem } from '#core/failures.ts';
import type { CursorSigner } from '#core/filter/index.ts';
import { requireMayGrant } from '#core/grants.ts';
import { Answer, takesIdempotencyKey } from '#core/operation.ts';
import { getScope, type Principal } from '#core/principal.ts';
import { RawJson, writeBody, type Reply } from '#core/reply.ts';
import type { Sealer } from '#core/sealer.ts';
import type { LinkSigner } from '#core/signed-link.ts';
import type { Database, Transaction } from '#core/sql.ts';
import { claimKey, dropClaim, storeAnswer, type StoredAnswer } from '#features/idempotency/store.ts';
import type { MachinePayments, RawFilePorts, WebhookPorts } from '#features/installation/outward-context.ts';
import { requireAllowedExperiment } from '#workflows/order/limit-to-experiments.ts';
import type { AnyInput, Binding } from '#features/binding.ts';
import type { SameKeyRequests } from './same-key-requests.ts';
import { recordAudit, type Details } from './record-audit.ts';
import { computeFingerprint } from './fingerprint.ts';
import { createValidator, type Validator } from './validate.ts';
import { findMissingPermission } from './permissions.ts';

/** What the database says of a query, by its code (PostgreSQL, appendix A). */
const STATEMENT_TIMEOUT = '57014';

/** Turns a statement timeout into `query_too_expensive` where the caller can narrow the query. */
function refuseExpensive({ operation }: Binding, error: unknown): never {
  const isQuery = operation.query?.properties.filter !== undefined;
  if (isQuery && findErrorCode(error) === STATEMENT_TIMEOUT)
    throw fail('query_too_expensive', {}, { cause: error });
  throw error;
}

const IDEMPOTENCY_WAIT_MS = 5_000;
const LOCK_NOT_AVAILABLE = '55P03';

export interface DispatcherParts extends Pick<Work, 'site' | 'clock' | 'ids'> {
  readonly database: Database;
  readonly cursors: CursorSigner;
  readonly feed: Feed;
  readonly links: LinkSigner;
  readonly documents: Documents;
  readonly outsideDocuments: OutsideDocuments;
  readonly keyring: Keyring;
  /** Seals stored answers, because they may hold a token that is shown once. */
  readonly answers: Sealer;
  readonly payments: MachinePayments;
  readonly rawFiles: RawFilePorts;
  readonly webhooks: WebhookPorts;
  readonly sameKeyRequests: SameKeyRequests;
}

export interface Call extends Pick<PublicContext, 'requestId' | 'watchClient'> {
  readonly binding: Binding;
  readonly input: AnyInput;
  /** Bytes of the body as it arrived; a large body gets a shorter error report. */
  readonly bodyLength: number;
  /** What the door found wrong with the request; the refusal names it together with what the schemas find. */
  readonly problems?: readonly Problem[];
  readonly principal: Principal | null;
  readonly address: string | null;
  readonly idempotencyKey?: string | undefined;
}

export interface Dispatcher {
  call(call: Call): Promise<Reply>;
  /** Throws what is wrong with an upload whose body is unread. */
  refuseEarly(call: Call): Promise<void>;
}

export function createDispatcher(parts: DispatcherParts): Dispatcher {
  const validators = new Map<string, Promise<Validator>>();

  /** Requests at once share a compile. */
  function getValidator({ operation }: Binding): Promise<Validator> {
    const known = validators.get(operation.id);
    const validator = known ?? createValidator(operation);
    if (known === undefined) validators.set(operation.id, validator);
    return validator;
  }

  async function check(
    call: Call,
  ): Promise<{ readonly checked: Call; readonly principal: Principal | null }> {
    const principal = authorize(call.binding, call.principal);
    const validator = await getValidator(call.binding);
    const input = await validator.check(call.input, call.bodyLength, call.problems);
    const checked = { ...call, input };
    if (principal !== null) await refuseOutsideExperiments(parts, checked, principal);
    return { checked, principal };
  }

  return {
    async refuseEarly(call) {
      const refuse = 'refuseEarly' in call.binding ? call.binding.refuseEarly : undefined;
      // A key may have an answer already, which the file decides.
      if (refuse === undefined || call.idempotencyKey !== undefined) return;
      const { checked, principal } = await check(call);
      const { requestId } = call;
      const context = {
        ...parts,
        sql: parts.database.read,
        requestId,
        principal: requirePrincipal(principal),
      };
      await refuse(checked.input, context);
    },
    async call(call) {
      const { checked, principal } = await check(call);
      if (call.binding.kind === 'write')
        return runWrite(parts, checked, call.binding, requirePrincipal(principal));
      if (call.binding.kind === 'outward')
        return runOutward(parts, checked, call.binding, requirePrincipal(principal));
      if (call.binding.kind === 'audited_read')
        return runAuditedRead(parts, checked, call.binding, requirePrincipal(principal));
      if (call.binding.kind === 'read' && takesIdempotencyKey(call.binding.operation))
        return runComputation(parts, checked, call.binding, requirePrincipal(principal));
      const { requestId, watchClient } = call;
      const shared = { ...parts, sql: parts.database.read, requestId, watchClient };
      const output =
        call.binding.kind === 'public'
          ? await call.binding.run(checked.input, shared)
          : await call.binding
              .run(checked.input, { ...shared, principal: requirePrincipal(principal) })
              .catch((error: unknown) => refuseExpensive(call.binding, error));
      return toReply(call.binding, output);
    },
  };
}

/**
 * The only check of permissions and of the right to grant. Objects of other organizations are not rejected here: they
 * are not found.
 */
export function authorize({ operation }: Binding, caller: Principal | null): Principal | null {
  const { permission, grants } = operation;
  if (permission === 'public') return caller;
  const principal = requirePrincipal(caller);
  const missing = findMissingPermission(operation, principal);
  if (missing !== undefined) throw fail('permission_denied', { permission: missing });
  if (grants !== undefined) requireMayGrant(grants, principal);
  return principal;
}

/** Rejects a request of a token limited to experiments unless it is about one of them. */
async function refuseOutsideExperiments(
  { database }: DispatcherParts,
  { binding, input }: Call,
  principal: Principal,
): Promise<void> {
  if (principal.restrictions.experiments.length === 0) return;
  await requireAllowedExperiment(binding.operation, input, { principal, sql: database.read });
}

function requirePrincipal(principal: Principal | null): Principal {
  if (principal === null) throw createUnauthenticatedFailure();
  return principal;
}

type WriteBinding = Extract<Binding, { kind: 'write' }>;

async function runWrite(
  parts: DispatcherParts,
  call: Call,
  binding: WriteBinding,
  principal: Principal,
): Promise<Reply> {
  const key = checkIdempotencyKey(call.idempotencyKey);
  return parts.database.runTransaction(async (tx) => {
    const stored = key === undefined ? undefined : await claimIdempotencyKey(parts, call, tx, principal, key);
    if (stored !== undefined) return replayAnswer(parts.answers, stored);
    let concerned = principal.organizationId;
    let details: Details = null;
    const context = {
      ...parts,
      tx,
      principal,
      sealer: parts.webhooks.sealer,
      requestId: call.requestId,
      setAuditOrganization: (organizationId: string) => void (concerned = organizationId),
      addAuditDetails: (added: NonNullable<Details>) => void (details = added),
    };
    const reply = toReply(binding, await binding.run(call.input, context));
    await recordAudit(parts, call, tx, { principal, concerned, details }, reply);
    if (key !== undefined) await storeReply(parts, tx, call, key, reply);
    return reply;
  });
}

type AuditedReadBinding = Extract<Binding, { kind: 'audited_read' }>;

/** The caller gets the answer only if the audit trail has the entry of this read. */
async function runAuditedRead(
  parts: DispatcherParts,
  call: Call,
  binding: AuditedReadBinding,
  principal: Principal,
): Promise<Reply> {
  return parts.database.runTransaction(async (tx) => {
    let concerned = principal.organizationId;
    const context = {
      ...parts,
      sql: tx,
      principal,
      requestId: call.requestId,
      setAuditOrganization: (organizationId: string) => void (concerned = organizationId),
    };
    const run = binding.run(call.input, context);
    const reply = toReply(binding, await run.catch((error: unknown) => refuseExpensive(binding, error)));
    await recordAudit(parts, call, tx, { principal, concerned }, reply);
    return reply;
  });
}

type ReadBinding = Extract<Binding, { kind: 'read' }>;

/**
 * A POST or an upload that changes nothing. With a key, its answer is stored; it is no change, so the audit trail has no
 * entry. No transaction is open while it computes, because files may take minutes to read.
 */
async function runComputation(
  parts: DispatcherParts,
  call: Call,
  binding: ReadBinding,
  principal: Principal,
): Promise<Reply> {
  const key = checkIdempotencyKey(call.idempotencyKey);
  const shared = { ...parts, principal, requestId: call.requestId };
  const before = await findStoredReply(parts, call, principal, key);
  if (before !== undefined) return before;
  const reply = toReply(binding, await binding.run(call.input, { ...shared, sql: parts.database.read }));
  if (key === undefined) return reply;
  return parts.database.runTransaction(async (tx) => {
    const stored = await claimIdempotencyKey(parts, call, tx, principal, key);
    if (stored !== undefined) return replayAnswer(parts.answers, stored);
    await storeReply(parts, tx, call, key, reply);
    return reply;
  });
}

/** Returns the answer that an earlier request left under the key; undefined where none did. */
async function findStoredReply(
  parts: DispatcherParts,
  call: Call,
  principal: Principal,
  key: string | undefined,
): Promise<Reply | undefined> {
  if (key === undefined) return undefined;
  const stored = await parts.database.runTransaction(async (tx) => {
    const answer = await claimIdempotencyKey(parts, call, tx, principal, key);
    if (answer === undefined) await dropClaim(getScope(principal), tx, key);
    return answer;
  });
  return stored === undefined ? undefined : replayAnswer(parts.answers, stored);
}

type OutwardBinding = Extract<Binding, { kind: 'outward' }>;

/** The reply in an audit entry that is written before the outcome is known: accepted. */
const ACCEPTED: Reply = { status: 202, headers: {}, body: null };

/**
 * No transaction is open while the handler acts outside. A key stores the answer of the first success. Concurrent
 * requests with one key all run, which the handler's own records make harmless, and all get that answer.
 */
async function runOutward(
  parts: DispatcherParts,
  call: Call,
  binding: OutwardBinding,
  principal: Principal,
): Promise<Reply> {
  const key = checkIdempotencyKey(call.idempotencyKey);
  const findReply = (): Promise<Reply | undefined> => findStoredReply(parts, call, principal, key);
  const before = await findReply();
  if (before !== undefined) return before;
  const runOnce = (): Promise<Reply> => runOutwardOnce(parts, call, binding, principal, key);
  return key === undefined
    ? runOnce()
    : parts.sameKeyRequests.run(`${principal.organizationId} ${key}`, runOnce, findReply);
}

async function runOutwardOnce(
  parts: DispatcherParts,
  call: Call,
  binding: OutwardBinding,
  principal: Principal,
  key: string | undefined,
): Promise<Reply> {
  const { database } = parts;
  let isAudited = false;
  let concerned = principal.organizationId;
  const output = await binding.run(call.input, {
    ...parts,
    principal,
    requestId: call.requestId,
    setAuditOrganization: (organizationId) => void (concerned = organizationId),
    audit: async (tx, answer) => {
      const audited = answer === undefined ? ACCEPTED : toReply(binding, answer);
      await recordAudit(parts, call, tx, { principal, concerned }, audited);
      tx.runAfterCommit(() => (isAudited = true));
    },
  });
  const reply = toReply(binding, output);
  return database.runTransaction(async (tx) => {
    const stored = key === undefined ? undefined : await claimIdempotencyKey(parts, call, tx, principal, key);
    if (stored !== undefined) return replayAnswer(parts.answers, stored);
    if (!isAudited) await recordAudit(parts, call, tx, { principal, concerned }, reply);
    if (key !== undefined) await storeReply(parts, tx, call, key, reply);
    return reply;
  });
}

async function storeReply(
  { answers }: DispatcherParts,
  tx: Transaction,
  { binding, principal }: Call,
  key: string,
  { status, headers, body }: Reply,
): Promise<void> {
  const sealed = answers.seal(writeBody(removeShown(binding, body)));
  await storeAnswer(getScope(requirePrincipal(principal)), tx, key, { status, headers, body: sealed });
}

/** The answer of a repeat, which has no secret that the first answer showed. */
function removeShown({ operation: { shownOnce: name } }: Binding, body: unknown): unknown {
  if (name === undefined || !isRecord(body) || body[name] === null) return body;
  return { ...body, [name]: null, [`${name}_was_shown`]: true };
}

function checkIdempotencyKey(key: string | undefined): string | undefined {
  if (key !== undefined && !/^[\x21-\x7e]{1,255}$/.test(key)) throw fail('idempotency_key_invalid');
  return key;
}

async function claimIdempotencyKey(
  parts: DispatcherParts,
  call: Call,
  tx: Transaction,
  principal: Principal,
  key: string,
): Promise<StoredAnswer | undefined> {
  const { operation } = call.binding;
  const fingerprint = await computeFingerprint(operation.id, call.input, principal);
  const stored = await claimKey(getScope(principal), tx, {
    key,
    operation_id: operation.id,
    fingerprint,
    at: parts.clock.now(),
    waitMs: IDEMPOTENCY_WAIT_MS,
  }).catch((error: unknown) => {
    if (findErrorCode(error) === LOCK_NOT_AVAILABLE) throw fail('idempotency_in_flight');
    throw error;
  });
  if (stored !== undefined && stored.fingerprint !== fingerprint) throw fail('idempotency_key_reused');
  return stored;
}

function replayAnswer(answers: Sealer, stored: StoredAnswer): Reply {
  const body = answers.open(stored.body);
  return {
    status: stored.status,
    headers: { ...stored.headers, 'idempotency-replayed': 'true' },
    body: body === '' ? null : new RawJson(body),
  };
}

function toReply(binding: Binding, output: unknown): Reply {
  if (output instanceof Answer) return { status: output.status, headers: output.headers, body: output.body };
  return { status: binding.operation.success ?? 200, headers: {}, body: output };
}

/** Failures that any operation with a token can have. */
export const doorFailures: readonly FailureCode[] = [
  'unauthenticated',
  'token_malformed',
  'token_invalid',
  'token_wrong_environment',
  'token_expired',
  'token_not_yet_valid',
  'token_revoked',
  'rate_limited',
  'internal_error',
  'database_unavailable',
  'disk_full',
  'overloaded',
];
