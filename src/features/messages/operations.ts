/** The operations of messages, each with what carries it out. */
import type { ReadContext, WriteContext } from '#core/context.ts';
import { fail } from '#core/failures.ts';
import type { Input } from '#core/operation.ts';
import { parseList } from '#core/parse-list.ts';
import { getScope } from '#core/principal.ts';
import type { RawJson } from '#core/reply.ts';
import { createOrganizationScope, labScope } from '#core/scope.ts';
import { bindLabList, bindRead, bindWrite, type Binding } from '../binding.ts';
import { requireExperiment } from '../experiments/require-experiment.ts';
import { findExperiment, type ExperimentRow } from '../experiments/store.ts';
import { addUpdate } from '../experiments/transition-experiment.ts';
import { insertFact } from '../notifications/notice-store.ts';
import { selectMembers, selectStaffToTell } from '../notifications/settings-store.ts';
import { selectExperimentOfResult } from '../results/store.ts';
import * as contract from './contract.ts';
import { formatExcerpt, findMentioned } from './rules.ts';
import { insertMessage, listLabMessagePage, listMessagePage } from './store.ts';

export const messagesOperations: readonly Binding[] = [
  bindRead(contract.listMessages, listMessages),
  bindWrite(contract.sendMessage, sendMessage),
  bindLabList(contract.listLabMessages, ({ scope, sql }, query) => listLabMessagePage(scope, sql, query)),
  bindWrite(contract.sendLabMessage, sendLabMessage),
];

/** `GET /experiments/{experiment_id}/messages`: what the caller's organization and the lab wrote about an experiment. */
async function listMessages(
  input: Input<typeof contract.listMessages>,
  context: ReadContext,
): Promise<RawJson> {
  const experiment = await requireExperiment(context, input.params.experiment_id);
  const query = parseList(context, contract.messageList.fields, input.query);
  return listMessagePage(getScope(context.principal), context.sql, query, experiment.id);
}

/** `POST /experiments/{experiment_id}/messages`: writes to the lab. */
async function sendMessage(input: Input<typeof contract.sendMessage>, context: WriteContext) {
  const experiment = await findExperiment(
    getScope(context.principal),
    context.tx,
    input.params.experiment_id,
  );
  if (experiment === undefined) throw fail('experiment_not_found');
  return keepMessage(context, experiment, 'client', input.body);
}

/** `POST /lab/experiments/{experiment_id}/messages`: writes to the organization of the experiment. */
async function sendLabMessage(input: Input<typeof contract.sendLabMessage>, context: WriteContext) {
  const experiment = await findExperiment(labScope, context.tx, input.params.experiment_id);
  if (experiment === undefined) throw fail('experiment_not_found');
  context.setAuditOrganization(experiment.organization_id);
  return keepMessage(context, experiment, 'lab', input.body);
}

/** Keeps the message, and writes its update and what people are told, all in one transaction. */
async function keepMessage(
  context: WriteContext,
  experiment: ExperimentRow,
  side: contract.Side,
  { text, result_id: resultId = null }: Input<typeof contract.sendMessage>['body'],
) {
  const { tx, ids, clock, principal } = context;
  const scope = createOrganizationScope(experiment.organization_id);
  // The client reads what it is about, so that the lab names released results alone.
  const isOfExperiment =
    resultId === null || (await selectExperimentOfResult(scope, tx, resultId)) === experiment.id;
  if (!isOfExperiment) throw fail('result_not_found');
  const people = {
    client: await selectMembers(labScope, tx, [experiment.organization_id]),
    lab: await selectStaffToTell(labScope, tx),
  };
  const message = { id: ids.createUuid(), created_at: clock.now() };
  const author = principal.userEmail;
  const reader = side === 'client' ? 'lab' : 'client';
  const colleagues = findMentioned(text, people[side]).filter(({ email }) => email !== author);
  // A client does not learn who is of the staff, and names nobody there.
  const others = side === 'lab' ? findMentioned(text, people.client) : [];
  const mentions = [...new Set([...colleagues, ...others].map(({ email }) => email))];
  await insertMessage(scope, tx, {
    ...message,
    experiment_id: experiment.id,
    result_id: resultId,
    side,
    author,
    text,
    mentions,
  });
  const sentence = formatExcerpt(text);
  await addUpdate(context, tx, experiment, {
    event: 'message.sent',
    name: side === 'lab' ? 'Message of the lab' : 'Message to the lab',
    description: sentence,
  });
  const fact = { experiment_code: experiment.code, at: message.created_at };
  const details = { subject: side === 'lab' ? 'The lab' : author, sentence };
  const kinds = { client: 'message.to_client', lab: 'message.to_lab' } as const;
  await insertFact(scope, tx, {
    ...fact,
    id: message.id,
    kind: kinds[reader],
    details: { ...details, named_user_ids: listIds(others) },
  });
  if (colleagues.length > 0)
    await insertFact(scope, tx, {
      ...fact,
      id: ids.createUuid(),
      kind: kinds[side],
      details: { ...details, subject: author, named_user_ids: listIds(colleagues), is_for_named: true },
    });
  return { ...message, created_at: message.created_at.toISOString(), mentions };
}

const listIds = (people: readonly { readonly user_id: string }[]): string[] =>
  people.map(({ user_id: id }) => id);
