import type { WriteContext } from '#core/context.ts';
import { fail } from '#core/failures.ts';
import { Answer, type Input } from '#core/operation.ts';
import { getScope } from '#core/principal.ts';
import type { Permission } from '#core/permissions.ts';
import { listAssayNames, hasTarget } from '#assays/registry.ts';
import { findInvoiceOfExperiment } from '#features/invoices/store.ts';
import { BUILTIN } from '#features/payments/rules.ts';
import { nameGiven } from '#features/sequences/check-sequences.ts';
import { selectLatestQuote } from '#features/quotes/store.ts';
import type { triggerEvent as operation } from '#features/webhooks/contract.ts';
import { triggers, type TriggerEnd, type TriggerPlan } from '#features/webhooks/triggers.ts';
import { cancelExperiment } from '../order/operations.ts';
import { createFrom } from '../order/create-experiment.ts';
import { deleteExperiment } from '#features/experiments/operations.ts';
import { collectPayment } from '#features/payments/collect-payment.ts';
import { confirmQuote } from '../quote/operations.ts';
import { rejectQuote } from '#features/quotes/reject-quote.ts';

/** What an order needs besides the permissions of the operation. */
const NEEDED: Readonly<Record<TriggerEnd, readonly Permission[]>> = {
  draft: [],
  deleted: ['experiment:delete'],
  quoted: [],
  rejected: ['quote:update'],
  canceled: ['experiment:update'],
  accepted: ['quote:update'],
  paid: ['quote:update'],
};

/** Two, so that a part of them can be released first. */
const SEQUENCES = [
  nameGiven('one', 'EVQLVESGGGLVQPGGSLRLSCAAS'),
  nameGiven('two', 'DIQMTQSPSSLSASVGDRVTITCRA'),
];

/** `POST /sandbox/events`. */
export async function triggerEvent(input: Input<typeof operation>, context: WriteContext) {
  const { event_type: eventType } = input.body;
  if (context.site.environment !== 'sandbox')
    throw fail('sandbox_only', { what: 'trigger events in a sandbox' });
  const plan = triggers[eventType];
  const reason = typeof plan === 'string' ? plan : findObstacle(plan, context);
  if (typeof plan === 'string' || reason !== null)
    throw fail('event_not_triggered', { event_type: eventType, reason: reason ?? '' });
  const missing = NEEDED[plan.end].find((needed) => !context.principal.permissions.has(needed));
  if (missing !== undefined) throw fail('permission_denied', { permission: missing });
  const experiment = await order(eventType, plan, context);
  await finishOrder(experiment.id, plan.end, context);
  return {
    event_type: eventType,
    experiment_id: experiment.id,
    experiment_code: experiment.code,
    happened: plan.isAtOnce,
  };
}

/** A payment at an outside processor is made on its own page. */
function findObstacle({ end }: TriggerPlan, { site }: WriteContext): string | null {
  if (end !== 'paid' || site.processor === BUILTIN) return null;
  return `invoices of this sandbox are paid at ${site.processor}; pay one on its page`;
}

async function order(eventType: string, plan: TriggerPlan, context: WriteContext) {
  const type = listAssayNames().find((name) => !hasTarget(name));
  if (type === undefined) throw new Error('every assay needs a target');
  const created = await createFrom(
    {
      body: {
        name: `Trigger of ${eventType}`,
        skip_draft: plan.end !== 'draft' && plan.end !== 'deleted',
        experiment_spec: {
          experiment_type: type,
          sequences: SEQUENCES,
          parameters: { sandbox: { lab: 'simulated', faults: [...plan.faults] } },
        },
      },
      named: { header: undefined, payment: { method: 'async_invoice' } },
    },
    context,
  );
  if (created instanceof Answer) throw new Error('an order without acceptance was answered with a payment');
  return { id: created.experiment_id, code: created.experiment_code };
}

/** Takes the client's further steps, each with the function that answers the client's own request. */
async function finishOrder(experimentId: string, end: TriggerEnd, context: WriteContext): Promise<void> {
  const params = { experiment_id: experimentId };
  if (end === 'draft' || end === 'quoted') return;
  if (end === 'deleted')
    return void (await deleteExperiment({ params, ...NOTHING, body: undefined }, context));
  if (end === 'canceled') return void (await cancelExperiment({ params, body: {}, ...NOTHING }, context));
  const scope = getScope(context.principal);
  const quote = await selectLatestQuote(scope, context.tx, experimentId);
  if (quote === undefined) throw new Error('an order that was priced has no quote');
  const ofQuote = { params: { quote_id: quote.id }, ...NOTHING };
  if (end === 'rejected') return void (await rejectQuote({ ...ofQuote, body: { reason: 'other' } }, context));
  await confirmQuote({ ...ofQuote, body: {} }, context);
  if (end !== 'paid') return;
  const invoice = await findInvoiceOfExperiment(scope, context.tx, experimentId);
  if (invoice === undefined) throw new Error('an accepted quote has no invoice');
  await collectPayment(context, context.tx, invoice, { kind: 'test', recordedBy: 'trigger of an event' });
}

const NOTHING = { query: {}, headers: {} };
