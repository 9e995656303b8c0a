/**
 * The operations of the step "notify", each with what carries it out.
 * This folder: what a client asks the service to tell. Not here: the deliveries themselves (`features/webhooks`).
 */
import { bindWrite, type Binding } from '#features/binding.ts';
import * as webhooksTriggerContract from '#features/webhooks/contract.ts';
import { triggerEvent } from './trigger-event.ts';

export const notifyOperations: readonly Binding[] = [
  bindWrite(webhooksTriggerContract.triggerEvent, triggerEvent),
];
