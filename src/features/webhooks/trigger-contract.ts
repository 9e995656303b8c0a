/** The operation with which a sandbox lets a client try what its programs do when an event happens. */
import { ExperimentId } from '#core/fields.ts';
import { defineOperation } from '#core/operation.ts';
import { OneOf, strict, Type } from '#core/schema.ts';
import { eventTypes } from '../updates/types.ts';

const EventType = OneOf(eventTypes, { description: 'a type of the catalog of events, such as invoice.paid' });

export const triggerEvent = defineOperation({
  id: 'trigger_event',
  method: 'POST',
  path: '/sandbox/events',
  tag: 'sandbox',
  summary: 'Bring an event about in a sandbox, to try what receives it',
  description:
    'Places an order and takes it as far as the event needs: the event is a true one, and what it names exists. It is delivered and listed like every other. 409 where no order of a sandbox leads to the event; the sentence says why.',
  effect: 'spends',
  permission: 'experiment:create',
  alsoNeeds: 'invoice:pay',
  bodyMode: 'required',
  body: Type.Object({ event_type: EventType }, strict),
  success: 201,
  output: Type.Object({
    event_type: EventType,
    experiment_id: ExperimentId,
    experiment_code: Type.String({ description: 'code of the experiment that was ordered' }),
    happened: Type.Boolean({
      description:
        'true: the event is in the feed; false: the payment or the simulated lab brings it there shortly',
    }),
  }),
  failures: ['sandbox_only', 'event_not_triggered'],
  example: {
    body: { event_type: 'invoice.paid' },
    output: {
      event_type: 'invoice.paid',
      experiment_id: '01980000-0000-7000-8000-0000000000e1',
      experiment_code: 'DEMO-001-001',
      happened: false,
    },
  },
});
