/** `assayer webhooks listen`: sends the events of an organization, signed as deliveries are, to a program on this machine. */
import { randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { systemClock } from '#core/clock.ts';
import type { UpdateItem } from '#features/updates/contract.ts';
import { writeDeliveryBody, writeEvent } from '#features/webhooks/body.ts';
import { signDelivery } from '#features/webhooks/signature.ts';
import { connect } from './api.ts';
import { CommandError, isPassing } from './command-error.ts';
import { CONNECTION, createUsageError, type Parsed } from './options.ts';
import { readEvents } from './update-stream.ts';
import { print, printNote, toPlainText } from './terminal.ts';

const SECRET_BYTES = 32;
const RETRY_MS = 1_000;
/** The service says something every 15 s. */
const SILENCE_MS_MAX = 45_000;
const FORWARD_TIMEOUT_MS = 15_000;
const PREFIX = 'X-Service';

export const guide = {
  name: 'webhooks listen',
  usage: ['--forward URL [--after UPDATE]'],
  about:
    'Sends the events of the organization to a program on this machine, signed as deliveries are, as they happen.',
  options: {
    'forward URL': 'address of the program, such as http://localhost:3000/hook',
    'after UPDATE': 'id of the last update that the program knows: what followed it is sent as well',
    ...CONNECTION,
  },
  examples: ['webhooks listen --forward http://localhost:3000/hook'],
};

/** Runs until it is interrupted, or until the service refuses. */
export async function run({ values }: Parsed<typeof guide>): Promise<void> {
  const { forward, after = null } = values;
  if (forward === undefined) throw createUsageError(guide, '--forward is missing');
  const api = connect(values);
  if (!URL.canParse(forward) || !/^https?:$/.test(new URL(forward).protocol))
    throw new CommandError(`--forward must be an http or https address; it is "${toPlainText(forward)}".`);
  const secret = `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;
  printNote(`Events go to ${forward}, signed with this secret:`);
  print(secret);
  const caller = await api.get<{ active_organization_id: string | null }>('/whoami');
  const organizationId = caller.active_organization_id ?? '';
  let last = after;
  for (;;) {
    const silence = new AbortController();
    const timer = setTimeout(() => silence.abort(), SILENCE_MS_MAX);
    try {
      const headers: Readonly<Record<string, string>> = last === null ? {} : { 'last-event-id': last };
      const events = await api.stream('/updates/stream', headers, silence.signal);
      for await (const { id, data } of readEvents(events)) {
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the contract says what the stream sends
        if (data !== null) await sendEvent(forward, secret, organizationId, JSON.parse(data) as UpdateItem);
        if (id !== '') last = id;
        timer.refresh();
      }
    } catch (error) {
      if (!silence.signal.aborted && !isPassing(error)) throw error;
      printNote('The service does not answer; trying again.');
    } finally {
      clearTimeout(timer);
    }
    await wait(RETRY_MS);
  }
}

async function sendEvent(
  forward: string,
  secret: string,
  organizationId: string,
  update: UpdateItem,
): Promise<void> {
  // The same whenever the event is sent again, as that of a delivery is.
  const deliveryId = update.id;
  const event = writeEvent({
    eta: update.eta ?? null,
    event_type: update.event_type,
    organization_id: organizationId,
    experiment_id: update.experiment_id,
    experiment_code: update.experiment_code,
    update_type: update.type,
    name: update.name,
    description: update.description ?? null,
    previous_status: update.previous_status ?? null,
    status: update.status ?? null,
    at: new Date(update.timestamp),
  });
  const body = writeDeliveryBody(deliveryId, event, {
    update_id: update.id,
    update_sequence: update.sequence,
  });
  const signature = signDelivery(
    { deliveryId, body, at: systemClock.now(), secrets: [secret] },
    { format: 'hex', prefix: PREFIX },
  );
  const outcome = await fetch(forward, {
    method: 'POST',
    body,
    headers: {
      'content-type': 'application/json',
      [`${PREFIX}-Event`]: 'experiment_update',
      [`${PREFIX}-Delivery-Id`]: deliveryId,
      ...signature,
    },
    redirect: 'manual',
    signal: AbortSignal.timeout(FORWARD_TIMEOUT_MS),
  }).then(
    async (answer) => {
      await answer.body?.cancel();
      return String(answer.status);
    },
    () => 'no answer',
  );
  print(`${update.timestamp}  ${update.event_type}  ${update.experiment_code}  → ${outcome}`);
}
